// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tc-u32: one u32 key a rule (with IPv6 one for each 32 bits of the prefix),
 * compared one after the other (net/sched/cls_u32.c:u32_classify), so that the
 * cost should grow linearly.
 *
 * A hash table of u32 has 4,095 handles, and a filter too many is accepted
 * and shares the last one; so every TABLE_RULES rules get a priority, and
 * with it a table, of their own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/gen_stats.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tc_act/tc_gact.h>
#include <linux/tc_act/tc_mirred.h>
#include <string.h>

#include "bpf/clsact.h"
#include "runner/log.h"
#include "runner/netlink.h"

#define WHO	      "tc-u32"
#define TABLE_RULES   4000
#define DADDR_OFFSET  16 /* in the IPv4 header */
#define DADDR6_OFFSET 24 /* in the IPv6 header */
#define MAX_KEYS      4
#define MAX_TABLES    (CLSACT_PRIO_SINK - CLSACT_PRIO_FILTER)
#define UNUSED_BLOCK  UINT32_C(0x68636f73)
#define MIRRED_BLOCK  4 /* TCA_MIRRED_BLOCKID, not in older headers */
#define MESSAGE_BYTES 512

enum drop_action {
	DROP_GACT,
	DROP_MIRRED,
};

struct tc_u32_state {
	struct clsact clsact;
	struct site site;
	size_t count;
	enum drop_action action;
	struct mnl_socket *nl;
};

static struct tcmsg *put_header(struct nlmsghdr *nlh, const struct site *site,
				uint16_t type, uint16_t flags)
{
	struct tcmsg *tc;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	tc = mnl_nlmsg_put_extra_header(nlh, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = site->ifindex;
	tc->tcm_parent = clsact_parent(site->hook);
	return tc;
}

static void put_gact(struct nlmsghdr *nlh)
{
	const struct tc_gact parms = { .action = TC_ACT_SHOT };
	struct nlattr *options;

	mnl_attr_put_strz(nlh, TCA_ACT_KIND, "gact");
	options = mnl_attr_nest_start(nlh, TCA_ACT_OPTIONS);
	mnl_attr_put(nlh, TCA_GACT_PARMS, sizeof(parms), &parms);
	mnl_attr_nest_end(nlh, options);
}

/*
 * Where gact is not built in: mirror to a block that nobody uses, then drop.
 * The mirroring finds no device and falls through to the verdict
 * (net/sched/act_mirred.c:tcf_mirred_act, since Linux 6.8).
 */
static void put_mirred(struct nlmsghdr *nlh)
{
	const struct tc_mirred parms = {
		.action = TC_ACT_SHOT,
		.eaction = TCA_EGRESS_MIRROR,
	};
	struct nlattr *options;

	mnl_attr_put_strz(nlh, TCA_ACT_KIND, "mirred");
	options = mnl_attr_nest_start(nlh, TCA_ACT_OPTIONS);
	mnl_attr_put(nlh, TCA_MIRRED_PARMS, sizeof(parms), &parms);
	mnl_attr_put_u32(nlh, MIRRED_BLOCK, UNUSED_BLOCK);
	mnl_attr_nest_end(nlh, options);
}

static void (*const put_action[])(struct nlmsghdr *nlh) = {
	[DROP_GACT] = put_gact,
	[DROP_MIRRED] = put_mirred,
};

static uint16_t protocol(const struct site *site)
{
	return htons(site->family == FAMILY_IPV6 ? ETH_P_IPV6 : ETH_P_IP);
}

/*
 * The selector with its keys, which the kernel wants in one piece.  A key holds
 * 32 bits of the address; those that the prefix leaves open have none.
 */
static void put_keys(struct nlmsghdr *nlh, enum family family,
		     const struct prefix *prefix)
{
	int offset = family == FAMILY_IPV6 ? DADDR6_OFFSET : DADDR_OFFSET;
	uint32_t addr[MAX_KEYS], mask[MAX_KEYS];
	_Alignas(struct tc_u32_sel) char
		room[sizeof(struct tc_u32_sel) +
		     MAX_KEYS * sizeof(struct tc_u32_key)];
	struct tc_u32_sel *sel = (void *)room;

	memset(room, 0, sizeof(room));
	sel->flags = TC_U32_TERMINAL;
	addr_put(prefix->addr, addr);
	addr_put(prefix_mask(prefix->len), mask);
	for (int i = 0; i * 32 < prefix->len; i++) {
		sel->keys[i].mask = mask[i];
		sel->keys[i].val = addr[i];
		sel->keys[i].off = offset + i * 4;
		sel->nkeys++;
	}
	mnl_attr_put(nlh, TCA_U32_SEL,
		     sizeof(*sel) + sel->nkeys * sizeof(sel->keys[0]), room);
}

static int add_rule(struct mnl_socket *nl, const struct site *site, size_t i,
		    const struct prefix *prefix, enum drop_action action)
{
	unsigned int prio = CLSACT_PRIO_FILTER + i / TABLE_RULES;
	_Alignas(struct nlmsghdr) char buf[MESSAGE_BYTES];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct nlattr *options, *actions, *first;
	struct tcmsg *tc = put_header(nlh, site, RTM_NEWTFILTER,
				      NLM_F_CREATE | NLM_F_EXCL);

	tc->tcm_info = TC_H_MAKE(prio << 16, protocol(site));
	tc->tcm_handle = i % TABLE_RULES + 1;
	mnl_attr_put_strz(nlh, TCA_KIND, "u32");
	options = mnl_attr_nest_start(nlh, TCA_OPTIONS);
	put_keys(nlh, site->family, prefix);
	actions = mnl_attr_nest_start(nlh, TCA_U32_ACT);
	first = mnl_attr_nest_start(nlh, 1);
	put_action[action](nlh);
	mnl_attr_nest_end(nlh, first);
	mnl_attr_nest_end(nlh, actions);
	mnl_attr_nest_end(nlh, options);
	return nl_request(nl, nlh, NULL, NULL);
}

/*
 * Adds the first rule with whichever action this kernel has: only trying
 * tells, and the answer is an ENOENT either way.
 */
static int add_first(struct mnl_socket *nl, const struct site *site,
		     const struct prefix *prefix, enum drop_action *action)
{
	int err = 0;

	for (*action = DROP_GACT; *action <= DROP_MIRRED; (*action)++) {
		err = add_rule(nl, site, 0, prefix, *action);
		if (!err)
			return 0;
		if (err == -EEXIST)
			return log_err(
				err,
				WHO ": other rules are on this hook already");
	}
	if (err == -EPERM)
		return log_err(err, WHO ": needs CAP_NET_ADMIN");
	return log_err(
		-EOPNOTSUPP,
		WHO
		": this kernel cannot drop from u32 (%s): CONFIG_NET_CLS_U32 and CONFIG_NET_ACT_GACT, modules cls_u32 and act_gact",
		strerror(-err));
}

static int add_others(struct mnl_socket *nl, const struct site *site,
		      const struct rules *rules, enum drop_action action)
{
	int err = 0;

	for (size_t i = 1; !err && i < rules->count; i++) {
		err = add_rule(nl, site, i, &rules->prefixes[i], action);
		if (err)
			return log_err(err, WHO ": adding rule %zu of %zu: %s",
				       i + 1, rules->count, strerror(-err));
	}
	if (action == DROP_MIRRED)
		log_debug(WHO ": no gact here, matches are dropped by mirred");
	return err;
}

/* Removes the tables, one priority each. */
static void flush(struct mnl_socket *nl, const struct site *site, size_t count)
{
	size_t tables = (count + TABLE_RULES - 1) / TABLE_RULES;

	for (size_t i = 0; i < tables; i++) {
		_Alignas(struct nlmsghdr) char buf[MESSAGE_BYTES];
		struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
		struct tcmsg *tc = put_header(nlh, site, RTM_DELTFILTER, 0);
		unsigned int prio = CLSACT_PRIO_FILTER + i;

		tc->tcm_info = TC_H_MAKE(prio << 16, protocol(site));
		nl_request(nl, nlh, NULL, NULL);
	}
}

/* All or nothing: what was there before is not touched. */
static int add_rules(struct mnl_socket *nl, const struct site *site,
		     const struct rules *rules, enum drop_action *action)
{
	int err = add_first(nl, site, &rules->prefixes[0], action);

	if (err)
		return err;
	err = add_others(nl, site, rules, *action);
	if (err)
		flush(nl, site, rules->count);
	return err;
}

static int tc_u32_attach(void *state, const struct site *site,
			 const struct rules *rules)
{
	auto_mnl struct mnl_socket *nl = nl_open(NETLINK_ROUTE);
	struct tc_u32_state *st = state;
	struct clsact clsact = {};
	int err;

	if (!nl)
		return log_err(-errno, WHO ": netlink: %s", strerror(errno));
	err = clsact_open(&clsact, site);
	if (err)
		return err;
	err = add_rules(nl, site, rules, &st->action);
	if (err) {
		clsact_close(&clsact);
		return err;
	}
	st->site = *site;
	st->clsact = clsact;
	st->count = rules->count;
	st->nl = hand_over(nl, NULL);
	return 0;
}

static const struct nlattr *nested(const struct nlattr *outer, uint16_t type)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, outer)
		if (mnl_attr_get_type(attr) == type)
			return attr;
	return NULL;
}

/* Adds the packets that the action of one filter has seen. */
static int sum_action(const struct nlmsghdr *nlh, void *arg)
{
	static const uint16_t path[] = {
		TCA_U32_ACT,
		1, /* the first action */
		TCA_ACT_STATS,
		TCA_STATS_BASIC,
	};
	const struct nlattr *attr, *at = NULL;
	struct gnet_stats_basic basic;

	mnl_attr_for_each(attr, nlh, sizeof(struct tcmsg))
		if (mnl_attr_get_type(attr) == TCA_OPTIONS)
			at = attr;
	for (size_t i = 0; at && i < ARRAY_SIZE(path); i++)
		at = nested(at, path[i]);
	if (at) {
		memcpy(&basic, mnl_attr_get_payload(at),
		       offsetof(struct gnet_stats_basic, packets) +
			       sizeof(basic.packets));
		*(uint64_t *)arg += basic.packets;
	}
	return MNL_CB_OK;
}

static int tc_u32_read(void *state, uint64_t *dropped)
{
	struct tc_u32_state *st = state;
	_Alignas(struct nlmsghdr) char buf[MESSAGE_BYTES];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	int err;

	put_header(nlh, &st->site, RTM_GETTFILTER, NLM_F_DUMP);
	*dropped = 0;
	err = nl_request(st->nl, nlh, sum_action, dropped);
	return err ? log_err(err, WHO ": reading counters: %s", strerror(-err))
		   : 0;
}

static int tc_u32_add(void *state, const struct prefix *prefix)
{
	struct tc_u32_state *st = state;
	int err = add_rule(st->nl, &st->site, st->count, prefix, st->action);

	if (err)
		return log_err(err, WHO ": adding a rule: %s", strerror(-err));
	st->count++;
	return 0;
}

static void tc_u32_detach(void *state)
{
	struct tc_u32_state *st = state;

	if (!st->nl)
		return;
	flush(st->nl, &st->site, st->count);
	clsact_close(&st->clsact);
	mnl_socket_close(hand_over(st->nl, NULL));
}

const struct filter filter_tc_u32 = {
	.name = WHO,
	.about = "u32 classifier on clsact, one key a rule",
	.judge = "u32_classify",
	.hook = HOOK_EGRESS,
	.hooks = HOOK_BIT(HOOK_EGRESS) | HOOK_BIT(HOOK_INGRESS),
	.ipv6 = true,
	.linear = true,
	.max_rules = (size_t)TABLE_RULES * MAX_TABLES,
	.state_size = sizeof(struct tc_u32_state),
	.rule_bytes = 1000,
	.attach = tc_u32_attach,
	.read = tc_u32_read,
	.add = tc_u32_add,
	.detach = tc_u32_detach,
};

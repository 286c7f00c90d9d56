// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ipset: a set of type hash:net that one iptables rule (legacy back end, table
 * raw in prerouting, filter on input) matches the destination address with.
 * The rule is walked to in net/ipv4/netfilter/ip_tables.c:ipt_do_table(); the
 * verdict is that of net/netfilter/ipset/ip_set_core.c:ip_set_test(), which
 * looks the address up in the hash once for each prefix length that occurs in
 * the set.  So the cost should grow with the number of different lengths, and
 * with the number of prefixes only by cache misses.
 */
#include <errno.h>
#include <linux/netfilter/xt_set.h>
#include <string.h>

#include "nft/hashset.h"
#include "nft/xtables_door.h"
#include "runner/log.h"

#define WHO "ipset"

struct ipset_state {
	struct xtables xt;
	struct hashset set;
};

/* Match and its options; revisions differ in how much of these they have. */
union set_match {
	struct xt_entry_match head;
	char room[XT_ALIGN(sizeof(struct xt_entry_match)) +
		  XT_ALIGN(sizeof(struct xt_set_info_match_v4))];
};

/* By revision.  0, which took numbers of another kind, is gone since 3.1. */
static const size_t info_bytes[] = {
	[1] = sizeof(struct xt_set_info_match_v1),
	[2] = sizeof(struct xt_set_info_match_v1),
	[3] = sizeof(struct xt_set_info_match_v3),
	[4] = sizeof(struct xt_set_info_match_v4),
};

#define NEWEST_REVISION 4

/* All revisions begin with the same three numbers. */
static int build_match(union set_match *match, const struct ipset_state *st)
{
	const size_t head_bytes = XT_ALIGN(sizeof(match->head));
	struct xt_set_info_match_v1 *info = (void *)(match->room + head_bytes);
	int revision = door_match_revision(&st->xt, "set", NEWEST_REVISION);

	if (revision < 0)
		return log_err(
			-EOPNOTSUPP, WHO
			": iptables has no match `set` here: the kernel needs CONFIG_NETFILTER_XT_SET (module xt_set)");
	memset(match, 0, sizeof(*match));
	strcpy(match->head.u.user.name, "set");
	match->head.u.user.revision = revision;
	match->head.u.user.match_size =
		head_bytes + XT_ALIGN(info_bytes[revision]);
	/* One dimension; no flag for it means the destination. */
	info->match_set.dim = IPSET_DIM_ONE;
	return hashset_index(&st->set, WHO, &info->match_set.index);
}

static int add_rule(struct ipset_state *st)
{
	union set_match match;
	const struct blob_rules rule = { .family = st->xt.family,
					 .count = 1,
					 .match = &match.head };
	int err = build_match(&match, st);

	return err ? err : xtables_replace(&st->xt, WHO, &rule);
}

static void ipset_detach(void *state)
{
	struct ipset_state *st = state;

	/* In this order, for the rule holds on to the set. */
	xtables_close(&st->xt);
	hashset_destroy(&st->set);
}

static int ipset_attach(void *state, const struct site *site,
			const struct rules *rules)
{
	struct ipset_state *st = state;
	int err = xtables_open(&st->xt, WHO, site);

	if (err)
		return err;
	err = hashset_make(&st->set, WHO, rules);
	if (!err)
		err = add_rule(st);
	if (err)
		ipset_detach(st);
	return err;
}

static int ipset_read(void *state, uint64_t *dropped)
{
	struct ipset_state *st = state;

	return xtables_read(&st->xt, WHO, dropped);
}

static int ipset_add(void *state, const struct prefix *prefix)
{
	struct ipset_state *st = state;

	return hashset_add(&st->set, WHO, prefix);
}

static int ipset_memory(void *state, uint64_t *bytes)
{
	struct ipset_state *st = state;

	return hashset_memory(&st->set, WHO, bytes);
}

const struct filter filter_ipset = {
	.name = WHO,
	.about = "ipset hash:net, matched by one iptables rule",
	.judge = "ip_set_test",
	.ipv6 = true,
	.hook = HOOK_PREROUTING,
	.hooks = XTABLES_HOOKS,
	.state_size = sizeof(struct ipset_state),
	.rule_bytes = 130,
	.attach = ipset_attach,
	.read = ipset_read,
	.add = ipset_add,
	.memory = ipset_memory,
	.detach = ipset_detach,
};

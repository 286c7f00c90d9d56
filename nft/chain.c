// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libnftnl/chain.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_ipv4.h>
#include <net/if.h>
#include <string.h>

#include "nft/chain.h"
#include "nft/expr.h"
#include "runner/log.h"

#define CHAIN_NAME   "drops"
#define SMALL_BYTES  1024
#define DUMP_RETRIES 10
#define IPV6_OPTION  "CONFIG_NF_TABLES_IPV6"

/* NF_NETDEV_EGRESS, which headers before Linux 5.16 do not have. */
#define NETDEV_EGRESS 1

/* Where nf_tables calls a hook of ours, and what the kernel needs for it. */
struct place {
	uint16_t family;
	uint32_t hooknum;
	int32_t priority;
	const char *family_option;
	const char *hook_option;
};

static const struct place places[] = {
	[HOOK_EGRESS] = { NFPROTO_NETDEV, NETDEV_EGRESS, 0,
			  "CONFIG_NF_TABLES_NETDEV",
			  "CONFIG_NETFILTER_EGRESS and Linux 5.16" },
	[HOOK_INGRESS] = { NFPROTO_NETDEV, NF_NETDEV_INGRESS, 0,
			   "CONFIG_NF_TABLES_NETDEV",
			   "CONFIG_NETFILTER_INGRESS" },
	[HOOK_PREROUTING] = { NFPROTO_IPV4, NF_INET_PRE_ROUTING, NF_IP_PRI_RAW,
			      "CONFIG_NF_TABLES_IPV4",
			      "CONFIG_NF_TABLES_IPV4" },
	[HOOK_INPUT] = { NFPROTO_IPV4, NF_INET_LOCAL_IN, NF_IP_PRI_FILTER,
			 "CONFIG_NF_TABLES_IPV4", "CONFIG_NF_TABLES_IPV4" },
};

/* The hooks of IPv6 are those of IPv4 in a family of their own. */
static uint16_t table_family(const struct site *site)
{
	uint16_t family = places[site->hook].family;

	if (family == NFPROTO_IPV4 && site->family == FAMILY_IPV6)
		return NFPROTO_IPV6;
	return family;
}

DEFINE_AUTO(nftnl_table, struct nftnl_table *, nftnl_table_free)
DEFINE_AUTO(nftnl_chain, struct nftnl_chain *, nftnl_chain_free)

int chain_open(struct chain *chain, struct batch *batch, const char *who,
	       const char *table, const struct site *site)
{
	__attribute__((cleanup(drop_nftnl_table))) struct nftnl_table *made =
		nftnl_table_alloc();
	struct nlmsghdr *nlh;

	chain->family = table_family(site);
	chain->table = table;
	chain->site = *site;
	chain->nl = batch_socket();
	if (!chain->nl)
		return log_err(errno == EPROTONOSUPPORT ? -EOPNOTSUPP : -errno,
			       "%s: netlink: %s (CONFIG_NETFILTER_NETLINK?)",
			       who, strerror(errno));
	if (!made || batch_init(batch, chain->nl)) {
		mnl_socket_close(hand_over(chain->nl, NULL));
		return log_err(-ENOMEM, "%s: out of memory", who);
	}
	nftnl_table_set_str(made, NFTNL_TABLE_NAME, table);
	nlh = batch_begin(batch, NFT_MSG_NEWTABLE, chain->family,
			  NLM_F_CREATE | NLM_F_EXCL);
	nftnl_table_nlmsg_build_payload(nlh, made);
	batch_end(batch, nlh);
	return 0;
}

int chain_hook(const struct chain *chain, struct batch *batch, const char *who,
	       const struct site *site, int after)
{
	__attribute__((cleanup(drop_nftnl_chain))) struct nftnl_chain *made =
		nftnl_chain_alloc();
	const struct place *place = &places[site->hook];
	char dev[IF_NAMESIZE] = "";
	struct nlmsghdr *nlh;

	if (!made)
		return log_err(-ENOMEM, "%s: out of memory", who);
	if (!if_indextoname(site->ifindex, dev))
		return log_err(-errno, "%s: no interface with index %u", who,
			       site->ifindex);
	nftnl_chain_set_str(made, NFTNL_CHAIN_TABLE, chain->table);
	nftnl_chain_set_str(made, NFTNL_CHAIN_NAME, CHAIN_NAME);
	nftnl_chain_set_str(made, NFTNL_CHAIN_TYPE, "filter");
	nftnl_chain_set_u32(made, NFTNL_CHAIN_HOOKNUM, place->hooknum);
	nftnl_chain_set_s32(made, NFTNL_CHAIN_PRIO, place->priority + after);
	nftnl_chain_set_u32(made, NFTNL_CHAIN_POLICY, NF_ACCEPT);
	if (place->family == NFPROTO_NETDEV)
		nftnl_chain_set_str(made, NFTNL_CHAIN_DEV, dev);
	nlh = batch_begin(batch, NFT_MSG_NEWCHAIN, chain->family,
			  NLM_F_CREATE | NLM_F_EXCL);
	nftnl_chain_nlmsg_build_payload(nlh, made);
	batch_end(batch, nlh);
	return 0;
}

struct nftnl_rule *chain_rule(const struct chain *chain)
{
	auto_rule struct nftnl_rule *rule = nftnl_rule_alloc();

	if (!rule)
		return NULL;
	nftnl_rule_set_str(rule, NFTNL_RULE_TABLE, chain->table);
	nftnl_rule_set_str(rule, NFTNL_RULE_CHAIN, CHAIN_NAME);
	if (chain->family == NFPROTO_NETDEV &&
	    expr_only_family(rule, chain->site.family))
		return NULL;
	return hand_over(rule, NULL);
}

void chain_add_rule(const struct chain *chain, struct batch *batch,
		    struct nftnl_rule *rule)
{
	struct nlmsghdr *nlh =
		batch_begin(batch, NFT_MSG_NEWRULE, chain->family,
			    NLM_F_CREATE | NLM_F_APPEND);

	nftnl_rule_nlmsg_build_payload(nlh, rule);
	batch_end(batch, nlh);
}

int chain_commit(struct chain *chain, struct batch *batch, const char *who,
		 const struct site *site)
{
	int err = batch_commit(batch);

	/* Also when the answer was lost: then it may well be there. */
	if (!err || err == -ENOBUFS)
		chain->made = true;
	return err ? chain_explain(chain, batch, who, site, err) : 0;
}

/* What the kernel lacks if it does not know a message of this type. */
static int explain_missing(const struct chain *chain, const struct batch *batch,
			   const char *who, const struct site *site)
{
	const struct place *place = &places[site->hook];

	switch (batch->failed_type) {
	case NFT_MSG_NEWTABLE:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel's nf_tables lacks the family: it needs %s",
			who,
			chain->family == NFPROTO_IPV6 ? IPV6_OPTION
						      : place->family_option);
	case NFT_MSG_NEWCHAIN:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel's nf_tables has no %s hook: it needs %s",
			who, hook_info(site->hook)->name,
			chain->family == NFPROTO_IPV6 ? IPV6_OPTION
						      : place->hook_option);
	case NFT_MSG_NEWSET:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel has no interval sets: it needs CONFIG_NF_TABLES_SET (before Linux 4.18 CONFIG_NFT_RBTREE)",
			who);
	case NFT_MSG_NEWRULE:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel lacks an expression: before Linux 5.17 it needs CONFIG_NFT_COUNTER (module nft_counter)",
			who);
	default:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel has no nf_tables: it needs CONFIG_NF_TABLES (module nf_tables)",
			who);
	}
}

int chain_explain(const struct chain *chain, const struct batch *batch,
		  const char *who, const struct site *site, int err)
{
	switch (err) {
	case -EOPNOTSUPP:
	case -EAFNOSUPPORT:
	case -ENOENT:
		return explain_missing(chain, batch, who, site);
	case -EINVAL:
		/* How kernels answer for a subsystem that they do not have. */
		if (batch->failed_type != NFT_MSG_NEWSETELEM)
			return explain_missing(chain, batch, who, site);
		return log_err(err, "%s: the kernel refuses an element", who);
	case -EPERM:
		return log_err(err, "%s: nf_tables needs CAP_NET_ADMIN", who);
	case -EEXIST:
		if (batch->failed_type == NFT_MSG_NEWSETELEM)
			return log_err(
				err,
				"%s: the kernel says that prefixes overlap",
				who);
		return log_err(
			err,
			"%s: there is a table %s in this namespace already: remove it",
			who, chain->table);
	case -EBUSY:
		return log_err(
			err,
			"%s: something else sits on the hook with the same priority",
			who);
	case -ENFILE:
		return log_err(err, "%s: the set is full", who);
	case -ENOMEM:
		return log_err(
			err,
			"%s: the kernel has not enough memory for the rules: use fewer",
			who);
	case -ENOBUFS:
		return log_err(
			err,
			"%s: the kernel's answer was lost: raise net.core.rmem_max",
			who);
	default:
		return log_err(err, "%s: nf_tables: %s", who, strerror(-err));
	}
}

static uint64_t counter_packets(const struct nlattr *expr)
{
	const struct nlattr *attr, *inner, *data = NULL;
	bool counter = false;
	uint64_t packets = 0;

	mnl_attr_for_each_nested(attr, expr) {
		if (mnl_attr_get_type(attr) == NFTA_EXPR_NAME)
			counter = !strcmp(mnl_attr_get_str(attr), "counter");
		if (mnl_attr_get_type(attr) == NFTA_EXPR_DATA)
			data = attr;
	}
	if (!counter || !data)
		return 0;
	mnl_attr_for_each_nested(inner, data)
		if (mnl_attr_get_type(inner) == NFTA_COUNTER_PACKETS)
			packets = be64toh(mnl_attr_get_u64(inner));
	return packets;
}

static int add_counters(const struct nlmsghdr *nlh, void *arg)
{
	uint64_t *packets = arg;
	const struct nlattr *attr, *expr;

	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attr) != NFTA_RULE_EXPRESSIONS)
			continue;
		mnl_attr_for_each_nested(expr, attr)
			*packets += counter_packets(expr);
	}
	return MNL_CB_OK;
}

int chain_read(const struct chain *chain, const char *who, uint64_t *packets)
{
	_Alignas(struct nlmsghdr) char buf[SMALL_BYTES];
	struct nlmsghdr *nlh;
	int err = -EINTR;

	*packets = 0;
	/* A dump is broken off when the rules change; then it begins anew. */
	for (int i = 0; err == -EINTR && i < DUMP_RETRIES; i++) {
		*packets = 0;
		nlh = nftnl_nlmsg_build_hdr(buf, NFT_MSG_GETRULE, chain->family,
					    NLM_F_DUMP, 0);
		mnl_attr_put_strz(nlh, NFTA_RULE_TABLE, chain->table);
		mnl_attr_put_strz(nlh, NFTA_RULE_CHAIN, CHAIN_NAME);
		err = nl_request(chain->nl, nlh, add_counters, packets);
	}
	if (err)
		return log_err(err, "%s: reading the counters: %s", who,
			       strerror(-err));
	return 0;
}

void chain_close(struct chain *chain)
{
	_Alignas(struct nlmsghdr) char buf[SMALL_BYTES];
	struct batch batch;
	struct nlmsghdr *nlh;
	int err;

	if (!chain->nl)
		return;
	if (chain->made) {
		batch_init_in(&batch, chain->nl, buf, sizeof(buf));
		nlh = batch_begin(&batch, NFT_MSG_DELTABLE, chain->family, 0);
		mnl_attr_put_strz(nlh, NFTA_TABLE_NAME, chain->table);
		batch_end(&batch, nlh);
		err = batch_commit(&batch);
		if (err && err != -ENOENT)
			log_debug("nf_tables: removing table %s: %s",
				  chain->table, strerror(-err));
	}
	mnl_socket_close(chain->nl);
	*chain = (struct chain){ 0 };
}

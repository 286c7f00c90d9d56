// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nft-set: an nf_tables interval set and one rule that looks the destination
 * address up in it.  The verdict is taken in
 * net/netfilter/nf_tables_core.c:nft_do_chain(), the lookup in
 * net/netfilter/nft_set_rbtree.c:nft_rbtree_lookup(): a walk down a tree (in
 * the newest kernels a binary search in an array), so the cost should grow
 * with the logarithm of the number of prefixes, and with the cache misses of
 * a tree that outgrows the caches.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <libnftnl/set.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#include "nft/chain.h"
#include "nft/expr.h"
#include "runner/rules_sorted.h"
#include "runner/log.h"
#include "runner/prefixes.h"

#define WHO	 "nft-set"
#define SET_NAME "prefixes"

/* More than enough for a transaction of one prefix. */
#define ONE_PREFIX_BYTES 2048

/* The types by which the program nft knows addresses. */
#define KEY_TYPE_IPADDR	 7
#define KEY_TYPE_IP6ADDR 8

/*
 * Prefixes in one message: 40 bytes each with IPv4, 64 with IPv6, for a start
 * and an end, in an attribute whose length is a 16-bit number.
 */
#define PREFIXES_PER_MESSAGE  1600
#define PREFIXES6_PER_MESSAGE 1000

enum bound {
	BOUND_START,
	BOUND_OPEN_START, /* of an interval that has no end */
	BOUND_END,	  /* the first address past it */
};

/* By this the program nft knows an open interval (libnftnl's udata.h). */
static const uint8_t open_mark[] = { 1, 4, 1, 0, 0, 0 };

DEFINE_AUTO(nftnl_set, struct nftnl_set *, nftnl_set_free)

static uint32_t key_bytes(const struct chain *chain)
{
	return family_bits(chain->site.family) / 8;
}

static int add_set(const struct chain *chain, struct batch *batch)
{
	__attribute__((cleanup(drop_nftnl_set))) struct nftnl_set *set =
		nftnl_set_alloc();
	struct nlmsghdr *nlh;

	if (!set)
		return log_err(-ENOMEM, WHO ": out of memory");
	nftnl_set_set_str(set, NFTNL_SET_TABLE, chain->table);
	nftnl_set_set_str(set, NFTNL_SET_NAME, SET_NAME);
	nftnl_set_set_u32(set, NFTNL_SET_ID, 1);
	nftnl_set_set_u32(set, NFTNL_SET_FLAGS, NFT_SET_INTERVAL);
	nftnl_set_set_u32(set, NFTNL_SET_KEY_TYPE,
			  chain->site.family == FAMILY_IPV6 ? KEY_TYPE_IP6ADDR
							    : KEY_TYPE_IPADDR);
	nftnl_set_set_u32(set, NFTNL_SET_KEY_LEN, key_bytes(chain));
	/* No size: a set that has one is full some day (ENFILE). */
	nlh = batch_begin(batch, NFT_MSG_NEWSET, chain->family,
			  NLM_F_CREATE | NLM_F_EXCL);
	nftnl_set_nlmsg_build_payload(nlh, set);
	batch_end(batch, nlh);
	return 0;
}

static void put_bound(struct nlmsghdr *nlh, enum family family, addr_t addr,
		      enum bound bound)
{
	uint8_t bytes[16];
	struct nlattr *element = mnl_attr_nest_start(nlh, NFTA_LIST_ELEM);
	struct nlattr *key;

	if (bound == BOUND_END)
		mnl_attr_put_u32(nlh, NFTA_SET_ELEM_FLAGS,
				 htonl(NFT_SET_ELEM_INTERVAL_END));
	key = mnl_attr_nest_start(nlh, NFTA_SET_ELEM_KEY);
	addr_put(addr, bytes);
	mnl_attr_put(nlh, NFTA_DATA_VALUE, family_bits(family) / 8, bytes);
	mnl_attr_nest_end(nlh, key);
	if (bound == BOUND_OPEN_START)
		mnl_attr_put(nlh, NFTA_SET_ELEM_USERDATA, sizeof(open_mark),
			     open_mark);
	mnl_attr_nest_end(nlh, element);
}

/* How many elements the kernel makes of these prefixes, given put_prefixes. */
static size_t put_prefixes(struct nlmsghdr *nlh, enum family family,
			   const struct prefix *prefixes, size_t count,
			   bool first)
{
	size_t elements = 0;
	addr_t last;
	bool open;

	/* Like nft: what comes before the first interval is said to be none. */
	if (first && prefixes[0].addr) {
		put_bound(nlh, family, 0, BOUND_END);
		elements++;
	}
	for (size_t i = 0; i < count; i++) {
		last = prefix_last(&prefixes[i]);
		/* At the top of the space there is no address to end at. */
		open = last == ADDR_MAX;
		put_bound(nlh, family, prefixes[i].addr,
			  open ? BOUND_OPEN_START : BOUND_START);
		if (!open)
			put_bound(nlh, family, last + 1, BOUND_END);
		elements += open ? 1 : 2;
	}
	return elements;
}

static size_t add_elements(const struct chain *chain, struct batch *batch,
			   const struct prefix *prefixes, size_t count,
			   bool first)
{
	struct nlmsghdr *nlh =
		batch_begin(batch, NFT_MSG_NEWSETELEM, chain->family,
			    NLM_F_CREATE | NLM_F_EXCL);
	struct nlattr *list;
	size_t elements;

	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_TABLE, chain->table);
	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_SET, SET_NAME);
	list = mnl_attr_nest_start(nlh, NFTA_SET_ELEM_LIST_ELEMENTS);
	elements =
		put_prefixes(nlh, chain->site.family, prefixes, count, first);
	mnl_attr_nest_end(nlh, list);
	batch_end(batch, nlh);
	return elements;
}

static int count_elements(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *attr, *element;
	size_t *count = arg;

	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attr) != NFTA_SET_ELEM_LIST_ELEMENTS)
			continue;
		mnl_attr_for_each_nested(element, attr)
			(*count)++;
	}
	return MNL_CB_OK;
}

/* Reads the set back: whether it holds so many elements. */
static bool holds(const struct chain *chain, size_t elements)
{
	_Alignas(struct nlmsghdr) char buf[1024];
	struct nlmsghdr *nlh = nftnl_nlmsg_build_hdr(
		buf, NFT_MSG_GETSETELEM, chain->family, NLM_F_DUMP, 0);
	size_t count = 0;

	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_TABLE, chain->table);
	mnl_attr_put_strz(nlh, NFTA_SET_ELEM_LIST_SET, SET_NAME);
	return !nl_request(chain->nl, nlh, count_elements, &count) &&
	       count == elements;
}

/* A lost answer is no failure if the elements are there. */
static int commit(struct chain *chain, struct batch *batch,
		  const struct site *site, size_t elements)
{
	int err = batch_commit(batch);

	if (!err || err == -ENOBUFS)
		chain->made = true;
	if (err == -ENOBUFS && holds(chain, elements))
		return 0;
	return err ? chain_explain(chain, batch, WHO, site, err) : 0;
}

/* The rule comes last, so that no packet meets a set half filled. */
static int add_rule(struct chain *chain, struct batch *batch,
		    const struct site *site)
{
	auto_rule struct nftnl_rule *rule = NULL;
	int err = chain_hook(chain, batch, WHO, site, 0);

	if (err)
		return err;
	rule = chain_rule(chain);
	if (!rule ||
	    expr_load_daddr(rule, chain->site.family, key_bytes(chain)) ||
	    expr_lookup(rule, SET_NAME) || expr_counter(rule) ||
	    expr_drop(rule))
		return log_err(-ENOMEM, WHO ": out of memory");
	chain_add_rule(chain, batch, rule);
	return chain_commit(chain, batch, WHO, site);
}

static int fill(struct chain *chain, struct batch *batch,
		const struct site *site, const struct rules *outer)
{
	const size_t most = chain->site.family == FAMILY_IPV6
				    ? PREFIXES6_PER_MESSAGE
				    : PREFIXES_PER_MESSAGE;
	size_t elements = 0, count;
	int err = add_set(chain, batch);

	for (size_t i = 0; !err && i < outer->count; i += count) {
		count = outer->count - i;
		if (count > most)
			count = most;
		if (batch_full(batch))
			err = commit(chain, batch, site, elements);
		if (!err)
			elements +=
				add_elements(chain, batch, &outer->prefixes[i],
					     count, i == 0);
	}
	if (!err)
		err = commit(chain, batch, site, elements);
	return err ? err : add_rule(chain, batch, site);
}

static int set_attach(void *state, const struct site *site,
		      const struct rules *rules)
{
	auto_batch struct batch batch = { 0 };
	struct chain *chain = state;
	struct rules outer = { 0 };
	int err = rules_sorted_copy(rules, &outer);

	if (err)
		return err;
	/* The kernel refuses an element that lies inside another. */
	outer.count = prefixes_maximal(outer.prefixes, outer.count);
	if (outer.count < rules->count)
		log_debug(WHO ": of %zu prefixes %zu lie inside others",
			  rules->count, rules->count - outer.count);
	err = chain_open(chain, &batch, WHO, "hookcost_set", site);
	if (!err)
		err = fill(chain, &batch, site, &outer);
	if (err)
		chain_close(chain);
	free(outer.prefixes);
	return err;
}

static int set_read(void *state, uint64_t *dropped)
{
	return chain_read(state, WHO, dropped);
}

static int set_add(void *state, const struct prefix *prefix)
{
	_Alignas(struct nlmsghdr) char buf[ONE_PREFIX_BYTES];
	struct chain *chain = state;
	struct batch batch;

	batch_init_in(&batch, chain->nl, buf, sizeof(buf));
	add_elements(chain, &batch, prefix, 1, false);
	return chain_commit(chain, &batch, WHO, &chain->site);
}

static void set_detach(void *state)
{
	chain_close(state);
}

const struct filter filter_nft_set = {
	.name = WHO,
	.about = "nf_tables, one lookup in an interval set",
	.judge = "nft_do_chain",
	.hook = HOOK_EGRESS,
	.ipv6 = true,
	.hooks = CHAIN_HOOKS,
	.state_size = sizeof(struct chain),
	.rule_bytes = 300,
	.attach = set_attach,
	.read = set_read,
	.add = set_add,
	.detach = set_detach,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all nf_tables mechanisms share: a table of their own with one base
 * chain on the hook, and the counters of its rules.
 */
#pragma once

#include <libnftnl/rule.h>

#include "nft/batch.h"
#include "runner/filter.h"

#define CHAIN_HOOKS                                       \
	(HOOK_BIT(HOOK_EGRESS) | HOOK_BIT(HOOK_INGRESS) | \
	 HOOK_BIT(HOOK_PREROUTING) | HOOK_BIT(HOOK_INPUT))

/* The whole state of a mechanism; zeroed means not attached. */
struct chain {
	struct mnl_socket *nl; /* of the namespace where it was attached */
	const char *table;     /* a literal */
	uint16_t family;       /* of the table, NFPROTO_ */
	bool made;	       /* the table exists */
	struct site site;
};

DEFINE_AUTO(nftnl_rule, struct nftnl_rule *, nftnl_rule_free)
#define auto_rule __attribute__((cleanup(drop_nftnl_rule)))

/*
 * Opens the socket and begins a transaction that makes the table.  The caller
 * gives `who`, the mechanism's name, for the messages.  0 or a negative errno,
 * said.
 */
int chain_open(struct chain *chain, struct batch *batch, const char *who,
	       const char *table, const struct site *site);

/*
 * Adds the base chain, whose policy is accept.  `after` is added to the usual
 * priority of the hook (raw in prerouting, filter elsewhere).  0 or a
 * negative errno, said.
 */
int chain_hook(const struct chain *chain, struct batch *batch, const char *who,
	       const struct site *site, int after);

/*
 * A rule of the chain without expressions but the one that lets only the family
 * through, where the hook sees other packets too.  NULL when out of memory.
 */
struct nftnl_rule *chain_rule(const struct chain *chain);

/* Appends the rule to the chain. */
void chain_add_rule(const struct chain *chain, struct batch *batch,
		    struct nftnl_rule *rule);

/* Commits; 0 or a negative errno, said, with the remedy. */
int chain_commit(struct chain *chain, struct batch *batch, const char *who,
		 const struct site *site);

/* Says why a commit failed, and returns what attach() is to return. */
int chain_explain(const struct chain *chain, const struct batch *batch,
		  const char *who, const struct site *site, int err);

/* Sum of the packet counters of the rules; 0 or a negative errno, said. */
int chain_read(const struct chain *chain, const char *who, uint64_t *packets);

/*
 * Removes the table with all that is in it, and closes the socket.  Cannot
 * fail, harmless on zeroed state.
 */
void chain_close(struct chain *chain);

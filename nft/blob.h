/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The form in which the legacy back end of iptables takes a table: entries one
 * behind the other, each with its target, the policies among them.
 *
 * Those of IPv6 have the same frame (struct ip6t_replace is laid out as struct
 * ipt_replace), and only their entries are others.
 */
#pragma once

#include <stdbool.h>
#include <netinet/in.h> /* before the kernel's, which then yield */
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>

#include "runner/rules.h"

/* A rule without matches: an entry and the standard target. */
#define BLOB_RULE_BYTES                       \
	(XT_ALIGN(sizeof(struct ipt_entry)) + \
	 XT_ALIGN(sizeof(struct xt_standard_target)))
#define BLOB_RULE6_BYTES                       \
	(XT_ALIGN(sizeof(struct ip6t_entry)) + \
	 XT_ALIGN(sizeof(struct xt_standard_target)))

/* What a table without rules takes at most. */
#define BLOB_BARE_MAX_BYTES ((NF_INET_NUMHOOKS + 2) * BLOB_RULE6_BYTES)

/* The rules of one chain; all drop, and all have the same form. */
struct blob_rules {
	enum family family;
	const struct prefix *dst; /* one a rule; NULL: any destination */
	size_t count;
	const struct xt_entry_match *match; /* of every rule, or NULL */
	const void *kept; /* rules before them, as the kernel gave them */
	size_t kept_count;
};

/* Bytes of one of the rules. */
size_t blob_rule_bytes(const struct blob_rules *rules);

/* Bytes of the entries of a table with these hooks. */
size_t blob_bytes(unsigned int valid_hooks, const struct blob_rules *rules);

/*
 * Makes the table that `bare` describes (its name and hooks) with the rules
 * in the chain of its first hook and the policies ACCEPT.  replace is zeroed,
 * with blob_bytes() of room behind it.
 */
void blob_build(struct ipt_replace *replace, const struct ipt_getinfo *bare,
		const struct blob_rules *rules);

/*
 * Whether a table of the size of one without rules is one, all policies
 * ACCEPT.
 */
bool blob_is_bare(enum family family, const struct ipt_get_entries *get,
		  unsigned int valid_hooks);

/* How many packets the rule at this place of the entries has dropped. */
uint64_t blob_packets(enum family family, const void *rule);

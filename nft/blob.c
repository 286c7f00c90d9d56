// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <string.h>

#include "nft/blob.h"

_Static_assert(sizeof(struct ipt_replace) == sizeof(struct ip6t_replace) &&
		       sizeof(struct ipt_getinfo) ==
			       sizeof(struct ip6t_getinfo) &&
		       sizeof(struct ipt_get_entries) ==
			       sizeof(struct ip6t_get_entries),
	       "one frame for both families");

/* How a target says NF_ACCEPT, NF_DROP. */
#define VERDICT(verdict) (-(verdict)-1)

/* What entries of both families have, at other places. */
struct fields {
	__u16 *target_offset, *next_offset;
	struct xt_counters *counters;
};

static struct fields fields_of(enum family family, void *entry)
{
	struct ipt_entry *v4 = entry;
	struct ip6t_entry *v6 = entry;

	if (family == FAMILY_IPV6)
		return (struct fields){ &v6->target_offset, &v6->next_offset,
					&v6->counters };
	return (struct fields){ &v4->target_offset, &v4->next_offset,
				&v4->counters };
}

static size_t entry_bytes(enum family family)
{
	return family == FAMILY_IPV6 ? XT_ALIGN(sizeof(struct ip6t_entry))
				     : XT_ALIGN(sizeof(struct ipt_entry));
}

static size_t plain_bytes(enum family family)
{
	return family == FAMILY_IPV6 ? BLOB_RULE6_BYTES : BLOB_RULE_BYTES;
}

static size_t end_bytes(enum family family)
{
	return entry_bytes(family) + XT_ALIGN(sizeof(struct xt_error_target));
}

static unsigned int chains(unsigned int valid_hooks)
{
	return __builtin_popcount(valid_hooks);
}

size_t blob_rule_bytes(const struct blob_rules *rules)
{
	return plain_bytes(rules->family) +
	       (rules->match ? rules->match->u.match_size : 0);
}

size_t blob_bytes(unsigned int valid_hooks, const struct blob_rules *rules)
{
	return (rules->kept_count + rules->count) * blob_rule_bytes(rules) +
	       chains(valid_hooks) * plain_bytes(rules->family) +
	       end_bytes(rules->family);
}

/* An entry with the standard target, between them room for the match. */
static size_t put_entry(void *at, enum family family,
			const struct xt_entry_match *match, int verdict)
{
	size_t match_bytes = match ? match->u.match_size : 0;
	size_t before_target = entry_bytes(family) + match_bytes;
	size_t bytes = plain_bytes(family) + match_bytes;
	struct xt_standard_target *target =
		(void *)((char *)at + before_target);
	struct fields fields = fields_of(family, at);

	memset(at, 0, bytes);
	if (match)
		memcpy((char *)at + entry_bytes(family), match, match_bytes);
	*fields.target_offset = before_target;
	*fields.next_offset = bytes;
	target->target.u.user.target_size = XT_ALIGN(sizeof(*target));
	target->verdict = verdict;
	return bytes;
}

/* What ends every table, and is never reached. */
static void put_end(void *at, enum family family)
{
	struct xt_error_target *target =
		(void *)((char *)at + entry_bytes(family));
	struct fields fields = fields_of(family, at);

	memset(at, 0, end_bytes(family));
	*fields.target_offset = entry_bytes(family);
	*fields.next_offset = end_bytes(family);
	target->target.u.user.target_size = XT_ALIGN(sizeof(*target));
	strcpy(target->target.u.user.name, XT_ERROR_TARGET);
	strcpy(target->errorname, XT_ERROR_TARGET);
}

static void put_dst(void *at, enum family family, const struct prefix *dst)
{
	struct ipt_entry *v4 = at;
	struct ip6t_entry *v6 = at;

	if (family == FAMILY_IPV6) {
		addr_put(dst->addr, &v6->ipv6.dst);
		addr_put(prefix_mask(dst->len), &v6->ipv6.dmsk);
		return;
	}
	v4->ip.dst.s_addr = htonl(addr_v4(dst->addr));
	v4->ip.dmsk.s_addr = htonl(addr_v4(prefix_mask(dst->len)));
}

static size_t put_rules(char *at, const struct blob_rules *rules)
{
	size_t used = rules->kept_count * blob_rule_bytes(rules);

	if (used)
		memcpy(at, rules->kept, used);
	for (size_t i = 0; i < rules->count; i++) {
		char *entry = at + used;

		used += put_entry(entry, rules->family, rules->match,
				  VERDICT(NF_DROP));
		if (rules->dst)
			put_dst(entry, rules->family, &rules->dst[i]);
	}
	return used;
}

void blob_build(struct ipt_replace *replace, const struct ipt_getinfo *bare,
		const struct blob_rules *rules)
{
	char *entries = (char *)replace->entries;
	size_t used = 0;
	bool first = true;

	memcpy(replace->name, bare->name, sizeof(replace->name));
	replace->valid_hooks = bare->valid_hooks;
	for (int hook = 0; hook < NF_INET_NUMHOOKS; hook++) {
		if (!(replace->valid_hooks & 1u << hook))
			continue;
		replace->hook_entry[hook] = used;
		if (first)
			used += put_rules(entries, rules);
		first = false;
		replace->underflow[hook] = used;
		used += put_entry(entries + used, rules->family, NULL,
				  VERDICT(NF_ACCEPT));
	}
	put_end(entries + used, rules->family);
	replace->size = used + end_bytes(rules->family);
	replace->num_entries = rules->kept_count + rules->count +
			       chains(bare->valid_hooks) + 1;
}

bool blob_is_bare(enum family family, const struct ipt_get_entries *get,
		  unsigned int valid_hooks)
{
	char *entries = (char *)get->entrytable;
	const struct xt_standard_target *policy;

	for (unsigned int i = 0; i < chains(valid_hooks); i++) {
		char *entry = entries + i * plain_bytes(family);

		policy = (const void *)(entry + entry_bytes(family));
		if (*fields_of(family, entry).next_offset !=
			    plain_bytes(family) ||
		    policy->verdict != VERDICT(NF_ACCEPT))
			return false;
	}
	return true;
}

uint64_t blob_packets(enum family family, const void *rule)
{
	return fields_of(family, (void *)rule).counters->pcnt;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <string.h>

#include "nft/blob.h"

#define ENTRY_BYTES XT_ALIGN(sizeof(struct ipt_entry))
#define END_BYTES   (ENTRY_BYTES + XT_ALIGN(sizeof(struct xt_error_target)))

/* How a target says NF_ACCEPT, NF_DROP. */
#define VERDICT(verdict) (-(verdict)-1)

static unsigned int chains(unsigned int valid_hooks)
{
	return __builtin_popcount(valid_hooks);
}

size_t blob_rule_bytes(const struct blob_rules *rules)
{
	return BLOB_RULE_BYTES +
	       (rules->match ? rules->match->u.match_size : 0);
}

size_t blob_bytes(unsigned int valid_hooks, const struct blob_rules *rules)
{
	size_t count = rules ? rules->kept_count + rules->count : 0;

	return (count ? count * blob_rule_bytes(rules) : 0) +
	       chains(valid_hooks) * BLOB_RULE_BYTES + END_BYTES;
}

/* An entry with the standard target, between them room for the match. */
static size_t put_entry(void *at, const struct xt_entry_match *match,
			int verdict)
{
	size_t match_bytes = match ? match->u.match_size : 0;
	struct ipt_entry *entry = at;
	struct xt_standard_target *target;

	memset(entry, 0, BLOB_RULE_BYTES + match_bytes);
	if (match)
		memcpy((char *)at + ENTRY_BYTES, match, match_bytes);
	entry->target_offset = ENTRY_BYTES + match_bytes;
	entry->next_offset = BLOB_RULE_BYTES + match_bytes;
	target = (void *)((char *)at + entry->target_offset);
	target->target.u.user.target_size = XT_ALIGN(sizeof(*target));
	target->verdict = verdict;
	return entry->next_offset;
}

/* What ends every table, and is never reached. */
static void put_end(void *at)
{
	struct ipt_entry *entry = at;
	struct xt_error_target *target = (void *)((char *)at + ENTRY_BYTES);

	memset(at, 0, END_BYTES);
	entry->target_offset = ENTRY_BYTES;
	entry->next_offset = END_BYTES;
	target->target.u.user.target_size = XT_ALIGN(sizeof(*target));
	strcpy(target->target.u.user.name, XT_ERROR_TARGET);
	strcpy(target->errorname, XT_ERROR_TARGET);
}

static size_t put_rules(char *at, const struct blob_rules *rules)
{
	struct ipt_entry *entry;
	size_t used = rules->kept_count * blob_rule_bytes(rules);

	if (used)
		memcpy(at, rules->kept, used);
	for (size_t i = 0; i < rules->count; i++) {
		entry = (void *)(at + used);
		used += put_entry(entry, rules->match, VERDICT(NF_DROP));
		if (!rules->dst)
			continue;
		entry->ip.dst.s_addr = htonl(rules->dst[i].addr);
		entry->ip.dmsk.s_addr = htonl(prefix_mask(rules->dst[i].len));
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
		used += put_entry(entries + used, NULL, VERDICT(NF_ACCEPT));
	}
	put_end(entries + used);
	replace->size = used + END_BYTES;
	replace->num_entries = rules->kept_count + rules->count +
			       chains(bare->valid_hooks) + 1;
}

bool blob_is_bare(const struct ipt_get_entries *get, unsigned int valid_hooks)
{
	const char *entries = (const char *)get->entrytable;
	const struct xt_standard_target *policy;
	const struct ipt_entry *entry;

	for (unsigned int i = 0; i < chains(valid_hooks); i++) {
		entry = (const void *)(entries + i * BLOB_RULE_BYTES);
		policy = (const void *)((const char *)entry + ENTRY_BYTES);
		if (entry->next_offset != BLOB_RULE_BYTES ||
		    policy->verdict != VERDICT(NF_ACCEPT))
			return false;
	}
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of the legacy back end of iptables: one blob of rules that the
 * kernel takes as a whole (IPT_SO_SET_REPLACE).
 */
#pragma once

#include "nft/blob.h"
#include "runner/filter.h"

#define XTABLES_HOOKS (HOOK_BIT(HOOK_PREROUTING) | HOOK_BIT(HOOK_INPUT))

/* The kernel takes no blob of 512 MiB or more (64 MiB before Linux 4.16). */
#define XTABLES_MAX_BYTES ((size_t)512 << 20)

struct xtables {
	bool open;
	enum family family;
	int fd; /* of the namespace where it was opened */
	bool replaced;
	struct ipt_getinfo info; /* as it was found: without rules */
	size_t rule_count, rule_bytes;
	void *entries; /* for reading, kept for the next time */
};

/*
 * Opens the table for the hook: raw (PREROUTING) or filter (INPUT), which must
 * be without rules in both back ends.  0; -EBUSY if it is not; -EOPNOTSUPP if
 * the kernel has no such table; said, with `who` for the mechanism.
 */
int xtables_open(struct xtables *xt, const char *who, const struct site *site);

/* Puts the rules into the chain; 0 or a negative errno, said. */
int xtables_replace(struct xtables *xt, const char *who,
		    const struct blob_rules *rules);

/*
 * Adds a rule at the end of the chain as iptables-legacy does: reads the whole
 * table, gives it back with a rule more, then adds what the counters had to
 * the new ones, which begin at 0.  For tables whose rules have no match.  0 or
 * a negative errno, said.
 */
int xtables_add(struct xtables *xt, const char *who, const struct prefix *dst);

/*
 * Bytes of the table in the kernel, by its own figure of the size and number
 * of entries.  0 or a negative errno; says nothing.
 */
int xtables_memory(const struct xtables *xt, uint64_t *bytes);

/* Sum of the packet counters of the rules; 0 or a negative errno, said. */
int xtables_read(struct xtables *xt, const char *who, uint64_t *packets);

/* Leaves the table without rules.  Cannot fail, harmless on zeroed state. */
void xtables_close(struct xtables *xt);

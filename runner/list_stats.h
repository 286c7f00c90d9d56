/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a list amounts to: how many entries each kind of mechanism would hold.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/rules.h"

struct list_stats {
	size_t prefixes;  /* all, repeats included */
	size_t unique;	  /* different ones */
	size_t maximal;	  /* not inside another */
	size_t collapsed; /* fewest prefixes for the same addresses */
	size_t ranges;	  /* disjoint, with a gap between any two */
	addr_t addresses; /* that they cover, 0 for 2^128 */
	size_t special;	  /* unique ones in special_prefixes() */
	size_t by_len[ADDR_BITS + 1]; /* unique ones of each length */
};

/* 0 or -ENOMEM; takes another copy of the rules while it counts. */
int list_stats_count(const struct rules *rules, struct list_stats *out);

/* The addresses in decimal; writes to buf, and returns where it begins. */
const char *list_stats_addresses(const struct list_stats *stats,
				 char buf[ADDR_COUNT_BYTES]);

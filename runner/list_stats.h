/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a list amounts to: how many entries each kind of mechanism would hold.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/rules.h"

struct list_stats {
	size_t prefixes;    /* all, repeats included */
	size_t unique;	    /* different ones */
	size_t maximal;	    /* not inside another */
	size_t collapsed;   /* fewest prefixes for the same addresses */
	size_t intervals;   /* disjoint, with a gap between any two */
	uint64_t addresses; /* that they cover */
	size_t special;	    /* unique ones in 0/8, 127/8, 224/4 or 240/4 */
	size_t by_len[33];  /* unique ones of each length */
};

/* 0 or -ENOMEM; takes another copy of the rules while it counts. */
int list_stats_count(const struct rules *rules, struct list_stats *out);

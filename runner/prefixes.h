/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set algebra on arrays of IPv4 prefixes.  Every function that shortens an
 * array works in place and returns the new count.  Sums are 64 bits wide:
 * the end of 240.0.0.0/4 plus one does not fit into 32.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/rules.h"

/* Both ends belong to it; host byte order. */
struct interval {
	uint32_t first;
	uint32_t last;
};

/*
 * Sorts by address, a prefix before those inside it.  Radix sort: the time is
 * linear, the memory a second array of the same size.  0 or -ENOMEM.
 */
int prefixes_sort(struct prefix *prefixes, size_t count);

/* Drops repeats from a sorted array. */
size_t prefixes_unique(struct prefix *sorted, size_t count);

/* Drops the prefixes inside others (and repeats) from a sorted array. */
size_t prefixes_maximal(struct prefix *sorted, size_t count);

/*
 * Merges siblings of a maximal array until no two are left: the fewest
 * prefixes that hold the same addresses.  The whole space stays as two /1,
 * since a deny-list has no default route.
 */
size_t prefixes_collapse(struct prefix *maximal, size_t count);

/*
 * The intervals that a maximal array covers, neighbours joined.  Returns how
 * many; out has room for count, or is NULL for counting alone.
 */
size_t prefixes_intervals(const struct prefix *maximal, size_t count,
			  struct interval *out);

/* Addresses that a maximal array covers. */
uint64_t prefixes_addresses(const struct prefix *maximal, size_t count);

/* How many touch 0/8, 127/8, 224/4 or 240/4. */
size_t prefixes_special(const struct prefix *prefixes, size_t count);

bool prefixes_overlap(const struct prefix *a, const struct prefix *b);

/* The most prefixes that one interval needs. */
#define INTERVAL_PREFIXES_MAX 62

/*
 * The fewest prefixes for an interval that is not the whole space, in
 * ascending order; returns how many.
 */
size_t interval_prefixes(struct interval interval,
			 struct prefix out[INTERVAL_PREFIXES_MAX]);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Set algebra on arrays of prefixes of one family.  Every function that
 * shortens an array works in place and returns the new count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/rules.h"

/* Both ends belong to it. */
struct range {
	addr_t first;
	addr_t last;
};

/*
 * Sorts by address, a prefix before those inside it.  Radix sort in place
 * (American flag sort of McIlroy, Bostic and McIlroy): the time is linear.
 */
void prefixes_sort(struct prefix *prefixes, size_t count);

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
 * The ranges that a maximal array covers, neighbours joined.  Returns how
 * many; out has room for count, or is NULL for counting alone.
 */
size_t prefixes_ranges(const struct prefix *maximal, size_t count,
		       struct range *out);

/* Addresses that a maximal array covers; 0 stands for 2^128 if it has any. */
addr_t prefixes_addresses(const struct prefix *maximal, size_t count,
			  enum family family);

/*
 * Where no packet is sent to.  IPv4: 0/8, 127/8, 224/3.  IPv6: ::/8 (itself,
 * loopback, IPv4 inside), fe80::/9 (link and site) and ff00::/8.
 */
const struct prefix *special_prefixes(enum family family, size_t *count);
bool addr_is_special(enum family family, addr_t addr);

/* How many touch special ones. */
size_t prefixes_special(const struct prefix *prefixes, size_t count,
			enum family family);

bool prefixes_overlap(const struct prefix *a, const struct prefix *b);

/* The most prefixes that one range needs. */
#define RANGE_PREFIXES_MAX 254

static inline bool range_is_all(const struct range *range)
{
	return !range->first && range->last == ADDR_MAX;
}

/*
 * The fewest prefixes for a range that is not the whole space, in ascending
 * order; returns how many.
 */
size_t range_prefixes(struct range range,
		      struct prefix out[RANGE_PREFIXES_MAX]);

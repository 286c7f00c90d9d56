// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/prefixes.h"

/* 38 bits of key (address, then length) in four passes. */
#define RADIX_BITS    10
#define RADIX_BUCKETS (1 << RADIX_BITS)
#define RADIX_PASSES  4
#define LEN_BITS      6

static uint64_t sort_key(const struct prefix *prefix)
{
	return (uint64_t)prefix->addr << LEN_BITS | prefix->len;
}

static size_t digit(const struct prefix *prefix, int pass)
{
	return sort_key(prefix) >> (pass * RADIX_BITS) & (RADIX_BUCKETS - 1);
}

static bool is_sorted(const struct prefix *prefixes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (sort_key(&prefixes[i - 1]) > sort_key(&prefixes[i]))
			return false;
	return true;
}

/* False if all have the same digit: nothing to move in this pass. */
static bool bucket_starts(const struct prefix *prefixes, size_t count, int pass,
			  size_t *start)
{
	size_t sum = 0;

	memset(start, 0, RADIX_BUCKETS * sizeof(*start));
	for (size_t i = 0; i < count; i++)
		start[digit(&prefixes[i], pass)]++;
	if (start[digit(&prefixes[0], pass)] == count)
		return false;

	for (size_t b = 0; b < RADIX_BUCKETS; b++) {
		size_t in_bucket = start[b];

		start[b] = sum;
		sum += in_bucket;
	}
	return true;
}

int prefixes_sort(struct prefix *prefixes, size_t count)
{
	struct prefix *from = prefixes, *to;
	auto_mem struct prefix *spare = NULL;
	size_t start[RADIX_BUCKETS];

	if (is_sorted(prefixes, count))
		return 0;

	spare = malloc(count * sizeof(*spare));
	if (!spare)
		return log_err(-ENOMEM, "no memory to sort %zu prefixes",
			       count);

	to = spare;
	for (int pass = 0; pass < RADIX_PASSES; pass++) {
		struct prefix *swap = from;

		if (!bucket_starts(from, count, pass, start))
			continue;
		for (size_t i = 0; i < count; i++)
			to[start[digit(&from[i], pass)]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != prefixes)
		memcpy(prefixes, from, count * sizeof(*prefixes));
	return 0;
}

size_t prefixes_unique(struct prefix *sorted, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && sort_key(&sorted[kept - 1]) == sort_key(&sorted[i]))
			continue;
		sorted[kept++] = sorted[i];
	}
	return kept;
}

size_t prefixes_maximal(struct prefix *sorted, size_t count)
{
	size_t kept = 0;

	/* A holder sorts before what it holds and overlaps nothing else. */
	for (size_t i = 0; i < count; i++) {
		if (kept && prefix_holds(&sorted[kept - 1], sorted[i].addr))
			continue;
		sorted[kept++] = sorted[i];
	}
	return kept;
}

static bool are_siblings(const struct prefix *a, const struct prefix *b)
{
	return a->len == b->len && a->len > 1 &&
	       (a->addr ^ b->addr) == UINT32_C(1) << (32 - a->len);
}

size_t prefixes_collapse(struct prefix *maximal, size_t count)
{
	size_t kept = 0;

	/* The kept part is a stack: a merge may make its top mergeable. */
	for (size_t i = 0; i < count; i++) {
		maximal[kept++] = maximal[i];
		while (kept > 1 &&
		       are_siblings(&maximal[kept - 2], &maximal[kept - 1])) {
			kept--;
			maximal[kept - 1].len--;
		}
	}
	return kept;
}

size_t prefixes_intervals(const struct prefix *maximal, size_t count,
			  struct interval *out)
{
	uint64_t next = UINT64_MAX;
	size_t intervals = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t last = prefix_last(&maximal[i]);

		if (maximal[i].addr != next) {
			if (out)
				out[intervals].first = maximal[i].addr;
			intervals++;
		}
		if (out)
			out[intervals - 1].last = last;
		next = (uint64_t)last + 1;
	}
	return intervals;
}

uint64_t prefixes_addresses(const struct prefix *maximal, size_t count)
{
	uint64_t addresses = 0;

	for (size_t i = 0; i < count; i++)
		addresses += UINT64_C(1) << (32 - maximal[i].len);
	return addresses;
}

bool prefixes_overlap(const struct prefix *a, const struct prefix *b)
{
	return prefix_holds(a, b->addr) || prefix_holds(b, a->addr);
}

size_t prefixes_special(const struct prefix *prefixes, size_t count)
{
	static const struct prefix special[] = {
		{ UINT32_C(0x00000000), 8 },
		{ UINT32_C(0x7f000000), 8 },
		{ UINT32_C(0xe0000000), 3 }, /* 224/4 and 240/4 */
	};
	size_t touching = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < ARRAY_SIZE(special); s++)
			if (prefixes_overlap(&prefixes[i], &special[s])) {
				touching++;
				break;
			}
	return touching;
}

size_t interval_prefixes(struct interval interval,
			 struct prefix out[INTERVAL_PREFIXES_MAX])
{
	uint64_t first = interval.first;
	uint64_t end = (uint64_t)interval.last + 1;
	size_t count = 0;

	while (first < end) {
		/* The largest block that starts here and ends in time. */
		int bits = first ? __builtin_ctzll(first) : 31;

		while (first + (UINT64_C(1) << bits) > end)
			bits--;
		out[count].addr = first;
		out[count].len = 32 - bits;
		count++;
		first += UINT64_C(1) << bits;
	}
	return count;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/cleanup.h"
#include "runner/prefixes.h"

/* The bytes of the address from the first one on, then the length. */
#define RADIX_BUCKETS 256
#define RADIX_DIGITS  17

/* Up to here, a sort by comparing is faster. */
#define FEW 24

static bool is_before(const struct prefix *a, const struct prefix *b)
{
	return a->addr != b->addr ? a->addr < b->addr : a->len < b->len;
}

static uint8_t digit(const struct prefix *prefix, int at)
{
	if (at == RADIX_DIGITS - 1)
		return prefix->len;
	return prefix->addr >> (ADDR_BITS - 8 * (at + 1));
}

static bool is_sorted(const struct prefix *prefixes, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (is_before(&prefixes[i], &prefixes[i - 1]))
			return false;
	return true;
}

static void sort_few(struct prefix *prefixes, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct prefix moved = prefixes[i];
		size_t at = i;

		for (; at && is_before(&moved, &prefixes[at - 1]); at--)
			prefixes[at] = prefixes[at - 1];
		prefixes[at] = moved;
	}
}

/*
 * Moves each prefix into the bucket of its digit: what is in its place goes
 * on to its own, until a cycle is closed.  end[] is where each bucket ends.
 */
static void move_to_buckets(struct prefix *prefixes, int at,
			    size_t next[RADIX_BUCKETS],
			    const size_t end[RADIX_BUCKETS])
{
	for (int b = 0; b < RADIX_BUCKETS; b++)
		while (next[b] < end[b]) {
			struct prefix moved = prefixes[next[b]];
			uint8_t to = digit(&moved, at);

			while (to != b) {
				struct prefix swap = prefixes[next[to]];

				prefixes[next[to]++] = moved;
				moved = swap;
				to = digit(&moved, at);
			}
			prefixes[next[b]++] = moved;
		}
}

/* All have the same digits before this one. */
static void sort_from(struct prefix *prefixes, size_t count, int at)
{
	size_t next[RADIX_BUCKETS], end[RADIX_BUCKETS] = { 0 };
	size_t sum = 0;

	if (count <= FEW) {
		sort_few(prefixes, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		end[digit(&prefixes[i], at)]++;
	for (int b = 0; b < RADIX_BUCKETS; b++) {
		next[b] = sum;
		end[b] = sum += end[b];
	}
	move_to_buckets(prefixes, at, next, end);
	for (int b = 0; at + 1 < RADIX_DIGITS && b < RADIX_BUCKETS; b++) {
		size_t first = b ? end[b - 1] : 0;

		if (end[b] - first > 1)
			sort_from(prefixes + first, end[b] - first, at + 1);
	}
}

void prefixes_sort(struct prefix *prefixes, size_t count)
{
	if (!is_sorted(prefixes, count))
		sort_from(prefixes, count, 0);
}

size_t prefixes_unique(struct prefix *sorted, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && !is_before(&sorted[kept - 1], &sorted[i]))
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
	       (a->addr ^ b->addr) == (addr_t)1 << (ADDR_BITS - a->len);
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

size_t prefixes_ranges(const struct prefix *maximal, size_t count,
		       struct range *out)
{
	size_t ranges = 0;
	addr_t next = 0;

	for (size_t i = 0; i < count; i++) {
		addr_t last = prefix_last(&maximal[i]);

		if (!i || maximal[i].addr != next) {
			if (out)
				out[ranges].first = maximal[i].addr;
			ranges++;
		}
		if (out)
			out[ranges - 1].last = last;
		next = last + 1;
	}
	return ranges;
}

addr_t prefixes_addresses(const struct prefix *maximal, size_t count,
			  enum family family)
{
	addr_t addresses = 0;

	for (size_t i = 0; i < count; i++)
		addresses += (addr_t)1
			     << (family_bits(family) - maximal[i].len);
	return addresses;
}

bool prefixes_overlap(const struct prefix *a, const struct prefix *b)
{
	return prefix_holds(a, b->addr) || prefix_holds(b, a->addr);
}

const struct prefix *special_prefixes(enum family family, size_t *count)
{
	static const struct prefix v4[] = {
		{ ADDR_V4(0x00000000), 8 },
		{ ADDR_V4(0x7f000000), 8 },
		{ ADDR_V4(0xe0000000), 3 }, /* 224/4 and 240/4 */
	};
	static const struct prefix v6[] = {
		{ 0, 8 },
		{ ADDR_V6(0xfe80000000000000, 0), 9 },
		{ ADDR_V6(0xff00000000000000, 0), 8 },
	};

	*count = family == FAMILY_IPV6 ? ARRAY_SIZE(v6) : ARRAY_SIZE(v4);
	return family == FAMILY_IPV6 ? v6 : v4;
}

bool addr_is_special(enum family family, addr_t addr)
{
	size_t count;
	const struct prefix *special = special_prefixes(family, &count);

	for (size_t i = 0; i < count; i++)
		if (prefix_holds(&special[i], addr))
			return true;
	return false;
}

size_t prefixes_special(const struct prefix *prefixes, size_t count,
			enum family family)
{
	size_t specials, touching = 0;
	const struct prefix *special = special_prefixes(family, &specials);

	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < specials; s++)
			if (prefixes_overlap(&prefixes[i], &special[s])) {
				touching++;
				break;
			}
	return touching;
}

/* How many zeros the number ends with; at most 127, so that no prefix is /0. */
static int trailing_zeros(addr_t addr)
{
	if ((uint64_t)addr)
		return __builtin_ctzll(addr);
	return addr ? 64 + __builtin_ctzll(addr >> 64) : 127;
}

size_t range_prefixes(struct range range, struct prefix out[RANGE_PREFIXES_MAX])
{
	addr_t next = range.first;
	size_t count = 0;

	do {
		/* The largest block that starts here and ends in time. */
		int bits = trailing_zeros(next);

		while (((addr_t)1 << bits) - 1 > range.last - next)
			bits--;
		out[count].addr = next;
		out[count].len = ADDR_BITS - bits;
		next = prefix_last(&out[count++]);
	} while (next++ != range.last);
	return count;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Set algebra against brute force: a universe of 256 blocks, so that a set is
 * a table of flags.  The blocks are single addresses at the bottom, in the
 * middle and at the top of the space, and then the whole space in /8 blocks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/prefixes.h"
#include "runner/prng.h"
#include "runner/rules_model.h"

#define BLOCKS	   256
#define BLOCK_BITS 8
#define SET_MAX	   40
#define TRIALS	   2000

struct universe {
	enum family family;
	addr_t base;
	int shift; /* addresses in a block: 1 << shift */
};

static const struct universe universes[] = {
	{ FAMILY_IPV4, ADDR_V4(0x00000000), 0 },
	{ FAMILY_IPV4, ADDR_V4(0xc0000200), 0 },
	{ FAMILY_IPV4, ADDR_V4(0xffffff00), 0 },
	{ FAMILY_IPV4, ADDR_V4(0x00000000), 24 },
	{ FAMILY_IPV4, ADDR_V4(0xa0000000), 16 },
	{ FAMILY_IPV6, 0, 0 },
	{ FAMILY_IPV6, ADDR_V6(0x20010db800000000, 0), 0 },
	{ FAMILY_IPV6, ADDR_MAX - 255, 0 },
	{ FAMILY_IPV6, 0, 120 },
	{ FAMILY_IPV6, ADDR_V6(0x20010db800000000, 0), 60 }, /* both halves */
};

static int bits(const struct universe *universe)
{
	return family_bits(universe->family);
}

static addr_t block_first(const struct universe *universe, uint32_t block)
{
	return universe->base + ((addr_t)block << (universe->shift + ADDR_BITS -
						   bits(universe)));
}

static addr_t block_last(const struct universe *universe, uint32_t block)
{
	return block_first(universe, block) |
	       ~prefix_mask(bits(universe) - universe->shift);
}

/* The blocks are not the whole space, which has no prefix of its own. */
static bool is_part(const struct universe *universe)
{
	return universe->shift < bits(universe) - BLOCK_BITS;
}

static size_t draw_set(const struct universe *universe, struct prng *prng,
		       struct prefix *set)
{
	size_t count = prng_below(prng, SET_MAX + 1);
	int shortest = bits(universe) - universe->shift - BLOCK_BITS;

	if (!shortest)
		shortest = 1;
	for (size_t i = 0; i < count; i++) {
		/* Mostly long ones, or everything would be covered. */
		int span = bits(universe) - universe->shift - shortest + 1;
		int back = prng_below(prng, prng_below(prng, span) + 1);
		uint32_t block = prng_below(prng, BLOCKS);

		set[i].len = bits(universe) - universe->shift - back;
		set[i].addr =
			block_first(universe, block) & prefix_mask(set[i].len);
	}
	return count;
}

static void mark(const struct universe *universe, const struct prefix *set,
		 size_t count, bool covered[BLOCKS])
{
	memset(covered, 0, BLOCKS * sizeof(*covered));
	for (size_t i = 0; i < count; i++)
		for (uint32_t b = 0; b < BLOCKS; b++)
			covered[b] |=
				prefix_holds(&set[i], block_first(universe, b));
}

/* The fewest prefixes for the flags of a node, by halving. */
static size_t fewest(const bool *covered, int blocks, bool may_be_one)
{
	int set = 0;

	for (int b = 0; b < blocks; b++)
		set += covered[b];
	if (!set)
		return 0;
	if (set == blocks && may_be_one)
		return 1;
	return fewest(covered, blocks / 2, true) +
	       fewest(covered + blocks / 2, blocks / 2, true);
}

static size_t runs(const bool *covered)
{
	size_t count = 0;

	for (int b = 0; b < BLOCKS; b++)
		count += covered[b] && (!b || !covered[b - 1]);
	return count;
}

static bool inside_other(const struct prefix *set, size_t count, size_t i)
{
	for (size_t j = 0; j < count; j++)
		if (set[j].len < set[i].len &&
		    prefix_holds(&set[j], set[i].addr))
			return true;
	return false;
}

static bool seen_before(const struct prefix *set, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (set[j].addr == set[i].addr && set[j].len == set[i].len)
			return true;
	return false;
}

static void check_ranges(const struct universe *universe,
			 const struct prefix *maximal, size_t count,
			 const bool covered[BLOCKS])
{
	struct range ranges[SET_MAX];
	size_t found = prefixes_ranges(maximal, count, ranges);

	assert_int_equal(found, runs(covered));
	assert_int_equal(found, prefixes_ranges(maximal, count, NULL));
	for (uint32_t b = 0; b < BLOCKS; b++) {
		addr_t addr = block_first(universe, b);
		bool within = false;

		for (size_t i = 0; i < found; i++)
			within |= addr >= ranges[i].first &&
				  addr <= ranges[i].last;
		assert_int_equal(within, covered[b]);
	}
}

static void check_set(const struct universe *universe, struct prefix *set,
		      size_t count)
{
	size_t unique = 0, maximal = 0, kept, collapsed;
	bool covered[BLOCKS], after[BLOCKS];
	addr_t addresses = 0;

	mark(universe, set, count, covered);
	for (size_t i = 0; i < count; i++) {
		if (seen_before(set, i))
			continue;
		unique++;
		maximal += !inside_other(set, count, i);
	}
	for (int b = 0; b < BLOCKS; b++)
		addresses += (addr_t)covered[b] << universe->shift;

	prefixes_sort(set, count);
	kept = prefixes_unique(set, count);
	assert_int_equal(kept, unique);
	kept = prefixes_maximal(set, kept);
	assert_int_equal(kept, maximal);
	assert_true(prefixes_addresses(set, kept, universe->family) ==
		    addresses);
	check_ranges(universe, set, kept, covered);

	collapsed = prefixes_collapse(set, kept);
	assert_int_equal(collapsed, fewest(covered, BLOCKS, is_part(universe)));
	mark(universe, set, collapsed, after);
	assert_memory_equal(after, covered, sizeof(covered));
}

static void algebra_agrees_with_brute_force(void **state)
{
	struct prefix set[SET_MAX];
	struct prng prng;

	(void)state;
	prng_seed(&prng, 7);
	for (size_t u = 0; u < ARRAY_SIZE(universes); u++)
		for (int trial = 0; trial < TRIALS; trial++)
			check_set(&universes[u], set,
				  draw_set(&universes[u], &prng, set));
}

static void model_agrees_with_the_prefixes(void **state)
{
	struct prefix set[SET_MAX];
	struct prng prng;

	(void)state;
	prng_seed(&prng, 8);
	for (int trial = 0; trial < TRIALS; trial++) {
		const struct universe *universe =
			&universes[trial % ARRAY_SIZE(universes)];
		struct rules rules = { .prefixes = set };
		struct rules_model model;
		bool covered[BLOCKS];

		rules.count = draw_set(universe, &prng, set);
		mark(universe, set, rules.count, covered);
		assert_int_equal(rules_model_build(&rules, &model), 0);
		for (uint32_t b = 0; b < BLOCKS; b++) {
			addr_t addr = block_first(universe, b);
			addr_t end = block_last(universe, b);

			assert_int_equal(rules_match(&model, addr), covered[b]);
			assert_int_equal(rules_match(&model, end), covered[b]);
		}
		rules_model_free(&model);
	}
}

static void every_range_becomes_the_fewest_prefixes(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(universes); u++)
		for (uint32_t pair = 0; pair < BLOCKS * BLOCKS; pair++) {
			const struct universe *universe = &universes[u];
			uint32_t first = pair / BLOCKS, last = pair % BLOCKS;
			struct prefix out[RANGE_PREFIXES_MAX];
			bool wanted[BLOCKS] = { false }, got[BLOCKS];
			struct range range;
			size_t count;

			if (first > last)
				continue;
			range.first = block_first(universe, first);
			range.last = block_last(universe, last);
			memset(wanted + first, 1, last - first + 1);
			count = range_prefixes(range, out);
			mark(universe, out, count, got);
			assert_memory_equal(got, wanted, sizeof(got));
			assert_int_equal(count, fewest(wanted, BLOCKS,
						       is_part(universe)));
		}
}

static void worst_ranges_fit(void **state)
{
	const struct range all_but_ends = { ADDR_V4(1),
					    ADDR_V4(UINT32_MAX) - 1 };
	const struct range all_but_ends6 = { 1, ADDR_MAX - 1 };
	struct prefix out[RANGE_PREFIXES_MAX];

	(void)state;
	assert_int_equal(range_prefixes(all_but_ends, out), 62);
	assert_true(prefixes_addresses(out, 62, FAMILY_IPV4) ==
		    UINT64_C(0xfffffffe));
	assert_int_equal(range_prefixes(all_but_ends6, out),
			 RANGE_PREFIXES_MAX);
	assert_true(prefixes_addresses(out, RANGE_PREFIXES_MAX, FAMILY_IPV6) ==
		    ADDR_MAX - 1);
}

static int by_addr_and_len(const void *a, const void *b)
{
	const struct prefix *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (int)x->len - y->len;
}

static void check_sort(enum family family)
{
	enum { COUNT = 100000 };
	auto_mem struct prefix *mine = calloc(COUNT, sizeof(*mine));
	auto_mem struct prefix *theirs = calloc(COUNT, sizeof(*theirs));
	struct prng prng;

	prng_seed(&prng, 9);
	for (int i = 0; i < COUNT; i++) {
		mine[i].len = 1 + prng_below(&prng, family_bits(family));
		mine[i].addr = prng_below_wide(&prng, ADDR_MAX) &
			       prefix_mask(mine[i].len);
		theirs[i] = mine[i];
	}
	prefixes_sort(mine, COUNT);
	qsort(theirs, COUNT, sizeof(*theirs), by_addr_and_len);
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(by_addr_and_len(&mine[i], &theirs[i]), 0);
}

static void sort_agrees_with_qsort(void **state)
{
	(void)state;
	check_sort(FAMILY_IPV4);
	check_sort(FAMILY_IPV6);
}

static void special_ranges_are_counted(void **state)
{
	static const struct prefix some[] = {
		{ ADDR_V4(0x00000000), 1 },  /* holds 0/8 and 127/8 */
		{ ADDR_V4(0x0000ff00), 24 }, /* in 0/8 */
		{ ADDR_V4(0x01000000), 8 },  { ADDR_V4(0x7e000000), 8 },
		{ ADDR_V4(0x7f000001), 32 }, { ADDR_V4(0x80000000), 2 },
		{ ADDR_V4(0xdf000000), 8 },  { ADDR_V4(0xe0000000), 4 },
		{ ADDR_V4(0xffffffff), 32 },
	};

	static const struct prefix some6[] = {
		{ 0, 1 },   /* holds ::/8 */
		{ 1, 128 }, /* loopback */
		{ ADDR_V6(0x20010db800000000, 0), 32 },
		{ ADDR_V6(0xfc00000000000000, 0), 7 },
		{ ADDR_V6(0xfe80000000000000, 0), 10 },
		{ ADDR_V6(0xfec0000000000000, 0), 10 },
		{ ADDR_V6(0xff02000000000000, 1), 128 },
		{ ADDR_V6(0x8000000000000000, 0), 1 },
		{ ADDR_V6(0x0100000000000000, 0), 64 },
	};

	(void)state;
	assert_int_equal(prefixes_special(some, ARRAY_SIZE(some), FAMILY_IPV4),
			 5);
	assert_int_equal(
		prefixes_special(some6, ARRAY_SIZE(some6), FAMILY_IPV6), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(algebra_agrees_with_brute_force),
		cmocka_unit_test(model_agrees_with_the_prefixes),
		cmocka_unit_test(every_range_becomes_the_fewest_prefixes),
		cmocka_unit_test(worst_ranges_fit),
		cmocka_unit_test(sort_agrees_with_qsort),
		cmocka_unit_test(special_ranges_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

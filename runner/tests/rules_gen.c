// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The generator's promises, and a lock on what a seed gives: published
 * results name the seed, so a change here is a break of them.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/prefixes.h"
#include "runner/prng.h"
#include "runner/rules_gen.h"
#include "runner/traffic.h"

static struct rules_spec spec_for(enum family family, const char *mix,
				  uint64_t seed, bool nested)
{
	struct rules_spec spec = {
		.seed = seed,
		.family = family,
		.nested = nested,
	};

	assert_int_equal(rules_mix_parse(mix, family, &spec.mix), 0);
	return spec;
}

static struct rules_spec spec_of(const char *mix, uint64_t seed, bool nested)
{
	return spec_for(FAMILY_IPV4, mix, seed, nested);
}

static struct rules generate(const struct rules_spec *spec, size_t count)
{
	struct rules rules;

	assert_int_equal(rules_generate(spec, count, &rules), 0);
	assert_int_equal(rules.count, count);
	return rules;
}

/* FNV-1a over address and length, most significant byte first. */
static uint64_t hash_of(const struct rules *rules)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < rules->count; i++)
		for (int shift = 32; shift >= 0; shift -= 8) {
			uint64_t both =
				(uint64_t)addr_v4(rules->prefixes[i].addr)
					<< 8 |
				rules->prefixes[i].len;

			hash ^= both >> shift & 0xff;
			hash *= UINT64_C(0x100000001b3);
		}
	return hash;
}

static void random_numbers_are_the_published_ones(void **state)
{
	/* Reference values: splitmix64 of seed 0 gives these four words. */
	static const uint64_t words[4] = {
		UINT64_C(0xe220a8397b1dcdaf),
		UINT64_C(0x6e789e6aa1b965f4),
		UINT64_C(0x06c45d188009454f),
		UINT64_C(0xf88bb8a8724c81ec),
	};
	struct prng prng;

	(void)state;
	prng_seed(&prng, 0);
	assert_memory_equal(prng.word, words, sizeof(words));

	/* xoshiro256** from the state 1, 2, 3, 4. */
	prng = (struct prng){ { 1, 2, 3, 4 } };
	assert_true(prng_next(&prng) == 11520);
	assert_true(prng_next(&prng) == 0);
	assert_true(prng_next(&prng) == 1509978240);
	assert_true(prng_next(&prng) == UINT64_C(1215971899390074240));
}

static void a_seed_gives_the_same_list_for_ever(void **state)
{
	static const struct prefix first[] = {
		{ ADDR_V4(0x750eaf00), 24 }, { ADDR_V4(0x58442a00), 24 },
		{ ADDR_V4(0x21043d00), 24 }, { ADDR_V4(0x56010000), 16 },
		{ ADDR_V4(0x7c080300), 24 }, { ADDR_V4(0xd675ab00), 24 },
	};
	static const struct {
		const char *mix;
		uint64_t seed;
		bool nested;
		size_t count;
		uint64_t hash;
	} rows[] = {
		{ PREFIX_MIX_DEFAULT, 1, false, 100000,
		  UINT64_C(0xf67c9704dae75c49) },
		{ PREFIX_MIX_DEFAULT, UINT64_MAX, false, 1000,
		  UINT64_C(0x102029983384be07) },
		{ "32:1,24:1,16:1,8:1", 1, false, 100000,
		  UINT64_C(0x0f10bc1fa33986be) },
		{ "32:1,24:1,16:1,8:1", 1, true, 100000,
		  UINT64_C(0x4aa9330b535c83ba) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rules_spec spec =
			spec_of(rows[i].mix, rows[i].seed, rows[i].nested);
		struct rules rules = generate(&spec, rows[i].count);

		if (!i)
			for (size_t j = 0; j < ARRAY_SIZE(first); j++) {
				assert_true(rules.prefixes[j].addr ==
					    first[j].addr);
				assert_int_equal(rules.prefixes[j].len,
						 first[j].len);
			}
		if (hash_of(&rules) != rows[i].hash)
			fail_msg("%s seed %llu: hash 0x%016llx", rows[i].mix,
				 (unsigned long long)rows[i].seed,
				 (unsigned long long)hash_of(&rules));
		rules_free(&rules);
	}
}

static void a_longer_list_begins_with_the_shorter(void **state)
{
	static const bool nested[] = { false, true };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nested); i++) {
		struct rules_spec spec =
			spec_of("32:3,24:5,20:1,9", 42, nested[i]);
		struct rules longest = generate(&spec, 10000);

		for (size_t count = 1; count < 10000; count *= 10) {
			struct rules rules = generate(&spec, count);

			for (size_t j = 0; j < count; j++) {
				assert_true(rules.prefixes[j].addr ==
					    longest.prefixes[j].addr);
				assert_int_equal(rules.prefixes[j].len,
						 longest.prefixes[j].len);
			}
			rules_free(&rules);
		}
		rules_free(&longest);
	}
}

static void check_rules(struct rules *rules, bool nested)
{
	static const struct prefix kept_out[] = {
		{ ADDR_V4(TRAFFIC_MISS_NET), TRAFFIC_MISS_LEN },
		{ ADDR_V4(TRAFFIC_SADDR), 32 },
		{ TRAFFIC_MISS_NET6, TRAFFIC_MISS_LEN6 },
		{ TRAFFIC_SADDR6, 128 },
	};
	const struct prefix global6 = { ADDR_V6(0x2000000000000000, 0), 3 };
	bool is_v6 = rules->family == FAMILY_IPV6;
	size_t first = is_v6 ? 2 : 0;
	size_t maximal;

	assert_int_equal(
		prefixes_special(rules->prefixes, rules->count, rules->family),
		0);
	for (size_t i = 0; i < rules->count; i++) {
		const struct prefix *prefix = &rules->prefixes[i];

		assert_in_range(prefix->len, 1, family_bits(rules->family));
		assert_true(!(prefix->addr & ~prefix_mask(prefix->len)));
		if (is_v6)
			assert_true(prefix_holds(&global6, prefix->addr));
		for (size_t j = first; j < first + 2; j++)
			assert_false(prefixes_overlap(prefix, &kept_out[j]));
	}
	prefixes_sort(rules->prefixes, rules->count);
	assert_int_equal(prefixes_unique(rules->prefixes, rules->count),
			 rules->count);
	maximal = prefixes_maximal(rules->prefixes, rules->count);
	if (nested)
		assert_in_range(maximal, 1, rules->count * 3 / 4);
	else
		assert_int_equal(maximal, rules->count);
}

static void lists_are_unique_disjoint_and_clear_of_traffic(void **state)
{
	static const struct {
		enum family family;
		const char *mix;
		size_t count;
	} rows[] = {
		{ FAMILY_IPV4, "24", 1 },
		{ FAMILY_IPV4, PREFIX_MIX_DEFAULT, 20000 },
		{ FAMILY_IPV4, "32", 50000 },
		{ FAMILY_IPV4, "8:1,9:1,32:8", 20000 },
		{ FAMILY_IPV4, "2:0.1,24:0.8,30:9", 9 },
		{ FAMILY_IPV4, "31:2,32:2,3:1", 5000 },
		{ FAMILY_IPV6, PREFIX_MIX_DEFAULT6, 20000 },
		{ FAMILY_IPV6, "128", 50000 },
		{ FAMILY_IPV6, "4:1,5:1,32:8,33:1,128:1", 20 },
		{ FAMILY_IPV6, "16:1,48:1,127:1", 8000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (uint64_t seed = 1; seed < 4; seed++) {
			struct rules_spec spec = spec_for(
				rows[i].family, rows[i].mix, seed, false);
			struct rules rules = generate(&spec, rows[i].count);

			check_rules(&rules, false);
			rules_free(&rules);
		}
}

static void nested_lists_nest(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 4; seed++) {
		struct rules_spec spec = spec_of("16:0.1,24:0.9", seed, true);
		struct rules rules = generate(&spec, 5000);

		check_rules(&rules, true);
		rules_free(&rules);
		spec = spec_for(FAMILY_IPV6, "32:0.1,48:0.4,64:0.5", seed,
				true);
		rules = generate(&spec, 5000);
		check_rules(&rules, true);
		rules_free(&rules);
	}
}

static void the_mix_is_kept(void **state)
{
	struct rules_spec spec = spec_of("24:0.75,32:0.25", 5, false);
	struct rules rules = generate(&spec, 100000);
	size_t longest = 0;

	(void)state;
	for (size_t i = 0; i < rules.count; i++)
		longest += rules.prefixes[i].len == 32;
	/* Five standard deviations of 137. */
	assert_in_range(longest, 25000 - 685, 25000 + 685);
	rules_free(&rules);
}

static int generate_quietly(enum family family, const char *mix, bool nested,
			    size_t count, char *said, size_t room)
{
	struct rules_spec spec = spec_for(family, mix, 3, nested);
	struct log_capture capture;
	struct rules rules;
	int err;

	log_capture_begin(&capture);
	err = rules_generate(&spec, count, &rules);
	log_capture_end(&capture);
	assert_true(err || rules.count == count);
	assert_true(!err || (!rules.prefixes && !rules.count));
	rules_free(&rules);
	snprintf(said, room, "%s", capture.text);
	return err;
}

/* 222 of 256 first octets, less the two /16 and the /32 of the traffic. */
static void the_space_ends_where_it_must(void **state)
{
	static const struct {
		enum family family;
		const char *mix;
		size_t most;
	} rows[] = {
		{ FAMILY_IPV4, "8", 220 },
		{ FAMILY_IPV4, "16", 222 * 256 - 3 },
		{ FAMILY_IPV4, "1", 0 },
		{ FAMILY_IPV4, "2", 1 },
		{ FAMILY_IPV4, "3", 4 },
		{ FAMILY_IPV4, "15", 222 * 128 - 2 },
		{ FAMILY_IPV4, "17", 222 * 512 - 5 },
		{ FAMILY_IPV4, "20", 222 * 4096 - 33 },
		/* 2000::/3 less those with 2001:2::/48 and 2001:db8::1. */
		{ FAMILY_IPV6, "3", 0 },
		{ FAMILY_IPV6, "4", 1 },
		{ FAMILY_IPV6, "16", 8191 },
		{ FAMILY_IPV6, "20", 8192 * 16 - 1 },
		{ FAMILY_IPV6, "21", 8192 * 32 - 2 },
	};
	char said[512] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int nested = 0; nested < 2; nested++) {
			assert_int_equal(generate_quietly(rows[i].family,
							  rows[i].mix, nested,
							  rows[i].most, said,
							  sizeof(said)),
					 0);
			assert_int_equal(generate_quietly(rows[i].family,
							  rows[i].mix, nested,
							  rows[i].most + 1,
							  said, sizeof(said)),
					 -ENOSPC);
			assert_non_null(strstr(said, "ask for fewer"));
		}
}

/* A /8 takes 256 of the /16: the count of free ones must follow. */
static void a_used_up_mix_ends_exactly(void **state)
{
	struct rules_spec spec = spec_of("8:1,16:1,18:1", 11, false);
	struct log_capture capture;
	size_t low = 1, high = 222 * 1024;
	struct rules rules;

	(void)state;
	log_capture_begin(&capture);
	while (low < high) {
		size_t middle = (low + high + 1) / 2;

		if (rules_generate(&spec, middle, &rules))
			high = middle - 1;
		else
			low = middle;
		rules_free(&rules);
	}
	rules = generate(&spec, low);
	log_capture_end(&capture);

	/* Full: all that is left is what the traffic needs. */
	check_rules(&rules, false);
	assert_true(
		prefixes_addresses(rules.prefixes, rules.count, FAMILY_IPV4) ==
		((UINT64_C(222) << 24) - (2 << 16) - (1 << 14)));
	rules_free(&rules);
}

static void check_lengths(enum family family)
{
	struct rules_spec spec = { .family = family };
	struct log_capture capture;

	for (size_t lengths = 1; lengths <= PREFIX_LENGTHS_MAX; lengths++)
		for (spec.seed = 1; spec.seed <= 20; spec.seed++) {
			bool seen[LENS] = { false };
			size_t found = 0;
			struct rules rules;

			assert_int_equal(
				rules_mix_lengths(lengths, family, &spec.mix),
				0);
			rules = generate(&spec, lengths);
			for (size_t i = 0; i < rules.count; i++) {
				found += !seen[rules.prefixes[i].len];
				seen[rules.prefixes[i].len] = true;
			}
			assert_int_equal(found, lengths);
			check_rules(&rules, false);
			rules_free(&rules);
		}

	log_capture_begin(&capture);
	assert_int_equal(rules_mix_lengths(0, family, &spec.mix), -EINVAL);
	assert_int_equal(rules_mix_lengths(32, family, &spec.mix), -EINVAL);
	log_capture_end(&capture);
}

static void every_number_of_lengths_can_be_had(void **state)
{
	(void)state;
	check_lengths(FAMILY_IPV4);
	check_lengths(FAMILY_IPV6);
}

static void mixes_are_read(void **state)
{
	static const char *const wrong[] = {
		"",	     ",",      "24:",	       "24:0",
		"24:0.0",    "0:1",    "33:1",	       "24:1,",
		"24:1,,",    "24:-1",  "24:1e3",       "24:0x1",
		"24:inf",    "24:nan", "24:1.2.3",     "24:.",
		"24:1 ",     " 24:1",  "024:1",	       "24:1,24:2",
		"24:1;16:1", "24/1",   "a:1",	       "24:1x",
		"-1:1",	     "24:0,9", "4294967320:1", "+24:1",
		":1",
	};
	struct prefix_mix mix;

	(void)state;
	assert_int_equal(rules_mix_parse("24:0.9,16:0.1", FAMILY_IPV4, &mix),
			 0);
	assert_true(mix.weight[24] > 0.8999 && mix.weight[24] < 0.9001);
	assert_true(mix.weight[16] > 0.0999 && mix.weight[16] < 0.1001);
	assert_int_equal(rules_mix_parse("1,32:5,8:.5", FAMILY_IPV4, &mix), 0);
	assert_true(mix.weight[1] == 1 && mix.weight[32] == 5);
	assert_true(mix.weight[8] == 0.5 && mix.weight[24] == 0);

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct log_capture capture;
		int err;

		log_capture_begin(&capture);
		err = rules_mix_parse(wrong[i], FAMILY_IPV4, &mix);
		log_capture_end(&capture);
		if (err != -EINVAL || !capture.text[0])
			fail_msg("'%s' was taken for a mix", wrong[i]);
	}
}

static void an_empty_mix_is_refused(void **state)
{
	struct rules_spec spec = { .seed = 1 };
	struct log_capture capture;
	struct rules rules;

	(void)state;
	log_capture_begin(&capture);
	assert_int_equal(rules_generate(&spec, 1, &rules), -EINVAL);
	log_capture_end(&capture);
	assert_null(rules.prefixes);

	spec = spec_of(PREFIX_MIX_DEFAULT, 1, false);
	rules = generate(&spec, 0);
	rules_free(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_numbers_are_the_published_ones),
		cmocka_unit_test(a_seed_gives_the_same_list_for_ever),
		cmocka_unit_test(a_longer_list_begins_with_the_shorter),
		cmocka_unit_test(
			lists_are_unique_disjoint_and_clear_of_traffic),
		cmocka_unit_test(nested_lists_nest),
		cmocka_unit_test(the_mix_is_kept),
		cmocka_unit_test(the_space_ends_where_it_must),
		cmocka_unit_test(a_used_up_mix_ends_exactly),
		cmocka_unit_test(every_number_of_lengths_can_be_had),
		cmocka_unit_test(mixes_are_read),
		cmocka_unit_test(an_empty_mix_is_refused),
	};

	/* Mixes that run out of a length warn; that is not the point here. */
	log_set_level(LOG_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pure stages before the run: text, options, plan, targets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/plan.h"
#include "runner/registry.h"
#include "runner/targets.h"
#include "runner/text.h"

/* Parses "run ARGS"; the first error's text is left in said. */
static char said[512];

static int parse(struct options *options, const char *args)
{
	static char copy[512];
	char *argv[32] = { "run" }, *rest = copy, *word;
	struct log_capture capture;
	int argc = 1, err;

	snprintf(copy, sizeof(copy), "%s", args);
	while ((word = strsep(&rest, " ")) && argc < 31)
		if (*word)
			argv[argc++] = word;
	log_capture_begin(&capture);
	err = options_parse(options, argc, argv);
	log_capture_end(&capture);
	memcpy(said, capture.text, sizeof(said));
	return err;
}

static void numbers_are_read_whole(void **state)
{
	static const struct {
		const char *text;
		int suffixes, err;
		uint64_t value;
	} rows[] = {
		{ "1", 0, 0, 1 },
		{ "99", 0, 0, 99 },
		{ "100", 0, -ERANGE, 0 },
		{ "0", 0, -ERANGE, 0 },
		{ "", 0, -EINVAL, 0 },
		{ " 1", 0, -EINVAL, 0 },
		{ "1 ", 0, -EINVAL, 0 },
		{ "+1", 0, -EINVAL, 0 },
		{ "-1", 0, -EINVAL, 0 },
		{ "0x10", 0, -EINVAL, 0 },
		{ "64junk", 0, -EINVAL, 0 },
		{ "1k", 0, -EINVAL, 0 },
		{ "1k", 1, -ERANGE, 0 },
		{ "18446744073709551616", 0, -ERANGE, 0 },
		{ "18446744073709551615M", 1, -ERANGE, 0 },
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		value = 0;
		assert_int_equal(text_number(rows[i].text, 1, 99,
					     rows[i].suffixes, &value),
				 rows[i].err);
		assert_int_equal(value, rows[i].value);
	}
	assert_int_equal(text_number("3k", 1, 5000, 1, &value), 0);
	assert_int_equal(value, 3000);
	assert_int_equal(text_number("2M", 1, 5000000, 1, &value), 0);
	assert_int_equal(value, 2000000);
}

static void fractions_are_read_whole(void **state)
{
	double value = 0;

	(void)state;
	assert_int_equal(text_fraction("2.5", 0, 10, &value), 0);
	assert_true(value > 2.4999 && value < 2.5001);
	assert_int_equal(text_fraction("7", 0, 10, &value), 0);
	assert_true(value == 7);
	assert_int_equal(text_fraction("2,5", 0, 10, &value), -EINVAL);
	assert_int_equal(text_fraction("2.", 0, 10, &value), -EINVAL);
	assert_int_equal(text_fraction(".5", 0, 10, &value), -EINVAL);
	assert_int_equal(text_fraction("1e3", 0, 10, &value), -EINVAL);
	assert_int_equal(text_fraction("nan", 0, 10, &value), -EINVAL);
	assert_int_equal(text_fraction("11", 0, 10, &value), -ERANGE);
}

static void nearest_names(void **state)
{
	static const char *const names[] = { "nft-linear", "nft-set", "ipset",
					     NULL };

	(void)state;
	assert_string_equal(text_nearest("nft-liner", names), "nft-linear");
	assert_string_equal(text_nearest("ipsets", names), "ipset");
	assert_string_equal(text_nearest("nftset", names), "nft-set");
	assert_null(text_nearest("frobnicate", names));
}

/* What is wrong is said with the option and the value. */
static void wrong_values_are_usage_errors(void **state)
{
	static const struct {
		const char *args, *says;
	} rows[] = {
		{ "--rules 10x", "--rules: '10x' is not a number" },
		{ "--rules 0", "--rules: '0' is out of range" },
		{ "--rules 1,,2", "--rules: '' is not a number" },
		{ "--rules 5,5", "--rules: 5 is named twice" },
		{ "--filter nft-liner", "did you mean 'nft-linear'?" },
		{ "--filter ipset@egress", "ipset cannot sit on the hook" },
		{ "--filter ipset@nowhere", "it can on: prerouting" },
		{ "--filter ipset,ipset", "named twice" },
		{ "--source pktgn", "did you mean 'pktgen'?" },
		{ "--fate sunk", "did you mean 'sink'?" },
		{ "--match fist", "did you mean 'first'?" },
		{ "--match 101", "--match: '101' is out of range" },
		{ "--frame 59", "--frame: '59' is out of range" },
		{ "--frame 1515", "--frame: '1515' is out of range" },
		{ "--flows 0", "--flows: '0' is out of range" },
		{ "--frame imx", "--frame: 'imx' is not a number" },
		{ "--frame imx", "it takes 60 to 1514, or imix" },
		{ "--sports 0", "--sports: '0' is out of range" },
		{ "--sports 64513", "--sports: '64513' is out of range" },
		{ "--protocol tcp", "--protocol: there is no protocol 'tcp'" },
		{ "--pcap x --flows 3", "leave out --flows" },
		{ "--frame 60 --pcap x", "leave out --frame" },
		{ "--cpu 1023", "may not use CPU 1023" },
		{ "--cpu -1", "--cpu: '-1' is not a number" },
		{ "--seed 1e3", "--seed: '1e3' is not a number" },
		{ "--time 0", "--time: '0' is out of range" },
		{ "--time 2,5", "--time: '2,5' is not a number" },
		{ "--rounds 0", "--rounds: '0' is out of range" },
		{ "--packets 0", "--packets: '0' is out of range" },
		{ "--prefix-mix 33", "33" },
		{ "surplus", "run takes no argument, there is 'surplus'" },
	};
	struct options options;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(&options, rows[i].args), -EINVAL);
		if (!strstr(said, rows[i].says))
			fail_msg("%s: said '%s', not '%s'", rows[i].args, said,
				 rows[i].says);
	}
}

static void right_values_are_taken(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(
		parse(&o,
		      "--rules 1k,10,2M --filter ipset@input,nft-set --fate sink "
		      "--match 25 --frame 128 --flows 1k --seed 7 --time 2.5 "
		      "--rounds 3 --out x --dry-run --source bpf"),
		0);
	assert_int_equal(o.size_count, 3);
	assert_int_equal(o.sizes[0], 10);
	assert_int_equal(o.sizes[1], 1000);
	assert_int_equal(o.sizes[2], 2000000);
	assert_int_equal(o.filter_count, 2);
	assert_string_equal(o.filters[0].filter->name, "ipset");
	assert_int_equal(o.filters[0].hook, HOOK_INPUT);
	assert_int_equal(o.filters[1].hook, HOOK_EGRESS);
	assert_int_equal(o.fate, FATE_SINK);
	assert_int_equal(o.match, MATCH_PERCENT);
	assert_int_equal(o.match_percent, 25);
	assert_int_equal(o.frame_bytes, 128);
	assert_int_equal(o.flows, 1000);
	assert_int_equal(o.seed, 7);
	assert_int_equal(o.rounds, 3);
	assert_string_equal(o.out, "x");
	assert_true(o.dry_run);
	assert_ptr_equal(o.source, registry_source("bpf"));
}

static void default_plan(void **state)
{
	size_t baselines = 0, canaries = 0, most = 0, linear_most = 0;
	struct options options;
	struct plan plan;

	(void)state;
	assert_int_equal(parse(&options, ""), 0);
	assert_int_equal(plan_build(&plan, &options), 0);
	for (size_t i = 0; i < plan.count; i++) {
		const struct plan_cell *cell = &plan.cells[i];
		const struct plan_cell *base = &plan.cells[cell->baseline];

		baselines += cell->role == ROLE_BASELINE;
		canaries += cell->role == ROLE_CANARY;
		assert_int_equal(base->role, ROLE_BASELINE);
		assert_int_equal(base->hook, cell->hook);
		assert_int_equal(!cell->rule_count, cell->role != ROLE_FILTER);
		if (cell->filter->linear && cell->rule_count > linear_most)
			linear_most = cell->rule_count;
		if (cell->rule_count > most)
			most = cell->rule_count;
	}
	assert_int_equal(baselines, 2); /* egress and prerouting */
	assert_int_equal(canaries, 2);
	assert_int_equal(most, 10000);
	assert_int_equal(plan.rules_max, 10000);
	assert_int_equal(linear_most, PLAN_LINEAR_MAX);
	plan_free(&plan);

	assert_int_equal(parse(&options, "--rules 5k --filter nft-linear"), 0);
	assert_int_equal(plan_build(&plan, &options), 0);
	assert_int_equal(plan.count, 3);
	assert_int_equal(plan.cells[2].rule_count, 5000);
	plan_free(&plan);
}

static void the_axis_of_lengths(void **state)
{
	struct options options;
	struct plan plan;

	(void)state;
	assert_int_equal(parse(&options,
			       "--axis prefix-lengths --filter "
			       "ipset,tc-bpf-lpm --prefix-lengths 3,1 "
			       "--rules 50"),
			 0);
	assert_int_equal(plan_build(&plan, &options), 0);
	assert_int_equal(plan.count, 2 * 2 + 2 * 2);
	for (size_t i = 0; i < plan.count; i++) {
		const struct plan_cell *cell = &plan.cells[i];

		if (cell->role != ROLE_FILTER)
			continue;
		assert_int_equal(cell->rule_count, 50);
		assert_int_equal(plan_axis_value(&plan, cell),
				 cell->axis_index ? 3 : 1);
	}
	plan_free(&plan);
	assert_int_equal(parse(&options, "--axis prefix-lengths --rules 1,2"),
			 -EINVAL);
	assert_int_equal(parse(&options, "--prefix-lengths 1,2"), -EINVAL);
	assert_int_equal(parse(&options, "--prefix-lengths 32"), -EINVAL);
	assert_int_equal(parse(&options, "--list x --nested"), -EINVAL);
}

static void rounds_are_shuffled_by_the_seed(void **state)
{
	size_t first[64], again[64], other[64], seen[64] = { 0 };
	struct options options;
	struct plan plan;

	(void)state;
	assert_int_equal(parse(&options, ""), 0);
	assert_int_equal(plan_build(&plan, &options), 0);
	assert_in_range(plan.count, 20, 64);
	plan_order(&plan, 1, first);
	plan_order(&plan, 1, again);
	plan_order(&plan, 2, other);
	assert_memory_equal(first, again, plan.count * sizeof(*first));
	assert_memory_not_equal(first, other, plan.count * sizeof(*first));
	for (size_t i = 0; i < plan.count; i++)
		seen[first[i]]++;
	for (size_t i = 0; i < plan.count; i++)
		assert_int_equal(seen[i], 1);
	options.seed++;
	plan_order(&plan, 1, other);
	assert_memory_not_equal(first, other, plan.count * sizeof(*first));
	plan_free(&plan);
}

/* Each place is taken by each cell about equally often. */
static void shuffling_is_fair(void **state)
{
	enum { ROUNDS = 6000 };
	unsigned int places[8][8] = { { 0 } };
	struct plan_cell cells[8] = { { 0 } };
	struct options options = { .seed = 3 };
	struct plan plan = {
		.options = &options,
		.cells = cells,
		.count = 8,
	};
	size_t order[8];

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		plan_order(&plan, round, order);
		for (size_t i = 0; i < 8; i++)
			places[i][order[i]]++;
	}
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < 8; j++)
			assert_in_range(places[i][j], ROUNDS / 8 - 150,
					ROUNDS / 8 + 150);
}

static struct prefix list[] = { { ADDR_V4(0x0a010000), 24 },
				{ ADDR_V4(0x0b000000), 16 },
				{ ADDR_V4(0x0c000004), 30 } };

static bool in_list(addr_t daddr)
{
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		if (prefix_holds(&list[i], daddr))
			return true;
	return false;
}

static void targets_match_as_asked(void **state)
{
	static const struct {
		const char *args;
		size_t count, matching;
		addr_t first;
	} rows[] = {
		{ "--match miss --flows 10", 10, 0, ADDR_V4(TRAFFIC_MISS_NET) },
		{ "--match first --flows 10", 10, 10, ADDR_V4(0x0a010000) },
		{ "--match first --flows 300", 256, 256, ADDR_V4(0x0a010000) },
		{ "--match middle --flows 9", 9, 9, ADDR_V4(0x0b000000) },
		{ "--match last --flows 9", 4, 4, ADDR_V4(0x0c000004) },
		{ "--match random --flows 50", 50, 50, 0 },
		{ "--match 30 --flows 100", 100, 30, 0 },
		{ "--match 0 --flows 100", 100, 0, 0 },
		{ "--match 100 --flows 100", 100, 100, 0 },
	};
	const struct rules rules = { list, ARRAY_SIZE(list), FAMILY_IPV4 };
	struct options options;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct target *targets;
		size_t count, matching = 0;

		assert_int_equal(parse(&options, rows[i].args), 0);
		assert_int_equal(targets_build(&options, &rules,
					       ADDR_V4(TRAFFIC_MISS_NET),
					       &targets, &count),
				 0);
		assert_int_equal(count, rows[i].count);
		for (size_t j = 0; j < count; j++) {
			assert_int_equal(targets[j].match,
					 in_list(targets[j].daddr));
			matching += targets[j].match;
			assert_int_equal(targets_matching(targets, count,
							  rows[i].matching,
							  5 * count,
							  3 * count + j + 1),
					 3 * rows[i].matching + matching);
			/* from the one after this on, the rest of the turn */
			assert_int_equal(targets_matching(targets, count,
							  rows[i].matching,
							  count + j + 1,
							  count - j - 1),
					 rows[i].matching - matching);
		}
		assert_int_equal(matching, rows[i].matching);
		if (rows[i].first)
			assert_true(targets[0].daddr == rows[i].first);
		free(targets);
	}
}

static void captured_packets_are_judged_by_the_rules(void **state)
{
	static struct capture_packet packets[] = {
		{ .daddr = ADDR_V4(0x0a0100ff) },
		{ .daddr = ADDR_V4(0x0a010100) },
		{ .daddr = ADDR_V4(0x0b00ffff) },
		{ .daddr = ADDR_V4(0x0c000003) },
		{ .daddr = ADDR_V4(0x0c000004) },
	};
	static const bool match[] = { true, false, true, false, true };
	const struct capture capture = { .packets = packets, .count = 5 };
	const struct rules rules = { list, ARRAY_SIZE(list), FAMILY_IPV4 };
	struct target *targets;

	(void)state;
	assert_int_equal(targets_of_capture(&capture, &rules, &targets), 0);
	for (size_t i = 0; i < capture.count; i++) {
		assert_true(targets[i].daddr == packets[i].daddr);
		assert_int_equal(targets[i].match, match[i]);
	}
	assert_int_equal(targets_count_matching(targets, 5), 3);
	/* three turns, and the packets 3, 4 and 0 */
	assert_int_equal(targets_matching(targets, 5, 3, 13, 18), 9 + 2);
	free(targets);
}

/* What the family decides, whichever option comes first. */
static void the_family_decides_the_rest(void **state)
{
	static struct prefix six[] = {
		{ ADDR_V6(0x2a00000000000000, 0), 64 },
		{ ADDR_V6(0x2a00000000010000, 0xff00), 120 },
	};
	const struct rules rules = { six, ARRAY_SIZE(six), FAMILY_IPV6 };
	struct target *targets;
	struct options options;
	size_t count;

	(void)state;
	assert_int_equal(parse(&options, ""), 0);
	assert_int_equal(options.family, FAMILY_IPV4);
	assert_int_equal(options.frame_bytes, 60);
	assert_string_equal(options.prefix_mix, "24:0.9,16:0.1");
	assert_int_equal(parse(&options, "--frame imix"), 0);
	assert_int_equal(options.frame_bytes, 358);

	assert_int_equal(parse(&options, "--family 6"), 0);
	assert_int_equal(options.family, FAMILY_IPV6);
	assert_int_equal(options.frame_bytes, 78);
	assert_string_equal(options.prefix_mix, "48:0.5,64:0.5");
	assert_int_equal(parse(&options, "--frame imix --family 6"), 0);
	assert_int_equal(options.frame_bytes, 368);
	assert_int_equal(parse(&options, "--prefix-mix 128 --family 6"), 0);
	assert_int_equal(parse(&options, "--prefix-mix 64"), -EINVAL);
	assert_int_equal(parse(&options, "--family 6 --prefix-mix 129"),
			 -EINVAL);
	assert_int_equal(parse(&options, "--frame 60 --family 6"), -EINVAL);
	assert_int_equal(parse(&options, "--family 6 --pcap x"), 0);
	assert_int_equal(parse(&options, "--family 5"), -EINVAL);

	/* A /64 has more addresses than there are flows, a /120 has 256. */
	assert_int_equal(
		parse(&options, "--family 6 --match first --flows 1000"), 0);
	assert_int_equal(targets_build(&options, &rules, TRAFFIC_MISS_NET6,
				       &targets, &count),
			 0);
	assert_int_equal(count, 1000);
	assert_true(targets[999].daddr == six[0].addr + 999);
	free(targets);
	options.match = MATCH_LAST;
	assert_int_equal(targets_build(&options, &rules, TRAFFIC_MISS_NET6,
				       &targets, &count),
			 0);
	assert_int_equal(count, 256);
	assert_true(targets[255].daddr == prefix_last(&six[1]));
	free(targets);
	options.match = MATCH_RANDOM;
	assert_int_equal(targets_build(&options, &rules, TRAFFIC_MISS_NET6,
				       &targets, &count),
			 0);
	for (size_t i = 0; i < count; i++)
		assert_true(prefix_holds(&six[0], targets[i].daddr) ||
			    prefix_holds(&six[1], targets[i].daddr));
	free(targets);
}

static void packets_are_said_in_words(void **state)
{
	static const struct {
		const char *args, *words;
	} rows[] = {
		{ "", "60-byte frames, 256 flows" },
		{ "--frame 1514 --flows 1", "1514-byte frames, 1 flows" },
		{ "--frame imix", "imix frames, 256 flows" },
		{ "--family 6", "78-byte IPv6 frames, 256 flows" },
		{ "--protocol tcp-syn --sports 64512",
		  "60-byte tcp-syn frames, 256 flows, 64512 source ports" },
	};
	char words[PLAN_PACKETS_BYTES];
	struct options options;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct plan plan = { .options = &options };

		assert_int_equal(parse(&options, rows[i].args), 0);
		assert_string_equal(plan_packets(&plan, words, sizeof(words)),
				    rows[i].words);
	}
}

/* 7 of 60, 4 of 590, 1 of 1514, and the mean that is said of them. */
static void imix_is_what_it_says(void **state)
{
	static const uint16_t sizes[] = TRAFFIC_IMIX;
	size_t small = 0, middle = 0, large = 0, sum = 0;

	(void)state;
	assert_int_equal(ARRAY_SIZE(sizes), TRAFFIC_IMIX_COUNT);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		small += sizes[i] == 60;
		middle += sizes[i] == 590;
		large += sizes[i] == 1514;
		sum += sizes[i];
	}
	assert_int_equal(small, 7);
	assert_int_equal(middle, 4);
	assert_int_equal(large, 1);
	assert_int_equal((sum + 6) / 12, TRAFFIC_IMIX_MEAN_BYTES);
}

/* The page that people read first knows what there is. */
static void the_readme_names_every_filter(void **state)
{
	FILE *file = fopen("README.md", "r");
	static char page[65536];
	char row[128];

	(void)state;
	if (!file) {
		print_message("skipped: not in the source directory\n");
		skip();
	}
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	for (size_t i = 0; filters[i]; i++) {
		snprintf(row, sizeof(row), "| `%s` |", filters[i]->name);
		if (!strstr(page, row))
			fail_msg("README.md has no row for %s",
				 filters[i]->name);
		if (strcmp(filters[i]->judge, "-") &&
		    !strstr(page, filters[i]->judge))
			fail_msg("README.md does not name %s",
				 filters[i]->judge);
	}
	for (size_t i = 0; sources[i]; i++) {
		snprintf(row, sizeof(row), "* `%s`", sources[i]->name);
		assert_non_null(strstr(page, row));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_readme_names_every_filter),
		cmocka_unit_test(numbers_are_read_whole),
		cmocka_unit_test(fractions_are_read_whole),
		cmocka_unit_test(nearest_names),
		cmocka_unit_test(wrong_values_are_usage_errors),
		cmocka_unit_test(right_values_are_taken),
		cmocka_unit_test(default_plan),
		cmocka_unit_test(the_axis_of_lengths),
		cmocka_unit_test(rounds_are_shuffled_by_the_seed),
		cmocka_unit_test(shuffling_is_fair),
		cmocka_unit_test(targets_match_as_asked),
		cmocka_unit_test(captured_packets_are_judged_by_the_rules),
		cmocka_unit_test(the_family_decides_the_rest),
		cmocka_unit_test(packets_are_said_in_words),
		cmocka_unit_test(imix_is_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written of a results directory: every file, column by column.  The
 * numbers of data/hand are those of tests/results.c: 1 + l = 1.9356,
 * 8 - l = 7.0644, with the 100 ns of the baseline beneath.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>

#include "runner/cli.h"
#include "runner/log.h"
#include "runner/outfile.h"
#include "runner/report.h"
#include "runner/tests/scene.h"

#define MAX_FIELDS 32

/*
 * Line `number` of the text, from 1, cut into its fields in place of `line`;
 * returns how many there are.
 */
static size_t cut_line(const char *text, size_t number, char *line,
		       size_t line_size, char **fields)
{
	size_t len, count = 0;
	char *rest = line;

	while (--number) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	len = strcspn(text, "\n");
	assert_true(len < line_size);
	memcpy(line, text, len);
	line[len] = '\0';
	while (rest) {
		assert_true(count < MAX_FIELDS);
		fields[count++] = strsep(&rest, "\t");
	}
	return count;
}

static void check_line(const char *text, size_t number,
		       const char *const *expected, size_t count)
{
	char line[1024], *fields[MAX_FIELDS];
	size_t found = cut_line(text, number, line, sizeof(line), fields);

	assert_int_equal(found, count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(fields[i], expected[i]))
			fail_msg("line %zu, column %zu: \"%s\", not \"%s\"",
				 number, i + 1, fields[i], expected[i]);
}

#define CHECK_LINE(text, number, ...)                                       \
	do {                                                                \
		static const char *const expected_[] = { __VA_ARGS__ };     \
		check_line(text, number, expected_, ARRAY_SIZE(expected_)); \
	} while (0)

#define NO_INTERVAL "NaN", "NaN", "NaN"
#define NO_SETUP    "NaN", "NaN", "NaN", "-", "NaN"

static void summary_has_a_line_a_cell(void **state)
{
	auto_mem char *text = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	assert_int_equal(report_write_files(scene.dir.path), 0);
	text = read_text(scene.dir.path, "summary.tsv");
	CHECK_LINE(text, 1, "# id", "filter", "mechanism", "hook", "rules",
		   "role", "status", "slices", "faults", "pairs", "pps",
		   "pps_lo", "pps_hi", "ns_per_packet", "ns_per_packet_lo",
		   "ns_per_packet_hi", "added_ns", "added_ns_lo", "added_ns_hi",
		   "ns_per_rule", "ns_per_rule_lo", "ns_per_rule_hi",
		   "counted_insn_per_packet", "setup_ns", "add_ns", "remove_ns",
		   "kernel_bytes", "kernel_bytes_from", "grown_bytes",
		   "prefix_lengths", "reason");
	CHECK_LINE(text, 2, "0", "none@egress", "none", "egress", "0",
		   "baseline", "measured", "8", "0", "0", "10000000.0",
		   "10000000.0", "10000000.0", "100.0000", "100.0000",
		   "100.0000", NO_INTERVAL, NO_INTERVAL, "2004.5000", "1000",
		   NO_SETUP, "NaN", "-");
	CHECK_LINE(text, 3, "1", "none@egress", "none", "egress", "0", "canary",
		   "measured", "8", "0", "8", "10000000.0", "9702675.4",
		   "10316122.8", "100.0000", "96.9356", "103.0644", "0.0000",
		   "-3.0644", "3.0644", NO_INTERVAL, "NaN", "2000", NO_SETUP,
		   "NaN", "-");
	CHECK_LINE(text, 5, "3", "nft-linear@egress", "nft-linear", "egress",
		   "10", "filter", "measured", "8", "0", "8", "6666666.7",
		   "5693348.4", "8041401.3", "150.0000", "124.3564", "175.6436",
		   "50.0000", "24.3564", "75.6436", "4.5000", "1.9356",
		   "7.0644", "NaN", "4000", "12000", "90000", "6144",
		   "mechanism", "8192", "NaN", "-");
	CHECK_LINE(text, 6, "4", "tc-bpf-lpm@egress", "tc-bpf-lpm", "egress",
		   "1000", "filter", "measured", "6", "1", "6", "9478673.0",
		   "9289980.1", "9866102.9", "105.5000", "101.3571", "107.6429",
		   "5.5000", "1.3571", "7.6429", NO_INTERVAL, "NaN", "5000",
		   NO_SETUP, "NaN", "-");
	CHECK_LINE(text, 8, "6", "ipset@prerouting", "ipset", "prerouting", "1",
		   "filter", "skipped", "0", "0", "0", NO_INTERVAL, NO_INTERVAL,
		   NO_INTERVAL, NO_INTERVAL, "NaN", "NaN", NO_SETUP, "NaN",
		   "ipset: no ip_set in this kernel; modprobe ip_set_hash_net");
	CHECK_LINE(text, 10, "8", "iptables@prerouting", "iptables",
		   "prerouting", "1", "filter", "failed", "0", "0", "0",
		   NO_INTERVAL, NO_INTERVAL, NO_INTERVAL, NO_INTERVAL, "NaN",
		   "NaN", NO_SETUP, "NaN",
		   "proof: 192.0.2.7 is inside a rule and was not dropped");
	scene_remove(&scene);
}

static void tsv_is_the_summary(void **state)
{
	auto_mem char *file = NULL, *text = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	assert_int_equal(report_write_files(scene.dir.path), 0);
	scene_load(&scene);
	file = read_text(scene.dir.path, "summary.tsv");
	text = written(&scene, &report_tsv);
	assert_string_equal(text, file);
	scene_remove(&scene);
}

static void blocks_have_a_line_a_size(void **state)
{
	auto_mem char *text = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	assert_int_equal(report_write_files(scene.dir.path), 0);
	text = read_text(scene.dir.path, "pps.dat");
	CHECK_LINE(text, 1, "# unit ns");
	CHECK_LINE(text, 2, "# source bpf");
	CHECK_LINE(text, 3, "# fate stack");
	CHECK_LINE(text, 4, "# match miss");
	CHECK_LINE(text, 5, "# frame_bytes 60");
	CHECK_LINE(text, 6, "# machine \"Linux 6.1.0, A CPU @ 2.00GHz\"");
	CHECK_LINE(text, 7, "# noise none@egress", "0.0000", "-3.0644",
		   "3.0644");
	CHECK_LINE(text, 8, "# filter none@egress");
	CHECK_LINE(text, 9, "# rules", "pps", "pps_lo", "pps_hi", "ns", "ns_lo",
		   "ns_hi", "added_ns", "added_lo", "added_hi", "slices");
	CHECK_LINE(text, 10, "0", "10000000.0", "10000000.0", "10000000.0",
		   "100.0000", "100.0000", "100.0000", NO_INTERVAL, "8");
	CHECK_LINE(text, 11, "");
	CHECK_LINE(text, 12, "");
	CHECK_LINE(text, 13, "# filter nft-linear@egress");
	CHECK_LINE(text, 15, "1", "9132420.1", "8923443.9", "9351418.9",
		   "109.5000", "106.9356", "112.0644", "9.5000", "6.9356",
		   "12.0644", "8");
	CHECK_LINE(text, 16, "10", "6666666.7", "5693348.4", "8041401.3",
		   "150.0000", "124.3564", "175.6436", "50.0000", "24.3564",
		   "75.6436", "8");
	CHECK_LINE(text, 17, "");
	CHECK_LINE(text, 18, "");
	CHECK_LINE(text, 19, "# filter tc-bpf-lpm@egress");
	CHECK_LINE(text, 24, "# filter none@prerouting");
	assert_null(strstr(text, "ipset"));
	assert_null(strstr(text, "iptables"));
	scene_remove(&scene);
}

static void text_can_be_pasted(void **state)
{
	static const char *const lines[] = {
		"hookcost 0.1.0, 2026-01-01T00:00:00Z, Linux 6.1.0, A CPU @ "
		"2.00GHz\n",
		"\nfilter      hook        rules         pps  ns/packet   95 % "
		"interval  added ns  95 % interval  insn/pkt\n",
		"\nnone        egress          -  10,000,000        100      "
		"[100..100]         -                    2,004\n",
		"\nnft-linear  egress          1   9,130,000      109.5  "
		"[106.9..112.1]       9.5    [6.9..12.1]\n",
		"\nnft-linear  egress         10   6,700,000        150      "
		"[124..176]        50       [24..76]\n",
		"\ntc-bpf-lpm  egress      1,000   9,480,000      105.5  "
		"[101.4..107.6]       5.5     [1.4..7.6]\n",
		"\nnft-linear@egress: 4.5 ns [1.9..7.1] per rule, on top of 5 "
		"ns [5..5]\n",
		"\nnoise: two equal cells on egress differ by 0.0 ns "
		"[-3.1..3.1], +-3.06 % of the baseline\n",
		"\nnoise: unknown on prerouting, where no second baseline was "
		"measured\n",
		"\nskipped: ipset@prerouting, 1 to 10 rules: ipset: no ip_set "
		"in this kernel; modprobe\n    ip_set_hash_net\n",
		"\nfailed: iptables@prerouting, 1 rule: proof: 192.0.2.7 is "
		"inside a rule and was not dropped\n",
	};
	auto_mem char *text = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	scene_load(&scene);
	text = written(&scene, &report_text);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("not in the text: %s\n%s", lines[i], text);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		assert_true(len <= 104);
		assert_true(!len || line[len - 1] != ' ');
	}
	scene_remove(&scene);
}

static void markdown_has_a_table(void **state)
{
	static const char *const lines[] = {
		"| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
		"| nft-linear | egress     |    10 |  6,700,000 |       150 |",
		"\n* nft-linear@egress: 4.5 ns [1.9..7.1] per rule",
		"\n* **warning**: noise on egress is wide",
	};
	auto_mem char *text = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	scene_load(&scene);
	text = written(&scene, &report_markdown);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("not in the text: %s\n%s", lines[i], text);
	scene_remove(&scene);
}

static void json_holds_the_numbers(void **state)
{
	auto_mem char *text = NULL;
	const char *unit, *filter, *reason;
	double value, lo, slope;
	json_t *root, *missing;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	scene_load(&scene);
	text = written(&scene, &report_json);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "cells")), 9);
	assert_int_equal(json_array_size(json_object_get(root, "warnings")), 3);
	assert_int_equal(json_unpack(root, "{s:s, s:[{s:{s:o}}]}", "unit",
				     &unit, "cells", "added", "value",
				     &missing),
			 0);
	assert_string_equal(unit, "ns");
	assert_true(json_is_null(missing));
	assert_int_equal(
		json_unpack(json_array_get(json_object_get(root, "cells"), 2),
			    "{s:s, s:s, s:{s:f, s:f}}", "filter", &filter,
			    "reason", &reason, "added", "value", &value, "lo",
			    &lo),
		0);
	assert_string_equal(filter, "nft-linear@egress");
	assert_string_equal(reason, "");
	assert_true(value == 9.5);
	assert_true(fabs(lo - 6.9356436) < 1e-6);
	assert_int_equal(json_unpack(root, "{s:[{s:{s:f}}]}", "linear",
				     "per_rule", "value", &slope),
			 0);
	assert_true(slope == 4.5);
	json_decref(root);
	scene_remove(&scene);
}

static void setup_is_a_report(void **state)
{
	static const char *const lines[] = {
		"\nfilter      hook    rules  install ms  us/rule  add one us  "
		"remove ms  memory KiB  bytes/rule  memory by  grown/rule\n",
		"\nnft-linear  egress     10       0.004    0.400        12.0  "
		"    0.090        6.00         614  mechanism         819\n",
		"\ntc-bpf-lpm  egress  1,000       0.005    0.005           -  "
		"        -           -           -                      -\n",
		"\nskipped: ipset@prerouting, 1 to 10 rules: ",
	};
	auto_mem char *text = NULL, *tsv = NULL, *json = NULL;
	auto_mem char *markdown = NULL, *file = NULL;
	struct scene scene;
	json_t *root;
	json_int_t bytes;
	double of_rule;

	(void)state;
	scene_make(&scene, NULL, NULL);
	scene_load(&scene);
	text = written(&scene, report_find("setup", "text"));
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("not in the text: %s\n%s", lines[i], text);
	assert_null(strstr(text, "\nnone "));
	markdown = written(&scene, report_find("setup", "markdown"));
	assert_non_null(strstr(markdown, "| nft-linear | egress |    10 |"));
	tsv = written(&scene, report_find("setup", "tsv"));
	CHECK_LINE(tsv, 1, "# id", "filter", "mechanism", "hook", "rules",
		   "prefix_lengths", "setup_ns", "setup_ns_per_rule", "add_ns",
		   "remove_ns", "kernel_bytes", "kernel_bytes_per_rule",
		   "kernel_bytes_from", "grown_bytes", "grown_bytes_per_rule");
	CHECK_LINE(tsv, 3, "3", "nft-linear@egress", "nft-linear", "egress",
		   "10", "NaN", "4000", "400.0000", "12000", "90000", "6144",
		   "614.4000", "mechanism", "8192", "819.2000");
	json = written(&scene, report_find("setup", "json"));
	root = json_loads(json, 0, NULL);
	assert_int_equal(
		json_unpack(json_array_get(json_object_get(root, "cells"), 1),
			    "{s:I, s:f}", "kernel_bytes", &bytes,
			    "setup_ns_per_rule", &of_rule),
		0);
	assert_int_equal(bytes, 6144);
	assert_true(of_rule == 400);
	json_decref(root);

	assert_int_equal(report_write_files(scene.dir.path), 0);
	file = read_text(scene.dir.path, "setup.dat");
	CHECK_LINE(file, 1, "# filter none@egress");
	CHECK_LINE(file, 2, "# rules", "setup_ns", "add_ns", "remove_ns",
		   "kernel_bytes", "grown_bytes");
	CHECK_LINE(file, 6, "# filter nft-linear@egress");
	CHECK_LINE(file, 8, "1", "3000", "NaN", "NaN", "NaN", "NaN");
	CHECK_LINE(file, 9, "10", "4000", "12000", "90000", "6144", "8192");
	scene_remove(&scene);
}

static void lengths_are_an_axis(void **state)
{
	auto_mem char *text = NULL, *blocks = NULL, *tsv = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	scene_turn_axis(&scene.dir);
	scene_load(&scene);
	assert_int_equal(scene.results.axis, RESULT_OVER_LENGTHS);
	assert_int_equal(scene.results.cells[3].x, 4);
	/* a line over the number of rules has nothing to go through */
	assert_int_equal(scene.stats.slope_count, 0);
	text = written(&scene, &report_text);
	assert_non_null(strstr(text, "\n1,000 rules, whose prefixes"));
	assert_non_null(strstr(text, "\nfilter      hook        lengths  "));
	assert_non_null(strstr(text, "\nnft-linear  egress            4  "));
	tsv = written(&scene, &report_setup_tsv);
	CHECK_LINE(tsv, 3, "3", "nft-linear@egress", "nft-linear", "egress",
		   "1000", "4", "4000", "4.0000", "12000", "90000", "6144",
		   "6.1440", "mechanism", "8192", "8.1920");
	assert_int_equal(report_write_files(scene.dir.path), 0);
	blocks = read_text(scene.dir.path, "pps.dat");
	CHECK_LINE(blocks, 7, "# axis lengths");
	CHECK_LINE(blocks, 8, "# fixed_rules 1000");
	CHECK_LINE(blocks, 11, "# lengths", "pps", "pps_lo", "pps_hi", "ns",
		   "ns_lo", "ns_hi", "added_ns", "added_lo", "added_hi",
		   "slices");
	scene_remove(&scene);
}

/* What the guest gives: one slice a cell, and the clock is exact. */
static void instructions_are_exact(void **state)
{
	static const char samples[] =
		SAMPLE_COLUMNS "\n"
			       "1\t0\t0\t59240000\t20000\t0\t20000\tNaN\t0\n"
			       "1\t1\t0\t59240000\t20000\t0\t20000\tNaN\t0\n"
			       "1\t2\t0\t67480000\t20000\t0\t20000\tNaN\t0\n"
			       "1\t3\t0\t92905000\t20000\t0\t20000\tNaN\t0\n"
			       "1\t5\t0\t80000000\t20000\t0\t20000\tNaN\t0\n";
	static const char *const lines[] = {
		"\nemulated: the clock is the number of instructions, which "
		"knows no cache misses\n",
		"\nfilter      hook        rules      pps  insn/packet  added "
		"insn\n",
		"\nnft-linear  egress          1  296,384     3,374.00      "
		"412.00\n",
		"\nnft-linear@egress: 141.25 insn per rule, on top of 270.75 "
		"insn\n",
		"\nnoise: two equal cells on egress differ by 0.00 insn\n",
	};
	auto_mem char *text = NULL, *file = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, "\"ns\"", "\"instructions\"");
	tempdir_write(&scene.dir, "samples.tsv", samples);
	assert_int_equal(report_write_files(scene.dir.path), 0);
	scene_load(&scene);
	text = written(&scene, &report_text);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("not in the text: %s\n%s", lines[i], text);
	file = read_text(scene.dir.path, "pps.dat");
	CHECK_LINE(file, 1, "# unit insn");
	CHECK_LINE(file, 9, "# rules", "pps", "pps_lo", "pps_hi", "insn",
		   "insn_lo", "insn_hi", "added_insn", "added_lo", "added_hi",
		   "slices");
	CHECK_LINE(file, 16, "10", "215273.7", "215273.7", "215273.7",
		   "4645.2500", "4645.2500", "4645.2500", "1683.2500",
		   "1683.2500", "1683.2500", "1");
	/* neither noise nor too few rounds, only what run.json says */
	assert_int_equal(scene.advice.count, 1);
	scene_remove(&scene);
}

/* A run that was killed at once: files and report are there all the same. */
static void no_samples_is_no_error(void **state)
{
	auto_mem char *text = NULL, *file = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	tempdir_write(&scene.dir, "samples.tsv", SAMPLE_COLUMNS);
	assert_int_equal(report_write_files(scene.dir.path), 0);
	scene_load(&scene);
	text = written(&scene, &report_text);
	assert_non_null(strstr(text, "\nnft-linear  egress"));
	file = read_text(scene.dir.path, "pps.dat");
	CHECK_LINE(file, 9, "0", NO_INTERVAL, NO_INTERVAL, NO_INTERVAL, "0");
	scene_remove(&scene);
}

static void full_disk_is_an_error(void **state)
{
	struct outfile file = { .stream = fopen("/dev/full", "w") };
	struct log_capture said;
	struct tempdir dir;
	auto_mem char *kept = NULL;

	(void)state;
	if (!file.stream) {
		print_message("no /dev/full\n");
		skip();
	}
	tempdir_make(&dir);
	tempdir_write(&dir, "summary.tsv", "before");
	tempdir_write(&dir, "temp", "");
	assert_true(asprintf(&file.path, "%s/summary.tsv", dir.path) > 0);
	assert_true(asprintf(&file.temp, "%s/temp", dir.path) > 0);
	fputs("after", file.stream);
	log_capture_begin(&said);
	assert_int_equal(outfile_commit(&file), -ENOSPC);
	log_capture_end(&said);
	assert_non_null(strstr(said.text, "summary.tsv"));
	kept = read_text(dir.path, "summary.tsv");
	assert_string_equal(kept, "before");
	tempdir_remove(&dir);

	log_capture_begin(&said);
	assert_int_equal(outfile_open("/nonexistent", "x", &file), -ENOENT);
	log_capture_end(&said);
}

/* stdout and stderr of the command go nowhere. */
static int run_report(const char *first, const char *second)
{
	char *argv[] = { "report", (char *)first, (char *)second, NULL };
	int argc = second ? 3 : first ? 2 : 1;
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;
	int null = open("/dev/null", O_WRONLY);

	fflush(stdout);
	assert_true(out >= 0 && err >= 0 && null >= 0);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	status = cmd_report(argc, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(null);
	close(out);
	close(err);
	return status;
}

static void statuses(void **state)
{
	static const struct {
		const char *first, *second;
		int status;
	} rows[] = {
		{ HAND, NULL, EXIT_DONE },
		{ "--format=json", HAND, EXIT_DONE },
		{ "-fmarkdown", HAND, EXIT_DONE },
		{ "--help", NULL, EXIT_DONE },
		{ "--usage", NULL, EXIT_DONE },
		{ "/nonexistent", NULL, EXIT_FAILED },
		{ NULL, NULL, EXIT_USAGE },
		{ HAND, HAND, EXIT_USAGE },
		{ "--format=pdf", HAND, EXIT_USAGE },
		{ "--report=setup", HAND, EXIT_DONE },
		{ "--report=speed", HAND, EXIT_USAGE },
		{ "--nonsense", HAND, EXIT_USAGE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(run_report(rows[i].first, rows[i].second),
				 rows[i].status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_has_a_line_a_cell),
		cmocka_unit_test(tsv_is_the_summary),
		cmocka_unit_test(blocks_have_a_line_a_size),
		cmocka_unit_test(text_can_be_pasted),
		cmocka_unit_test(markdown_has_a_table),
		cmocka_unit_test(json_holds_the_numbers),
		cmocka_unit_test(setup_is_a_report),
		cmocka_unit_test(lengths_are_an_axis),
		cmocka_unit_test(instructions_are_exact),
		cmocka_unit_test(no_samples_is_no_error),
		cmocka_unit_test(full_disk_is_an_error),
		cmocka_unit_test(statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a results directory, and its numbers by hand.  In data/hand the
 * slices have 1,000 packets; round k (shuffled) adds k ns to tc-bpf-lpm, and
 * gives nft-linear 5 ns and k ns a rule.  tc-bpf-lpm has no round 4, and a
 * fault in round 3.  The interval of 1..8 is 4.5 [1 + l .. 8 - l] with
 * l = 4.725 / 5.05.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "runner/log.h"
#include "runner/results.h"
#include "runner/stats.h"
#include "runner/tests/tempdir.h"

#define HAND "runner/tests/data/hand"
#define STEP (4.725 / 5.05)

static void assert_interval(const struct interval *found, double value,
			    double lo, double hi)
{
	if (!(fabs(found->value - value) < 1e-6) ||
	    !(fabs(found->lo - lo) < 1e-6) || !(fabs(found->hi - hi) < 1e-6))
		fail_msg("%.7f [%.7f..%.7f] is not %.7f [%.7f..%.7f]",
			 found->value, found->lo, found->hi, value, lo, hi);
}

static void run_is_read(void **state)
{
	auto_results struct results results = { 0 };
	const struct result_cell *cell;

	(void)state;
	assert_int_equal(results_load(HAND, &results), 0);
	assert_string_equal(results.tool, "hookcost 0.1.0");
	assert_string_equal(results.started, "2026-01-01T00:00:00Z");
	assert_int_equal(results.state, RUN_COMPLETE);
	assert_false(results.counts_instructions);
	assert_string_equal(results.source, "bpf");
	assert_string_equal(results.source_reason, "this kernel has no pktgen");
	assert_string_equal(results.fate, "stack");
	assert_string_equal(results.match, "miss");
	assert_int_equal(results.frame_bytes, 60);
	assert_int_equal(results.flows, 256);
	assert_int_equal(results.cell_count, 9);
	assert_int_equal(results.warning_count, 1);
	assert_string_equal(results.warnings[0].remedy,
			    "move them away, or take another CPU with --cpu");
	assert_string_equal(results_fact(&results, "kernel"), "6.1.0");
	assert_null(results_fact(&results, "cpus"));
	assert_true(results_number(&results, "cpus") == 2);
	assert_true(isnan(results_number(&results, "kernel")));

	cell = &results.cells[3];
	assert_string_equal(cell->filter, "nft-linear@egress");
	assert_string_equal(cell->mechanism, "nft-linear");
	assert_string_equal(cell->hook, "egress");
	assert_int_equal(cell->rules, 10);
	assert_int_equal(cell->role, RESULT_FILTER);
	assert_int_equal(cell->baseline, 0);
	assert_true(cell->linear);
	assert_int_equal(cell->x, 10);
	assert_int_equal(cell->setup.install_ns, 4000);
	assert_int_equal(cell->setup.add_ns, 12000);
	assert_int_equal(cell->setup.remove_ns, 90000);
	assert_int_equal(cell->setup.kernel_bytes, 6144);
	assert_string_equal(cell->setup.bytes_from, "mechanism");
	assert_int_equal(cell->setup.grown_bytes, 8192);
	cell = &results.cells[8];
	assert_int_equal(cell->status, RESULT_FAILED);
	assert_int_equal(cell->setup.install_ns, -1);
	assert_non_null(strstr(cell->reason, "was not dropped"));
}

static void samples_are_sorted(void **state)
{
	auto_results struct results results = { 0 };
	const struct sample *sample;

	(void)state;
	assert_int_equal(results_load(HAND, &results), 0);
	/* 9 rounds of 6 cells, one missing; the torn line is not there */
	assert_int_equal(results.sample_count, 9 * 6 - 1);
	for (size_t i = 0; i < results.cells[3].sample_count; i++) {
		assert_int_equal(results.cells[3].samples[i].round, i);
		assert_int_equal(results.cells[3].samples[i].cell, 3);
	}
	assert_null(results_sample(&results.cells[0], 0));
	assert_null(results_sample(&results.cells[0], 9));
	assert_null(results_sample(&results.cells[6], 1));
	sample = results_sample(&results.cells[4], 1);
	assert_non_null(sample);
	assert_int_equal(sample->start_ns, 59997000);
	assert_int_equal(sample->elapsed_ns, 101000);
	assert_int_equal(sample->sent, 1000);
	assert_int_equal(sample->dropped, 10);
	assert_int_equal(sample->passed, 990);
	assert_true(sample->instructions == SAMPLE_NOT_COUNTED);
	sample = results_sample(&results.cells[0], 1);
	assert_int_equal(sample->instructions, 2001000);
}

static void numbers_by_hand(void **state)
{
	auto_results struct results results = { 0 };
	auto_stats struct stats stats = { 0 };

	(void)state;
	assert_int_equal(results_load(HAND, &results), 0);
	assert_int_equal(stats_compute(&results, &stats), 0);

	assert_int_equal(stats.rounds, 8);
	assert_int_equal(stats.cells[0].slices, 8);
	assert_interval(&stats.cells[0].ns, 100, 100, 100);
	assert_interval(&stats.cells[0].pps, 1e7, 1e7, 1e7);
	assert_true(isnan(stats.cells[0].added_ns.value));
	assert_true(fabs(stats.cells[0].instructions - 2004.5) < 1e-9);
	assert_true(isnan(stats.cells[1].instructions));
	assert_interval(&stats.cells[1].added_ns, 0, -4 + STEP, 4 - STEP);
	assert_interval(&stats.cells[2].added_ns, 9.5, 6 + STEP, 13 - STEP);
	assert_interval(&stats.cells[3].ns, 150, 115 + 10 * STEP,
			185 - 10 * STEP);
	assert_interval(&stats.cells[3].pps, 1e9 / 150, 1e9 / (185 - 10 * STEP),
			1e9 / (115 + 10 * STEP));

	/* 1, 2, 5, 6, 7, 8: six pairs */
	assert_int_equal(stats.cells[4].slices, 6);
	assert_int_equal(stats.cells[4].pairs, 6);
	assert_int_equal(stats.cells[4].faults, 1);
	assert_interval(&stats.cells[4].added_ns, 5.5, 1 + 0.5 / 1.4,
			8 - 0.5 / 1.4);

	assert_interval(&stats.cells[5].ns, 250, 250, 250);
	assert_int_equal(stats.cells[7].slices, 0);
	assert_true(isnan(stats.cells[7].ns.value));
	assert_true(isnan(stats.cells[8].added_ns.lo));

	assert_int_equal(stats.slope_count, 1);
	assert_string_equal(stats.slopes[0].filter, "nft-linear@egress");
	assert_int_equal(stats.slopes[0].sizes, 2);
	assert_int_equal(stats.slopes[0].rounds, 8);
	assert_interval(&stats.slopes[0].rule_ns, 4.5, 1 + STEP, 8 - STEP);
	assert_interval(&stats.slopes[0].fixed_ns, 5, 5, 5);
}

/* A row: what becomes of run.json, and what the error must name. */
struct damage {
	const char *old;
	const char *new;
	const char *names;
};

static void check_run_damage(const struct damage *row)
{
	auto_mem char *whole = read_text(HAND, "run.json");
	auto_mem char *text = replaced(whole, row->old, row->new);
	auto_results struct results results = { 0 };
	struct log_capture said;
	struct tempdir dir;
	int err;

	tempdir_make(&dir);
	tempdir_write(&dir, "run.json", text);
	tempdir_copy(&dir, HAND, "samples.tsv");
	log_capture_begin(&said);
	err = results_load(dir.path, &results);
	log_capture_end(&said);
	tempdir_remove(&dir);
	if (err != -EINVAL || !strstr(said.text, row->names))
		fail_msg("%s -> %s: %d, \"%s\"", row->old, row->new, err,
			 said.text);
	assert_null(results.cells);
}

static void damaged_run_is_named(void **state)
{
	static const struct damage rows[] = {
		{ "\"schema\": 1", "\"schema\": 2", "schema 2" },
		{ "\"schema\"", "\"scheme\"", "schema is missing" },
		{ "\"complete\"", "\"done\"", "state: \"done\" is unknown" },
		{ "\"ns\"", "1", "clock is not a string" },
		{ "\"reason\"", "\"why\"", "source.reason is missing" },
		{ "\"fate\"", "\"fat\"", "options.fate is missing" },
		{ "\"frame_bytes\": 60", "\"frame_bytes\": -1",
		  "options.frame_bytes is not a whole number" },
		{ "\"machine\"", "\"m\"", "machine is missing" },
		{ "\"id\": 1,", "\"id\": 7,", "cells[1].id" },
		{ "\"id\": 4,", "\"id\": \"4\",", "cells[4].id is not a" },
		{ "\"linear\": true", "\"linear\": 1",
		  "cells[2].linear is not true or false" },
		{ "\"canary\"", "\"canari\"", "cells[1].role" },
		{ "\"baseline\": 5", "\"baseline\": 4", "cells[5].baseline" },
		{ "\"baseline\": 5", "\"baseline\": 99", "cells[5].baseline" },
		{ "\"skipped\"", "\"missing\"", "cells[6].status" },
		{ "\"remedy\"", "\"cure\"", "warnings[0].remedy is missing" },
		{ "\"tool\"", "tool", "run.json:3" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check_run_damage(&rows[i]);
}

/* The last line of the whole file is torn; -1 stands for an error. */
static void check_samples(const char *text, int expected_count,
			  const char *names)
{
	struct sample *samples = NULL;
	struct log_capture said;
	struct tempdir dir;
	char path[128];
	size_t count = 0;
	int err;

	tempdir_make(&dir);
	tempdir_write(&dir, "samples.tsv", text);
	snprintf(path, sizeof(path), "%s/samples.tsv", dir.path);
	log_capture_begin(&said);
	err = samples_load(path, 2, &samples, &count);
	log_capture_end(&said);
	tempdir_remove(&dir);
	free(samples);
	if (expected_count < 0 && (err != -EINVAL || !strstr(said.text, names)))
		fail_msg("%s: %d, \"%s\"", text, err, said.text);
	if (expected_count >= 0 && (err || (int)count != expected_count))
		fail_msg("%s: %d, %zu samples", text, err, count);
}

#define HEAD SAMPLE_COLUMNS "\n"
#define GOOD "1\t0\t5\t100\t10\t0\t10\tNaN\t0\n"

static void bad_lines_are_named(void **state)
{
	(void)state;
	check_samples("", 0, NULL);
	check_samples("# round\tce", 0, NULL);
	check_samples(HEAD, 0, NULL);
	check_samples(HEAD GOOD, 1, NULL);
	check_samples(HEAD GOOD "1\t1\t5\t100\t10\t0\t10\tNaN\t0", 1, NULL);
	check_samples(HEAD GOOD "garbage", 1, NULL);
	check_samples("# round\tcell\n" GOOD, -1, "samples.tsv:1:");
	check_samples(GOOD, -1, "samples.tsv:1:");
	check_samples(HEAD GOOD "garbage\n", -1, "samples.tsv:3:");
	check_samples(HEAD GOOD "\n", -1, "samples.tsv:3:");
	check_samples(HEAD GOOD GOOD, -1, "cell 0 is there twice in round 1");
	check_samples(HEAD "1\t2\t5\t100\t10\t0\t10\tNaN\t0\n", -1, ":2:");
	check_samples(HEAD "1\t0\t5\t100\t10\t0\t10\tNaN\t2\n", -1, ":2:");
	check_samples(HEAD "1\t0\t5\t100\t10\t0\t10\tNaN\n", -1, ":2:");
	check_samples(HEAD "1\t0\t5\t1e2\t10\t0\t10\tNaN\t0\n", -1, ":2:");
	check_samples(HEAD "1\t0\t-5\t100\t10\t0\t10\tNaN\t0\n", -1, ":2:");
	check_samples(HEAD "1\t0\t 5\t100\t10\t0\t10\tNaN\t0\n", -1, ":2:");
	check_samples(HEAD "1\t0\t5\t100\t10\t0\t10\tNaN\t0\t1\n", -1, ":2:");
	check_samples(HEAD "1\t0\t99999999999999999999\t100\t10\t0\t10\t7\t0\n",
		      -1, ":2:");
	check_samples(HEAD "4294967296\t0\t5\t100\t10\t0\t10\t7\t0\n", -1,
		      ":2:");
}

static void inconsistent_slices_are_faults(void **state)
{
	static const char text[] = HEAD "1\t0\t5\t100\t10\t3\t7\t99\t0\n"
					"2\t0\t5\t100\t10\t3\t8\t99\t0\n"
					"3\t0\t5\t100\t0\t0\t0\t99\t0\n"
					"4\t0\t5\t0\t10\t3\t7\t99\t0\n"
					"5\t0\t5\t100\t10\t3\t7\t99\t1\n";
	struct sample *samples = NULL;
	struct tempdir dir;
	char path[128];
	size_t count = 0;

	(void)state;
	tempdir_make(&dir);
	tempdir_write(&dir, "samples.tsv", text);
	snprintf(path, sizeof(path), "%s/samples.tsv", dir.path);
	assert_int_equal(samples_load(path, 1, &samples, &count), 0);
	tempdir_remove(&dir);
	assert_int_equal(count, 5);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(samples[i].fault, i > 0);
	free(samples);
}

/* What sample_write() writes, samples_load() reads. */
static void written_samples_are_read(void **state)
{
	const struct sample sample = {
		.round = UINT32_MAX,
		.cell = 1,
		.start_ns = UINT64_MAX,
		.elapsed_ns = 12345,
		.sent = 1000,
		.dropped = 400,
		.passed = 600,
		.instructions = UINT64_MAX - 1,
	};
	struct sample *samples = NULL;
	struct tempdir dir;
	char path[128];
	size_t count = 0;
	FILE *out;

	(void)state;
	tempdir_make(&dir);
	snprintf(path, sizeof(path), "%s/samples.tsv", dir.path);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_true(fputs(HEAD, out) >= 0);
	assert_int_equal(sample_write(out, &sample), 0);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(samples_load(path, 2, &samples, &count), 0);
	tempdir_remove(&dir);
	assert_int_equal(count, 1);
	assert_true(samples[0].round == sample.round);
	assert_true(samples[0].cell == sample.cell);
	assert_true(samples[0].start_ns == sample.start_ns);
	assert_true(samples[0].elapsed_ns == sample.elapsed_ns);
	assert_true(samples[0].sent == sample.sent);
	assert_true(samples[0].dropped == sample.dropped);
	assert_true(samples[0].passed == sample.passed);
	assert_true(samples[0].instructions == sample.instructions);
	assert_false(samples[0].fault);
	free(samples);
}

static void missing_files_are_named(void **state)
{
	auto_results struct results results = { 0 };
	struct log_capture said;
	struct tempdir dir;

	(void)state;
	tempdir_make(&dir);
	log_capture_begin(&said);
	assert_int_equal(results_load(dir.path, &results), -ENOENT);
	log_capture_end(&said);
	assert_non_null(strstr(said.text, "run.json"));
	tempdir_copy(&dir, HAND, "run.json");
	log_capture_begin(&said);
	assert_int_equal(results_load(dir.path, &results), -ENOENT);
	log_capture_end(&said);
	assert_non_null(strstr(said.text, "samples.tsv"));
	tempdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_is_read),
		cmocka_unit_test(samples_are_sorted),
		cmocka_unit_test(numbers_by_hand),
		cmocka_unit_test(damaged_run_is_named),
		cmocka_unit_test(bad_lines_are_named),
		cmocka_unit_test(inconsistent_slices_are_faults),
		cmocka_unit_test(written_samples_are_read),
		cmocka_unit_test(missing_files_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

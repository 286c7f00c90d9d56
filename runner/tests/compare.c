// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comparisons by hand, and the verdict's errors on simulated runs.  data/hand
 * has a baseline of 100 ns without any noise, and filters with much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <jansson.h>
#include <math.h>

#include "runner/cli.h"
#include "runner/compare.h"
#include "runner/log.h"
#include "runner/sample.h"
#include "runner/tests/scene.h"

/* Two copies of data/hand. */
struct pair {
	struct tempdir dirs[2];
};

static void pair_make(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		tempdir_make(&pair->dirs[i]);
		tempdir_copy(&pair->dirs[i], HAND, "run.json");
		tempdir_copy(&pair->dirs[i], HAND, "samples.tsv");
	}
}

static void pair_remove(struct pair *pair)
{
	tempdir_remove(&pair->dirs[0]);
	tempdir_remove(&pair->dirs[1]);
}

/* Replaces the first `old` in run.json. */
static void edit(struct tempdir *dir, const char *old, const char *new)
{
	auto_mem char *whole = read_text(dir->path, "run.json");
	auto_mem char *text = replaced(whole, old, new);

	tempdir_write(dir, "run.json", text);
}

/* What the guest gives: a slice a cell, 20,000 packets, the clock is exact. */
static void emulate(struct tempdir *dir, unsigned int base,
		    unsigned int one_rule, unsigned int ten_rules)
{
	const unsigned int ns[] = { base, base, one_rule, ten_rules, 0, 4000 };
	char text[1024] = SAMPLE_COLUMNS "\n";

	for (size_t i = 0; i < ARRAY_SIZE(ns); i++)
		if (ns[i])
			sprintf(text + strlen(text),
				"1\t%zu\t0\t%u\t20000\t0\t20000\tNaN\t0\n", i,
				20000 * ns[i]);
	edit(dir, "\"clock\": \"ns\"", "\"clock\": \"instructions\"");
	tempdir_write(dir, "samples.tsv", text);
}

/* stdout of `hookcost compare` becomes *text, unless NULL; stderr is lost. */
static int run_compare(const char *const *args, char **text)
{
	char *argv[8] = { "compare" };
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;
	int null = open("/dev/null", O_WRONLY), argc = 1;
	struct tempdir dir;
	char path[96];
	int file;

	tempdir_make(&dir);
	snprintf(path, sizeof(path), "%s/out", dir.path);
	file = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(out >= 0 && err >= 0 && null >= 0 && file >= 0);
	for (; *args; args++)
		argv[argc++] = (char *)*args;
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	status = cmd_compare(argc, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(file);
	close(null);
	close(out);
	close(err);
	if (text)
		*text = read_text(dir.path, "out");
	tempdir_remove(&dir);
	return status;
}

#define RUN(text, ...) \
	run_compare((const char *const[]){ __VA_ARGS__, NULL }, text)

static void assert_holds(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the text: %s\n%s", part, text);
}

static void differences_by_hand(void **state)
{
	const struct interval before = { 100, 97, 104 };
	const struct interval after = { 110, 106, 112 };
	const struct interval bare = { 110, NAN, NAN };
	struct interval found = compare_difference(&before, &after, false);

	(void)state;
	assert_true(found.value == 10);
	assert_true(fabs(found.lo - (10 - sqrt(4 * 4 + 4 * 4))) < 1e-12);
	assert_true(fabs(found.hi - (10 + sqrt(2 * 2 + 3 * 3))) < 1e-12);
	found = compare_difference(&before, &after, true);
	assert_true(found.value == 10 && found.lo == 10 && found.hi == 10);
	found = compare_difference(&before, &bare, false);
	assert_true(found.value == 10 && isnan(found.lo) && isnan(found.hi));
}

static void exact_values_have_no_noise(void **state)
{
	auto_mem char *text = NULL, *same = NULL, *wide = NULL;
	struct pair pair;
	const char *a, *b;

	(void)state;
	pair_make(&pair);
	a = pair.dirs[0].path;
	b = pair.dirs[1].path;
	edit(&pair.dirs[1], "6.1.0", "6.12.117");
	emulate(&pair.dirs[0], 3799, 3799 + 146, 3799 + 1460);
	emulate(&pair.dirs[1], 3744, 3744 + 150, 3744 + 1500);
	assert_int_equal(RUN(&text, a, b), EXIT_REGRESSION);
	assert_holds(text, "\ninsn per packet\nfilter             rules     "
			   "6.1.0  6.12.117  difference      %  verdict\n");
	assert_holds(text,
		     "\nnone@egress            -  3,799.00  3,744.00      "
		     "-55.00  -1.45  same\n");
	assert_holds(text,
		     "\nnft-linear@egress     10  5,259.00  5,244.00      "
		     "-15.00  -0.29\n");
	assert_holds(text,
		     "\nnft-linear@egress      1    146.00    150.00       "
		     "+4.00  +2.74  slower\n");
	assert_holds(text,
		     "\nnft-linear@egress  a rule  146.00    150.00       "
		     "+4.00  +2.74  slower\n");
	assert_holds(text,
		     "\nnft-linear@egress   fixed    0.00      0.00        "
		     "0.00   0.00\n");
	assert_holds(text, "\nskipped in 6.12.117: ipset@prerouting, 1 to 10 "
			   "rules: ");
	assert_holds(text, "\nslower (3 slower, 0 undecided, 0 faster, 2 same; "
			   "threshold 2 % of the value)\n");
	assert_int_equal(RUN(&wide, "-t2.8", a, b), EXIT_DONE);
	assert_int_equal(RUN(&same, "-t", "0", a, a), EXIT_DONE);
	assert_holds(same, "\nno change (0 slower, ");
	/* and the other way round */
	assert_int_equal(RUN(NULL, b, a), EXIT_DONE);
	assert_int_equal(RUN(NULL, "-t", "1", b, a), EXIT_REGRESSION);
	pair_remove(&pair);
}

/* tc-bpf-lpm: 5.5 [1.3571..7.6429] of 105.5, against itself. */
static void noise_is_undecided(void **state)
{
	auto_mem char *text = NULL;
	double half = hypot(5.5 - 1.35714, 7.64286 - 5.5);

	(void)state;
	assert_int_equal(RUN(&text, "--format=tsv", HAND, HAND),
			 EXIT_UNDECIDED);
	assert_holds(text,
		     "\nhand\thand\tpacket\tnone@egress\t0\tNaN\t100.0000\t"
		     "100.0000\t100.0000\t100.0000\t100.0000\t100.0000\t"
		     "0.0000\t0.0000\t0.0000\t0.0000\t0.0000\t-\n");
	assert_holds(text, "\nhand\thand\tadded\ttc-bpf-lpm@egress\t1000\tNaN\t"
			   "5.5000\t1.3571\t7.6429\t5.5000\t1.3571\t7.6429\t"
			   "0.0000\t-4.6642\t4.6642\t0.0000\t0.0000\t"
			   "undecided\n");
	assert_true(fabs(half - 4.6642) < 1e-4);
	assert_int_equal(RUN(NULL, "-t", "30", HAND, HAND), EXIT_DONE);
}

static void emulated_is_not_measured(void **state)
{
	struct log_capture said;
	struct pair pair;
	const char *dirs[2];

	(void)state;
	pair_make(&pair);
	emulate(&pair.dirs[1], 3744, 3900, 4000);
	dirs[0] = pair.dirs[0].path;
	dirs[1] = pair.dirs[1].path;
	log_capture_begin(&said);
	assert_int_equal(compare_show(dirs, 2, NULL, 2), -EINVAL);
	log_capture_end(&said);
	assert_holds(said.text, "emulated and measured results cannot be "
				"compared");
	pair_remove(&pair);
}

static void other_axis_is_an_error(void **state)
{
	struct log_capture said;
	const char *dirs[2];
	struct pair pair;

	(void)state;
	pair_make(&pair);
	scene_turn_axis(&pair.dirs[1]);
	dirs[0] = pair.dirs[0].path;
	dirs[1] = pair.dirs[1].path;
	log_capture_begin(&said);
	assert_int_equal(compare_show(dirs, 2, NULL, 2), -EINVAL);
	log_capture_end(&said);
	assert_holds(said.text, "the same axis");
	assert_int_equal(RUN(NULL, dirs[1], dirs[1]), EXIT_UNDECIDED);
	pair_remove(&pair);
}

static void nothing_in_common_is_an_error(void **state)
{
	struct log_capture said;
	const char *dirs[2];
	struct pair pair;

	(void)state;
	pair_make(&pair);
	tempdir_write(&pair.dirs[1], "samples.tsv", SAMPLE_COLUMNS "\n");
	dirs[0] = pair.dirs[0].path;
	dirs[1] = pair.dirs[1].path;
	log_capture_begin(&said);
	assert_int_equal(compare_show(dirs, 2, NULL, 2), -EINVAL);
	log_capture_end(&said);
	assert_holds(said.text, "in common");
	pair_remove(&pair);
}

/* A filter that fails on the second kernel is not "no change". */
static void lost_cells_are_undecided(void **state)
{
	auto_mem char *text = NULL;
	struct pair pair;

	(void)state;
	pair_make(&pair);
	emulate(&pair.dirs[0], 3799, 3945, 5259);
	emulate(&pair.dirs[1], 3799, 3945, 0);
	assert_int_equal(RUN(&text, pair.dirs[0].path, pair.dirs[1].path),
			 EXIT_UNDECIDED);
	assert_holds(text, "  undecided\n");
	/* what the first one did not have decides nothing */
	assert_int_equal(RUN(NULL, pair.dirs[1].path, pair.dirs[0].path),
			 EXIT_DONE);
	pair_remove(&pair);
}

static void other_circumstances_are_said(void **state)
{
	static const struct {
		const char *old, *new, *said;
	} rows[] = {
		{ "\"name\": \"bpf\"", "\"name\": \"pktgen\"", "sources" },
		{ "\"fate\": \"stack\"", "\"fate\": \"sink\"", "fates" },
		{ "\"match\": \"miss\"", "\"match\": \"last\"", "matches" },
		{ "\"frame_bytes\": 60", "\"frame_bytes\": 1514", "frame" },
		{ "\"flows\": 256", "\"flows\": 1", "flows" },
		{ "\"state\": \"complete\"", "\"state\": \"interrupted\"",
		  "did not end" },
		{ "\"mitigations\": \"7 active\"", "\"mitigations\": \"none\"",
		  "CPU mitigations" },
		{ "\"vulnerable\": \"none\"", "\"vulnerable\": \"spectre_v2\"",
		  "vulnerabilities" },
		{ "\"flows\": 256", "\"flows\": 256, \"list\": \"bad.txt\"",
		  "lists of rules" },
		{ "\"flows\": 256", "\"flows\": 256, \"sent\": \"TCP\"",
		  "packets" },
		{ "BOOT_IMAGE=/a quiet", "BOOT_IMAGE=/b mitigations=off quiet",
		  "has \"mitigations=off\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		auto_mem char *text = NULL, *silent = NULL;
		struct pair pair;

		pair_make(&pair);
		for (int j = 0; j < 2; j++)
			edit(&pair.dirs[j], "\"jit\": \"on\"",
			     "\"jit\": \"on\", \"mitigations\": \"7 active\", "
			     "\"vulnerable\": \"none\", \"cmdline\": "
			     "\"BOOT_IMAGE=/a quiet\"");
		RUN(&silent, pair.dirs[0].path, pair.dirs[1].path);
		assert_null(strstr(silent, "warning"));
		edit(&pair.dirs[1], "BOOT_IMAGE=/a", "BOOT_IMAGE=/b");
		if (!strncmp(rows[i].old, "BOOT", 4))
			edit(&pair.dirs[1], "BOOT_IMAGE=/b", "BOOT_IMAGE=/a");
		edit(&pair.dirs[1], rows[i].old, rows[i].new);
		RUN(&text, pair.dirs[0].path, pair.dirs[1].path);
		assert_holds(text, "\nwarning: ");
		assert_holds(text, rows[i].said);
		/* this one, and nothing else */
		assert_null(
			strstr(strstr(text, "\nwarning: ") + 1, "\nwarning: "));
		pair_remove(&pair);
	}
}

static void text_fits_a_mail(void **state)
{
	auto_mem char *text = NULL;

	(void)state;
	RUN(&text, HAND, HAND, HAND);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		size_t len = strcspn(line, "\n");

		assert_true(len <= 100);
		assert_true(!len || line[len - 1] != ' ');
	}
}

static void json_holds_all_of_it(void **state)
{
	const char *unit, *verdict, *label;
	auto_mem char *text = NULL;
	struct pair pair;
	json_t *root, *comparisons;
	double percent;

	(void)state;
	pair_make(&pair);
	emulate(&pair.dirs[0], 4000, 4100, 5000);
	emulate(&pair.dirs[1], 4100, 4200, 5100);
	edit(&pair.dirs[1], "6.1.0", "6.12.117");
	assert_int_equal(
		RUN(&text, "-fjson", pair.dirs[0].path, pair.dirs[1].path),
		EXIT_REGRESSION);
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	comparisons = json_object_get(root, "comparisons");
	assert_int_equal(json_array_size(comparisons), 1);
	assert_int_equal(json_array_size(json_object_get(root, "runs")), 2);
	assert_int_equal(json_unpack(root, "{s:s, s:s}", "unit", &unit,
				     "verdict", &verdict),
			 0);
	assert_string_equal(unit, "insn");
	assert_string_equal(verdict, "slower");
	assert_int_equal(json_unpack(json_array_get(comparisons, 0),
				     "{s:s, s:[{s:f}]}", "after", &label,
				     "changes", "percent", &percent),
			 0);
	assert_string_equal(label, "6.12.117");
	assert_true(percent == 2.5);
	json_decref(root);
	pair_remove(&pair);
}

static void statuses(void **state)
{
	(void)state;
	assert_int_equal(RUN(NULL, "--help"), EXIT_DONE);
	assert_int_equal(RUN(NULL, HAND), EXIT_USAGE);
	assert_int_equal(RUN(NULL, HAND, HAND, "-t", "2%"), EXIT_USAGE);
	assert_int_equal(RUN(NULL, HAND, HAND, "-t", "-1"), EXIT_USAGE);
	assert_int_equal(RUN(NULL, HAND, HAND, "-f", "pdf"), EXIT_USAGE);
	assert_int_equal(RUN(NULL, HAND, "/nonexistent"), EXIT_FAILED);
}

/* ---- simulation */

#define CELLS	6
#define ROUNDS	60
#define PACKETS 20000
#define BASE_NS 400.0

static const double added_ns[CELLS] = { 0, 0, 20, 30, 200, 1500 };

/* A run: skewed noise, a drift that all cells share, and lost slices. */
static void simulate(struct side *side, const double *factors, gsl_rng *rng)
{
	struct results *results = &side->results;
	double drift = 0;

	results->state = RUN_COMPLETE;
	results->cell_count = CELLS;
	results->cells = calloc(CELLS, sizeof(*results->cells));
	results->sample_count = CELLS * ROUNDS;
	results->samples =
		calloc(results->sample_count, sizeof(*results->samples));
	side->dir = "simulated";
	side->label = "simulated";
	for (size_t i = 0; i < CELLS; i++)
		results->cells[i] = (struct result_cell){
			.filter = i > 1 ? "x@egress" : "none@egress",
			.rules = i > 1 ? i : 0,
			.role = i > 1 ? RESULT_FILTER
				: i   ? RESULT_CANARY
				      : RESULT_BASELINE,
			.status = RESULT_MEASURED,
			.samples = results->samples + i * ROUNDS,
			.sample_count = ROUNDS,
		};
	for (size_t r = 0; r < ROUNDS; r++) {
		drift = 0.9 * drift + gsl_ran_gaussian(rng, 4);
		for (size_t i = 0; i < CELLS; i++) {
			double level = (BASE_NS + added_ns[i]) * factors[i];
			double ns = level + drift +
				    gsl_ran_exponential(rng, 0.02 * level);

			if (gsl_rng_uniform(rng) < 0.02)
				ns += gsl_ran_pareto(rng, 1.1, 50);
			results->cells[i].samples[r] = (struct sample){
				.round = r + 1,
				.cell = i,
				.elapsed_ns = ns * PACKETS,
				.sent = PACKETS,
				.passed = PACKETS,
				.instructions = SAMPLE_NOT_COUNTED,
			};
		}
	}
	assert_int_equal(stats_compute(results, &side->stats), 0);
}

/* The verdict of two simulated runs; *of_last is that of the last cell. */
static enum verdict try(const double *factors, double threshold_percent,
			gsl_rng *rng, enum verdict *of_last)
{
	static const double equal[CELLS] = { 1, 1, 1, 1, 1, 1 };
	auto_comparison struct comparison comparison = { 0 };
	struct side sides[2] = { 0 };
	enum verdict verdict;

	simulate(&sides[0], equal, rng);
	simulate(&sides[1], factors ? factors : equal, rng);
	assert_int_equal(compare_sides(&sides[0], &sides[1], threshold_percent,
				       &comparison),
			 0);
	*of_last = comparison.changes[comparison.count - 1].verdict;
	verdict = VERDICT_SAME;
	for (size_t i = 0; i < comparison.count; i++)
		if (comparison.changes[i].verdict == VERDICT_SLOWER ||
		    comparison.changes[i].verdict == VERDICT_FASTER)
			verdict = comparison.changes[i].verdict;
	for (int i = 0; i < 2; i++) {
		stats_free(&sides[i].stats);
		results_free(&sides[i].results);
	}
	return verdict;
}

/*
 * Without a threshold, where only the noise is in the way: one table of four
 * verdicts in twenty may be wrong.  With it there is next to none.
 */
static void equal_runs_are_no_alarm(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int alarms = 0, above = 0;
	enum verdict last;

	(void)state;
	gsl_rng_set(rng, 1);
	for (int i = 0; i < 1000; i++)
		alarms += try(NULL, 0, rng, &last) != VERDICT_SAME;
	for (int i = 0; i < 1000; i++)
		above += try(NULL, 2, rng, &last) != VERDICT_SAME;
	gsl_rng_free(rng);
	print_message("false alarms: %u and %u in 1,000\n", alarms, above);
	assert_in_range(alarms, 1, 50);
	assert_in_range(above, 0, 5);
}

static void five_per_cent_are_found(void **state)
{
	static const double slower[CELLS] = { 1, 1, 1, 1, 1, 1.05 };
	static const double faster[CELLS] = { 1, 1, 1, 1, 1, 1 / 1.05 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	unsigned int slows = 0, fasts = 0;
	enum verdict last;

	(void)state;
	gsl_rng_set(rng, 2);
	for (int i = 0; i < 200; i++) {
		try(slower, 2, rng, &last);
		slows += last == VERDICT_SLOWER;
		try(faster, 2, rng, &last);
		fasts += last == VERDICT_FASTER;
	}
	gsl_rng_free(rng);
	print_message("found: %u and %u of 200\n", slows, fasts);
	assert_in_range(slows, 195, 200);
	assert_in_range(fasts, 195, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_by_hand),
		cmocka_unit_test(exact_values_have_no_noise),
		cmocka_unit_test(noise_is_undecided),
		cmocka_unit_test(emulated_is_not_measured),
		cmocka_unit_test(other_axis_is_an_error),
		cmocka_unit_test(nothing_in_common_is_an_error),
		cmocka_unit_test(lost_cells_are_undecided),
		cmocka_unit_test(other_circumstances_are_said),
		cmocka_unit_test(text_fits_a_mail),
		cmocka_unit_test(json_holds_all_of_it),
		cmocka_unit_test(statuses),
		cmocka_unit_test(equal_runs_are_no_alarm),
		cmocka_unit_test(five_per_cent_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

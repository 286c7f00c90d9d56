// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The intervals: by hand, and by their coverage on simulated data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "runner/cleanup.h"
#include "runner/stats.h"

#define TRIALS	   2000
#define PACKETS	   20000
#define BASE_NS	   700.0
#define POPULATION 100001

/* What a simulated machine does. */
struct world {
	const char *name;
	const double *added_ns; /* a cell; the first is the baseline's, 0 */
	const uint64_t *rules;
	size_t cells;
	double skew_ns;	   /* scale of the one-sided noise of a slice */
	double symmetric;  /* scale of the two-sided one, of its level */
	double drift_ns;   /* step of the walk, from round to round */
	double outliers;   /* share of slices that lose a lot of time */
	double cell_noise; /* noise of a cell, in that of the baseline */
};

static double noise(const struct world *world, double level, gsl_rng *rng)
{
	double ns = 0;

	if (world->skew_ns)
		ns += gsl_ran_exponential(rng, world->skew_ns);
	if (world->symmetric)
		ns += gsl_ran_tdist(rng, 2) * world->symmetric * level;
	if (world->outliers && gsl_rng_uniform(rng) < world->outliers)
		ns += gsl_ran_pareto(rng, 1.1, 50);
	return ns;
}

/*
 * Fills results with `rounds` rounds of the world.  The drift is a random walk
 * with steps, which goes on within the round: the cells come in random order.
 */
static void simulate(const struct world *world, uint32_t rounds, gsl_rng *rng,
		     struct results *results)
{
	double drift = 0, end;
	size_t order[8];

	for (size_t i = 0; i < world->cells; i++)
		order[i] = i;
	for (uint32_t r = 0; r < rounds; r++) {
		end = drift + gsl_ran_gaussian(rng, world->drift_ns);
		if (gsl_rng_uniform(rng) < 0.02)
			end += 5 * world->drift_ns;
		end *= 0.98;
		gsl_ran_shuffle(rng, order, world->cells, sizeof(order[0]));
		for (size_t i = 0; i < world->cells; i++) {
			size_t cell = order[i];
			double level = BASE_NS + world->added_ns[cell];
			double scale = cell ? world->cell_noise : 1;
			double ns = level + drift +
				    (end - drift) * i / world->cells +
				    scale * noise(world, level, rng);

			results->cells[cell].samples[r] = (struct sample){
				.round = r + 1,
				.cell = cell,
				.elapsed_ns = fmax(1, ns * PACKETS),
				.sent = PACKETS,
				.passed = PACKETS,
				.instructions = SAMPLE_NOT_COUNTED,
			};
		}
		drift = end;
	}
}

static void build(const struct world *world, uint32_t rounds,
		  struct results *results)
{
	results->cell_count = world->cells;
	results->cells = calloc(world->cells, sizeof(*results->cells));
	results->sample_count = world->cells * rounds;
	results->samples =
		calloc(results->sample_count, sizeof(*results->samples));
	assert_true(results->cells && results->samples);
	for (size_t i = 0; i < world->cells; i++) {
		struct result_cell *cell = &results->cells[i];

		cell->filter = i ? "linear@egress" : "none@egress";
		cell->rules = world->rules[i];
		cell->linear = i;
		cell->role = i ? RESULT_FILTER : RESULT_BASELINE;
		cell->samples = results->samples + i * rounds;
		cell->sample_count = rounds;
	}
}

typedef struct interval pick(const struct stats *stats);

static struct interval pick_added(const struct stats *stats)
{
	return stats->cells[1].added_ns;
}

static struct interval pick_slope(const struct stats *stats)
{
	assert_int_equal(stats->slope_count, 1);
	return stats->slopes[0].rule_ns;
}

/* The median of a sample so large that it stands for the population's. */
static double population(const struct world *world, pick *pick_one)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	auto_results struct results results = { 0 };
	auto_stats struct stats stats = { 0 };
	double median;

	gsl_rng_set(rng, 7);
	build(world, POPULATION, &results);
	simulate(world, POPULATION, rng, &results);
	assert_int_equal(stats_compute(&results, &stats), 0);
	median = pick_one(&stats).value;
	gsl_rng_free(rng);
	return median;
}

static void check_coverage(const struct world *world, pick *pick_one,
			   uint32_t rounds, double truth)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	auto_results struct results results = { 0 };
	unsigned int held = 0;
	double share;

	gsl_rng_set(rng, 20260101 + rounds);
	build(world, rounds, &results);
	for (unsigned int i = 0; i < TRIALS; i++) {
		auto_stats struct stats stats = { 0 };
		struct interval found;

		simulate(world, rounds, rng, &results);
		assert_int_equal(stats_compute(&results, &stats), 0);
		found = pick_one(&stats);
		held += interval_holds(&found, truth);
	}
	gsl_rng_free(rng);
	share = 100.0 * held / TRIALS;
	print_message("%s, %u rounds: %.1f %%\n", world->name, rounds, share);
	if (share < 93 || share > 97)
		fail_msg("%s, %u rounds: the interval holds the truth in "
			 "%.1f %% of trials",
			 world->name, rounds, share);
}

static const double one_cell[] = { 0, 23.1 };
static const uint64_t one_rule[] = { 0, 1 };

/* Skewed noise, outliers and drift; the same noise on cell and baseline. */
static void added_cost_is_covered(void **state)
{
	static const struct world world = {
		.name = "added cost",
		.added_ns = one_cell,
		.rules = one_rule,
		.cells = 2,
		.skew_ns = 8,
		.drift_ns = 6,
		.outliers = 0.08,
		.cell_noise = 1,
	};
	static const uint32_t rounds[] = { 8, 15, 30, 64, 200 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
		check_coverage(&world, pick_added, rounds[i], one_cell[1]);
}

/* The filter is noisier than its baseline: skewed differences. */
static void skewed_differences_are_covered(void **state)
{
	static const struct world world = {
		.name = "skewed differences",
		.added_ns = one_cell,
		.rules = one_rule,
		.cells = 2,
		.skew_ns = 8,
		.drift_ns = 6,
		.outliers = 0.08,
		.cell_noise = 3,
	};
	static const uint32_t rounds[] = { 8, 15, 30, 64, 200 };
	double truth = population(&world, pick_added);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
		check_coverage(&world, pick_added, rounds[i], truth);
}

#define RULE_NS 20.0
static const double line[] = { 0, 25, 205, 2005, 20005 };
static const uint64_t line_rules[] = { 0, 1, 10, 100, 1000 };

/* Noise with tails that have no variance, and that grows with the level. */
static void slope_is_covered(void **state)
{
	static const struct world world = {
		.name = "slope",
		.added_ns = line,
		.rules = line_rules,
		.cells = ARRAY_SIZE(line),
		.symmetric = 0.01,
		.drift_ns = 6,
		.cell_noise = 1,
	};
	static const uint32_t rounds[] = { 8, 30, 64 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
		check_coverage(&world, pick_slope, rounds[i], RULE_NS);
}

static void skewed_slope_is_covered(void **state)
{
	static const struct world world = {
		.name = "skewed slope",
		.added_ns = line,
		.rules = line_rules,
		.cells = ARRAY_SIZE(line),
		.skew_ns = 8,
		.symmetric = 0.005,
		.drift_ns = 6,
		.outliers = 0.08,
		.cell_noise = 1,
	};
	static const uint32_t rounds[] = { 8, 30, 64 };
	double truth = population(&world, pick_slope);

	(void)state;
	assert_true(fabs(truth - RULE_NS) < 0.01 * RULE_NS);
	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++)
		check_coverage(&world, pick_slope, rounds[i], truth);
}

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) < 1e-6))
		fail_msg("%.9g is not %.9g", found, expected);
}

/*
 * By the formula, for n = 6: confidences 0.96875 and 0.78125 of d = 1 and 2,
 * so part = 0.1 and lambda = 0.5 / 1.4.  For n = 8: 0.9921875 and 0.9296875,
 * part = 0.675, lambda = 4.725 / 5.05.
 */
static void interval_by_hand(void **state)
{
	double six[] = { 3, 1, 6, 5, 2, 4 };
	double eight[] = { 8, 1, 7, 2, 6, 3, 5, 4 };
	struct interval found = stats_median(six, 6, false);

	(void)state;
	assert_near(found.value, 3.5);
	assert_near(found.lo, 1 + 0.5 / 1.4);
	assert_near(found.hi, 6 - 0.5 / 1.4);
	found = stats_median(eight, 8, false);
	assert_near(found.value, 4.5);
	assert_near(found.lo, 1 + 4.725 / 5.05);
	assert_near(found.hi, 8 - 4.725 / 5.05);
}

static void too_few_values_give_no_interval(void **state)
{
	double values[] = { 5, 1, 4, 2, 3 };
	struct interval found = stats_median(values, 5, false);

	(void)state;
	assert_near(found.value, 3);
	assert_true(isnan(found.lo) && isnan(found.hi));
	assert_false(interval_holds(&found, 3));
	found = stats_median(values, 1, false);
	assert_near(found.value, 1);
	assert_true(isnan(found.lo) && isnan(found.hi));
	found = stats_median(values, 0, true);
	assert_true(isnan(found.value) && isnan(found.lo));
}

static void deterministic_values_are_exact(void **state)
{
	double equal[] = { 2962, 2962 };
	double differ[] = { 2962, 2963 };
	struct interval found = stats_median(equal, 1, true);

	(void)state;
	assert_true(found.value == 2962 && found.lo == 2962 &&
		    found.hi == 2962);
	found = stats_median(equal, 2, true);
	assert_true(found.lo == 2962 && found.hi == 2962);
	found = stats_median(differ, 2, true);
	assert_true(found.value == 2962.5 && isnan(found.lo));
}

/* For many values the interval is that of the normal approximation. */
static void many_values(void **state)
{
	auto_mem double *values = calloc(100001, sizeof(*values));
	struct interval found;

	(void)state;
	for (size_t i = 0; i < 100001; i++)
		values[i] = 100000 - (double)i;
	found = stats_median(values, 100001, false);
	assert_near(found.value, 50000);
	assert_true(fabs(found.hi - 50000 - 0.98 * sqrt(100001)) < 2);
	assert_true(fabs(found.lo - 50000 + 0.98 * sqrt(100001)) < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interval_by_hand),
		cmocka_unit_test(too_few_values_give_no_interval),
		cmocka_unit_test(deterministic_values_are_exact),
		cmocka_unit_test(many_values),
		cmocka_unit_test(added_cost_is_covered),
		cmocka_unit_test(skewed_differences_are_covered),
		cmocka_unit_test(slope_is_covered),
		cmocka_unit_test(skewed_slope_is_covered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a rule of a linear filter costs.  Each round gives a line of its own,
 * fitted to the added costs of that round, in which drift has cancelled; the
 * slopes of the rounds are then a sample like any other, and get the median
 * and the interval of the sign test.  The error that the fit itself claims is
 * not used: it would take the noise for normal.
 */
#include <errno.h>
#include <gsl/gsl_fit.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/slope.h"

/* The cells of one linear filter. */
struct family {
	const struct result_cell **members;
	const double *weights; /* a member's */
	size_t count;
	const struct result_cell *baseline;
};

/* Storage for the fit of one round, with room for all members. */
struct points {
	double *rules;
	double *weights;
	double *added_ns;
};

/*
 * The line through the added costs of one round.  A slice's noise grows with
 * its level, so the weight of a size is 1 / (median ns)^2: without it the
 * largest size alone would set the line.  False with fewer than two sizes.
 */
static bool fit_round(const struct family *family, uint32_t round,
		      struct points *points, double *fixed, double *slope)
{
	const struct sample *base = results_sample(family->baseline, round);
	double cov00, cov01, cov11, chisq;
	bool differ = false;
	size_t n = 0;

	for (size_t i = 0; base && i < family->count; i++) {
		const struct result_cell *cell = family->members[i];
		const struct sample *sample = results_sample(cell, round);

		if (!sample)
			continue;
		points->rules[n] = cell->rules;
		points->weights[n] = family->weights[i];
		points->added_ns[n] = stats_ns(sample) - stats_ns(base);
		differ |= points->rules[n] != points->rules[0];
		n++;
	}
	if (!differ)
		return false;
	gsl_fit_wlinear(points->rules, 1, points->weights, 1, points->added_ns,
			1, n, fixed, slope, &cov00, &cov01, &cov11, &chisq);
	return true;
}

static size_t count_sizes(const struct family *family)
{
	size_t sizes = 0;

	for (size_t i = 0; i < family->count; i++) {
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen |= family->members[j]->rules ==
				family->members[i]->rules;
		sizes += !seen;
	}
	return sizes;
}

/* 1 if a slope was found, 0 if there is none, or -ENOMEM. */
static int fit_family(const struct family *family, bool exact,
		      struct slope *found)
{
	size_t rounds = family->baseline->sample_count, n = 0;
	auto_mem double *slopes = calloc(rounds + 1, sizeof(*slopes));
	auto_mem double *fixed = calloc(rounds + 1, sizeof(*fixed));
	auto_mem double *store = calloc(3 * family->count, sizeof(*store));
	struct points points = { store, store + family->count,
				 store + 2 * family->count };

	if (!slopes || !fixed || !store)
		return log_err(-ENOMEM, "no memory for the fits");
	for (size_t i = 0; i < rounds; i++)
		n += fit_round(family, family->baseline->samples[i].round,
			       &points, &fixed[n], &slopes[n]);
	found->filter = family->members[0]->filter;
	found->sizes = count_sizes(family);
	found->rounds = n;
	found->rule_ns = stats_median(slopes, n, exact);
	found->fixed_ns = stats_median(fixed, n, exact);
	return n > 0;
}

static bool fits_a_line(const struct result_cell *cell,
			const struct cell_stats *stats)
{
	return cell->linear && cell->role == RESULT_FILTER && stats->pairs;
}

static int compute_slope(const struct results *results, size_t first,
			 struct stats *stats)
{
	const struct result_cell *cells = results->cells;
	auto_mem const struct result_cell **members = NULL;
	auto_mem double *weights = NULL;
	struct family family = { .baseline = &cells[cells[first].baseline] };
	struct slope *slope = &stats->slopes[stats->slope_count];
	int found;

	members = calloc(results->cell_count, sizeof(*members));
	weights = calloc(results->cell_count, sizeof(*weights));
	if (!members || !weights)
		return log_err(-ENOMEM, "no memory for the fits");
	for (size_t i = first; i < results->cell_count; i++) {
		if (!fits_a_line(&cells[i], &stats->cells[i]) ||
		    cells[i].baseline != cells[first].baseline ||
		    strcmp(cells[i].filter, cells[first].filter))
			continue;
		members[family.count] = &cells[i];
		weights[family.count++] = 1 / (stats->cells[i].ns.value *
					       stats->cells[i].ns.value);
	}
	family.members = members;
	family.weights = weights;
	slope->first_cell = first;
	found = fit_family(&family, results->counts_instructions, slope);
	if (found > 0)
		stats->slope_count++;
	return found < 0 ? found : 0;
}

/* Whether a cell before this one stands for its filter. */
static bool is_follower(const struct results *results,
			const struct stats *stats, size_t index)
{
	const struct result_cell *cell = &results->cells[index];

	for (size_t i = 0; i < index; i++)
		if (fits_a_line(&results->cells[i], &stats->cells[i]) &&
		    results->cells[i].baseline == cell->baseline &&
		    !strcmp(results->cells[i].filter, cell->filter))
			return true;
	return false;
}

int slopes_compute(const struct results *results, struct stats *stats)
{
	int err = 0;

	if (results->axis != RESULT_OVER_RULES)
		return 0;
	for (size_t i = 0; i < results->cell_count && !err; i++)
		if (fits_a_line(&results->cells[i], &stats->cells[i]) &&
		    !is_follower(results, stats, i))
			err = compute_slope(results, i, stats);
	return err;
}

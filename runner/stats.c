// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is estimated, and why it holds.
 *
 * The added cost of a cell is the median, over the rounds, of its ns per
 * packet less its baseline's in the same round.  Whatever changes slowly (the
 * clock speed, a neighbour) is the same for both and cancels.  What changes
 * within a round does not, but the order within each round is drawn at random,
 * so it falls on the cell as often as on its baseline.  Under drift the two
 * are exchangeable, which leaves the median of the differences where it is,
 * and the signs about that median are coin tosses.  The sign test, and the
 * interval that it gives, ask for no more: no normal distribution, no equal
 * variance, no freedom from outliers.
 *
 * The interval of a level (ns per packet, pps) is the same one over the
 * slices.  It takes them for independent; on a machine that drifts through
 * the run it tells where the run's median lies, not where tomorrow's will.
 * Compare by the added cost.
 */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/slope.h"
#include "runner/stats.h"

#define CONFIDENCE 0.95
#define NS_PER_S   1e9

static const struct interval unknown = { NAN, NAN, NAN };

/*
 * Confidence that the median of the population lies between the d-th smallest
 * and the d-th largest of n values: the sign test, binomial with p = 1/2.
 */
static double sign_confidence(size_t d, size_t n)
{
	return d ? 1 - 2 * gsl_cdf_binomial_P(d - 1, 0.5, n) : 1;
}

/*
 * The confidence of order statistics comes in steps, wide ones for small n.
 * Between the last pair (d, n + 1 - d) that has at least 95 % and the next one
 * inwards the ends are interpolated after Hettmansperger and Sheather,
 * "Confidence intervals based on interpolated order statistics", Statistics &
 * Probability Letters 4 (1986) 75-79; the result is close to 95 % for nearly
 * any distribution.  Below six values even the extremes have less than 95 %.
 */
struct interval stats_median(double *values, size_t n, bool exact)
{
	struct interval found = unknown;
	double outer, inner, part, lambda;
	size_t d;

	if (!n)
		return found;
	gsl_sort(values, 1, n);
	found.value = gsl_stats_median_from_sorted_data(values, 1, n);
	if (exact && values[0] == values[n - 1])
		return (struct interval){ values[0], values[0], values[0] };

	/* Start at the normal approximation, for large n, and step. */
	d = fmax(0, floor(n / 2.0 - 0.98 * sqrt(n)));
	while (sign_confidence(d + 1, n) >= CONFIDENCE)
		d++;
	while (sign_confidence(d, n) < CONFIDENCE)
		d--;
	if (!d)
		return found;
	outer = sign_confidence(d, n);
	inner = sign_confidence(d + 1, n);
	part = (outer - CONFIDENCE) / (outer - inner);
	lambda = (n - d) * part / (d + (n - 2.0 * d) * part);
	found.lo = (1 - lambda) * values[d - 1] + lambda * values[d];
	found.hi = (1 - lambda) * values[n - d] + lambda * values[n - d - 1];
	return found;
}

/* A rate falls where a cost rises: the ends change places. */
static struct interval rate_of(const struct interval *ns)
{
	return (struct interval){ NS_PER_S / ns->value, NS_PER_S / ns->hi,
				  NS_PER_S / ns->lo };
}

/* scratch has room for every sample of the cell. */
static void compute_level(const struct result_cell *cell, bool exact,
			  double *scratch, struct cell_stats *stats)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sample *sample = &cell->samples[i];

		stats->faults += sample->round && sample->fault;
		if (sample_counts(sample))
			scratch[n++] = stats_ns(sample);
	}
	stats->slices = n;
	stats->ns = stats_median(scratch, n, exact);
	stats->pps = rate_of(&stats->ns);

	n = 0;
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sample *sample = &cell->samples[i];

		if (sample_counts(sample) &&
		    sample->instructions != SAMPLE_NOT_COUNTED)
			scratch[n++] =
				(double)sample->instructions / sample->sent;
	}
	stats->instructions = stats_median(scratch, n, false).value;
}

static void compute_added(const struct result_cell *cell,
			  const struct result_cell *baseline, bool exact,
			  double *scratch, struct cell_stats *stats)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sample *sample = &cell->samples[i];
		const struct sample *base =
			results_sample(baseline, sample->round);

		if (sample_counts(sample) && base)
			scratch[n++] = stats_ns(sample) - stats_ns(base);
	}
	stats->pairs = n;
	stats->added_ns = stats_median(scratch, n, exact);
}

static int compute(const struct results *results, struct stats *stats)
{
	auto_mem double *scratch =
		calloc(results->sample_count + 1, sizeof(*scratch));
	bool exact = results->counts_instructions;

	stats->cell_count = results->cell_count;
	stats->cells = calloc(results->cell_count + 1, sizeof(*stats->cells));
	stats->slopes = calloc(results->cell_count + 1, sizeof(*stats->slopes));
	if (!scratch || !stats->cells || !stats->slopes)
		return log_err(-ENOMEM, "no memory for the statistics");
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct result_cell *cell = &results->cells[i];
		struct cell_stats *found = &stats->cells[i];

		found->ns = found->pps = found->added_ns = unknown;
		found->instructions = NAN;
		if (cell->status != RESULT_MEASURED)
			continue;
		compute_level(cell, exact, scratch, found);
		if (cell->role != RESULT_BASELINE)
			compute_added(cell, &results->cells[cell->baseline],
				      exact, scratch, found);
		if (found->slices > stats->rounds)
			stats->rounds = found->slices;
	}
	return slopes_compute(results, stats);
}

int stats_compute(const struct results *results, struct stats *stats)
{
	auto_stats struct stats computing = { 0 };
	int err = compute(results, &computing);

	if (!err)
		*stats = hand_over(computing, (struct stats){ 0 });
	return err;
}

void stats_free(struct stats *stats)
{
	free(stats->cells);
	free(stats->slopes);
	*stats = (struct stats){ 0 };
}

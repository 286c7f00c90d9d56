// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A verdict is given on the added cost, where what the machine does to both
 * cells of a pair has cancelled.  The level of a measured run is the machine's
 * as much as the kernel's: its interval says where it lay in that run, and
 * simulated runs with a drift differ "significantly" in one of three cases.
 * So only exact ones are judged, and of these the baselines; a filter's level
 * is a sum of what is judged already.
 */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "runner/compare.h"
#include "runner/compare_judge.h"

#define TAIL 0.025

struct interval compare_difference(const struct interval *before,
				   const struct interval *after, bool exact)
{
	double value = after->value - before->value;

	if (exact)
		return (struct interval){ value, value, value };
	return (struct interval){
		value,
		value - hypot(after->value - after->lo,
			      before->hi - before->value),
		value + hypot(after->hi - after->value,
			      before->value - before->lo),
	};
}

/* Whether the change is judged, and not another that it is a part of. */
static bool decides(const struct comparison *comparison,
		    const struct change *change)
{
	switch (change->quantity) {
	case QUANTITY_LEVEL:
		return comparison->before->results.counts_instructions &&
		       change->cell->role == RESULT_BASELINE;
	case QUANTITY_ADDED:
	case QUANTITY_RULE:
		return true;
	default:
		return false;
	}
}

/*
 * How much wider than 95 % an interval must be for `verdicts` of them to hold
 * together.  By Student's t: of few rounds little is known of the far ends.
 */
static double widening(size_t pairs, size_t verdicts)
{
	double freedom = pairs - 1.0;

	return gsl_cdf_tdist_Qinv(TAIL / verdicts, freedom) /
	       gsl_cdf_tdist_Qinv(TAIL, freedom);
}

static enum verdict judge(const struct change *change, size_t verdicts,
			  double threshold_percent)
{
	const struct interval *difference = &change->difference;
	double limit = threshold_percent / 100 * fabs(change->scale);
	double size = fabs(difference->value);
	double below = difference->value - difference->lo;
	double above = difference->hi - difference->value;
	double towards_0 = difference->value > 0 ? below : above;

	if (isnan(size))
		return VERDICT_NONE;
	if (isnan(below) || isnan(above))
		return VERDICT_UNDECIDED;
	if (towards_0 > 0)
		towards_0 *= widening(change->pairs, verdicts);
	if (size > towards_0 && size > limit)
		return difference->value > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
	if (size <= limit && fmax(below, above) <= limit)
		return VERDICT_SAME;
	return VERDICT_UNDECIDED;
}

/*
 * What was measured before and should have been again: there may be anything
 * behind it.
 */
static bool is_lost(const struct change *change)
{
	return change->planned_twice && isnan(change->after.value);
}

/* The fit adds its own: unlike a cell's, its noise decides nothing. */
void compare_judge(struct comparison *comparison)
{
	double threshold_percent = comparison->threshold_percent;
	size_t verdicts = 0;

	for (size_t i = 0; i < comparison->count; i++)
		verdicts += decides(comparison, &comparison->changes[i]) &&
			    !isnan(comparison->changes[i].difference.value);
	comparison->verdict = verdicts ? VERDICT_SAME : VERDICT_UNDECIDED;
	for (size_t i = 0; i < comparison->count; i++) {
		struct change *change = &comparison->changes[i];

		if (!decides(comparison, change))
			continue;
		change->verdict = is_lost(change) ? VERDICT_UNDECIDED
						  : judge(change, verdicts,
							  threshold_percent);
		if (change->verdict > comparison->verdict &&
		    (change->cell || change->verdict != VERDICT_UNDECIDED))
			comparison->verdict = change->verdict;
	}
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_NONE] = "-",	     [VERDICT_SAME] = "same",
		[VERDICT_FASTER] = "faster", [VERDICT_UNDECIDED] = "undecided",
		[VERDICT_SLOWER] = "slower",
	};

	return names[verdict];
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which values of two results stand side by side, and what is made of them.
 *
 * A verdict is given on the cost of a packet for the baselines, and on the
 * added cost for the filters: what the machine does to both cells of a pair
 * has cancelled there.  A filter's level is their sum, and is shown only.
 */
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/compare.h"
#include "runner/compare_facts.h"
#include "runner/log.h"

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

/* The same filter with as many rules; NULL if the other run has none. */
static const struct result_cell *counterpart(const struct result_cell *cell,
					     const struct results *results)
{
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct result_cell *other = &results->cells[i];

		if (other->role == cell->role && other->rules == cell->rules &&
		    !strcmp(other->filter, cell->filter))
			return other;
	}
	return NULL;
}

static const struct slope *slope_named(const struct stats *stats,
				       const char *filter)
{
	for (size_t i = 0; i < stats->slope_count; i++)
		if (!strcmp(stats->slopes[i].filter, filter))
			return &stats->slopes[i];
	return NULL;
}

/* Appends a change unless neither side has a value. */
static void add(struct comparison *comparison, struct change change)
{
	bool exact = comparison->before->results.counts_instructions;

	if (isnan(change.before.value) && isnan(change.after.value))
		return;
	change.difference =
		compare_difference(&change.before, &change.after, exact);
	change.percent =
		100 * change.difference.value / fabs(change.before.value);
	if (!change.difference.value)
		change.percent = 0;
	comparison->changes[comparison->count++] = change;
}

/* The two values of a cell, either of which may be missing. */
static void add_cell(struct comparison *comparison, enum quantity quantity,
		     const struct result_cell *before,
		     const struct result_cell *after)
{
	static const struct cell_stats none = {
		.ns = { NAN, NAN, NAN },
		.added_ns = { NAN, NAN, NAN },
	};
	const struct side *a = comparison->before, *b = comparison->after;
	const struct cell_stats *from =
		before ? &a->stats.cells[before - a->results.cells] : &none;
	const struct cell_stats *to =
		after ? &b->stats.cells[after - b->results.cells] : &none;
	bool level = quantity == QUANTITY_LEVEL;
	size_t n = level ? from->slices : from->pairs;
	size_t m = level ? to->slices : to->pairs;

	add(comparison,
	    (struct change){
		    .quantity = quantity,
		    .cell = before ? before : after,
		    .planned_twice = before && after,
		    .filter = before ? before->filter : after->filter,
		    .before = level ? from->ns : from->added_ns,
		    .after = level ? to->ns : to->added_ns,
		    .scale = level || !a->results.counts_instructions
				     ? from->ns.value
				     : from->added_ns.value,
		    .pairs = n < m ? n : m,
	    });
}

static void add_cells(struct comparison *comparison, enum quantity quantity)
{
	const struct results *a = &comparison->before->results;
	const struct results *b = &comparison->after->results;

	for (size_t i = 0; i < a->cell_count; i++)
		if (a->cells[i].role != RESULT_CANARY)
			add_cell(comparison, quantity, &a->cells[i],
				 counterpart(&a->cells[i], b));
	for (size_t i = 0; i < b->cell_count; i++)
		if (b->cells[i].role != RESULT_CANARY &&
		    !counterpart(&b->cells[i], a))
			add_cell(comparison, quantity, NULL, &b->cells[i]);
}

static void add_slopes(struct comparison *comparison, enum quantity quantity)
{
	const struct stats *a = &comparison->before->stats;
	const struct stats *b = &comparison->after->stats;
	bool rule = quantity == QUANTITY_RULE;

	for (size_t i = 0; i < a->slope_count; i++) {
		const struct slope *from = &a->slopes[i];
		const struct slope *to = slope_named(b, from->filter);

		if (!to)
			continue;
		add(comparison,
		    (struct change){
			    .quantity = quantity,
			    .filter = from->filter,
			    .planned_twice = true,
			    .before = rule ? from->rule_ns : from->fixed_ns,
			    .after = rule ? to->rule_ns : to->fixed_ns,
			    .scale = from->rule_ns.value,
			    .pairs = from->rounds < to->rounds ? from->rounds
							       : to->rounds,
		    });
	}
}

/* Whether the change is judged, and not another that it is a part of. */
static bool decides(const struct change *change)
{
	switch (change->quantity) {
	case QUANTITY_LEVEL:
		return change->cell->role == RESULT_BASELINE;
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
static void judge_all(struct comparison *comparison, double threshold_percent)
{
	size_t verdicts = 0;

	for (size_t i = 0; i < comparison->count; i++)
		verdicts += decides(&comparison->changes[i]) &&
			    !isnan(comparison->changes[i].difference.value);
	comparison->verdict = VERDICT_SAME;
	for (size_t i = 0; i < comparison->count; i++) {
		struct change *change = &comparison->changes[i];

		if (!decides(change))
			continue;
		change->verdict = is_lost(change) ? VERDICT_UNDECIDED
						  : judge(change, verdicts,
							  threshold_percent);
		if (change->verdict > comparison->verdict &&
		    (change->cell || change->verdict != VERDICT_UNDECIDED))
			comparison->verdict = change->verdict;
	}
}

static bool have_something_in_common(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		if (!isnan(comparison->changes[i].difference.value))
			return true;
	return false;
}

static int compare(const struct side *before, const struct side *after,
		   double threshold_percent, struct comparison *comparison)
{
	size_t cells = before->results.cell_count + after->results.cell_count;

	if (before->results.counts_instructions !=
	    after->results.counts_instructions)
		return log_err(
			-EINVAL,
			"%s is measured in %s and %s in %s: emulated "
			"and measured results cannot be compared",
			before->dir,
			before->results.counts_instructions ? "instructions"
							    : "ns",
			after->dir,
			after->results.counts_instructions ? "instructions"
							   : "ns");
	comparison->before = before;
	comparison->after = after;
	comparison->changes = calloc(QUANTITY_COUNT * (cells + 1),
				     sizeof(*comparison->changes));
	if (!comparison->changes)
		return log_err(-ENOMEM, "no memory for the comparison");
	add_cells(comparison, QUANTITY_LEVEL);
	add_cells(comparison, QUANTITY_ADDED);
	add_slopes(comparison, QUANTITY_RULE);
	add_slopes(comparison, QUANTITY_FIXED);
	if (!have_something_in_common(comparison))
		return log_err(-EINVAL,
			       "%s and %s have no measured filter with as many "
			       "rules in common",
			       before->dir, after->dir);
	judge_all(comparison, threshold_percent);
	return compare_facts(comparison);
}

int compare_sides(const struct side *before, const struct side *after,
		  double threshold_percent, struct comparison *comparison)
{
	auto_comparison struct comparison making = { 0 };
	int err = compare(before, after, threshold_percent, &making);

	if (!err)
		*comparison = hand_over(making, (struct comparison){ 0 });
	return err;
}

void comparison_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->warning_count; i++)
		free(comparison->warnings[i]);
	free(comparison->warnings);
	free(comparison->changes);
	*comparison = (struct comparison){ 0 };
}

enum verdict contrast_verdict(const struct contrast *contrast)
{
	enum verdict worst = VERDICT_SAME;

	for (size_t i = 0; i + 1 < contrast->side_count; i++)
		if (contrast->comparisons[i].verdict > worst)
			worst = contrast->comparisons[i].verdict;
	return worst;
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

const char *quantity_name(enum quantity quantity)
{
	static const char *const names[] = {
		[QUANTITY_LEVEL] = "packet",
		[QUANTITY_ADDED] = "added",
		[QUANTITY_RULE] = "rule",
		[QUANTITY_FIXED] = "fixed",
	};

	return names[quantity];
}

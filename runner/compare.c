// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which values of two results stand side by side.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/compare.h"
#include "runner/compare_facts.h"
#include "runner/compare_judge.h"
#include "runner/log.h"

/* The same filter with as many rules; NULL if the other run has none. */
static const struct result_cell *counterpart(const struct result_cell *cell,
					     const struct results *results)
{
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct result_cell *other = &results->cells[i];

		if (other->role == cell->role && other->rules == cell->rules &&
		    other->x == cell->x && !strcmp(other->filter, cell->filter))
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
	/* A fit leaves rounding errors where there is nothing else. */
	if (exact && fabs(change.difference.value) <= 1e-9 * fabs(change.scale))
		change.difference = (struct interval){ 0, 0, 0 };
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

		/* Few lines are so straight that any part of them will do. */
		if (!to || to->sizes != from->sizes)
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
	if (before->results.axis != after->results.axis)
		return log_err(-EINVAL,
			       "%s and %s do not go along the same axis: one "
			       "is over rules, one over prefix lengths",
			       before->dir, after->dir);
	comparison->before = before;
	comparison->after = after;
	comparison->threshold_percent = threshold_percent;
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
	compare_judge(comparison);
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

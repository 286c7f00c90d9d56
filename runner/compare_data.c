// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison for programs: a line, or an object, a change.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "runner/cleanup.h"
#include "runner/compare.h"
#include "runner/pack.h"
#include "runner/log.h"
#include "runner/number.h"
#include "runner/report.h"

#define SCHEMA	 1
#define DECIMALS 4

static void write_interval(FILE *out, const struct interval *interval)
{
	fprintf(out, "\t%s\t%s\t%s",
		number_data(interval->value, DECIMALS).text,
		number_data(interval->lo, DECIMALS).text,
		number_data(interval->hi, DECIMALS).text);
}

static double judged_percent(const struct change *change)
{
	double size = change->difference.value;

	return size ? 100 * size / fabs(change->scale) : size;
}

/* RESULT_UNKNOWN for a line through all of them. */
static int64_t rules_of(const struct change *change)
{
	return change->cell ? (int64_t)change->cell->rules : RESULT_UNKNOWN;
}

/* RESULT_UNKNOWN where they do not vary. */
static int64_t lengths_of(const struct comparison *comparison,
			  const struct change *change)
{
	if (comparison->before->results.axis != RESULT_OVER_LENGTHS)
		return RESULT_UNKNOWN;
	return change->cell->x;
}

static void write_change(const struct comparison *comparison,
			 const struct change *change, FILE *out)
{
	fprintf(out, "%s\t%s\t%s\t%s\t", comparison->before->label,
		comparison->after->label, quantity_name(change->quantity),
		change->filter);
	fprintf(out, "%s\t%s", number_known(rules_of(change)).text,
		number_known(lengths_of(comparison, change)).text);
	write_interval(out, &change->before);
	write_interval(out, &change->after);
	write_interval(out, &change->difference);
	fprintf(out, "\t%s\t%s\t%s\n",
		number_data(change->percent, DECIMALS).text,
		number_data(judged_percent(change), DECIMALS).text,
		verdict_name(change->verdict));
}

static int write_tsv(const struct contrast *contrast, FILE *out)
{
	fprintf(out,
		"# before\tafter\tquantity\tfilter\trules\t"
		"prefix_lengths\tbefore_%1$s\t"
		"before_lo\tbefore_hi\tafter_%1$s\tafter_lo\tafter_hi\t"
		"difference_%1$s\tdifference_lo\tdifference_hi\tpercent\t"
		"judged_percent\tverdict\n",
		report_unit(&contrast->sides[0].results));
	for (size_t i = 0; i + 1 < contrast->side_count; i++) {
		const struct comparison *comparison = &contrast->comparisons[i];

		for (size_t j = 0; j < comparison->count; j++)
			write_change(comparison, &comparison->changes[j], out);
	}
	return 0;
}

const struct compare_format compare_tsv = { "tsv", write_tsv };

static json_t *pack_side(const struct side *side)
{
	const struct results *results = &side->results;

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:O?}",
			 "dir", side->dir, "label", side->label, "tool",
			 results->tool, "started", results->started, "source",
			 results->source, "fate", results->fate, "match",
			 results->match, "frame_bytes",
			 (json_int_t)results->frame_bytes, "flows",
			 (json_int_t)results->flows, "machine",
			 json_object_get(results->run, "machine"));
}

static json_t *pack_change(const struct comparison *comparison,
			   const struct change *change)
{
	return json_pack(
		"{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}",
		"quantity", quantity_name(change->quantity), "filter",
		change->filter, "rules", known_pack(rules_of(change)),
		"prefix_lengths", known_pack(lengths_of(comparison, change)),
		"before", interval_pack(&change->before), "after",
		interval_pack(&change->after), "difference",
		interval_pack(&change->difference), "percent",
		number_pack(change->percent), "judged_percent",
		number_pack(judged_percent(change)), "verdict",
		change->verdict ? verdict_name(change->verdict) : NULL);
}

/* Takes the list, and gives NULL if anything is missing. */
static json_t *pack_comparison(const struct comparison *comparison)
{
	json_t *changes = json_array(), *warnings = json_array();
	int err = 0;

	for (size_t i = 0; i < comparison->count; i++)
		err |= json_array_append_new(
			changes,
			pack_change(comparison, &comparison->changes[i]));
	for (size_t i = 0; i < comparison->warning_count; i++)
		err |= json_array_append_new(
			warnings, json_string(comparison->warnings[i]));
	if (err) {
		json_decref(changes);
		json_decref(warnings);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "before",
			 comparison->before->label, "after",
			 comparison->after->label, "verdict",
			 verdict_name(comparison->verdict), "changes", changes,
			 "warnings", warnings);
}

static int write_json(const struct contrast *contrast, FILE *out)
{
	json_t *runs = json_array(), *comparisons = json_array(), *root;
	int err = 0;

	for (size_t i = 0; i < contrast->side_count; i++)
		err |= json_array_append_new(runs,
					     pack_side(&contrast->sides[i]));
	for (size_t i = 0; i + 1 < contrast->side_count; i++)
		err |= json_array_append_new(
			comparisons,
			pack_comparison(&contrast->comparisons[i]));
	root = json_pack("{s:i, s:s, s:f, s:s, s:o, s:o}", "schema", SCHEMA,
			 "unit", report_unit(&contrast->sides[0].results),
			 "threshold_percent", contrast->threshold_percent,
			 "verdict", verdict_name(contrast_verdict(contrast)),
			 "runs", runs, "comparisons", comparisons);
	if (root && !err) {
		/* a failed write shows in the stream */
		json_dumpf(root, out, JSON_INDENT(2));
		fputc('\n', out);
	}
	err |= !root;
	json_decref(root);
	return err ? log_err(-ENOMEM, "no memory for the comparison") : 0;
}

const struct compare_format compare_json = { "json", write_json };

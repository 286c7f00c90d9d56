// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <math.h>

#include "runner/pack.h"
#include "runner/log.h"
#include "runner/report.h"

#define SCHEMA 1

static int json_begin(struct page *page)
{
	const struct results *results = page->results;
	const json_t *machine = json_object_get(results->run, "machine");

	page->state = json_pack(
		"{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:O, "
		"s:[], s:[], s:[]}",
		"schema", SCHEMA, "tool", results->tool, "started",
		results->started, "unit", report_unit(results), "source",
		results->source, "source_reason", results->source_reason,
		"fate", results->fate, "match", results->match, "frame_bytes",
		(json_int_t)results->frame_bytes, "flows",
		(json_int_t)results->flows, "axis", report_axis(results),
		"machine", machine, "cells", "linear", "warnings");
	return page->state ? 0 : log_err(-ENOMEM, "no memory for the report");
}

static int append(struct page *page, const char *list, json_t *item)
{
	if (json_array_append_new(json_object_get(page->state, list), item))
		return log_err(-ENOMEM, "no memory for the report");
	return 0;
}

static int json_row(struct page *page, size_t index)
{
	static const char *const roles[] = { "baseline", "canary", "filter" };
	static const char *const states[] = { "measured", "skipped", "failed" };
	const struct result_cell *cell = &page->results->cells[index];
	const struct cell_stats *stats = &page->stats->cells[index];
	const json_t *raw = json_array_get(
		json_object_get(page->results->run, "cells"), index);
	json_t *lengths = page->results->axis == RESULT_OVER_LENGTHS
				  ? json_integer(cell->x)
				  : json_null();
	json_t *item = json_pack(
		"{s:I, s:s, s:s, s:s, s:I, s:o, s:s, s:I, s:b, s:s, s:s, s:I, "
		"s:I, s:I, s:o, s:o, s:o, s:o}",
		"id", (json_int_t)index, "filter", cell->filter, "mechanism",
		cell->mechanism, "hook", cell->hook, "rules",
		(json_int_t)cell->rules, "prefix_lengths", lengths, "role",
		roles[cell->role], "baseline", (json_int_t)cell->baseline,
		"linear", cell->linear, "status", states[cell->status],
		"reason", cell->reason, "slices", (json_int_t)stats->slices,
		"faults", (json_int_t)stats->faults, "pairs",
		(json_int_t)stats->pairs, "pps", interval_pack(&stats->pps),
		"per_packet", interval_pack(&stats->ns), "added",
		interval_pack(&stats->added_ns), "counted_insn_per_packet",
		number_pack(stats->instructions));

	/* as run.json has it, if it has */
	json_object_set(item, "proof", json_object_get(raw, "proof"));
	json_object_set(item, "packets_per_slice",
			json_object_get(raw, "packets_per_slice"));
	if (setup_merge(item, &cell->setup))
		return log_err(-ENOMEM, "no memory for the report");
	return append(page, "cells", item);
}

static int json_end(struct page *page)
{
	json_t *root = page->state;
	int err = 0;

	for (size_t i = 0; i < page->stats->slope_count && !err; i++) {
		const struct slope *slope = &page->stats->slopes[i];

		err = append(page, "linear",
			     json_pack("{s:s, s:I, s:I, s:o, s:o}", "filter",
				       slope->filter, "sizes",
				       (json_int_t)slope->sizes, "rounds",
				       (json_int_t)slope->rounds, "per_rule",
				       interval_pack(&slope->rule_ns), "fixed",
				       interval_pack(&slope->fixed_ns)));
	}
	for (size_t i = 0; i < page->advice->count && !err; i++)
		err = append(page, "warnings",
			     json_pack("{s:s, s:s}", "text",
				       page->advice->items[i].text, "remedy",
				       page->advice->items[i].remedy));
	if (!err) {
		/* a failed write shows in the stream */
		json_dumpf(root, page->out, JSON_INDENT(2));
		fputc('\n', page->out);
	}
	json_decref(root);
	return err;
}

const struct report report_json = {
	.about = "cost",
	.name = "json",
	.begin = json_begin,
	.row = json_row,
	.end = json_end,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it takes to set up a filter, for programs.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>

#include "runner/pack.h"
#include "runner/log.h"
#include "runner/number.h"
#include "runner/report.h"

#define SCHEMA	 1
#define DECIMALS 4

static double a_rule(const struct result_cell *cell, int64_t of_all)
{
	return of_all < 0 ? NAN : of_all / (double)cell->rules;
}

static int tsv_begin(struct page *page)
{
	fputs("# id\tfilter\tmechanism\thook\trules\tprefix_lengths\t"
	      "setup_ns\tsetup_ns_per_rule\tadd_ns\tremove_ns\tkernel_bytes\t"
	      "kernel_bytes_per_rule\tkernel_bytes_from\tgrown_bytes\t"
	      "grown_bytes_per_rule\n",
	      page->out);
	return 0;
}

static int tsv_row(struct page *page, size_t index)
{
	const struct result_cell *cell = &page->results->cells[index];
	const struct result_setup *setup = &cell->setup;
	bool lengths = page->results->axis == RESULT_OVER_LENGTHS;

	if (!report_has_setup(cell))
		return 0;
	fprintf(page->out,
		"%zu\t%s\t%s\t%s\t%" PRIu64
		"\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
		index, cell->filter, cell->mechanism, cell->hook, cell->rules,
		number_known(lengths ? (int64_t)cell->x : -1).text,
		number_known(setup->install_ns).text,
		number_data(a_rule(cell, setup->install_ns), DECIMALS).text,
		number_known(setup->add_ns).text,
		number_known(setup->remove_ns).text,
		number_known(setup->kernel_bytes).text,
		number_data(a_rule(cell, setup->kernel_bytes), DECIMALS).text,
		*setup->bytes_from ? setup->bytes_from : "-",
		number_known(setup->grown_bytes).text,
		number_data(a_rule(cell, setup->grown_bytes), DECIMALS).text);
	return 0;
}

static int tsv_end(struct page *page)
{
	(void)page;
	return 0;
}

const struct report report_setup_tsv = {
	.about = "setup",
	.name = "tsv",
	.begin = tsv_begin,
	.row = tsv_row,
	.end = tsv_end,
};

static int json_begin(struct page *page)
{
	const struct results *results = page->results;

	page->state =
		json_pack("{s:i, s:s, s:s, s:s, s:O, s:[]}", "schema", SCHEMA,
			  "tool", results->tool, "started", results->started,
			  "axis", report_axis(results), "machine",
			  json_object_get(results->run, "machine"), "cells");
	return page->state ? 0 : log_err(-ENOMEM, "no memory for the report");
}

static int json_row(struct page *page, size_t index)
{
	const struct result_cell *cell = &page->results->cells[index];
	json_t *item;

	if (!report_has_setup(cell))
		return 0;
	item = json_pack("{s:I, s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "id",
			 (json_int_t)index, "filter", cell->filter, "mechanism",
			 cell->mechanism, "hook", cell->hook, "rules",
			 (json_int_t)cell->rules, "prefix_lengths",
			 page->results->axis == RESULT_OVER_LENGTHS
				 ? json_integer(cell->x)
				 : json_null(),
			 "setup_ns_per_rule",
			 number_pack(a_rule(cell, cell->setup.install_ns)),
			 "kernel_bytes_per_rule",
			 number_pack(a_rule(cell, cell->setup.kernel_bytes)),
			 "grown_bytes_per_rule",
			 number_pack(a_rule(cell, cell->setup.grown_bytes)));
	if (setup_merge(item, &cell->setup) ||
	    json_array_append_new(json_object_get(page->state, "cells"), item))
		return log_err(-ENOMEM, "no memory for the report");
	return 0;
}

static int json_end(struct page *page)
{
	/* a failed write shows in the stream */
	json_dumpf(page->state, page->out, JSON_INDENT(2));
	fputc('\n', page->out);
	json_decref(page->state);
	return 0;
}

const struct report report_setup_json = {
	.about = "setup",
	.name = "json",
	.begin = json_begin,
	.row = json_row,
	.end = json_end,
};

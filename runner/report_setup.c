// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What it takes to set up a filter: time to install its rules, to add one and
 * to remove them, and the memory that the kernel keeps them in.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/log.h"
#include "runner/number.h"
#include "runner/report.h"
#include "runner/report_notes.h"
#include "runner/paragraph.h"
#include "runner/table.h"

#define COLUMNS	  11
#define NS_PER_US 1e3
#define NS_PER_MS 1e6
#define KIB	  1024.0

/* What begin() leaves for row() and end(). */
struct setup_state {
	struct table table;
	struct table_column columns[COLUMNS];
	bool markdown;
};

bool report_has_setup(const struct result_cell *cell)
{
	return cell->status == RESULT_MEASURED && cell->role == RESULT_FILTER;
}

/* A count in units; NaN where it is not known. */
static double in(int64_t count, double unit)
{
	return count < 0 ? NAN : count / unit;
}

/* Nothing tells how far one measurement is off: three digits. */
static struct number three_digits(double value)
{
	const struct interval alone = { value, NAN, NAN };

	return number_median(&alone, false);
}

static int begin(struct page *page, bool markdown)
{
	struct setup_state *state = calloc(1, sizeof(*state));

	if (!state)
		return log_err(-ENOMEM, "no memory for the report");
	memcpy(state->columns,
	       (struct table_column[COLUMNS]){
		       { "filter", false },
		       { "hook", false },
		       { report_axis(page->results), true },
		       { "install ms", true },
		       { "us/rule", true },
		       { "add one us", true },
		       { "remove ms", true },
		       { "memory KiB", true },
		       { "bytes/rule", true },
		       { "memory by", false },
		       { "grown/rule", true },
	       },
	       sizeof(state->columns));
	state->table.columns = state->columns;
	state->table.column_count = COLUMNS;
	state->markdown = markdown;
	page->state = state;
	notes_heading(page, markdown);
	return 0;
}

static int text_begin(struct page *page)
{
	return begin(page, false);
}

static int markdown_begin(struct page *page)
{
	return begin(page, true);
}

static int text_row(struct page *page, size_t index)
{
	const struct result_cell *cell = &page->results->cells[index];
	const struct result_setup *setup = &cell->setup;
	struct setup_state *state = page->state;
	struct table *table = &state->table;
	double rules = cell->rules;
	const double values[] = {
		in(setup->install_ns, NS_PER_MS),
		in(setup->install_ns, NS_PER_US) / rules,
		in(setup->add_ns, NS_PER_US),
		in(setup->remove_ns, NS_PER_MS),
		in(setup->kernel_bytes, KIB),
		in(setup->kernel_bytes, 1) / rules,
	};
	const double grown = in(setup->grown_bytes, 1) / rules;
	int err;

	if (!report_has_setup(cell))
		return 0;
	if ((err = table_add(table, cell->mechanism)) ||
	    (err = table_add(table, cell->hook)) ||
	    (err = table_add(table, number_whole(cell->x).text)))
		return err;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values) && !err; i++)
		err = table_add(table, three_digits(values[i]).text);
	if (err || (err = table_add(table, setup->bytes_from)))
		return err;
	return table_add(table, three_digits(grown).text);
}

static int text_end(struct page *page)
{
	struct setup_state *state = page->state;

	if (state->markdown)
		table_markdown(&state->table, page->out);
	else
		table_text(&state->table, page->out);
	fputc('\n', page->out);
	paragraph(page->out, state->markdown,
		  "install and remove: timed once, until the call returns; "
		  "what the kernel frees later is not in it; add one: the "
		  "median of up to 5");
	paragraph(page->out, state->markdown,
		  "memory: what the mechanism itself says, else what the "
		  "kernel's memory grew by while the rules came; grown/rule is "
		  "this growth in bytes in any case: rough, but what a "
		  "mechanism says may leave out what the allocator adds");
	notes_unmeasured(page->out, state->markdown, page->results, "");
	table_free(&state->table);
	free(state);
	return 0;
}

const struct report report_setup_text = {
	.about = "setup",
	.name = "text",
	.begin = text_begin,
	.row = text_row,
	.end = text_end,
};

const struct report report_setup_markdown = {
	.about = "setup",
	.name = "markdown",
	.begin = markdown_begin,
	.row = text_row,
	.end = text_end,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For people: the same table as plain text, to be pasted into a mail, and as
 * Markdown.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/log.h"
#include "runner/number.h"
#include "runner/report.h"
#include "runner/report_notes.h"
#include "runner/table.h"

#define COLUMNS 9

/* What begin() leaves for row() and end(). */
struct text_state {
	struct table table;
	struct table_column columns[COLUMNS];
	char cost_head[24];
	char added_head[24];
	bool markdown;
};

static int begin(struct page *page, bool markdown)
{
	const char *unit = report_unit(page->results);
	struct text_state *state = calloc(1, sizeof(*state));

	if (!state)
		return log_err(-ENOMEM, "no memory for the report");
	snprintf(state->cost_head, sizeof(state->cost_head), "%s/packet", unit);
	snprintf(state->added_head, sizeof(state->added_head), "added %s",
		 unit);
	memcpy(state->columns,
	       (struct table_column[COLUMNS]){
		       { "filter", false },
		       { "hook", false },
		       { report_axis(page->results), true },
		       { "pps", true },
		       { state->cost_head, true },
		       { "95 % interval", true },
		       { state->added_head, true },
		       { "95 % interval", true },
		       { "insn/pkt", true },
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
	const struct cell_stats *stats = &page->stats->cells[index];
	struct text_state *state = page->state;
	struct table *table = &state->table;
	bool exact = page->results->counts_instructions;
	bool base = cell->role == RESULT_BASELINE;
	struct number pps = exact ? number_rounded(stats->pps.value, 1)
				  : number_median(&stats->pps, exact);
	int err;

	if (cell->status != RESULT_MEASURED || cell->role == RESULT_CANARY)
		return 0;
	if ((err = table_add(table, cell->mechanism)) ||
	    (err = table_add(table, cell->hook)) ||
	    (err = table_add(table, base ? "-" : number_whole(cell->x).text)) ||
	    (err = table_add(table, pps.text)) ||
	    (err = table_add(table, number_median(&stats->ns, exact).text)) ||
	    (err = table_add(table, number_bracket(&stats->ns, exact).text)) ||
	    (err = table_add(table,
			     number_median(&stats->added_ns, exact).text)) ||
	    (err = table_add(table,
			     number_bracket(&stats->added_ns, exact).text)))
		return err;
	if (exact || isnan(stats->instructions))
		return table_add(table, "");
	return table_add(table, number_rounded(stats->instructions, 1).text);
}

static int text_end(struct page *page)
{
	struct text_state *state = page->state;

	if (state->markdown)
		table_markdown(&state->table, page->out);
	else
		table_text(&state->table, page->out);
	fputc('\n', page->out);
	notes_write(page, state->markdown);
	table_free(&state->table);
	free(state);
	return 0;
}

const struct report report_text = {
	.about = "cost",
	.name = "text",
	.begin = text_begin,
	.row = text_row,
	.end = text_end,
};

const struct report report_markdown = {
	.about = "cost",
	.name = "markdown",
	.begin = markdown_begin,
	.row = text_row,
	.end = text_end,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison for people, to be pasted into a mail: not wider than 100
 * columns, with short names for the two sides above their columns.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/compare.h"
#include "runner/log.h"
#include "runner/number.h"
#include "runner/paragraph.h"
#include "runner/report.h"
#include "runner/report_notes.h"
#include "runner/table.h"

#define COLUMNS	     9
#define HEAD_COLUMNS 12

/* One comparison on its way out. */
struct sheet {
	const struct comparison *comparison;
	FILE *out;
	bool markdown;
	bool exact;
	const char *unit;
	char before[32], after[32]; /* heads */
};

/*
 * Heads for two labels.  What both end in, from a dash on ("-amd64"), tells
 * nothing; what is too wide all the same becomes a letter.
 */
static void make_heads(struct sheet *sheet)
{
	const char *a = sheet->comparison->before->label;
	const char *b = sheet->comparison->after->label;
	size_t n = strlen(a), m = strlen(b), common = 0;

	for (size_t i = 1; i < n && i < m && a[n - i] == b[m - i]; i++)
		if (a[n - i] == '-')
			common = i;
	n -= common;
	m -= common;
	if (n > HEAD_COLUMNS || m > HEAD_COLUMNS ||
	    (n == m && !strncmp(a, b, n))) {
		strcpy(sheet->before, "A");
		strcpy(sheet->after, "B");
		return;
	}
	snprintf(sheet->before, sizeof(sheet->before), "%.*s", (int)n, a);
	snprintf(sheet->after, sizeof(sheet->after), "%.*s", (int)m, b);
}

static void write_side(const struct sheet *sheet, const char *head,
		       const struct side *side)
{
	auto_mem char *machine = report_machine(&side->results);
	size_t rounds = side->stats.rounds;

	paragraph(sheet->out, sheet->markdown, "%s: %s, %s, %s, %zu %s (%s)",
		  head, machine ? machine : "", side->results.tool,
		  side->results.started, rounds,
		  rounds == 1 ? "round" : "rounds", side->dir);
}

static void write_heading(const struct sheet *sheet)
{
	const struct side *side = sheet->comparison->before;
	const struct results *results = &side->results;
	auto_mem char *packets = report_packets(results);

	write_side(sheet, sheet->before, side);
	write_side(sheet, sheet->after, sheet->comparison->after);
	if (sheet->exact)
		paragraph(sheet->out, sheet->markdown,
			  "emulated: the clock is the number of instructions, "
			  "which knows no cache misses");
	paragraph(sheet->out, sheet->markdown,
		  "source %s, fate %s, match %s, %s", results->source,
		  results->fate, results->match, packets ? packets : "");
	for (size_t i = 0; i < sheet->comparison->warning_count; i++)
		paragraph(sheet->out, sheet->markdown, "%swarning%s: %s",
			  sheet->markdown ? "**" : "",
			  sheet->markdown ? "**" : "",
			  sheet->comparison->warnings[i]);
}

/* Its place on the axis, "1,000", or "-" for a baseline. */
static struct number place_of(const struct change *change)
{
	if (!change->cell || change->cell->role == RESULT_BASELINE)
		return (struct number){ "-" };
	return number_whole(change->cell->x);
}

/* Exact ones to a hundredth, to tell them from nothing. */
static struct number percent(const struct sheet *sheet, double value)
{
	return number_signed(value, sheet->exact ? 0.01 : 0.1);
}

static int add_row(const struct sheet *sheet, const struct change *change,
		   struct table *table)
{
	const struct interval *difference = &change->difference;
	bool line = !change->cell;
	bool share = !sheet->exact && change->quantity == QUANTITY_ADDED;
	struct number of_packet = { "" };
	int err;

	if (share)
		of_packet =
			percent(sheet, 100 * difference->value / change->scale);
	if ((err = table_add(table, change->filter)) ||
	    (err = table_add(table, !line ? place_of(change).text
				    : change->quantity == QUANTITY_RULE
					    ? "a rule"
					    : "fixed")) ||
	    (err = table_add(
		     table,
		     number_median(&change->before, sheet->exact).text)) ||
	    (err = table_add(
		     table,
		     number_median(&change->after, sheet->exact).text)) ||
	    (err = table_add(table,
			     number_signed(difference->value,
					   sheet->exact
						   ? 0.01
						   : number_place(difference))
				     .text)) ||
	    (err = table_add(table,
			     number_bracket(difference, sheet->exact).text)) ||
	    (err = table_add(table, percent(sheet, change->percent).text)) ||
	    (err = table_add(table, of_packet.text)))
		return err;
	return table_add(table,
			 change->verdict ? verdict_name(change->verdict) : "");
}

/* The table of the quantities from first to last; none if it has no row. */
static int write_table(const struct sheet *sheet, const char *title,
		       const char *what, enum quantity first,
		       enum quantity last)
{
	const struct table_column columns[COLUMNS] = {
		{ "filter", false },	 { what, true },
		{ sheet->before, true }, { sheet->after, true },
		{ "difference", true },	 { "95 % interval", true },
		{ "%", true },		 { "% of packet", true },
		{ "verdict", false },
	};
	const struct comparison *comparison = sheet->comparison;
	struct table table = { .columns = columns, .column_count = COLUMNS };
	int err = 0;

	for (size_t i = 0; i < comparison->count && !err; i++) {
		const struct change *change = &comparison->changes[i];

		if (change->quantity >= first && change->quantity <= last &&
		    change->planned_twice)
			err = add_row(sheet, change, &table);
	}
	if (!err && table.cell_count) {
		fprintf(sheet->out, "\n%s%s\n", sheet->markdown ? "### " : "",
			title);
		if (sheet->markdown) {
			fputc('\n', sheet->out);
			table_markdown(&table, sheet->out);
		} else {
			table_text(&table, sheet->out);
		}
	}
	table_free(&table);
	return err;
}

/* What is not in the tables, of either run. */
static void write_missing(const struct sheet *sheet)
{
	const struct comparison *comparison = sheet->comparison;
	size_t alone = 0;
	char where[40];

	snprintf(where, sizeof(where), " in %s", sheet->before);
	notes_unmeasured(sheet->out, sheet->markdown,
			 &comparison->before->results, where);
	snprintf(where, sizeof(where), " in %s", sheet->after);
	notes_unmeasured(sheet->out, sheet->markdown,
			 &comparison->after->results, where);
	for (size_t i = 0; i < comparison->count; i++)
		alone += comparison->changes[i].quantity == QUANTITY_LEVEL &&
			 !comparison->changes[i].planned_twice;
	if (alone)
		paragraph(sheet->out, sheet->markdown,
			  "left out: %zu %s that only one of the runs has",
			  alone, alone == 1 ? "cell" : "cells");
}

/* "2 slower, 1 undecided, 12 same" */
static void write_verdict(const struct sheet *sheet, double threshold_percent)
{
	static const char *const meaning[] = {
		[VERDICT_SAME] = "no change",
		[VERDICT_FASTER] = "faster",
		[VERDICT_UNDECIDED] = "undecided: measure longer (--time)",
		[VERDICT_SLOWER] = "slower",
	};
	const struct comparison *comparison = sheet->comparison;
	size_t counts[VERDICT_SLOWER + 1] = { 0 };

	for (size_t i = 0; i < comparison->count; i++)
		counts[comparison->changes[i].verdict]++;
	paragraph(sheet->out, sheet->markdown,
		  "%s (%zu slower, %zu undecided, %zu faster, %zu same; "
		  "threshold %s %% of %s)",
		  meaning[comparison->verdict], counts[VERDICT_SLOWER],
		  counts[VERDICT_UNDECIDED], counts[VERDICT_FASTER],
		  counts[VERDICT_SAME],
		  number_rounded(threshold_percent,
				 threshold_percent == rint(threshold_percent)
					 ? 1
					 : 0.01)
			  .text,
		  sheet->exact ? "the value" : "a packet's cost");
}

static int write_sheet(const struct sheet *sheet, double threshold_percent)
{
	const char *axis = report_axis(&sheet->comparison->before->results);
	char level[32], added[64], linear[80];
	int err;

	snprintf(level, sizeof(level), "%s per packet", sheet->unit);
	snprintf(added, sizeof(added), "added %s: less the baseline",
		 sheet->unit);
	snprintf(linear, sizeof(linear),
		 "linear filters: added %s a rule, and with no rule",
		 sheet->unit);
	write_heading(sheet);
	if ((err = write_table(sheet, level, axis, QUANTITY_LEVEL,
			       QUANTITY_LEVEL)) ||
	    (err = write_table(sheet, added, axis, QUANTITY_ADDED,
			       QUANTITY_ADDED)) ||
	    (err = write_table(sheet, linear, "part", QUANTITY_RULE,
			       QUANTITY_FIXED)))
		return err;
	fputc('\n', sheet->out);
	write_missing(sheet);
	write_verdict(sheet, threshold_percent);
	return 0;
}

static int write_sheets(const struct contrast *contrast, FILE *out,
			bool markdown)
{
	int err = 0;

	for (size_t i = 0; i + 1 < contrast->side_count && !err; i++) {
		const struct results *results = &contrast->sides[0].results;
		struct sheet sheet = {
			.comparison = &contrast->comparisons[i],
			.out = out,
			.markdown = markdown,
			.exact = results->counts_instructions,
			.unit = report_unit(results),
		};

		make_heads(&sheet);
		if (i)
			fputs("\n\n", out);
		err = write_sheet(&sheet, contrast->threshold_percent);
	}
	return err;
}

static int write_text(const struct contrast *contrast, FILE *out)
{
	return write_sheets(contrast, out, false);
}

static int write_markdown(const struct contrast *contrast, FILE *out)
{
	return write_sheets(contrast, out, true);
}

const struct compare_format compare_text = { "text", write_text };
const struct compare_format compare_markdown = { "markdown", write_markdown };

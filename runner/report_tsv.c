// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For programs: summary.tsv, a line a cell, and pps.dat, a block a filter.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/number.h"
#include "runner/report.h"

#define PPS_DECIMALS 1
#define NS_DECIMALS  4

static void write_interval(FILE *out, const struct interval *interval,
			   int decimals)
{
	fprintf(out, "\t%s\t%s\t%s",
		number_data(interval->value, decimals).text,
		number_data(interval->lo, decimals).text,
		number_data(interval->hi, decimals).text);
}

static int tsv_begin(struct page *page)
{
	const char *unit = report_unit(page->results);

	fprintf(page->out,
		"# id\tfilter\tmechanism\thook\trules\trole\tstatus\tslices\t"
		"faults\tpairs\tpps\tpps_lo\tpps_hi\t%1$s_per_packet\t"
		"%1$s_per_packet_lo\t%1$s_per_packet_hi\tadded_%1$s\t"
		"added_%1$s_lo\tadded_%1$s_hi\t%1$s_per_rule\t"
		"%1$s_per_rule_lo\t%1$s_per_rule_hi\tcounted_insn_per_packet\t"
		"setup_ns\treason\n",
		unit);
	return 0;
}

static const char *const role_names[] = {
	[RESULT_BASELINE] = "baseline",
	[RESULT_CANARY] = "canary",
	[RESULT_FILTER] = "filter",
};

static const char *const status_names[] = {
	[RESULT_MEASURED] = "measured",
	[RESULT_SKIPPED] = "skipped",
	[RESULT_FAILED] = "failed",
};

/* The slope of the cell's filter. */
static struct interval slope_of(const struct page *page, size_t index)
{
	const struct result_cell *cells = page->results->cells;
	const struct stats *stats = page->stats;

	for (size_t i = 0; i < stats->slope_count; i++)
		if (!strcmp(stats->slopes[i].filter, cells[index].filter) &&
		    cells[stats->slopes[i].first_cell].baseline ==
			    cells[index].baseline)
			return stats->slopes[i].rule_ns;
	return (struct interval){ NAN, NAN, NAN };
}

/* A reason is one field, whatever is in it. */
static void write_reason(FILE *out, const char *reason)
{
	fputc('\t', out);
	if (!*reason)
		fputc('-', out);
	for (; *reason; reason++)
		fputc((unsigned char)*reason < ' ' ? ' ' : *reason, out);
	fputc('\n', out);
}

static int tsv_row(struct page *page, size_t index)
{
	const struct result_cell *cell = &page->results->cells[index];
	const struct cell_stats *stats = &page->stats->cells[index];
	const struct interval slope = slope_of(page, index);

	fprintf(page->out,
		"%zu\t%s\t%s\t%s\t%" PRIu64 "\t%s\t%s\t%zu\t%zu\t%zu", index,
		cell->filter, cell->mechanism, cell->hook, cell->rules,
		role_names[cell->role], status_names[cell->status],
		stats->slices, stats->faults, stats->pairs);
	write_interval(page->out, &stats->pps, PPS_DECIMALS);
	write_interval(page->out, &stats->ns, NS_DECIMALS);
	write_interval(page->out, &stats->added_ns, NS_DECIMALS);
	write_interval(page->out, &slope, NS_DECIMALS);
	fprintf(page->out, "\t%s\t%s",
		number_data(stats->instructions, NS_DECIMALS).text,
		number_data(cell->setup_ns < 0 ? NAN : cell->setup_ns, 0).text);
	write_reason(page->out, cell->reason);
	return 0;
}

static int tsv_end(struct page *page)
{
	(void)page;
	return 0;
}

const struct report report_tsv = {
	.name = "tsv",
	.begin = tsv_begin,
	.row = tsv_row,
	.end = tsv_end,
};

/* Whether the cell has a line in pps.dat: the canary is no filter. */
static bool has_line(const struct result_cell *cell)
{
	return cell->status == RESULT_MEASURED && cell->role != RESULT_CANARY;
}

static void write_line(const struct page *page, size_t index)
{
	const struct cell_stats *stats = &page->stats->cells[index];

	fprintf(page->out, "%" PRIu64, page->results->cells[index].rules);
	write_interval(page->out, &stats->pps, PPS_DECIMALS);
	write_interval(page->out, &stats->ns, NS_DECIMALS);
	write_interval(page->out, &stats->added_ns, NS_DECIMALS);
	fprintf(page->out, "\t%zu\n", stats->slices);
}

/* The next line of the block after `last`: by rules, then by id. */
static const struct result_cell *next_line(const struct results *results,
					   const char *filter,
					   const struct result_cell *last)
{
	const struct result_cell *next = NULL;

	for (size_t i = 0; i < results->cell_count; i++) {
		const struct result_cell *cell = &results->cells[i];

		if (!has_line(cell) || strcmp(cell->filter, filter))
			continue;
		if (last && (cell->rules < last->rules ||
			     (cell->rules == last->rules && cell <= last)))
			continue;
		if (!next || cell->rules < next->rules)
			next = cell;
	}
	return next;
}

static void write_block(const struct page *page, const char *filter)
{
	const struct results *results = page->results;
	const struct result_cell *cell = next_line(results, filter, NULL);
	const char *unit = report_unit(results);

	fprintf(page->out,
		"# filter %1$s\n"
		"# rules\tpps\tpps_lo\tpps_hi\t%2$s\t%2$s_lo\t%2$s_hi\t"
		"added_%2$s\tadded_lo\tadded_hi\tslices\n",
		filter, unit);
	for (; cell; cell = next_line(results, filter, cell))
		write_line(page, cell - results->cells);
}

/* In double quotes, as gnuplot reads it; what would end it is replaced. */
static void write_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		fputc(*text == '"' || (unsigned char)*text < ' ' ? '\'' : *text,
		      out);
	fputs("\"\n", out);
}

/* What the plots need beside the numbers. */
static void write_facts(const struct page *page)
{
	const struct results *results = page->results;
	auto_mem char *machine = report_machine(results);

	fprintf(page->out,
		"# unit %s\n"
		"# source %s\n"
		"# fate %s\n"
		"# match %s\n"
		"# frame_bytes %" PRIu64 "\n"
		"# machine ",
		report_unit(results), results->source, results->fate,
		results->match, results->frame_bytes);
	write_quoted(page->out, machine ? machine : "");
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct interval *added = &page->stats->cells[i].added_ns;

		if (results->cells[i].role != RESULT_CANARY || isnan(added->lo))
			continue;
		fprintf(page->out, "# noise %s", results->cells[i].filter);
		write_interval(page->out, added, NS_DECIMALS);
		fputc('\n', page->out);
	}
}

void report_blocks(const struct page *page)
{
	const struct results *results = page->results;

	write_facts(page);
	for (size_t i = 0; i < results->cell_count; i++) {
		const char *filter = results->cells[i].filter;
		bool first = has_line(&results->cells[i]);

		for (size_t j = 0; j < i && first; j++)
			first = !has_line(&results->cells[j]) ||
				strcmp(results->cells[j].filter, filter);
		if (!first)
			continue;
		write_block(page, filter);
		fputs("\n\n", page->out);
	}
}

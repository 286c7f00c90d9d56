// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For gnuplot: pps.dat and setup.dat, a block a filter, a line a place on the
 * axis.  Both have the same blocks and lines.
 */
#include <inttypes.h>
#include <math.h>
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

/* Whether the cell has a line: the canary is no filter. */
static bool has_line(const struct result_cell *cell)
{
	return cell->status == RESULT_MEASURED && cell->role != RESULT_CANARY;
}

static void pps_line(const struct page *page, size_t index)
{
	const struct cell_stats *stats = &page->stats->cells[index];

	fprintf(page->out, "%" PRIu64, page->results->cells[index].x);
	write_interval(page->out, &stats->pps, PPS_DECIMALS);
	write_interval(page->out, &stats->ns, NS_DECIMALS);
	write_interval(page->out, &stats->added_ns, NS_DECIMALS);
	fprintf(page->out, "\t%zu\n", stats->slices);
}

/* The next line of the block after `last`: by its place, then by id. */
static const struct result_cell *next_line(const struct results *results,
					   const char *filter,
					   const struct result_cell *last)
{
	const struct result_cell *next = NULL;

	for (size_t i = 0; i < results->cell_count; i++) {
		const struct result_cell *cell = &results->cells[i];

		if (!has_line(cell) || strcmp(cell->filter, filter))
			continue;
		if (last &&
		    (cell->x < last->x || (cell->x == last->x && cell <= last)))
			continue;
		if (!next || cell->x < next->x)
			next = cell;
	}
	return next;
}

/* What one file has of a filter. */
struct block {
	void (*columns)(const struct page *page);
	void (*line)(const struct page *page, size_t cell);
};

static void pps_columns(const struct page *page)
{
	fprintf(page->out,
		"# %1$s\tpps\tpps_lo\tpps_hi\t%2$s\t%2$s_lo\t%2$s_hi\t"
		"added_%2$s\tadded_lo\tadded_hi\tslices\n",
		report_axis(page->results), report_unit(page->results));
}

static const struct block pps_block = { pps_columns, pps_line };

static void setup_columns(const struct page *page)
{
	fprintf(page->out,
		"# %s\tsetup_ns\tadd_ns\tremove_ns\tkernel_bytes\tgrown_bytes\n",
		report_axis(page->results));
}

static void setup_line(const struct page *page, size_t index)
{
	const struct result_cell *cell = &page->results->cells[index];

	fprintf(page->out, "%" PRIu64 "\t%s\t%s\t%s\t%s\t%s\n", cell->x,
		number_known(cell->setup.install_ns).text,
		number_known(cell->setup.add_ns).text,
		number_known(cell->setup.remove_ns).text,
		number_known(cell->setup.kernel_bytes).text,
		number_known(cell->setup.grown_bytes).text);
}

static const struct block setup_block = { setup_columns, setup_line };

static void write_block(const struct page *page, const struct block *block,
			const char *filter)
{
	const struct results *results = page->results;
	const struct result_cell *cell = next_line(results, filter, NULL);

	fprintf(page->out, "# filter %s\n", filter);
	block->columns(page);
	for (; cell; cell = next_line(results, filter, cell))
		block->line(page, cell - results->cells);
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
	if (results->axis == RESULT_OVER_LENGTHS)
		fprintf(page->out,
			"# axis lengths\n# fixed_rules %" PRIu64 "\n",
			report_rules(results));
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct interval *added = &page->stats->cells[i].added_ns;

		if (results->cells[i].role != RESULT_CANARY || isnan(added->lo))
			continue;
		fprintf(page->out, "# noise %s", results->cells[i].filter);
		write_interval(page->out, added, NS_DECIMALS);
		fputc('\n', page->out);
	}
}

static void write_blocks(const struct page *page, const struct block *block)
{
	const struct results *results = page->results;

	for (size_t i = 0; i < results->cell_count; i++) {
		const char *filter = results->cells[i].filter;
		bool first = has_line(&results->cells[i]);

		for (size_t j = 0; j < i && first; j++)
			first = !has_line(&results->cells[j]) ||
				strcmp(results->cells[j].filter, filter);
		if (!first)
			continue;
		write_block(page, block, filter);
		fputs("\n\n", page->out);
	}
}

void report_blocks(const struct page *page)
{
	write_facts(page);
	write_blocks(page, &pps_block);
}

void report_setup_blocks(const struct page *page)
{
	write_blocks(page, &setup_block);
}

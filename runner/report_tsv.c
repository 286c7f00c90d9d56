// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For programs: summary.tsv, a line a cell.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
		"setup_ns\tadd_ns\tremove_ns\tkernel_bytes\t"
		"kernel_bytes_from\tgrown_bytes\tprefix_lengths\treason\n",
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

static void write_setup(FILE *out, const struct result_setup *setup)
{
	fprintf(out, "\t%s\t%s\t%s\t%s\t%s\t%s",
		number_known(setup->install_ns).text,
		number_known(setup->add_ns).text,
		number_known(setup->remove_ns).text,
		number_known(setup->kernel_bytes).text,
		*setup->bytes_from ? setup->bytes_from : "-",
		number_known(setup->grown_bytes).text);
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
	fprintf(page->out, "\t%s",
		number_data(stats->instructions, NS_DECIMALS).text);
	write_setup(page->out, &cell->setup);
	if (page->results->axis == RESULT_OVER_LENGTHS)
		fprintf(page->out, "\t%" PRIu64, cell->x);
	else
		fputs("\tNaN", page->out);
	write_reason(page->out, cell->reason);
	return 0;
}

static int tsv_end(struct page *page)
{
	(void)page;
	return 0;
}

const struct report report_tsv = {
	.about = "cost",
	.name = "tsv",
	.begin = tsv_begin,
	.row = tsv_row,
	.end = tsv_end,
};

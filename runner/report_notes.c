// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/number.h"
#include "runner/paragraph.h"
#include "runner/report_notes.h"

void notes_heading(const struct page *page, bool markdown)
{
	static const char *const ends[] = {
		[RUN_RUNNING] = " so far: the run goes on, or was killed",
		[RUN_COMPLETE] = "",
		[RUN_INTERRUPTED] = " until it was interrupted",
		[RUN_FAILED] = " until it failed",
	};
	const struct results *results = page->results;
	auto_mem char *machine = report_machine(results);
	auto_mem char *packets = report_packets(results);
	size_t rounds = page->stats->rounds;

	paragraph(page->out, markdown, "%s, %s, %s", results->tool,
		  results->started, machine ? machine : "");
	if (results->counts_instructions)
		paragraph(page->out, markdown,
			  "emulated: the clock is the number of instructions, "
			  "which knows no cache misses");
	paragraph(page->out, markdown, "source %s: %s", results->source,
		  results->source_reason);
	paragraph(page->out, markdown, "fate %s, match %s, %s, %zu %s%s",
		  results->fate, results->match, packets ? packets : "", rounds,
		  rounds == 1 ? "round" : "rounds", ends[results->state]);
	if (results->axis == RESULT_OVER_LENGTHS)
		paragraph(page->out, markdown,
			  "%s rules, whose prefixes have as many different "
			  "lengths as the table says",
			  number_whole(report_rules(results)).text);
	fputc('\n', page->out);
}

/* "23.1 ns [20.6..25.6]" */
static char *in_words(const struct page *page, const struct interval *interval)
{
	bool exact = page->results->counts_instructions;
	struct number span = number_bracket(interval, exact);
	char *text;

	if (asprintf(&text, "%s %s%s%s", number_median(interval, exact).text,
		     report_unit(page->results), *span.text ? " " : "",
		     span.text) < 0)
		return NULL;
	return text;
}

static void write_slopes(const struct page *page, bool markdown)
{
	for (size_t i = 0; i < page->stats->slope_count; i++) {
		const struct slope *slope = &page->stats->slopes[i];
		auto_mem char *rule = in_words(page, &slope->rule_ns);
		auto_mem char *fixed = in_words(page, &slope->fixed_ns);

		paragraph(page->out, markdown, "%s: %s per rule, on top of %s",
			  slope->filter, rule ? rule : "?",
			  fixed ? fixed : "?");
	}
}

/* The measured canary of a baseline; the number of cells if there is none. */
static size_t canary_of(const struct page *page, size_t baseline)
{
	const struct results *results = page->results;
	size_t i;

	for (i = 0; i < results->cell_count; i++)
		if (results->cells[i].role == RESULT_CANARY &&
		    results->cells[i].baseline == baseline &&
		    !isnan(page->stats->cells[i].added_ns.value))
			break;
	return i;
}

/* What two equal cells of the path differ by. */
static void write_noise(const struct page *page, bool markdown, size_t baseline)
{
	const struct results *results = page->results;
	const char *hook = results->cells[baseline].hook;
	size_t canary = canary_of(page, baseline);
	auto_mem char *text = NULL;
	double noise;

	if (canary == results->cell_count) {
		paragraph(page->out, markdown,
			  "noise: unknown on %s, where no second baseline "
			  "was measured",
			  hook);
		return;
	}
	text = in_words(page, &page->stats->cells[canary].added_ns);
	noise = advice_noise(results, page->stats, canary);
	if (isnan(noise) || results->counts_instructions)
		paragraph(page->out, markdown,
			  "noise: two equal cells on %s differ by %s", hook,
			  text ? text : "?");
	else
		paragraph(page->out, markdown,
			  "noise: two equal cells on %s differ by %s, +-%s %% "
			  "of the baseline",
			  hook, text ? text : "?",
			  number_data(100 * noise, 2).text);
}

/* Cells of one filter in a row that share a reason are one line. */
static size_t count_alike(const struct results *results, size_t index)
{
	const struct result_cell *cell = &results->cells[index];
	size_t i;

	for (i = index + 1; i < results->cell_count; i++)
		if (results->cells[i].status != cell->status ||
		    strcmp(results->cells[i].filter, cell->filter) ||
		    strcmp(results->cells[i].reason, cell->reason))
			break;
	return i - index;
}

void notes_unmeasured(FILE *out, bool markdown, const struct results *results,
		      const char *where)
{
	size_t alike;

	for (size_t i = 0; i < results->cell_count; i += alike) {
		const struct result_cell *cell = &results->cells[i];
		const struct result_cell *last;

		alike = 1;
		if (cell->status == RESULT_MEASURED)
			continue;
		alike = count_alike(results, i);
		last = cell + alike - 1;
		paragraph(out, markdown, "%s%s: %s, %s%s%s %s: %s",
			  cell->status == RESULT_SKIPPED ? "skipped" : "failed",
			  where, cell->filter, number_whole(cell->rules).text,
			  alike > 1 ? " to " : "",
			  alike > 1 ? number_whole(last->rules).text : "",
			  last->rules == 1 ? "rule" : "rules", cell->reason);
	}
}

void notes_write(const struct page *page, bool markdown)
{
	const struct results *results = page->results;

	write_slopes(page, markdown);
	for (size_t i = 0; i < results->cell_count; i++)
		if (results->cells[i].role == RESULT_BASELINE &&
		    page->stats->cells[i].slices)
			write_noise(page, markdown, i);
	notes_unmeasured(page->out, markdown, results, "");
	for (size_t i = 0; markdown && i < page->advice->count; i++)
		paragraph(page->out, markdown, "**warning**: %s; %s",
			  page->advice->items[i].text,
			  page->advice->items[i].remedy);
}

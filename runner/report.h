/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results for people and for programs.  All of it works from a results
 * directory alone.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "runner/advice.h"
#include "runner/results.h"
#include "runner/stats.h"

/* What a report is made of. */
struct page {
	FILE *out;
	const struct results *results;
	const struct stats *stats;
	const struct advice *advice;
	void *state; /* the format's own, from begin() to end() */
};

/*
 * A format.  begin(), row() for every cell in order, then end() unless begin()
 * failed, which frees the state.  0 or -ENOMEM; that a write failed is seen
 * from the stream, by the caller.
 */
struct report {
	const char *about; /* as in --report */
	const char *name;  /* as in --format */
	int (*begin)(struct page *page);
	int (*row)(struct page *page, size_t cell);
	int (*end)(struct page *page);
};

extern const struct report report_text;
extern const struct report report_markdown;
extern const struct report report_json;
extern const struct report report_tsv; /* what summary.tsv holds */

/* Not what packets cost, but what setting up the filter does. */
extern const struct report report_setup_text;
extern const struct report report_setup_markdown;
extern const struct report report_setup_json;
extern const struct report report_setup_tsv;

/*
 * What `about` ("cost" or "setup") is told in the format `name`; NULL if there
 * is no such thing, and says nothing.
 */
const struct report *report_find(const char *about, const char *name);

/* Writes a whole report to page->out. */
int report_write(const struct report *format, struct page *page);

/* Writes pps.dat: what gnuplot reads. */
void report_blocks(const struct page *page);

/* Whether the cell is in it: baselines have nothing to set up. */
bool report_has_setup(const struct result_cell *cell);

/* Writes setup.dat, with the blocks and lines of pps.dat. */
void report_setup_blocks(const struct page *page);

/* "rules" or "lengths": what the cells of a filter differ by. */
const char *report_axis(const struct results *results);

/* The number of rules of the filters, where they do not differ by it. */
uint64_t report_rules(const struct results *results);

/* "ns", or "insn" where instructions are the clock. */
const char *report_unit(const struct results *results);

/* "Linux 6.1.0, Some CPU", as far as it is known; the caller frees it. */
char *report_machine(const struct results *results);

/*
 * What packets were sent, in the run's own words, or from the numbers where
 * it has none; the caller frees it.
 */
char *report_packets(const struct results *results);

/*
 * Reads dir and writes summary.tsv, pps.dat and, if the run has timed a
 * set-up, setup.dat into it.  0, or a negative errno after saying why.
 */
int report_write_files(const char *dir);

/*
 * Reads dir, writes it to stdout in that format, and says on stderr what the
 * reader must know.  0, or a negative errno after saying why.
 */
int report_show(const char *dir, const struct report *format);

/* `hookcost report`; argv[0] is "report".  Returns the exit status. */
int cmd_report(int argc, char **argv);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples -> summaries.  Pure: the same results give the same numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runner/results.h"

/*
 * A median with its 95 % interval.  NaN where there is none: value without
 * data, lo and hi with too little of it.
 */
struct interval {
	double value;
	double lo;
	double hi;
};

struct cell_stats {
	size_t slices; /* counted ones: no warm-up, no faults */
	size_t faults;
	size_t pairs; /* rounds in which the baseline counts too */
	struct interval pps;
	struct interval ns;	  /* per packet; instructions if the clock */
	struct interval added_ns; /* less the baseline, round by round */
	double instructions;	  /* per packet as counted, NaN if not */
};

/* How the added cost of a linear filter grows with the number of rules. */
struct slope {
	const char *filter;
	size_t first_cell; /* its first one in the results */
	size_t sizes;	   /* different numbers of rules */
	size_t rounds;
	struct interval rule_ns;  /* a rule */
	struct interval fixed_ns; /* the filter with no rule in it */
};

struct stats {
	struct cell_stats *cells; /* as results->cells */
	size_t cell_count;
	struct slope *slopes;
	size_t slope_count;
	size_t rounds; /* the largest number of slices of a cell */
};

/* 0 or -ENOMEM; results must live as long as stats. */
int stats_compute(const struct results *results, struct stats *stats);

/* Harmless on zeroed memory. */
void stats_free(struct stats *stats);

/*
 * The median of n values and its distribution-free 95 % interval; sorts them.
 * If `exact`, equal values are taken for what they are, however few: the
 * interval is then the value itself.
 */
struct interval stats_median(double *values, size_t n, bool exact);

/* What a packet of this slice took: ns, or instructions. */
static inline double stats_ns(const struct sample *sample)
{
	return (double)sample->elapsed_ns / sample->sent;
}

/* Half of the interval's width; NaN where there is none. */
static inline double interval_half(const struct interval *interval)
{
	return (interval->hi - interval->lo) / 2;
}

/* Whether x lies in it, the ends included; false where there is none. */
static inline bool interval_holds(const struct interval *interval, double x)
{
	return interval->lo <= x && x <= interval->hi;
}

#define auto_stats __attribute__((cleanup(stats_free)))

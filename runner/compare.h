/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed from one results directory to another, and whether it is real.
 */
#pragma once

#include <stdio.h>

#include "runner/results.h"
#include "runner/stats.h"

enum verdict {
	VERDICT_NONE, /* there is only one value, or another line decides */
	VERDICT_SAME,
	VERDICT_FASTER,
	VERDICT_UNDECIDED, /* the noise is wider than the threshold */
	VERDICT_SLOWER,
};

/* What a change is a change of. */
enum quantity {
	QUANTITY_LEVEL, /* cost of a packet */
	QUANTITY_ADDED, /* less the baseline */
	QUANTITY_RULE,	/* a linear filter's cost of a rule */
	QUANTITY_FIXED, /* and with no rule in it */
	QUANTITY_COUNT,
};

/* Values are in ns, or instructions where these are the clock. */
struct change {
	enum quantity quantity;
	const char *filter;
	const struct result_cell *cell; /* NULL for a linear filter's line */
	bool planned_twice;		/* both runs were to measure it */
	struct interval before;
	struct interval after;
	struct interval difference; /* after - before */
	double percent;		    /* of the value before */
	double scale;		    /* what the threshold is a part of */
	size_t pairs;		    /* the lesser number of rounds */
	enum verdict verdict;
};

/* One of the directories. */
struct side {
	const char *dir;
	char *label; /* kernel release, or the directory's name */
	struct results results;
	struct stats stats;
};

struct comparison {
	const struct side *before;
	const struct side *after;
	double threshold_percent;
	struct change *changes; /* by quantity */
	size_t count;
	char **warnings; /* what else is not the same */
	size_t warning_count;
	enum verdict verdict; /* of all, the worst */
};

/*
 * The difference of two independent medians with its 95 % interval: MOVER, Zou
 * and Donner, "Construction of confidence limits about effect measures: a
 * general approach", Statistics in Medicine 27 (2008) 1693-1702.  It takes
 * the two distribution-free intervals as they are, skewed or not.  If `exact`,
 * the values are what they are and so is the difference.
 */
struct interval compare_difference(const struct interval *before,
				   const struct interval *after, bool exact);

/*
 * Compares before with after.  Judged are added costs, the cost of a rule, and
 * where instructions are the clock the baselines.  Slower or faster is what
 * differs by more than threshold_percent, and significantly so among all the
 * verdicts of the comparison (95 % for all together, after Bonferroni); same is
 * what differs by less, with an interval narrower than that on both sides; the
 * rest is undecided.  Measured values are judged in per cent of a packet's
 * cost: little added to much has no per cent of its own that noise would leave
 * alone.  Exact ones are judged in per cent of themselves.
 *
 * 0; -EINVAL after saying that one is emulated and the other measured, or that
 * they have no filter in common; or -ENOMEM.  Both sides must outlive it.
 */
int compare_sides(const struct side *before, const struct side *after,
		  double threshold_percent, struct comparison *comparison);

/* Harmless on zeroed memory. */
void comparison_free(struct comparison *comparison);

#define auto_comparison __attribute__((cleanup(comparison_free)))

/* What is written: every directory against the first. */
struct contrast {
	const struct side *sides;
	size_t side_count;
	const struct comparison *comparisons; /* side_count - 1 of them */
	double threshold_percent;
};

/* The worst of all comparisons. */
enum verdict contrast_verdict(const struct contrast *contrast);

/* "-", "same", ... */
const char *verdict_name(enum verdict verdict);

/* "packet", "added", "rule" or "fixed". */
const char *quantity_name(enum quantity quantity);

struct compare_format {
	const char *name; /* as in --format */
	int (*write)(const struct contrast *contrast, FILE *out);
};

extern const struct compare_format compare_text;
extern const struct compare_format compare_markdown;
extern const struct compare_format compare_tsv;
extern const struct compare_format compare_json;

#define COMPARE_THRESHOLD_PERCENT 2

/*
 * Reads the directories, writes their comparison to stdout (as text if format
 * is NULL) and says on stderr what else differs.  The exit status: EXIT_DONE
 * for no change but for the better, EXIT_REGRESSION, EXIT_UNDECIDED; or a
 * negative errno after saying why.
 */
int compare_show(const char *const *dirs, size_t count,
		 const struct compare_format *format, double threshold_percent);

/* `hookcost compare`; argv[0] is "compare".  Returns the exit status. */
int cmd_compare(int argc, char **argv);

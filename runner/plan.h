/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From options to cells; pure.
 */
#pragma once

#include <stdio.h>

#include "runner/options.h"

enum role {
	ROLE_BASELINE, /* `none`, what others on the hook are held against */
	ROLE_CANARY,   /* `none` again: what the noise is worth */
	ROLE_FILTER,
};

struct plan_cell {
	const struct filter *filter;
	enum hook hook;
	size_t rule_count;
	size_t axis_index; /* of options->lengths, with AXIS_LENGTHS */
	enum role role;
	size_t baseline; /* index of the baseline on the same hook */
};

struct plan {
	const struct options *options;
	struct plan_cell *cells;
	size_t count;
	size_t rules_max;	       /* largest rule_count */
	const struct capture *capture; /* what is sent, NULL: made packets */
};

/* Linear filters stop here unless the user names the sizes. */
#define PLAN_LINEAR_MAX 1000

/*
 * Every hook in use gets a baseline and a canary, then come the filters by
 * number of rules.  options must outlive the plan.  0 or -ENOMEM.
 */
int plan_build(struct plan *plan, const struct options *options);
void plan_free(struct plan *plan);

/*
 * The order of the cells in a round, a permutation of 0..count-1 that only
 * the seed and the round decide.
 */
void plan_order(const struct plan *plan, unsigned int round, size_t *order);

/* The cell's place on the axis of the plots: rules or prefix lengths. */
size_t plan_axis_value(const struct plan *plan, const struct plan_cell *cell);

/*
 * The packets in words, as in "60-byte frames, 256 flows"; writes to buf, which
 * is returned.
 */
const char *plan_packets(const struct plan *plan, char *buf, size_t size);

#define PLAN_PACKETS_BYTES 128

/* What --dry-run prints. */
void plan_print(const struct plan *plan, FILE *out);

const char *plan_role_name(enum role role);

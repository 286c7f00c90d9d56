/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of a run: the user's list or generated ones, and what each cell
 * takes of them.
 */
#pragma once

#include "runner/options.h"
#include "runner/plan.h"
#include "runner/rules.h"

struct ruleset {
	struct rules all;      /* a cell takes the first rule_count of them */
	struct rules *by_axis; /* or a list for each value of the axis */
	size_t axis_count;
	uint32_t miss_base; /* of options->flows addresses without a rule */
};

/*
 * Reads options->list, if there is one, and drops its repeats; sets
 * options->sizes to the whole list unless the user named sizes.  0; -EINVAL
 * after saying what is wrong with the list or the sizes; another errno, said.
 */
int ruleset_read(struct ruleset *set, struct options *options);

/* Generates what the plan needs and the list does not give; said. */
int ruleset_fill(struct ruleset *set, const struct plan *plan);

/* The rules of a cell: a view, valid as long as the set. */
struct rules ruleset_view(const struct ruleset *set,
			  const struct plan_cell *cell);

/* Harmless on zeroed memory. */
void ruleset_free(struct ruleset *set);

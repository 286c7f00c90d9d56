/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line of `run` for a guest, from the options of the host.  Only
 * what a cell depends on gets in: whichever other cells are in the plan, and
 * however the user wrote it, a cell's words are the same.
 */
#pragma once

#include "runner/plan.h"

#define GUEST_WORDS_MAX 400

struct guest_words {
	const char *words[GUEST_WORDS_MAX]; /* ends with NULL */
	size_t count;
	char text[4096]; /* of those that are made here */
	size_t used;
};

/*
 * For one cell alone.  *id is the number that the cell has in the guest.  Valid
 * as long as options are.  0, or -E2BIG, said.
 */
int guest_words_cell(struct guest_words *words, const struct options *options,
		     const struct plan_cell *cell, size_t *id);

/* For the whole plan; the cells' numbers are the same there. */
int guest_words_plan(struct guest_words *words, const struct plan *plan);

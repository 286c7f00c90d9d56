/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions per packet by function, and the difference of two of them;
 * pure.
 */
#pragma once

#include <stdio.h>

#include "runner/symbols.h"

struct profile_row {
	const char *name; /* of the symbols */
	double insn;	  /* per packet */
};

struct profile {
	struct profile_row *rows; /* by name */
	size_t count, room;
	double total;
};

/*
 * Adds "ADDRESS COUNT" lines, each count times factor.  0 or a negative errno,
 * silently.
 */
int profile_add(struct profile *profile, const struct symbols *symbols,
		FILE *counts, double factor);

/* One row a function, and those that come to nothing dropped. */
void profile_settle(struct profile *profile);

/*
 * after - before, by function, the largest change first.  The totals add up:
 * the difference of the totals is the sum of the rows.  0 or -ENOMEM.
 */
int profile_difference(const struct profile *before,
		       const struct profile *after, struct profile *out);

/* The largest first. */
void profile_rank(struct profile *profile);

void profile_free(struct profile *profile);

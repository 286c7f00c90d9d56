/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a terminal shows while the slices run: the round, the time left, and
 * how well the first canary is known by now.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/sample.h"

struct progress {
	uint32_t baseline, canary;     /* cells */
	double baseline_ns, canary_ns; /* of this round, 0 if not yet */
	double *differences_ns;
	size_t count, room;
};

/* Notes a sample, of whichever cell. */
void progress_note(struct progress *progress, const struct sample *sample);

/* Shows a line; rounds is 0 where the time decides. */
void progress_show(struct progress *progress, uint32_t round, uint32_t rounds,
		   double left_s);

void progress_free(struct progress *progress);

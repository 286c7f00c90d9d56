/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a reader of the results must know before trusting them: a closed list
 * of warnings, each with what to do about it.
 */
#pragma once

#include <stddef.h>

#include "runner/results.h"
#include "runner/stats.h"

struct advice_item {
	char *text;
	const char *remedy;
};

struct advice {
	struct advice_item *items;
	size_t count;
};

/* The half width of a canary's interval, in its baseline, that is too wide. */
#define ADVICE_NOISE_LIMIT 0.015

/*
 * Looks at canaries, faults, the state of the run and the machine, and adds
 * the warnings in run.json.  0 or -ENOMEM; results must live as long as
 * advice.
 */
int advice_compute(const struct results *results, const struct stats *stats,
		   struct advice *advice);

/* Says all of it on stderr. */
void advice_say(const struct advice *advice);

/* Harmless on zeroed memory. */
void advice_free(struct advice *advice);

/*
 * Half the width of a canary's interval as a share of its baseline; NaN where
 * there is no interval.
 */
double advice_noise(const struct results *results, const struct stats *stats,
		    size_t canary);

#define auto_advice __attribute__((cleanup(advice_free)))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One boot of a cell under the counting plugin.
 */
#pragma once

#include "runner/guest_pool.h"
#include "runner/guest_words.h"
#include "runner/plan.h"
#include "runner/profile.h"
#include "runner/symbols.h"

struct explain_boot {
	struct guest_task task;
	struct guest_setup setup;
	struct guest_words words;
	struct options options; /* what the words point into */
	char plugin[96];
	int counts; /* descriptor, in memory: what the plugin wrote */
	struct symbols symbols;
	uint64_t sent, elapsed_ns;     /* of all slices */
	uint64_t round_sent, round_ns; /* of those after the warm-up */
	int err;		       /* how it ended */
	char reason[512];	       /* why there is nothing, or "" */
	struct profile profile; /* of the first of a pair; empty: it failed */
	double measured;	/* insn per packet by the source's clock */
};

/* twice: slices of 2N packets instead of N.  0 or a negative errno, said. */
int explain_boot_open(struct explain_boot *boot,
		      const struct guest_setup *setup, const struct plan *plan,
		      size_t cell, int plugin_fd, bool twice);

/*
 * From a pair that has run: once->profile and once->measured.  0 or a negative
 * errno after saying what is missing; -EOPNOTSUPP if this guest's kernel
 * cannot.
 */
int explain_boot_profile(struct explain_boot *once, struct explain_boot *twice);

/* Harmless on zeroed memory. */
void explain_boot_close(struct explain_boot *boot);

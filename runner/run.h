/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries out a plan: sets up the cells, proves them, and lets their slices
 * take turns, round after round, in shuffled order.
 */
#pragma once

#include "runner/journal.h"
#include "runner/plan.h"

/*
 * Measures into an open journal.  0 when the plan was carried out, -EINTR
 * after a signal (what was measured is saved), -EOPNOTSUPP if this machine
 * cannot, another negative errno if nothing was measured or writing failed;
 * all said.
 */
int run_plan(const struct plan *plan, const struct ruleset *rules,
	     struct journal *journal);

/*
 * Carries out a `run` command line into a stream (journal_open_stream) instead
 * of a directory: what a guest does.  Takes out_fd over; returns an exit
 * status.
 */
int run_streamed(int argc, char **argv, int out_fd);

/* `hookcost run`. */
int cmd_run(int argc, char **argv);

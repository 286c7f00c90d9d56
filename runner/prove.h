/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof before the timing: single packets, judged one by one.
 */
#pragma once

#include "runner/cell.h"

/* Rules that are tried: the first, the last, and others by the seed. */
#define PROVE_RULES 8

/* Of so many rules more are tried, unless the mechanism walks them in line. */
#define PROVE_MANY	    10000
#define PROVE_RULES_OF_MANY 200

/* Addresses that are tried besides. */
#define PROVE_OTHERS 8

/*
 * Around each of a choice of rules, and at random, single packets get the
 * verdict that the reference model (runner/rules_model.h) gives: dropped or
 * let through, by the namespace's counters and by what the sender is told; in
 * the end the mechanism's own counters must agree.  The model does not depend
 * on the mechanism, so that all that pass hold the same addresses.  In the
 * cell's namespace, after attach.  0 with cell->proof filled, -EINTR, or
 * -EPROTO after saying which packet had the wrong verdict.
 */
int prove_cell(struct cell *cell, uint64_t seed);

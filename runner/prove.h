/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof before the timing: single packets, judged one by one.
 */
#pragma once

#include "runner/cell.h"

/* Rules that are tried: the first, the last, and others by the seed. */
#define PROVE_RULES 8

/*
 * For each of a choice of rules one packet inside must be dropped and one
 * outside must pass, by the namespace's counters, and the mechanism's own
 * counters must agree.  In the cell's namespace, after attach.  0 with
 * cell->proof filled, -EINTR, or -EPROTO after saying which packet had the
 * wrong verdict.
 */
int prove_cell(struct cell *cell, uint64_t seed);

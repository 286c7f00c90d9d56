/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Installing a cell's rules, and what that costs.
 */
#pragma once

#include "runner/cell.h"

/*
 * Refuses what the kernel cannot hold or has no memory for: -EOPNOTSUPP, said
 * with the estimate.  Needs no rules, so that it can be asked before they are
 * generated.
 */
int install_check_room(const struct filter *filter, size_t count);

/*
 * In the cell's namespace: refuses what the kernel cannot hold or has no
 * memory for (-EOPNOTSUPP, with the estimate), then attaches the filter and
 * notes in cell->setup how long it took and what it took of memory.  0 or a
 * negative errno, said; on an error nothing is attached.
 */
int install_rules(struct cell *cell);

/*
 * Adds `count` prefixes from `extra` on, FILTER_SPARE at most, one by one to
 * the rules, for the median of the times, and then removes all; what cannot be
 * done leaves its figure at -1.
 */
void install_undo(struct cell *cell, const struct prefix *extra, size_t count);

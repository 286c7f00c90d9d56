/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "runner/stats.h"

/*
 * Fills stats->slopes, which has room for every cell, once stats->cells are
 * there.  A filter needs two different numbers of rules.  0 or -ENOMEM.
 */
int slopes_compute(const struct results *results, struct stats *stats);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "runner/compare.h"

/*
 * Fills comparison->warnings: every circumstance of the two runs that is not
 * the same and that the cost of a packet depends on.  0 or -ENOMEM.
 */
int compare_facts(struct comparison *comparison);

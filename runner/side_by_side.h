/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <stdio.h>

/*
 * Several results directories of one plan in one table: for each filter and
 * number of rules what a packet costs, and what the others add to the first;
 * below, for linear filters, the same of a rule and of the filter without one.
 * 0 or a negative errno, said; -EINVAL if their clocks differ.
 */
int side_by_side(const char *const *dirs, size_t count, FILE *out);

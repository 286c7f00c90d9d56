/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `hookcost vm` shows: one kernel's table, or several kernels side by
 * side.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Works from the results directories alone.  0 or a negative errno, said; no
 * directory is nothing to show.
 */
int vm_report(const char *const *dirs, size_t count, bool plots);

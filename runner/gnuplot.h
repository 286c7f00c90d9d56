/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

/*
 * Runs gnuplot on the script in script_fd, from its beginning, in the C locale
 * and without the user's own settings.  What it writes to its stdout goes to
 * `out`, or to our own if that is NULL.  0; -ENOENT if there is no gnuplot, and
 * says nothing; -EIO if gnuplot failed, which has then said why on stderr.
 */
int gnuplot_run(int script_fd, FILE *out);

/* Whether gnuplot has a terminal of that name: 1 or 0, or -errno as above. */
int gnuplot_has(const char *terminal);

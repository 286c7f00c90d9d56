/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

enum plot_format {
	PLOT_SVG,
	PLOT_PNG,
	PLOT_TEXT, /* on stdout */
};

/*
 * Draws every plot of a results directory with gnuplot: dir/pps.svg and so on,
 * or on stdout.  Makes pps.dat first if there is none.  0; -EOPNOTSUPP after a
 * warning with the remedy where gnuplot, or its terminal for that format, is
 * missing; another negative errno after saying why.
 */
int plot_render(const char *dir, enum plot_format format);

/* `hookcost plot`; argv[0] is "plot".  Returns the exit status. */
int cmd_plot(int argc, char **argv);

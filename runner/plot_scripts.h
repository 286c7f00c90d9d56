/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gnuplot scripts of plots/, which are part of the program: it runs from
 * anywhere.
 */
#pragma once

#include <stddef.h>

struct plot_script {
	const char *name; /* of the plot and, with its suffix, of the file */
	const char *data; /* the file without which there is nothing to draw */
	const char *text; /* not closed by a NUL */
	const char *end;
};

/* Comes before every plot. */
extern const struct plot_script plot_style;

/* Closed by an entry without a name. */
extern const struct plot_script plot_scripts[];

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A new plot is a file in plots/ and a line each here, below and above.
 */
#include "runner/plot_scripts.h"

/* The assembler takes the file as it is, from the top directory. */
#define EMBED(name)                                                  \
	extern const char plot_##name##_text[], plot_##name##_end[]; \
	__asm__(".pushsection .rodata\n"                             \
		".global plot_" #name "_text, plot_" #name "_end\n"  \
		"plot_" #name "_text:\n"                             \
		".incbin \"plots/" #name ".gp\"\n"                   \
		"plot_" #name "_end:\n"                              \
		".byte 0\n"                                          \
		".popsection\n")

EMBED(style);
EMBED(pps);
EMBED(added);
EMBED(setup);

#define SCRIPT(name, data)                                         \
	{                                                          \
#name, data, plot_##name##_text, plot_##name##_end \
	}

const struct plot_script plot_style = SCRIPT(style, "pps.dat");

const struct plot_script plot_scripts[] = {
	SCRIPT(pps, "pps.dat"),
	SCRIPT(added, "pps.dat"),
	SCRIPT(setup, "setup.dat"),
	{ 0 },
};

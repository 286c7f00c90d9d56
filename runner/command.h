/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands have in common: how they parse their arguments and the
 * status that they give to main(), which alone exits.
 */
#pragma once

#include <argp.h>
#include <stddef.h>

enum command_status {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1,
	COMMAND_USAGE = 2,
	COMMAND_REGRESSION = 3,
	COMMAND_UNDECIDED = 4,
	COMMAND_CANNOT = 77, /* this machine; stderr says what is missing */
};

/*
 * Parses without ever exiting.  `name` is what messages call the command,
 * "hookcost report".  0: go on.  1: --help or --usage was
 * asked for and given.  -EINVAL
 * after saying what is wrong.
 */
int command_parse(const struct argp *argp, const char *name, int argc,
		  char **argv, void *input);

/* For the end of a command's options, so that its help shows them. */
#define COMMAND_HELP_ROW                              \
	{                                             \
		"help", '?', NULL, 0, "this list", -1 \
	}

/* The status for 0 or a negative errno. */
enum command_status command_status(int err);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands, and argp as all of them use it.
 */
#pragma once

struct argp;

/* Exit statuses, the same for every command. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_REGRESSION = 3,
	EXIT_UNDECIDED = 4,
	EXIT_CANNOT = 77, /* this machine cannot; stderr says what is missing */
};

/*
 * A command gets its own name in argv[0] and returns an exit status; only
 * main() exits.
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
};

/*
 * Parses with argp, without its exits; adds --help.  0, -EINVAL after the
 * parser or argp said what is wrong, or -ECANCELED after printing the help.
 */
int cli_parse(const struct argp *argp, int argc, char **argv, void *input);

/* The exit status after cli_parse() did not return 0. */
int cli_parse_status(int err);

/* The exit status for what the work itself returned. */
int cli_status(int err);

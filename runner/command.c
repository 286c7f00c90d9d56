// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/command.h"
#include "runner/log.h"

/*
 * argp's own --help exits, or, when told not to, goes on and complains of
 * missing arguments.  So it is looked for first.  0 if nobody asks.
 */
static unsigned int help_wanted(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-?"))
			return ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK;
		if (!strcmp(argv[i], "--usage"))
			return ARGP_HELP_USAGE;
	}
	return 0;
}

int command_parse(const struct argp *argp, const char *name, int argc,
		  char **argv, void *input)
{
	auto_mem char **args = calloc(argc + 2, sizeof(*args));
	auto_mem char *first = strdup(name);
	unsigned int help = help_wanted(argc, argv);
	int err;

	if (!args || !first)
		return log_err(-ENOMEM, "no memory");
	for (int i = 0; i < argc; i++)
		args[i] = argv[i];
	args[0] = first;
	if (help) {
		argp_help(argp, stdout, help, first);
		return 1;
	}
	err = argp_parse(argp, argc ? argc : 1, args,
			 ARGP_NO_EXIT | ARGP_NO_HELP, NULL, input);
	return err == ENOMEM ? -ENOMEM : err ? -EINVAL : 0;
}

enum command_status command_status(int err)
{
	switch (err) {
	case 0:
		return COMMAND_DONE;
	case -EOPNOTSUPP:
		return COMMAND_CANNOT;
	default:
		return COMMAND_FAILED;
	}
}

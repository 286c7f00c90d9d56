// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <stdio.h>

#include "runner/cli.h"

enum {
	KEY_HELP = '?',
	KEY_USAGE = 0x1000,
};

/* All that the long help has, but without its exit. */
#define HELP_FLAGS \
	(ARGP_HELP_STD_HELP & ~(ARGP_HELP_EXIT_OK | ARGP_HELP_EXIT_ERR))

struct parse {
	const struct argp *argp;
	void *input;
	const char *name;
	int helped;
};

static const struct argp_option help_options[] = {
	{ "help", KEY_HELP, NULL, 0, "print this", -1 },
	{ "usage", KEY_USAGE, NULL, 0, "print a short form of it", -1 },
	{ 0 },
};

/* Hands every other key on to the command's own parser. */
static error_t parse_key(int key, char *value, struct argp_state *state)
{
	struct parse *parse = state->input;

	(void)value;
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = parse->input;
	if (key != KEY_HELP && key != KEY_USAGE)
		return ARGP_ERR_UNKNOWN;
	parse->helped = 1;
	argp_state_help(state, stdout,
			key == KEY_HELP ? HELP_FLAGS : ARGP_HELP_USAGE);
	return ECANCELED;
}

int cli_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp_child child[] = { { argp, 0, NULL, 0 }, { 0 } };
	const struct argp outer = {
		.options = help_options,
		.parser = parse_key,
		.doc = argp->doc,
		.children = child,
	};
	struct parse parse = { argp, input, argv[0], 0 };
	char name[64], *first = argv[0];
	int err;

	snprintf(name, sizeof(name), "hookcost %s", argv[0]);
	argv[0] = name;
	err = argp_parse(&outer, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL,
			 &parse);
	argv[0] = first;
	if (parse.helped)
		return -ECANCELED;
	return err ? -EINVAL : 0;
}

int cli_parse_status(int err)
{
	return err == -ECANCELED ? EXIT_DONE : EXIT_USAGE;
}

int cli_status(int err)
{
	if (err == -EOPNOTSUPP)
		return EXIT_CANNOT;
	return err ? EXIT_FAILED : EXIT_DONE;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <stdio.h>

#include "runner/catalog.h"
#include "runner/cli.h"
#include "runner/log.h"
#include "runner/registry.h"

static void print_filter(const struct filter *filter)
{
	printf("%-8s %-12s %-40s %s%s\n", "filter", filter->name, filter->about,
	       filter->linear ? "linear, " : "", filter->judge);
	for (unsigned int i = 0; i < hook_count(); i++)
		if (filter->hooks & HOOK_BIT(i))
			printf("%-8s   %s@%s%s\n", "", filter->name,
			       hook_info(i)->name,
			       filter->hook == i ? " (default)" : "");
}

static error_t parse_key(int key, char *value, struct argp_state *state)
{
	(void)state;
	if (key == ARGP_KEY_ARG)
		return -log_err(-EINVAL,
				"list takes no argument, there is '%s'", value);
	return ARGP_ERR_UNKNOWN;
}

int cmd_list(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_key,
		.doc = "List sources, mechanisms and the hooks on which they can sit.",
	};
	int err = cli_parse(&argp, argc, argv, NULL);

	if (err)
		return cli_parse_status(err);
	for (size_t i = 0; sources[i]; i++)
		printf("%-8s %-12s %s\n", "source", sources[i]->name,
		       sources[i]->about);
	for (size_t i = 0; filters[i]; i++)
		print_filter(filters[i]);
	return EXIT_DONE;
}

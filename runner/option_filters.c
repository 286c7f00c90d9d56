// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/option_parse.h"
#include "runner/option_values.h"
#include "runner/registry.h"
#include "runner/text.h"

static int add_filter(struct options *o, const struct filter *filter,
		      enum hook hook)
{
	for (size_t i = 0; i < o->filter_count; i++)
		if (o->filters[i].filter == filter &&
		    o->filters[i].hook == hook)
			return log_err(-EINVAL,
				       "--filter: %s@%s is named twice",
				       filter->name, hook_info(hook)->name);
	if (o->filter_count == OPTIONS_MAX_FILTERS)
		return log_err(-EINVAL, "--filter: at most %d filters",
			       OPTIONS_MAX_FILTERS);
	o->filters[o->filter_count++] = (struct filter_choice){ filter, hook };
	return 0;
}

static int bad_filter(const char *name)
{
	const char *known[OPTIONS_MAX_FILTERS + 1] = { NULL };

	for (size_t i = 0; filters[i] && i < OPTIONS_MAX_FILTERS; i++)
		known[i] = filters[i]->name;
	return option_bad_name("filter", name, "mechanism", known);
}

static int bad_hook(const struct filter *filter, const char *name)
{
	char can[128] = "";

	for (unsigned int i = 0; i < hook_count(); i++) {
		size_t len = strlen(can);

		if (filter->hooks & HOOK_BIT(i))
			snprintf(can + len, sizeof(can) - len, "%s%s",
				 len ? ", " : "", hook_info(i)->name);
	}
	return log_err(
		-EINVAL,
		"--filter: %s cannot sit on the hook '%s', it can on: %s",
		filter->name, name, can);
}

static int parse_filter(const char *part, void *arg)
{
	auto_mem char *name = strdup(part);
	char *at = name ? strchr(name, '@') : NULL;
	const struct filter *filter;
	enum hook hook;

	if (!name)
		return log_err(-ENOMEM, "out of memory");
	if (at)
		*at++ = '\0';
	filter = registry_filter(name);
	if (!filter)
		return bad_filter(name);
	hook = filter->hook;
	if (at &&
	    (hook_by_name(at, &hook) || !(filter->hooks & HOOK_BIT(hook))))
		return bad_hook(filter, at);
	return add_filter(arg, filter, hook);
}

int opt_filter(struct options *o, const char *name, const char *value)
{
	(void)name;
	return text_each(value, parse_filter, o);
}

int opt_source(struct options *o, const char *name, const char *value)
{
	const char *known[16] = { "auto" };

	if (!strcmp(value, "auto")) {
		o->source = NULL;
		return 0;
	}
	o->source = registry_source(value);
	if (o->source)
		return 0;
	for (size_t i = 0; sources[i] && i + 2 < ARRAY_SIZE(known); i++)
		known[i + 1] = sources[i]->name;
	return option_bad_name(name, value, "source", known);
}

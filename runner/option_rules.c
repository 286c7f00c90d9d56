// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "runner/log.h"
#include "runner/option_parse.h"
#include "runner/option_values.h"
#include "runner/rules_gen.h"
#include "runner/text.h"

#define MAX_RULES UINT64_C(100000000)

static const char *const axis_names[] = {
	[AXIS_RULES] = "rules", [AXIS_LENGTHS] = "prefix-lengths", NULL
};

static const char *const family_names[] = {
	[FAMILY_IPV4] = "4", [FAMILY_IPV6] = "6", NULL
};

/* A growing list of sizes, kept in ascending order. */
struct sizes {
	const char *option;
	uint64_t max;
	size_t *values, *count;
};

static int parse_size(const char *part, void *arg)
{
	struct sizes *sizes = arg;
	uint64_t size;
	size_t at;
	int err = option_number(sizes->option, part, 1, sizes->max, 1, &size);

	if (err)
		return err;
	if (*sizes->count == OPTIONS_MAX_SIZES)
		return log_err(-EINVAL, "--%s: at most %d values",
			       sizes->option, OPTIONS_MAX_SIZES);
	for (at = *sizes->count; at && sizes->values[at - 1] > size; at--)
		sizes->values[at] = sizes->values[at - 1];
	if (at && sizes->values[at - 1] == size)
		return log_err(-EINVAL, "--%s: %lu is named twice",
			       sizes->option, size);
	sizes->values[at] = size;
	(*sizes->count)++;
	return 0;
}

int opt_rules(struct options *o, const char *name, const char *value)
{
	struct sizes sizes = { name, MAX_RULES, o->sizes, &o->size_count };

	if (!o->sizes_given)
		o->size_count = 0;
	o->sizes_given = true;
	return text_each(value, parse_size, &sizes);
}

int opt_lengths(struct options *o, const char *name, const char *value)
{
	struct sizes sizes = { name, PREFIX_LENGTHS_MAX, o->lengths,
			       &o->length_count };

	return text_each(value, parse_size, &sizes);
}

int opt_axis(struct options *o, const char *name, const char *value)
{
	unsigned int axis;
	int err = option_name(name, value, "axis", axis_names, &axis);

	if (!err)
		o->axis = axis;
	return err;
}

int opt_family(struct options *o, const char *name, const char *value)
{
	unsigned int family;
	int err = option_name(name, value, "family", family_names, &family);

	if (!err)
		o->family = family;
	return err;
}

int opt_list(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->list = value;
	return 0;
}

int opt_strict(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->strict = true;
	return 0;
}

int opt_nested(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->nested = true;
	return 0;
}

int opt_mix(struct options *o, const char *name, const char *value)
{
	(void)name;
	o->prefix_mix = value;
	return 0;
}

const char *options_axis_name(const struct options *options)
{
	return axis_names[options->axis];
}

const char *options_family_name(const struct options *options)
{
	return family_names[options->family];
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/option_values.h"
#include "runner/registry.h"
#include "runner/rules_gen.h"
#include "runner/text.h"

#define MAX_RULES  UINT64_C(100000000)
#define MAX_FLOWS  UINT64_C(1000000)
#define MAX_TIME_S 86400

static const char *const axis_names[] = {
	[AXIS_RULES] = "rules", [AXIS_LENGTHS] = "prefix-lengths", NULL
};

static const char *const family_names[] = {
	[FAMILY_IPV4] = "4", [FAMILY_IPV6] = "6", NULL
};

static const char *const fate_names[] = {
	[FATE_STACK] = "stack", [FATE_SINK] = "sink", NULL
};

static const char *const protocol_names[] = {
	[PROTOCOL_UDP] = "udp", [PROTOCOL_TCP_SYN] = "tcp-syn", NULL
};

static const char *const match_names[] = {
	[MATCH_MISS] = "miss",	   [MATCH_FIRST] = "first",
	[MATCH_MIDDLE] = "middle", [MATCH_LAST] = "last",
	[MATCH_RANDOM] = "random", NULL
};

static int bad_name(const char *option, const char *value, const char *what,
		    const char *const *known)
{
	const char *nearest = text_nearest(value, known);

	if (nearest)
		return log_err(-EINVAL,
			       "--%s: there is no %s '%s', did you mean '%s'?",
			       option, what, value, nearest);
	return log_err(-EINVAL,
		       "--%s: there is no %s '%s' (`hookcost list` has them)",
		       option, what, value);
}

static int bad_number(const char *option, const char *value, int err,
		      const char *range)
{
	return log_err(-EINVAL, "--%s: '%s' is %s, it takes %s", option, value,
		       err == -ERANGE ? "out of range" : "not a number", range);
}

static int number(const char *option, const char *value, uint64_t min,
		  uint64_t max, int suffixes, uint64_t *out)
{
	char range[64];
	int err = text_number(value, min, max, suffixes, out);

	if (!err)
		return 0;
	snprintf(range, sizeof(range), "%lu to %lu", min, max);
	return bad_number(option, value, err, range);
}

static int name_in(const char *option, const char *value, const char *what,
		   const char *const *known, unsigned int *index)
{
	for (*index = 0; known[*index]; (*index)++)
		if (!strcmp(value, known[*index]))
			return 0;
	return bad_name(option, value, what, known);
}

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
	return bad_name("filter", name, "mechanism", known);
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
	int err = number(sizes->option, part, 1, sizes->max, 1, &size);

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
	int err = name_in(name, value, "axis", axis_names, &axis);

	if (!err)
		o->axis = axis;
	return err;
}

int opt_family(struct options *o, const char *name, const char *value)
{
	unsigned int family;
	int err = name_in(name, value, "family", family_names, &family);

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
	return bad_name(name, value, "source", known);
}

int opt_fate(struct options *o, const char *name, const char *value)
{
	unsigned int fate;
	int err = name_in(name, value, "fate", fate_names, &fate);

	if (!err)
		o->fate = fate;
	return err;
}

int opt_match(struct options *o, const char *name, const char *value)
{
	unsigned int match;
	uint64_t percent;
	int err = text_number(value, 0, 100, 0, &percent);

	o->made_by = name;
	if (!err) {
		o->match = MATCH_PERCENT;
		o->match_percent = percent;
		return 0;
	}
	if (err == -ERANGE)
		return bad_number(name, value, err, "0 to 100 per cent");
	err = name_in(name, value, "match", match_names, &match);
	if (!err)
		o->match = match;
	return err;
}

int opt_frame(struct options *o, const char *name, const char *value)
{
	uint64_t bytes;
	int err;

	o->made_by = name;
	o->imix = !strcmp(value, "imix");
	if (o->imix) {
		o->frame_bytes = 0;
		return 0;
	}
	err = text_number(value, 60, 1514, 0, &bytes);
	if (err)
		return bad_number(name, value, err, "60 to 1514, or imix");
	o->frame_bytes = bytes;
	return 0;
}

int opt_sports(struct options *o, const char *name, const char *value)
{
	uint64_t sports;
	int err = number(name, value, 1, TRAFFIC_SPORTS_MAX, 1, &sports);

	o->made_by = name;
	if (!err)
		o->sports = sports;
	return err;
}

int opt_protocol(struct options *o, const char *name, const char *value)
{
	unsigned int protocol;
	int err = name_in(name, value, "protocol", protocol_names, &protocol);

	o->made_by = name;
	if (!err)
		o->protocol = protocol;
	return err;
}

int opt_pcap(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->pcap = value;
	return 0;
}

int opt_proof(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->proof = value;
	return 0;
}

int opt_flows(struct options *o, const char *name, const char *value)
{
	uint64_t flows;
	int err = number(name, value, 1, MAX_FLOWS, 1, &flows);

	o->made_by = name;
	if (!err)
		o->flows = flows;
	return err;
}

int opt_mix(struct options *o, const char *name, const char *value)
{
	(void)name;
	o->prefix_mix = value;
	return 0;
}

int opt_cpu(struct options *o, const char *name, const char *value)
{
	uint64_t cpu;
	cpu_set_t allowed;
	int err = number(name, value, 0, CPU_SETSIZE - 1, 0, &cpu);

	if (err)
		return err;
	if (!sched_getaffinity(0, sizeof(allowed), &allowed) &&
	    !CPU_ISSET(cpu, &allowed))
		return log_err(-EINVAL,
			       "--cpu: this process may not use CPU %lu", cpu);
	o->cpu = cpu;
	return 0;
}

int opt_seed(struct options *o, const char *name, const char *value)
{
	return number(name, value, 0, UINT64_MAX, 0, &o->seed);
}

int opt_time(struct options *o, const char *name, const char *value)
{
	int err = text_fraction(value, 0.1, MAX_TIME_S, &o->time_s);

	return err ? bad_number(name, value, err, "0.1 to 86400 seconds") : 0;
}

int opt_rounds(struct options *o, const char *name, const char *value)
{
	uint64_t rounds;
	int err = number(name, value, 1, 1000000, 1, &rounds);

	if (!err)
		o->rounds = rounds;
	return err;
}

int opt_packets(struct options *o, const char *name, const char *value)
{
	return number(name, value, 1, 1000000000, 1, &o->packets);
}

int opt_slice(struct options *o, const char *name, const char *value)
{
	uint64_t slice_us;
	int err = number(name, value, 100, 10000000, 1, &slice_us);

	if (!err)
		o->slice_us = slice_us;
	return err;
}

int opt_cell(struct options *o, const char *name, const char *value)
{
	uint64_t cell;
	int err = number(name, value, 0,
			 OPTIONS_MAX_FILTERS * OPTIONS_MAX_SIZES, 0, &cell);

	if (!err)
		o->only_cell = cell;
	return err;
}

int opt_report(struct options *o, const char *name, const char *value)
{
	static const char *const known[] = { "cost", "setup", NULL };
	unsigned int which;
	int err = name_in(name, value, "report", known, &which);

	if (!err)
		o->report = known[which];
	return err;
}

int opt_out(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->out = value;
	return 0;
}

int opt_dry_run(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->dry_run = true;
	return 0;
}

int opt_no_plots(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->plots = false;
	return 0;
}

int opt_verbose(struct options *o, const char *name, const char *value)
{
	(void)o, (void)name, (void)value;
	log_set_level(LOG_DEBUG);
	return 0;
}

int opt_quiet(struct options *o, const char *name, const char *value)
{
	(void)o, (void)name, (void)value;
	log_set_level(LOG_ERROR);
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

const char *options_fate_name(const struct options *options)
{
	return fate_names[options->fate];
}

const char *options_protocol_name(const struct options *options)
{
	return protocol_names[options->protocol];
}

const char *options_match_name(const struct options *options, char *buf,
			       size_t size)
{
	if (options->pcap)
		snprintf(buf, size, "capture");
	else if (options->match == MATCH_PERCENT)
		snprintf(buf, size, "%u%%", options->match_percent);
	else
		snprintf(buf, size, "%s", match_names[options->match]);
	return buf;
}

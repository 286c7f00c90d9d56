// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One table of rows gives the parser and the help of `hookcost run`.
 */
#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/log.h"
#include "runner/options.h"
#include "runner/registry.h"
#include "runner/rules_gen.h"
#include "runner/text.h"

#define MAX_RULES  UINT64_C(100000000)
#define MAX_FLOWS  UINT64_C(1000000)
#define MAX_TIME_S 86400

static const struct options defaults = {
	.sizes = { 1, 10, 100, 1000, 10000 },
	.size_count = 5,
	.fate = FATE_STACK,
	.match = MATCH_MISS,
	.frame_bytes = 60,
	.flows = 256,
	.prefix_mix = "24:0.9,16:0.1",
	.cpu = -1,
	.seed = 1,
	.time_s = 40,
	.plots = true,
};

static const char *const fate_names[] = {
	[FATE_STACK] = "stack", [FATE_SINK] = "sink", NULL
};

static const char *const match_names[] = {
	[MATCH_MISS] = "miss",	   [MATCH_FIRST] = "first",
	[MATCH_MIDDLE] = "middle", [MATCH_LAST] = "last",
	[MATCH_RANDOM] = "random", NULL
};

struct row {
	const char *name;
	int key;
	const char *metavar;
	const char *help;
	int (*parse)(struct options *options, const char *name,
		     const char *value);
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

static int opt_filter(struct options *o, const char *name, const char *value)
{
	(void)name;
	return text_each(value, parse_filter, o);
}

static int parse_size(const char *part, void *arg)
{
	struct options *o = arg;
	uint64_t size;
	size_t at;
	int err = number("rules", part, 1, MAX_RULES, 1, &size);

	if (err)
		return err;
	if (o->size_count == OPTIONS_MAX_SIZES)
		return log_err(-EINVAL, "--rules: at most %d sizes",
			       OPTIONS_MAX_SIZES);
	for (at = o->size_count; at && o->sizes[at - 1] > size; at--)
		o->sizes[at] = o->sizes[at - 1];
	if (at && o->sizes[at - 1] == size)
		return log_err(-EINVAL, "--rules: %lu is named twice", size);
	o->sizes[at] = size;
	o->size_count++;
	return 0;
}

static int opt_rules(struct options *o, const char *name, const char *value)
{
	(void)name;
	if (!o->sizes_given)
		o->size_count = 0;
	o->sizes_given = true;
	return text_each(value, parse_size, o);
}

static int opt_source(struct options *o, const char *name, const char *value)
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

static int opt_fate(struct options *o, const char *name, const char *value)
{
	unsigned int fate;
	int err = name_in(name, value, "fate", fate_names, &fate);

	if (!err)
		o->fate = fate;
	return err;
}

static int opt_match(struct options *o, const char *name, const char *value)
{
	unsigned int match;
	uint64_t percent;
	int err = text_number(value, 0, 100, 0, &percent);

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

static int opt_frame(struct options *o, const char *name, const char *value)
{
	uint64_t bytes;
	int err = number(name, value, 60, 1514, 0, &bytes);

	if (!err)
		o->frame_bytes = bytes;
	return err;
}

static int opt_flows(struct options *o, const char *name, const char *value)
{
	uint64_t flows;
	int err = number(name, value, 1, MAX_FLOWS, 1, &flows);

	if (!err)
		o->flows = flows;
	return err;
}

static int opt_mix(struct options *o, const char *name, const char *value)
{
	struct prefix_mix mix;

	(void)name;
	o->prefix_mix = value;
	return rules_mix_parse(value, &mix);
}

static int opt_cpu(struct options *o, const char *name, const char *value)
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

static int opt_seed(struct options *o, const char *name, const char *value)
{
	return number(name, value, 0, UINT64_MAX, 0, &o->seed);
}

static int opt_time(struct options *o, const char *name, const char *value)
{
	int err = text_fraction(value, 0.1, MAX_TIME_S, &o->time_s);

	return err ? bad_number(name, value, err, "0.1 to 86400 seconds") : 0;
}

static int opt_rounds(struct options *o, const char *name, const char *value)
{
	uint64_t rounds;
	int err = number(name, value, 1, 1000000, 1, &rounds);

	if (!err)
		o->rounds = rounds;
	return err;
}

static int opt_packets(struct options *o, const char *name, const char *value)
{
	return number(name, value, 1, 1000000000, 1, &o->packets);
}

static int opt_out(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->out = value;
	return 0;
}

static int opt_dry_run(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->dry_run = true;
	return 0;
}

static int opt_no_plots(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->plots = false;
	return 0;
}

static int opt_verbose(struct options *o, const char *name, const char *value)
{
	(void)o, (void)name, (void)value;
	log_set_level(LOG_DEBUG);
	return 0;
}

static int opt_quiet(struct options *o, const char *name, const char *value)
{
	(void)o, (void)name, (void)value;
	log_set_level(LOG_ERROR);
	return 0;
}

/* Long-only options have keys that are no characters. */
enum { KEY_LONG = 0x100 };

static const struct row rows[] = {
	{ "filter", 'f', "LIST",
	  "filters as MECHANISM or MECHANISM@HOOK (default: all, each on its own hook)",
	  opt_filter },
	{ "rules", 'n', "LIST",
	  "numbers of rules, k and M allowed (default: 1,10,100,1k,10k; linear filters stop at 1k)",
	  opt_rules },
	{ "source", 's', "NAME", "auto, pktgen or bpf (default: auto)",
	  opt_source },
	{ "fate", KEY_LONG, "FATE",
	  "what becomes of a packet that passes: stack or sink (default: stack)",
	  opt_fate },
	{ "match", 'm', "WHICH",
	  "which rule the packets hit: miss, first, middle, last, random, or a per cent of random hits (default: miss)",
	  opt_match },
	{ "frame", KEY_LONG + 1, "BYTES",
	  "length of the Ethernet frame without FCS, 60 to 1514 (default: 60)",
	  opt_frame },
	{ "flows", KEY_LONG + 2, "N",
	  "how many different destinations (default: 256)", opt_flows },
	{ "prefix-mix", KEY_LONG + 3, "MIX",
	  "lengths of the generated prefixes (default: 24:0.9,16:0.1)",
	  opt_mix },
	{ "cpu", 'c', "N", "CPU that sends (default: the last one)", opt_cpu },
	{ "seed", KEY_LONG + 4, "N",
	  "of the rules, the proof and the order of the slices (default: 1)",
	  opt_seed },
	{ "time", 't', "SECONDS", "of measuring, in all (default: 40)",
	  opt_time },
	{ "rounds", 'r', "N", "end after so many rounds", opt_rounds },
	{ "packets", KEY_LONG + 5, "N",
	  "packets in each slice (default: as many as fit into 15 ms)",
	  opt_packets },
	{ "out", 'o', "DIR",
	  "results directory, a new one (default: hookcost-DATE)", opt_out },
	{ "dry-run", KEY_LONG + 6, NULL,
	  "print the plan and touch nothing (needs no root)", opt_dry_run },
	{ "no-plots", KEY_LONG + 7, NULL, "do not draw the plots",
	  opt_no_plots },
	{ "verbose", 'v', NULL, "say more", opt_verbose },
	{ "quiet", 'q', NULL, "say errors only", opt_quiet },
};

static error_t parse_key(int key, char *value, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		return -log_err(-EINVAL, "run takes no argument, there is '%s'",
				value);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].key == key)
			return -rows[i].parse(state->input, rows[i].name,
					      value);
	return ARGP_ERR_UNKNOWN;
}

static void add_all_filters(struct options *options)
{
	for (size_t i = 0; filters[i]; i++)
		if (filters[i] != filters[0])
			add_filter(options, filters[i], filters[i]->hook);
}

int options_parse(struct options *options, int argc, char **argv)
{
	struct argp_option table[ARRAY_SIZE(rows) + 1] = { 0 };
	const struct argp argp = {
		.options = table,
		.parser = parse_key,
		.doc = "Measure what packet filters cost on this machine; leaves a results directory.",
	};
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		table[i] = (struct argp_option){ rows[i].name,	  rows[i].key,
						 rows[i].metavar, 0,
						 rows[i].help,	  0 };
	*options = defaults;
	err = cli_parse(&argp, argc, argv, options);
	if (!err && !options->filter_count)
		add_all_filters(options);
	return err;
}

const char *options_fate_name(const struct options *options)
{
	return fate_names[options->fate];
}

const char *options_match_name(const struct options *options, char *buf,
			       size_t size)
{
	if (options->match == MATCH_PERCENT)
		snprintf(buf, size, "%u%%", options->match_percent);
	else
		snprintf(buf, size, "%s", match_names[options->match]);
	return buf;
}

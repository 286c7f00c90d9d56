// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>

#include "runner/log.h"
#include "runner/option_parse.h"
#include "runner/option_values.h"
#include "runner/text.h"

#define MAX_TIME_S 86400

int opt_cpu(struct options *o, const char *name, const char *value)
{
	uint64_t cpu;
	cpu_set_t allowed;
	int err = option_number(name, value, 0, CPU_SETSIZE - 1, 0, &cpu);

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
	return option_number(name, value, 0, UINT64_MAX, 0, &o->seed);
}

int opt_time(struct options *o, const char *name, const char *value)
{
	int err = text_fraction(value, 0.1, MAX_TIME_S, &o->time_s);

	return err ? option_bad_number(name, value, err, "0.1 to 86400 seconds")
		   : 0;
}

int opt_rounds(struct options *o, const char *name, const char *value)
{
	uint64_t rounds;
	int err = option_number(name, value, 1, 1000000, 1, &rounds);

	if (!err)
		o->rounds = rounds;
	return err;
}

int opt_packets(struct options *o, const char *name, const char *value)
{
	return option_number(name, value, 1, 1000000000, 1, &o->packets);
}

int opt_slice(struct options *o, const char *name, const char *value)
{
	uint64_t slice_us;
	int err = option_number(name, value, 100, 10000000, 1, &slice_us);

	if (!err)
		o->slice_us = slice_us;
	return err;
}

int opt_cell(struct options *o, const char *name, const char *value)
{
	uint64_t cell;
	int err = option_number(name, value, 0,
				OPTIONS_MAX_FILTERS * OPTIONS_MAX_SIZES, 0,
				&cell);

	if (!err)
		o->only_cell = cell;
	return err;
}

int opt_report(struct options *o, const char *name, const char *value)
{
	static const char *const known[] = { "cost", "setup", NULL };
	unsigned int which;
	int err = option_name(name, value, "report", known, &which);

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

int opt_symbols(struct options *o, const char *name, const char *value)
{
	(void)name, (void)value;
	o->symbols = true;
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

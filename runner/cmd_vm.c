// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `hookcost vm`: its own options, then those of `run` behind a "--".
 */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "runner/capture.h"
#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/cmd_vm.h"
#include "runner/log.h"
#include "runner/options.h"
#include "runner/process.h"
#include "runner/ruleset.h"
#include "runner/text.h"
#include "runner/vm.h"

enum { KEY_MODULES = 0x100, KEY_PATIENCE };

static const struct argp_option table[] = {
	{ "kernel", 'k', "SPEC", 0,
	  "image, build tree, .deb or .rpm file, debian:6.12, debian:6.1 or host; may be given several times (default: debian:6.12, or 6.1)",
	  0 },
	{ "modules", KEY_MODULES, "DIR", 0,
	  "modules of the kernels (default: beside the image)", 0 },
	{ "clock", 'c', "CLOCK", 0,
	  "instructions: emulated, the same to the digit everywhere; time: with KVM (default: instructions)",
	  0 },
	{ "explain", 'e', NULL, 0,
	  "say in which functions of the kernel the instructions are spent",
	  0 },
	{ "out", 'o', "DIR", 0,
	  "results directory, a new one; with several kernels one inside for each (default: hookcost-DATE)",
	  0 },
	{ "jobs", 'j', "N", 0,
	  "guests at a time (default: one a CPU, as memory allows)", 0 },
	{ "patience", KEY_PATIENCE, "SECONDS", 0,
	  "of CPU time that a guest may be silent (default: 300)", 0 },
	{ 0 },
};

static int number(const char *name, const char *value, uint64_t max,
		  unsigned int *out)
{
	uint64_t number;
	int err = text_number(value, 1, max, 0, &number);

	if (err)
		return log_err(-EINVAL,
			       "--%s '%s' is not a number from 1 to %lu", name,
			       value, max);
	*out = number;
	return 0;
}

static int take_clock(struct vm_options *options, const char *value)
{
	static const char *const names[] = {
		[GUEST_INSTRUCTIONS] = "instructions",
		[GUEST_TIME] = "time",
		NULL,
	};
	const char *nearest = text_nearest(value, names);

	for (unsigned int i = 0; names[i]; i++)
		if (!strcmp(value, names[i])) {
			options->clock = i;
			return 0;
		}
	return log_err(-EINVAL,
		       "--clock '%s' is neither instructions nor time%s%s%s",
		       value, nearest ? "; did you mean " : "",
		       nearest ? nearest : "", nearest ? "?" : "");
}

static int take_kernel(struct vm_options *options, const char *value)
{
	if (options->spec_count == VM_MAX_KERNELS)
		return log_err(-EINVAL, "--kernel: at most %d kernels",
			       VM_MAX_KERNELS);
	options->specs[options->spec_count++] = value;
	return 0;
}

static error_t parse_key(int key, char *value, struct argp_state *state)
{
	struct vm_options *options = state->input;

	switch (key) {
	case 'k':
		return -take_kernel(options, value);
	case 'c':
		return -take_clock(options, value);
	case 'e':
		options->explain = true;
		return 0;
	case 'o':
		options->out = value;
		return 0;
	case 'j':
		return -number("jobs", value, 1024, &options->jobs);
	case KEY_MODULES:
		options->modules = value;
		return 0;
	case KEY_PATIENCE:
		return -number("patience", value, 86400, &options->patience_s);
	case ARGP_KEY_ARG:
		return -log_err(
			-EINVAL,
			"vm takes no argument, there is '%s'; options of run come after --",
			value);
	}
	return ARGP_ERR_UNKNOWN;
}

/* The options of run, which are ours as well: it is the same plan. */
static int parse_run(struct options *run, struct vm_options *options, int argc,
		     char **argv)
{
	static char name[] = "run", *alone[] = { name, NULL };
	int err;

	if (argc)
		argv[0] = name; /* where the "--" was */
	err = options_parse(run, argc ? argc : 1, argc ? argv : alone);
	if (err)
		return err;
	if (run->out && options->out)
		return log_err(-EINVAL, "--out is given twice");
	if (run->out)
		options->out = run->out;
	if (run->proof)
		return log_err(-EINVAL,
			       "--proof: a guest has no directory to keep");
	if (run->list && !strcmp(run->list, "-"))
		return log_err(
			-EINVAL,
			"--list -: a guest cannot read standard input, name a file");
	if (options->explain && options->clock == GUEST_TIME)
		return log_err(
			-EINVAL,
			"--explain counts instructions: not with --clock time");
	if (run->only_cell >= 0)
		return log_err(
			-EINVAL,
			"--cell: name the filter and the number of rules instead");
	return 0;
}

static int parse(struct vm_options *options, struct options *run, int argc,
		 char **argv)
{
	const struct argp argp = {
		.options = table,
		.parser = parse_key,
		.args_doc = "[-- RUN-OPTIONS]",
		.doc = "Measure inside small guests under QEMU, for one or several kernels. By default the guests' clock counts instructions: equal runs give equal digits, on any machine.",
	};
	int own = argc, err;

	for (int i = 1; i < argc && own == argc; i++)
		if (!strcmp(argv[i], "--"))
			own = i;
	err = cli_parse(&argp, own, argv, options);
	return err ? err : parse_run(run, options, argc - own, argv + own);
}

int cmd_vm(int argc, char **argv)
{
	auto_mem char **line = calloc(argc + 1, sizeof(*line));
	struct vm_options options = { .patience_s = 300, .argc = argc };
	struct ruleset rules = { 0 };
	struct capture capture = { 0 };
	struct plan plan = { 0 };
	struct options run;
	int err;

	if (!line)
		return cli_status(log_err(-ENOMEM, "out of memory"));
	/* argp reorders its argv */
	options.argv = memcpy(line, argv, argc * sizeof(*line));
	err = parse(&options, &run, argc, argv);
	if (err)
		return cli_parse_status(err);
	err = ruleset_read(&rules, &run);
	if (!err)
		err = plan_build(&plan, &run);
	if (!err)
		err = capture_read(&capture, &run, &plan);
	if (err) {
		plan_free(&plan);
		ruleset_free(&rules);
		return err == -EINVAL ? EXIT_USAGE : cli_status(err);
	}
	process_block_signals();
	if (run.dry_run)
		plan_print(&plan, stdout);
	else
		err = vm_measure(&options, &plan);
	plan_free(&plan);
	capture_free(&capture);
	ruleset_free(&rules);
	return cli_status(err);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of commands, and the only place that exits.
 */
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "runner/catalog.h"
#include "runner/check.h"
#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/cmd_vm.h"
#include "runner/guest_init.h"
#include "runner/log.h"
#include "runner/plot.h"
#include "runner/report.h"
#include "runner/run.h"
#include "runner/text.h"

static const struct command commands[] = {
	{ "run", cmd_run, "measure; writes a results directory" },
	{ "vm", cmd_vm, "the same inside a guest, for one or several kernels" },
	{ "check", cmd_check, "what this machine can measure, and what helps" },
	{ "list", cmd_list, "sources, mechanisms and their hooks" },
	{ "report", cmd_report, "a results directory as a table" },
	{ "plot", cmd_plot, "a results directory as SVG, PNG or text" },
};

static void print_help(FILE *out)
{
	fputs("usage: hookcost COMMAND [OPTION...]\n"
	      "Measure what a packet hook of the Linux kernel costs.\n\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(out, "  %-8s %s\n", commands[i].name,
			commands[i].about);
	fputs("\n`hookcost COMMAND --help` has the options.\n", out);
}

static int unknown(const char *name)
{
	const char *known[ARRAY_SIZE(commands) + 1] = { NULL };
	const char *nearest;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		known[i] = commands[i].name;
	nearest = text_nearest(name, known);
	log_err(0, "there is no command '%s'%s%s%s", name,
		nearest ? ", did you mean '" : "", nearest ? nearest : "",
		nearest ? "'?" : "; `hookcost --help` has them");
	return EXIT_USAGE;
}

/* libbpf talks only with -v: what it knows is said in our words as well. */
static int print_libbpf(enum libbpf_print_level level, const char *fmt,
			va_list args)
{
	if (level > LIBBPF_WARN || !log_shows(LOG_DEBUG))
		return 0;
	return vfprintf(stderr, fmt, args);
}

int main(int argc, char **argv)
{
	libbpf_set_print(print_libbpf);
	if (guest_init_wanted())
		guest_init(run_streamed);
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("hookcost " VERSION);
		return EXIT_DONE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return unknown(argv[1]);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `hookcost run`: options, plan, run, then the report from the files that
 * the run has left.
 */
#include <errno.h>
#include <sched.h>

#include "runner/cli.h"
#include "runner/env.h"
#include "runner/log.h"
#include "runner/plot.h"
#include "runner/report.h"
#include "runner/run.h"

/* What can be said from the results, also after Ctrl-C; 0 or errno, said. */
static int report(const char *dir, bool plots)
{
	int err = report_write_files(dir);

	if (err)
		return err;
	err = report_show(dir, &report_text);
	if (plots && !plot_render(dir, PLOT_SVG))
		log_info("plots: %s/pps.svg, %s/added.svg", dir, dir);
	log_info("results: %s", dir);
	return err;
}

/* Fills an open journal. */
static int fill(struct journal *journal, const struct plan *plan, int argc,
		char **argv)
{
	json_t *machine = env_machine();
	int err;

	if (!machine)
		return log_err(-ENOMEM, "out of memory");
	err = journal_describe(journal, plan, argc, argv, machine);
	return err ? err : run_plan(plan, journal);
}

static int measure(const struct plan *plan, int argc, char **argv)
{
	struct journal journal;
	int err, closed;

	err = journal_open(&journal, plan->options->out);
	if (err)
		return err;
	err = fill(&journal, plan, argc, argv);
	closed = journal_close(&journal);
	if (!journal.saved) {
		journal_discard(&journal);
		return err;
	}
	if (err == -EINTR)
		log_info("interrupted; what was measured is in %s",
			 journal.dir);
	if (!err)
		err = closed;
	closed = report(journal.dir, plan->options->plots && !err);
	return err ? err : closed;
}

int run_streamed(int argc, char **argv, int out_fd)
{
	struct journal journal;
	struct options options;
	struct plan plan;
	int err = options_parse(&options, argc, argv);

	if (err)
		return cli_parse_status(err);
	err = plan_build(&plan, &options);
	if (err)
		return cli_status(err);
	err = journal_open_stream(&journal, out_fd);
	if (!err) {
		err = fill(&journal, &plan, argc, argv);
		journal_close(&journal);
	}
	plan_free(&plan);
	return cli_status(err);
}

int cmd_run(int argc, char **argv)
{
	struct options options;
	struct plan plan;
	int err = options_parse(&options, argc, argv);

	if (err)
		return cli_parse_status(err);
	err = plan_build(&plan, &options);
	if (err)
		return cli_status(err);
	if (options.dry_run)
		plan_print(&plan, stdout);
	else
		err = measure(&plan, argc, argv);
	plan_free(&plan);
	return cli_status(err);
}

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
#include "runner/report.h"
#include "runner/run.h"

/* What can be said from the results, also after Ctrl-C; 0 or errno, said. */
static int report(const char *dir)
{
	int err = report_write_files(dir);

	if (err)
		return err;
	err = report_show(dir, &report_text);
	log_info("results: %s", dir);
	return err;
}

static int measure(const struct plan *plan, int argc, char **argv)
{
	struct journal journal;
	json_t *machine;
	int err, closed;

	err = journal_open(&journal, plan->options->out);
	if (err)
		return err;
	machine = env_machine();
	err = machine ? journal_describe(&journal, plan, argc, argv, machine)
		      : log_err(-ENOMEM, "out of memory");
	if (!err)
		err = run_plan(plan, &journal);
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
	closed = report(journal.dir);
	return err ? err : closed;
}

int cmd_run(int argc, char **argv)
{
	struct options options;
	struct plan plan;
	int err = options_parse(&options, argc, argv);

	if (err)
		return cli_status(err);
	err = plan_build(&plan, &options);
	if (err)
		return cli_status(err);
	if (options.dry_run)
		plan_print(&plan, stdout);
	else
		err = measure(&plan, argc, argv);
	plan_free(&plan);
	/* what went wrong later was not the user's command line */
	return err == -EINVAL ? EXIT_FAILED : cli_status(err);
}

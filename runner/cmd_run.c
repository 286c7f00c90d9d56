// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `hookcost run`: options, plan, run, then the report from the files that
 * the run has left.
 */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "runner/capture.h"
#include "runner/cli.h"
#include "runner/newdir.h"
#include "runner/env.h"
#include "runner/log.h"
#include "runner/plot.h"
#include "runner/report.h"
#include "runner/run.h"
#include "runner/symbols_send.h"

/* What can be said from the results, also after Ctrl-C; 0 or errno, said. */
static int report(const char *dir, const char *about, bool plots)
{
	int err = report_write_files(dir);

	if (err)
		return err;
	err = report_show(dir, report_find(about, "text"));
	if (plots && !plot_render(dir, PLOT_SVG))
		log_info("plots: pps.svg, added.svg, setup.svg in %s", dir);
	log_info("results: %s", dir);
	return err;
}

/* What a command line asks for; the plan points at the options. */
struct job {
	struct options options;
	struct ruleset rules;
	struct plan plan;
	struct capture capture;
	int argc;
	char **argv;
};

static void job_close(struct job *job)
{
	plan_free(&job->plan);
	capture_free(&job->capture);
	ruleset_free(&job->rules);
}

/* 0; otherwise *status is what to exit with, and nothing is held. */
static int job_open(struct job *job, int argc, char **argv, int *status)
{
	int err;

	*job = (struct job){ .argc = argc, .argv = argv };
	err = options_parse(&job->options, argc, argv);
	*status = cli_parse_status(err);
	if (err)
		return err;
	err = ruleset_read(&job->rules, &job->options);
	if (!err)
		err = plan_build(&job->plan, &job->options);
	if (!err)
		err = capture_read(&job->capture, &job->options, &job->plan);
	*status = err == -EINVAL ? EXIT_USAGE : cli_status(err);
	if (err)
		job_close(job);
	return err;
}

/* Fills an open journal. */
static int fill(struct journal *journal, struct job *job)
{
	json_t *machine = env_machine();
	int err;

	if (!machine)
		return log_err(-ENOMEM, "out of memory");
	err = journal_describe(journal, &job->plan, job->argc, job->argv,
			       machine);
	if (!err)
		err = ruleset_fill(&job->rules, &job->plan);
	return err ? err : run_plan(&job->plan, &job->rules, journal);
}

static int measure(struct job *job)
{
	const char *proof = job->options.proof;
	struct journal journal;
	int err, closed;

	err = proof ? newdir_make(proof, "proof") : 0;
	if (!err)
		err = journal_open(&journal, job->options.out);
	if (err)
		return err;
	err = fill(&journal, job);
	closed = journal_close(&journal);
	if (!journal.saved) {
		journal_discard(&journal);
		if (proof)
			rmdir(proof); /* unless a failed proof is in it */
		return err;
	}
	if (err == -EINTR)
		log_info("interrupted; what was measured is in %s",
			 journal.dir);
	if (!err)
		err = closed;
	closed = report(journal.dir, job->options.report,
			job->options.plots && !err);
	return err ? err : closed;
}

int run_streamed(int argc, char **argv, int out_fd)
{
	struct journal journal;
	struct job job;
	int status, err;

	if (job_open(&job, argc, argv, &status))
		return status;
	if (job.options.symbols)
		symbols_prepare();
	err = journal_open_stream(&journal, out_fd);
	if (!err) {
		err = fill(&journal, &job);
		journal_close(&journal);
	}
	job_close(&job);
	return cli_status(err);
}

int cmd_run(int argc, char **argv)
{
	struct job job;
	int status, err = 0;

	if (job_open(&job, argc, argv, &status))
		return status;
	if (job.options.dry_run)
		plan_print(&job.plan, stdout);
	else
		err = measure(&job);
	job_close(&job);
	return cli_status(err);
}

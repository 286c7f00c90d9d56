// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "runner/cell.h"
#include "runner/cleanup.h"
#include "runner/env.h"
#include "runner/host.h"
#include "runner/log.h"
#include "runner/netns.h"
#include "runner/progress.h"
#include "runner/run.h"
#include "runner/select.h"
#include "runner/symbols_send.h"

/* With less time than for this many rounds, the slices get shorter. */
#define WANTED_ROUNDS	20
#define MIN_SLICE_NS	4000000
#define MAX_CELL_ERRORS 3

static volatile sig_atomic_t stop_signal;

struct run {
	const struct plan *plan;
	struct journal *journal;
	struct cell_world world;
	struct cell *cells;
	unsigned int *errors; /* in a row, by cell */
	size_t *order;
	int cpu;
	struct progress progress;
	uint64_t measuring_since_ns;
};

static void on_signal(int number)
{
	stop_signal = number;
}

/* No SA_RESTART: a signal ends the blocking call of a source. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	stop_signal = 0;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

static double seconds_since(uint64_t start_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec * 1e9 + now.tv_nsec - start_ns) / 1e9;
}

static uint64_t slice_ns(const struct run *run)
{
	const struct options *o = run->plan->options;
	uint64_t usual = run->world.source->slice_us * UINT64_C(1000);
	double fair = o->time_s * 1e9 / WANTED_ROUNDS / run->plan->count;

	if (o->slice_us)
		return o->slice_us * UINT64_C(1000);
	if (fair > usual)
		return usual;
	return fair < MIN_SLICE_NS ? MIN_SLICE_NS : fair;
}

static int start_source(struct run *run)
{
	char reason[SELECT_REASON_BYTES];
	struct source_setup setup = {
		.cpu = run->cpu,
		.family = run->plan->options->family,
	};
	const struct source *source = select_source(
		run->plan->options->source, run->plan->options->family,
		run->cpu, reason, sizeof(reason));
	int err;

	if (!source)
		return -EOPNOTSUPP;
	log_info("source: %s (%s)", source->name, reason);
	err = journal_source(run->journal, source->name, reason);
	if (err)
		return err;
	setup.capture = run->plan->capture;
	if (!setup.capture)
		setup.targets_total =
			run->plan->count * run->plan->options->flows;
	run->world.source_run = calloc(1, source->run_size + 1);
	if (!run->world.source_run)
		return log_err(-ENOMEM, "out of memory");
	err = source->start(run->world.source_run, &setup);
	if (!err)
		run->world.source = source;
	return err;
}

/* Of a cell that was tried. */
static const char *first_reason(const struct run *run)
{
	long only = run->plan->options->only_cell;

	if (only >= (long)run->plan->count)
		return "--cell names none of the plan";
	return run->cells[only < 0 ? 0 : only].reason;
}

static int open_one(struct run *run, struct cell *cell)
{
	const char *name = cell->plan->filter->name;
	size_t rules = cell->plan->rule_count;
	int err;

	log_progress(
		"setting up and proving %s with %zu rules, cell %zu of %zu",
		name, rules, cell->id + 1, run->plan->count);
	err = cell_open(cell, &run->world);
	if (err == -EINTR || stop_signal)
		return -EINTR;
	if (err)
		log_debug("%s with %zu rules: %s: %s", name, rules,
			  cell_status_name(cell->status), cell->reason);
	return 0;
}

static int open_cells(struct run *run)
{
	long only = run->plan->options->only_cell;
	size_t measured = 0;
	int err = 0;

	for (size_t i = 0; !err && i < run->plan->count; i++) {
		struct cell *cell = &run->cells[i];

		cell->id = i;
		cell->plan = &run->plan->cells[i];
		cell->axis_value = plan_axis_value(run->plan, cell->plan);
		if (only >= 0 && only != (long)i)
			cell_leave_out(cell);
		else
			err = open_one(run, cell);
		measured += cell->status == CELL_MEASURED;
	}
	if (!err && !measured)
		return log_err(-EOPNOTSUPP, "no cell can be measured: %s",
			       first_reason(run));
	return err;
}

/*
 * A source that fails once may have been disturbed; one that fails again and
 * again takes only its cell out of the run.
 */
static int slice_failed(struct run *run, struct cell *cell, int err,
			const char *why)
{
	if (err == -EINTR || stop_signal)
		return -EINTR;
	log_debug("cell %zu: %s", cell->id, why);
	if (++run->errors[cell->id] >= MAX_CELL_ERRORS)
		cell_fail(cell, why);
	return 0;
}

static int one_slice(struct run *run, struct cell *cell, uint32_t round)
{
	struct log_capture capture;
	struct sample sample;
	int err;

	log_capture_begin(&capture);
	err = cell_slice(cell, &sample);
	log_capture_end(&capture);
	if (err)
		return slice_failed(run, cell, err, capture.text);
	run->errors[cell->id] = 0;
	sample.round = round;
	if (!round)
		cell_recalibrate(cell, &run->world, &sample);
	progress_note(&run->progress, &sample);
	return journal_sample(run->journal, &sample);
}

static int one_round(struct run *run, uint32_t round)
{
	int err = 0;

	plan_order(run->plan, round, run->order);
	for (size_t i = 0; !err && i < run->plan->count; i++) {
		struct cell *cell = &run->cells[run->order[i]];

		if (stop_signal)
			return -EINTR;
		if (cell->status == CELL_MEASURED)
			err = one_slice(run, cell, round);
	}
	return err;
}

static bool is_over(const struct run *run, uint32_t round)
{
	const struct options *o = run->plan->options;

	if (o->rounds && round > o->rounds)
		return true;
	return !o->rounds &&
	       seconds_since(run->measuring_since_ns) >= o->time_s;
}

static int measure(struct run *run)
{
	const struct options *o = run->plan->options;
	int err = one_round(run, 0);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	run->measuring_since_ns =
		now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	for (uint32_t round = 1; !err && !is_over(run, round); round++) {
		progress_show(&run->progress, round, o->rounds,
			      o->time_s -
				      seconds_since(run->measuring_since_ns));
		err = one_round(run, round);
	}
	return err;
}

/* Without namespaces nothing else need be tried: the error is the answer. */
static int may_isolate(void)
{
	auto_fd int ns = -1;

	return netns_new(&ns);
}

static int prepare(struct run *run)
{
	size_t count = run->plan->count;
	int err;

	run->cells = calloc(count, sizeof(*run->cells));
	run->order = calloc(count, sizeof(*run->order));
	run->errors = calloc(count, sizeof(*run->errors));
	if (!run->cells || !run->order || !run->errors)
		return log_err(-ENOMEM, "out of memory");
	err = may_isolate();
	if (err)
		return err;
	host_raise_limits();
	catch_signals();
	run->cpu = host_pin(run->plan->options->cpu);
	if (run->cpu < 0)
		return run->cpu;
	err = start_source(run);
	if (err)
		return err;
	run->world.options = run->plan->options;
	run->world.slice_ns = slice_ns(run);
	return open_cells(run);
}

static void finish(struct run *run)
{
	for (size_t i = 0; run->cells && i < run->plan->count; i++)
		cell_close(&run->cells[i]);
	if (run->world.source)
		run->world.source->stop(run->world.source_run);
	progress_free(&run->progress);
	free(run->world.source_run);
	free(run->cells);
	free(run->order);
	free(run->errors);
}

static void finish_cells(struct run *run)
{
	for (size_t i = 0; i < run->plan->count; i++)
		cell_finish(&run->cells[i], &run->world);
}

static const char *state_name(int err)
{
	if (err == -EINTR)
		return "interrupted";
	return err ? "failed" : "complete";
}

static void note_steal(struct journal *journal, const struct env_steal *before)
{
	json_t *machine = json_object_get(journal->run, "machine");
	struct env_steal after;
	double percent;

	env_steal_read(&after);
	percent = env_steal_percent(before, &after);
	if (percent >= 0)
		json_object_set_new(machine, "steal_percent",
				    json_real(round(percent * 100) / 100));
}

int run_plan(const struct plan *plan, const struct ruleset *rules,
	     struct journal *journal)
{
	struct run run = {
		.plan = plan,
		.journal = journal,
		.world.rules = rules,
		.world.capture = plan->capture,
		.progress = { .canary = 1 }, /* the plan begins with them */
	};
	struct env_steal before;
	int err, saved;

	env_steal_read(&before);
	err = prepare(&run);
	if (!err) {
		err = journal_save(journal, "running", run.cells, plan->count);
		if (!err && plan->options->symbols && journal->streamed)
			err = symbols_send(journal->samples);
		if (!err)
			err = measure(&run);
		finish_cells(&run);
		note_steal(journal, &before);
		saved = journal_save(journal, state_name(err), run.cells,
				     plan->count);
		if (!err)
			err = saved;
	} else if (err == -EOPNOTSUPP && journal->streamed && run.cells &&
		   run.cells[0].plan) {
		/* who reads a stream learns from it why nothing was measured */
		journal_save(journal, state_name(err), run.cells, plan->count);
	}
	finish(&run);
	return err;
}

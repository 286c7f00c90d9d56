// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/guest_collect.h"
#include "runner/log.h"

DEFINE_AUTO(json, json_t *, json_decref)
#define auto_json __attribute__((cleanup(drop_json)))

static json_t *pack_guest(const struct guest_setup *setup, const char *qemu)
{
	const struct guest_kernel *kernel = setup->kernel;

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:s}", "kernel",
			 kernel->spec, "image", kernel->image, "modules",
			 kernel->modules, "modules_absent",
			 setup->modules_absent, "qemu", qemu, "memory_mb",
			 (json_int_t)setup->memory_mb, "accelerator",
			 setup->clock == GUEST_TIME ? "kvm" : "tcg");
}

static int describe(struct guest_collect *collect,
		    const struct guest_setup *setup, const char *qemu)
{
	json_t *run = collect->journal.run;
	bool emulated = setup->clock == GUEST_INSTRUCTIONS;

	if (json_object_set_new(run, "guest", pack_guest(setup, qemu)) ||
	    json_object_set_new(
		    run, "clock",
		    json_string(emulated ? "instructions" : "ns")) ||
	    json_object_set_new(run, "emulated", json_boolean(emulated)))
		return log_err(-ENOMEM, "run.json: out of memory");
	return journal_source(&collect->journal, "unknown",
			      "no guest has said yet");
}

int guest_collect_open(struct guest_collect *collect, const char *dir,
		       const struct plan *plan, int argc, char **argv,
		       const struct guest_setup *setup, const char *qemu)
{
	json_t *machine = json_object();
	int err;

	*collect = (struct guest_collect){
		.plan = plan,
		.title = setup->kernel->release,
		.cells = calloc(plan->count, sizeof(struct cell)),
	};
	if (!collect->cells || !machine)
		return log_err(-ENOMEM, "out of memory");
	for (size_t i = 0; i < plan->count; i++) {
		collect->cells[i].id = i;
		collect->cells[i].plan = &plan->cells[i];
		collect->cells[i].axis_value =
			plan_axis_value(plan, &plan->cells[i]);
		/* until it is heard of: a killed run leaves this behind */
		collect->cells[i].status = CELL_SKIPPED;
		strcpy(collect->cells[i].reason,
		       "the run ended before its turn");
	}
	err = journal_open(&collect->journal, dir);
	if (!err)
		err = journal_describe(&collect->journal, plan, argc, argv,
				       machine);
	if (!err)
		err = describe(collect, setup, qemu);
	return err ? err
		   : journal_save(&collect->journal, "running", collect->cells,
				  plan->count);
}

/* A line of samples.tsv, with the cell's number here instead of there. */
static int take_sample(struct guest_part *part, const char *line)
{
	struct journal *journal = &part->collect->journal;
	const char *cell = strchr(line, '\t');
	const char *rest = cell ? strchr(cell + 1, '\t') : NULL;
	int written;

	if (!rest)
		return log_err(-EPROTO, "the guest sent no sample: %s", line);
	if (part->cell < 0)
		written = fprintf(journal->samples, "%s\n", line);
	else
		written = fprintf(journal->samples, "%.*s\t%ld%s\n",
				  (int)(cell - line), line, part->cell, rest);
	if (written < 0)
		return log_err(-errno, "%s/samples.tsv: %s", journal->dir,
			       strerror(errno));
	return 0;
}

static uint64_t number_in(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static struct setup take_setup(const json_t *from)
{
	const char *figure =
		json_string_value(json_object_get(from, "kernel_bytes_from"));

	return (struct setup){
		.install_ns = number_in(from, "setup_ns"),
		.add_ns = number_in(from, "add_ns"),
		.remove_ns = number_in(from, "remove_ns"),
		.kernel_bytes = number_in(from, "kernel_bytes"),
		.by_mechanism = figure && !strcmp(figure, "mechanism"),
		.grown_bytes = number_in(from, "grown_bytes"),
	};
}

static void take_cell(struct cell *cell, const json_t *from)
{
	const char *status = json_string_value(json_object_get(from, "status"));
	const char *reason = json_string_value(json_object_get(from, "reason"));
	const json_t *proof = json_object_get(from, "proof");

	for (int i = CELL_PENDING; status && i <= CELL_FAILED; i++)
		if (!strcmp(status, cell_status_name(i)))
			cell->status = i;
	snprintf(cell->reason, sizeof(cell->reason), "%s",
		 reason ? reason : "");
	cell->slice_packets = number_in(from, "packets_per_slice");
	cell->setup = take_setup(from);
	cell->proof.inside = number_in(proof, "inside");
	cell->proof.outside = number_in(proof, "outside");
	cell->proof.dropped = number_in(proof, "dropped");
}

/* The first guest speaks for all: they are the same machine. */
static int take_machine(struct guest_collect *collect, json_t *from)
{
	static const char *const keys[] = { "machine", "source" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		json_t *value = json_object_get(from, keys[i]);

		if (!value)
			return 0;
		if (json_object_set(collect->journal.run, keys[i], value))
			return log_err(-ENOMEM, "run.json: out of memory");
	}
	collect->has_machine = true;
	return 0;
}

static int take_run(struct guest_part *part, const char *line)
{
	struct guest_collect *collect = part->collect;
	auto_json json_t *from = json_loads(line, 0, NULL);
	const json_t *cells = json_object_get(from, "cells");

	if (!json_is_array(cells))
		return log_err(-EPROTO,
			       "the guest sent a run.json without cells");
	part->heard = true;
	for (size_t i = 0; part->cell < 0 && i < collect->plan->count; i++)
		take_cell(&collect->cells[i], json_array_get(cells, i));
	if (part->cell >= 0)
		take_cell(&collect->cells[part->cell],
			  json_array_get(cells, part->guest_id));
	return collect->has_machine ? 0 : take_machine(collect, from);
}

int guest_collect_line(void *context, const char *line)
{
	if (!strncmp(line, JOURNAL_SAMPLE, strlen(JOURNAL_SAMPLE)))
		return take_sample(context, line + strlen(JOURNAL_SAMPLE));
	if (!strncmp(line, JOURNAL_RUN, strlen(JOURNAL_RUN)))
		return take_run(context, line + strlen(JOURNAL_RUN));
	return 0;
}

/* What the guest itself found out about its cell stands. */
static void fail_cell(const struct guest_part *part, struct cell *cell, int err,
		      const char *reason)
{
	if (!part->heard || cell->status == CELL_MEASURED) {
		cell->status = err == -EOPNOTSUPP ? CELL_SKIPPED : CELL_FAILED;
		snprintf(cell->reason, sizeof(cell->reason), "%s", reason);
	}
	log_warn("%s: %s@%s with %zu rules is %s: %s", part->collect->title,
		 cell->plan->filter->name, hook_info(cell->plan->hook)->name,
		 cell->plan->rule_count, cell_status_name(cell->status),
		 cell->reason);
}

int guest_collect_done(void *context, int err, const char *reason)
{
	struct guest_part *part = context;
	struct guest_collect *collect = part->collect;

	for (size_t i = 0; err && i < collect->plan->count; i++)
		if (part->cell < 0 || part->cell == (long)i)
			fail_cell(part, &collect->cells[i], err, reason);
	return journal_save(&collect->journal, "running", collect->cells,
			    collect->plan->count);
}

/* samples.tsv anew, by cell and round. */
static int sort_samples(const struct guest_collect *collect)
{
	char path[sizeof(collect->journal.dir) + 16], temp[sizeof(path) + 4];
	auto_mem struct sample *samples = NULL;
	FILE *out;
	size_t count = 0;
	int err;

	snprintf(path, sizeof(path), "%s/samples.tsv", collect->journal.dir);
	snprintf(temp, sizeof(temp), "%s.new", path);
	err = samples_load(path, collect->plan->count, &samples, &count);
	if (err)
		return err;
	out = fopen(temp, "we");
	if (!out)
		return log_err(-errno, "%s: %s", temp, strerror(errno));
	if (fprintf(out, "%s\n", SAMPLE_COLUMNS) < 0)
		err = -errno;
	for (size_t i = 0; !err && i < count; i++)
		err = sample_write(out, &samples[i]);
	if (fclose(out) && !err)
		err = -errno;
	if (!err && rename(temp, path))
		err = -errno;
	if (!err)
		return 0;
	unlink(temp);
	return log_err(err, "%s: %s", temp, strerror(-err));
}

int guest_collect_close(struct guest_collect *collect, int how)
{
	struct journal *journal = &collect->journal;
	const char *state = how == -EINTR ? "interrupted"
			    : how	  ? "failed"
					  : "complete";
	int err = 0;

	if (journal->saved)
		err = journal_save(journal, state, collect->cells,
				   collect->plan->count);
	if (!err)
		err = journal_close(journal);
	else
		journal_close(journal);
	if (journal->saved && !err)
		err = sort_samples(collect);
	else if (!journal->saved && journal->dir[0])
		journal_discard(journal);
	free(hand_over(collect->cells, NULL));
	return err;
}

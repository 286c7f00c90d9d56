// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <termios.h>
#include <time.h>

#include "runner/cleanup.h"
#include "runner/journal.h"
#include "runner/capture.h"
#include "runner/log.h"
#include "runner/newdir.h"

#define SCHEMA 1

DEFINE_AUTO(json, json_t *, json_decref)
#define auto_json __attribute__((cleanup(drop_json)))

int journal_open(struct journal *journal, const char *dir)
{
	time_t now = time(NULL);
	struct tm local;
	char path[sizeof(journal->dir) + 16];
	int err;

	*journal = (struct journal){ 0 };
	if (dir && strlen(dir) >= sizeof(journal->dir))
		return log_err(-ENAMETOOLONG, "%s: name too long", dir);
	if (dir)
		strcpy(journal->dir, dir);
	else
		strftime(journal->dir, sizeof(journal->dir),
			 "hookcost-%Y%m%d-%H%M%S", localtime_r(&now, &local));
	err = newdir_make(journal->dir, "out");
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/samples.tsv", journal->dir);
	journal->samples = fopen(path, "wex");
	if (!journal->samples)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	setvbuf(journal->samples, NULL, _IOLBF, 0);
	if (fprintf(journal->samples, "%s\n", SAMPLE_COLUMNS) < 0)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	journal->run = json_object();
	return journal->run ? 0 : log_err(-ENOMEM, "out of memory");
}

int journal_open_stream(struct journal *journal, int fd)
{
	*journal = (struct journal){ .streamed = true };
	journal->samples = fdopen(fd, "w");
	if (!journal->samples)
		return log_err(-errno, "stream: %s", strerror(errno));
	setvbuf(journal->samples, NULL, _IOLBF, 0);
	journal->run = json_object();
	return journal->run ? 0 : log_err(-ENOMEM, "out of memory");
}

static json_t *pack_options(const struct plan *plan)
{
	const struct options *o = plan->options;
	char match[16], packets[PLAN_PACKETS_BYTES];
	json_t *capture = NULL;

	options_match_name(o, match, sizeof(match));
	plan_packets(plan, packets, sizeof(packets));
	if (plan->capture)
		capture = capture_pack(plan->capture, o->pcap);
	return json_pack(
		"{s:s, s:s, s:s?, s:s, s:s, s:s, s:s, s:b, s:I, s:o*, s:I, s:I, s:s, s:f, s:I, s:I, s:I}",
		"axis", options_axis_name(o), "family", options_family_name(o),
		"list", o->list, "fate", options_fate_name(o), "match", match,
		"sent", packets, "protocol", options_protocol_name(o), "imix",
		o->imix, "sports", (json_int_t)o->sports, "pcap", capture,
		"frame_bytes", (json_int_t)o->frame_bytes, "flows",
		(json_int_t)o->flows, "prefix_mix", o->prefix_mix, "time_s",
		o->time_s, "rounds", (json_int_t)o->rounds, "packets",
		(json_int_t)o->packets, "cpu", (json_int_t)o->cpu);
}

int journal_describe(struct journal *journal, const struct plan *plan, int argc,
		     char **argv, json_t *machine)
{
	json_t *command = json_array();
	time_t now = time(NULL);
	char started[32];
	struct tm utc;

	json_array_append_new(command, json_string("hookcost"));
	for (int i = 0; i < argc; i++)
		json_array_append_new(command, json_string(argv[i]));
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ",
		 gmtime_r(&now, &utc));
	if (json_object_set_new(journal->run, "schema", json_integer(SCHEMA)) ||
	    json_object_set_new(journal->run, "tool",
				json_string("hookcost " VERSION)) ||
	    json_object_set_new(journal->run, "state",
				json_string("running")) ||
	    json_object_set_new(journal->run, "started",
				json_string(started)) ||
	    json_object_set_new(journal->run, "seed",
				json_integer(plan->options->seed)) ||
	    json_object_set_new(journal->run, "command", command) ||
	    json_object_set_new(journal->run, "clock", json_string("ns")) ||
	    json_object_set_new(journal->run, "options", pack_options(plan)) ||
	    json_object_set_new(journal->run, "machine", machine) ||
	    json_object_set_new(journal->run, "warnings", json_array()))
		return log_err(-ENOMEM, "run.json: out of memory");
	return 0;
}

int journal_source(struct journal *journal, const char *name,
		   const char *reason)
{
	json_t *source =
		json_pack("{s:s, s:s}", "name", name, "reason", reason);

	if (json_object_set_new(journal->run, "source", source))
		return log_err(-ENOMEM, "run.json: out of memory");
	return 0;
}

int journal_warn(struct journal *journal, const char *text, const char *remedy)
{
	json_t *warnings = json_object_get(journal->run, "warnings");
	json_t *warning =
		json_pack("{s:s, s:s}", "text", text, "remedy", remedy);

	log_warn("%s (%s)", text, remedy);
	if (json_array_append_new(warnings, warning))
		return log_err(-ENOMEM, "run.json: out of memory");
	return 0;
}

static json_t *pack_cell(const struct cell *cell)
{
	const struct plan_cell *plan = cell->plan;
	const char *hook = hook_info(plan->hook)->name;
	char name[128];

	snprintf(name, sizeof(name), "%s@%s", plan->filter->name, hook);
	return json_pack(
		"{s:I, s:s, s:s, s:s, s:I, s:I, s:s, s:I, s:b, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:I, s:{s:I, s:I, s:I}}",
		"id", (json_int_t)cell->id, "filter", name, "mechanism",
		plan->filter->name, "hook", hook, "rules",
		(json_int_t)plan->rule_count, "axis_value",
		(json_int_t)cell->axis_value, "role",
		plan_role_name(plan->role), "baseline",
		(json_int_t)plan->baseline, "linear", plan->filter->linear,
		"status", cell_status_name(cell->status), "reason",
		cell->reason, "packets_per_slice",
		(json_int_t)cell->slice_packets, "setup_ns",
		(json_int_t)cell->setup.install_ns, "add_ns",
		(json_int_t)cell->setup.add_ns, "remove_ns",
		(json_int_t)cell->setup.remove_ns, "kernel_bytes",
		(json_int_t)cell->setup.kernel_bytes, "kernel_bytes_from",
		cell->setup.by_mechanism ? "mechanism" : "kernel",
		"grown_bytes", (json_int_t)cell->setup.grown_bytes, "proof",
		"inside", (json_int_t)cell->proof.inside, "outside",
		(json_int_t)cell->proof.outside, "dropped",
		(json_int_t)cell->proof.dropped);
}

static int stream_run(struct journal *journal)
{
	if (fputs(JOURNAL_RUN, journal->samples) < 0 ||
	    json_dumpf(journal->run, journal->samples, JSON_COMPACT) ||
	    fputc('\n', journal->samples) < 0 || fflush(journal->samples))
		return log_err(-errno, "stream: %s", strerror(errno));
	return 0;
}

static int dump_run(const struct journal *journal)
{
	char path[sizeof(journal->dir) + 16], temp[sizeof(path) + 4];
	int err;

	snprintf(path, sizeof(path), "%s/run.json", journal->dir);
	snprintf(temp, sizeof(temp), "%s.new", path);
	errno = 0;
	if (json_dump_file(journal->run, temp, JSON_INDENT(1)) ||
	    rename(temp, path)) {
		err = errno ? -errno : -EIO;
		unlink(temp);
		return log_err(err, "%s: %s", path, strerror(-err));
	}
	return 0;
}

int journal_save(struct journal *journal, const char *state,
		 const struct cell *cells, size_t count)
{
	auto_json json_t *list = json_array();
	int err;

	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(list, pack_cell(&cells[i])))
			return log_err(-ENOMEM, "run.json: out of memory");
	if (json_object_set_new(journal->run, "state", json_string(state)) ||
	    json_object_set(journal->run, "cells", list))
		return log_err(-ENOMEM, "run.json: out of memory");
	err = journal->streamed ? stream_run(journal) : dump_run(journal);
	if (err)
		return err;
	journal->saved = true;
	return 0;
}

int journal_sample(struct journal *journal, const struct sample *sample)
{
	int err =
		journal->streamed && fputs(JOURNAL_SAMPLE, journal->samples) < 0
			? -errno
			: sample_write(journal->samples, sample);

	/* a serial port that still sends would disturb the next slice */
	if (journal->streamed)
		tcdrain(fileno(journal->samples));
	if (err)
		return log_err(err, "%s/samples.tsv: %s", journal->dir,
			       strerror(-err));
	return 0;
}

void journal_discard(struct journal *journal)
{
	char path[sizeof(journal->dir) + 16];

	snprintf(path, sizeof(path), "%s/samples.tsv", journal->dir);
	unlink(path);
	rmdir(journal->dir);
}

int journal_close(struct journal *journal)
{
	int err = 0;

	if (journal->samples && fclose(hand_over(journal->samples, NULL)))
		err = log_err(-errno, "%s/samples.tsv: %s", journal->dir,
			      strerror(errno));
	if (journal->run)
		json_decref(hand_over(journal->run, NULL));
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measured run and what its files say, for the tests of whole runs.  After
 * cmocka.h.
 */
#pragma once

#include <stdio.h>
#include <jansson.h>

#include "runner/cleanup.h"
#include "runner/tests/scratch.h"
#include "runner/tests/spawn.h"

static struct spawned child;
static char dir[64], out[96], input[96]; /* made by begin() */

static inline int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "%s", "/tmp/hookcost-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(out, sizeof(out), "%s/out", dir);
	snprintf(input, sizeof(input), "%s/in", dir);
	return 0;
}

static inline int end(void **state)
{
	char *const argv[] = { "rm", "-rf", dir, NULL };

	(void)state;
	return spawn(&child, argv, NULL);
}

/* "hookcost run ARGS --out <out>"; gives the status. */
static inline int run(const char *args)
{
	static char copy[1024];
	char *argv[40] = { getenv("HOOKCOST"), "run", "--out", out,
			   "--source",	       "bpf" };
	char *rest = copy, *word;
	int argc = 6;

	if (!argv[0])
		argv[0] = "./hookcost";
	snprintf(copy, sizeof(copy), "%s", args);
	while ((word = strsep(&rest, " ")) && argc < 39)
		if (*word)
			argv[argc++] = word;
	return spawn(&child, argv, NULL);
}

static inline void run_well(const char *args)
{
	int status = run(args);

	if (status == 77)
		skip_because("%s", child.err);
	if (status)
		fail_msg("status %d: %s", status, child.err);
}

static inline json_t *read_run(void)
{
	json_t *json;
	char path[128];

	snprintf(path, sizeof(path), "%s/run.json", out);
	json = json_load_file(path, 0, NULL);
	assert_non_null(json);
	return json;
}

static inline json_int_t whole(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("run.json has no number %s", key);
	return json_integer_value(value);
}

static inline size_t count_measured(const json_t *json)
{
	const json_t *cells = json_object_get(json, "cells"), *cell;
	size_t i, measured = 0;

	json_array_foreach(cells, i, cell) {
		const char *status =
			json_string_value(json_object_get(cell, "status"));

		if (!strcmp(status, "failed"))
			fail_msg("cell %zu: %s", i,
				 json_string_value(
					 json_object_get(cell, "reason")));
		measured += !strcmp(status, "measured");
	}
	return measured;
}

/* Sums over the slices, none of which may be a fault. */
struct totals {
	unsigned long slices, sent, dropped;
};

static inline struct totals add_slices(void)
{
	unsigned long sent, dropped, passed;
	struct totals totals = { 0 };
	char path[128], line[512];
	int fault;
	FILE *samples;

	snprintf(path, sizeof(path), "%s/samples.tsv", out);
	samples = fopen(path, "r");
	assert_non_null(samples);
	while (fgets(line, sizeof(line), samples)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line,
					"%*u %*u %*u %*u %lu %lu %lu %*s %d",
					&sent, &dropped, &passed, &fault),
				 4);
		assert_int_equal(fault, 0);
		assert_int_equal(sent, dropped + passed);
		totals.slices++;
		totals.sent += sent;
		totals.dropped += dropped;
	}
	fclose(samples);
	return totals;
}

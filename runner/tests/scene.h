/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data/hand, with what is made of it.  Include after cmocka.h.
 */
#pragma once

#include <jansson.h>

#include "runner/report.h"
#include "runner/tests/tempdir.h"

#define HAND "runner/tests/data/hand"

/* A copy of data/hand, and what is made of it. */
struct scene {
	struct tempdir dir;
	struct results results;
	struct stats stats;
	struct advice advice;
};

/* With the first `old` of run.json replaced, unless it is NULL. */
static inline void scene_make(struct scene *scene, const char *old,
			      const char *new)
{
	auto_mem char *whole = read_text(HAND, "run.json");
	auto_mem char *text = old ? replaced(whole, old, new) : NULL;

	*scene = (struct scene){ 0 };
	tempdir_make(&scene->dir);
	tempdir_write(&scene->dir, "run.json", text ? text : whole);
	tempdir_copy(&scene->dir, HAND, "samples.tsv");
}

/*
 * Turns run.json into one over prefix lengths: cell i has i + 1 of them, and
 * each filter 1,000 rules.
 */
static inline void scene_turn_axis(const struct tempdir *dir)
{
	auto_mem char *text = read_text(dir->path, "run.json");
	json_t *run = json_loads(text, 0, NULL), *cell;
	auto_mem char *turned = NULL;
	size_t i;

	json_object_set_new(json_object_get(run, "options"), "axis",
			    json_string("prefix-lengths"));
	json_array_foreach(json_object_get(run, "cells"), i, cell) {
		if (json_integer_value(json_object_get(cell, "rules")))
			json_object_set_new(cell, "rules", json_integer(1000));
		json_object_set_new(cell, "axis_value", json_integer(i + 1));
	}
	turned = json_dumps(run, 0);
	assert_non_null(turned);
	tempdir_write(dir, "run.json", turned);
	json_decref(run);
}

static inline void scene_load(struct scene *scene)
{
	assert_int_equal(results_load(scene->dir.path, &scene->results), 0);
	assert_int_equal(stats_compute(&scene->results, &scene->stats), 0);
	assert_int_equal(
		advice_compute(&scene->results, &scene->stats, &scene->advice),
		0);
}

static inline void scene_remove(struct scene *scene)
{
	advice_free(&scene->advice);
	stats_free(&scene->stats);
	results_free(&scene->results);
	tempdir_remove(&scene->dir);
}

/* The report as text; the caller frees it. */
static inline char *written(struct scene *scene, const struct report *format)
{
	char *text = NULL;
	size_t size = 0;
	struct page page = {
		.out = open_memstream(&text, &size),
		.results = &scene->results,
		.stats = &scene->stats,
		.advice = &scene->advice,
	};

	assert_non_null(page.out);
	assert_int_equal(report_write(format, &page), 0);
	assert_int_equal(fclose(page.out), 0);
	return text;
}

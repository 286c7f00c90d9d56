/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data/hand, with what is made of it.  Include after cmocka.h.
 */
#pragma once

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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every warning of the closed list, and its remedy.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/advice.h"
#include "runner/tests/scene.h"

/* A row: what becomes of run.json, and the warning that follows. */
struct machine_row {
	const char *old;
	const char *new;
	const char *warning;
};

static bool warns(const struct advice *advice, const char *text)
{
	for (size_t i = 0; i < advice->count; i++)
		if (strstr(advice->items[i].text, text))
			return *advice->items[i].remedy != '\0';
	return false;
}

static void warnings_have_remedies(void **state)
{
	static const struct machine_row rows[] = {
		{ "\"jit\": \"on\"", "\"jit\": \"off\"", "the BPF JIT is off" },
		{ "\"governor\": \"unknown\"", "\"governor\": \"powersave\"",
		  "governor is powersave" },
		{ "\"turbo\": \"unknown\"", "\"turbo\": \"on\"",
		  "turbo is on" },
		{ "\"steal_percent\": 0.0", "\"steal_percent\": 7.25",
		  "took 7.2 % of the CPU" },
		{ "\"complete\"", "\"interrupted\"",
		  "these are the results up to round 8" },
		{ "\"complete\"", "\"running\"",
		  "the run did not end as planned" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene scene;

		scene_make(&scene, rows[i].old, rows[i].new);
		scene_load(&scene);
		assert_int_equal(scene.advice.count, 4);
		if (!warns(&scene.advice, rows[i].warning))
			fail_msg("no warning of %s", rows[i].warning);
		assert_true(warns(&scene.advice, "noise on egress is wide: "
						 "+-3.1 % of the baseline"));
		assert_true(warns(&scene.advice,
				  "1 of 47 slices are wrong (packets are "
				  "missing, or a verdict was), most of them of "
				  "tc-bpf-lpm@egress with 1,000 rules"));
		assert_true(warns(&scene.advice, "interrupts of eth0"));
		scene_remove(&scene);
	}
}

/* A canary that is 2 ns dearer, within 1.5 %, is a warning of its own. */
static void biased_canary_is_told(void **state)
{
	char samples[4096] = SAMPLE_COLUMNS "\n";
	struct scene scene;

	(void)state;
	for (unsigned int i = 1; i <= 8; i++) {
		size_t len = strlen(samples);

		snprintf(samples + len, sizeof(samples) - len,
			 "%u\t0\t0\t500000\t1000\t0\t1000\tNaN\t0\n"
			 "%u\t1\t0\t%u\t1000\t0\t1000\tNaN\t0\n",
			 i, i, 501000 + 100 * i);
	}
	scene_make(&scene, NULL, NULL);
	tempdir_write(&scene.dir, "samples.tsv", samples);
	scene_load(&scene);
	assert_true(warns(&scene.advice, "two equal cells on egress differ by "
					 "1.45 ns [1.19..1.71], and should "
					 "not"));
	assert_false(warns(&scene.advice, "is wide"));
	scene_remove(&scene);
}

static void few_rounds_are_told(void **state)
{
	static const char samples[] =
		SAMPLE_COLUMNS "\n"
			       "1\t0\t0\t500000\t1000\t0\t1000\tNaN\t0\n"
			       "1\t2\t0\t510000\t1000\t0\t1000\tNaN\t0\n";
	auto_mem char *text = NULL;
	struct scene scene;

	(void)state;
	scene_make(&scene, NULL, NULL);
	tempdir_write(&scene.dir, "samples.tsv", samples);
	scene_load(&scene);
	assert_true(warns(&scene.advice, "rounds are too few (1)"));
	text = written(&scene, &report_text);
	assert_non_null(strstr(text, "  1,960,000        510        unknown  "
				     "    10.0        unknown\n"));
	scene_remove(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warnings_have_remedies),
		cmocka_unit_test(biased_canary_is_told),
		cmocka_unit_test(few_rounds_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

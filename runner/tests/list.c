// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading deny-lists: every row of the manifest of cases, and line by line
 * what each rule accepts and rejects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/list.h"
#include "runner/list_report.h"
#include "runner/list_stats.h"
#include "runner/log.h"
#include "runner/prefixes.h"
#include "runner/prng.h"

#define CASES "runner/tests/data/cases/"

/* The columns of the manifest that the program prints: profile to special. */
#define FIRST_COLUMN 1
#define COLUMNS	     18

/* Reads and gives what `--format tsv` prints after its header; caller frees. */
static char *tsv_of(const char *path, enum list_profile profile)
{
	const struct list_options options = { .profile = profile };
	struct list_stats stats;
	struct log_capture capture;
	struct list list;
	char *text = NULL, *line;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	log_capture_begin(&capture);
	list_read(path, &options, &list);
	log_capture_end(&capture);
	assert_int_equal(list_stats_count(&list.rules, &stats), 0);
	list_report_tsv(&list, &stats, profile, out);
	fclose(out);
	list_free(&list);
	line = strdup(strchr(text, '\n') + 1);
	line[strcspn(line, "\n")] = '\0';
	free(text);
	return line;
}

/* From one column on, so many of them; in place. */
static char *columns(char *line, int first, int count)
{
	while (first-- > 0)
		line = strchr(line, '\t') + 1;
	for (char *at = line; (at = strchr(at, '\t')); at++) {
		if (--count)
			continue;
		*at = '\0';
		break;
	}
	return line;
}

static void every_row_of_the_manifest(void **state)
{
	FILE *manifest = fopen(CASES "MANIFEST.tsv", "r");
	char line[4096], path[256];
	size_t rows = 0;

	(void)state;
	assert_non_null(manifest);
	assert_non_null(fgets(line, sizeof(line), manifest));
	while (fgets(line, sizeof(line), manifest)) {
		char *profile = strchr(line, '\t') + 1, *got, *want;

		snprintf(path, sizeof(path), CASES "%.*s",
			 (int)(profile - line - 1), line);
		got = tsv_of(path, *profile == 'p' ? LIST_PLAIN : LIST_FULL);
		want = columns(line, FIRST_COLUMN, COLUMNS);
		if (strcmp(got, want))
			fail_msg("%s:\n%s\nwanted\n%s", path, got, want);
		free(got);
		rows++;
	}
	fclose(manifest);
	assert_int_equal(rows, 44);
}

/* The list that one text makes; said is kept quiet. */
static struct list read_text(const char *text, size_t bytes,
			     enum list_profile profile, bool strict)
{
	const struct list_options options = { profile, strict };
	struct log_capture capture;
	struct list list;

	log_capture_begin(&capture);
	list_read_text("text", text, bytes, &options, &list);
	log_capture_end(&capture);
	return list;
}

#define OK REASON_NONE

static const struct {
	const char *line;
	enum list_reason reason; /* in the full profile */
	uint32_t addr;		 /* of the first prefix */
	uint8_t len;
	size_t prefixes;
} lines[] = {
	{ "192.0.2.1", OK, 0xc0000201, 32, 1 },
	{ "  192.0.2.1\t ", OK, 0xc0000201, 32, 1 },
	{ "192.0.2.0/24 # remark", OK, 0xc0000200, 24, 1 },
	{ "192.0.2.0/24;SBL1", OK, 0xc0000200, 24, 1 },
	{ "192.0.2.77/24", OK, 0xc0000200, 24, 1 },
	{ "255.255.255.255/32", OK, 0xffffffff, 32, 1 },
	{ "128.0.0.0/1", OK, 0x80000000, 1, 1 },
	{ "192.0.2.0/255.255.255.0", OK, 0xc0000200, 24, 1 },
	{ "192.0.2.0/0.0.0.255", REASON_BAD_PREFIX, 0, 0, 0 },
	{ "192.0.2.0/255.0.255.0", REASON_BAD_PREFIX, 0, 0, 0 },
	{ "192.0.2.0/33", REASON_BAD_PREFIX, 0, 0, 0 },
	{ "192.0.2.0/", REASON_BAD_PREFIX, 0, 0, 0 },
	{ "192.0.2.0/ 24", REASON_BAD_PREFIX, 0, 0, 0 },
	{ "192.0.2.0/-1", REASON_BAD_PREFIX, 0, 0, 0 },
	{ "0.0.0.0/0", REASON_DEFAULT_ROUTE, 0, 0, 0 },
	{ "192.0.2.0/0", REASON_DEFAULT_ROUTE, 0, 0, 0 },
	{ "0.0.0.0/0.0.0.0", REASON_DEFAULT_ROUTE, 0, 0, 0 },
	{ "192.0.2.256", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "192.0.2", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "10", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "0x7f000001", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "localhost", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "192..0.2.1", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "192.0.2.1.", REASON_BAD_ADDRESS, 0, 0, 0 },
	{ "192.0.2.010", REASON_LEADING_ZERO, 0, 0, 0 },
	{ "192.0.2.10-192.0.2.12", OK, 0xc000020a, 31, 2 },
	{ "192.0.2.10 - 192.0.2.12", OK, 0xc000020a, 31, 2 },
	{ "192.0.2.12-192.0.2.10", REASON_BAD_RANGE, 0, 0, 0 },
	{ "192.0.2.0/24-192.0.3.0/24", REASON_BAD_RANGE, 0, 0, 0 },
	{ "a name: with-dash:192.0.2.10-192.0.2.12", OK, 0xc000020a, 31, 2 },
	{ "192.0.2.1 192.0.2.2", REASON_TRAILING_TEXT, 0, 0, 0 },
	{ "192.0.2.1 text", REASON_TRAILING_TEXT, 0, 0, 0 },
	{ "192.0.2.1\t7", OK, 0xc0000201, 32, 1 },
	{ "192.0.2.1,7", OK, 0xc0000201, 32, 1 },
	{ "192.0.2.1\xc3\xa4", REASON_BAD_CHAR, 0, 0, 0 },
	{ "192.0.2.1 # \xc3\xa4", OK, 0xc0000201, 32, 1 },
	{ "001.002.003.004 - 001.002.003.005 , 100 , name", OK, 0x01020304, 31,
	  1 },
	{ "2001:db8:::1", REASON_BAD_ADDRESS, 0, 0, 0 },
};

static void lines_are_taken_or_rejected(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct list list = read_text(
			lines[i].line, strlen(lines[i].line), LIST_FULL, false);

		if (list.rules.count != lines[i].prefixes)
			fail_msg("'%s' gives %zu prefixes", lines[i].line,
				 list.rules.count);
		if (lines[i].reason == OK) {
			assert_int_equal(list.rules.prefixes[0].addr,
					 lines[i].addr);
			assert_int_equal(list.rules.prefixes[0].len,
					 lines[i].len);
		} else {
			assert_int_equal(list.rejected.count, 1);
			if (list.rejected.at[0].reason != lines[i].reason)
				fail_msg("'%s' is rejected for reason %d",
					 lines[i].line,
					 list.rejected.at[0].reason);
		}
		list_free(&list);
	}
}

static void whole_files_are_refused(void **state)
{
	static const struct {
		const char *text;
		size_t bytes;
		enum list_refusal refusal;
	} rows[] = {
		{ "\xff\xfe"
		  "1\0",
		  4, LIST_UTF16 },
		{ "\xfe\xff\0"
		  "1",
		  4, LIST_UTF16 },
		{ "\x1f\x8b\x08", 3, LIST_GZIP },
		{ "192.0.2.1\n\0\n", 12, LIST_NUL_BYTE },
		{ "", 0, LIST_NO_PREFIX },
		{ "# none\n", 7, LIST_NO_PREFIX },
		{ "2001:db8::1\n", 12, LIST_NO_PREFIX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct list list = read_text(rows[i].text, rows[i].bytes,
					     LIST_FULL, false);

		assert_int_equal(list.refusal, rows[i].refusal);
		list_free(&list);
	}
}

static void strict_makes_a_rejected_line_fatal(void **state)
{
	static const char text[] = "192.0.2.1\nnonsense\n";
	struct list list = read_text(text, sizeof(text) - 1, LIST_FULL, false);

	(void)state;
	assert_int_equal(list.refusal, LIST_USABLE);
	assert_int_equal(list.rejected.at[0].line, 2);
	list_free(&list);
	list = read_text(text, sizeof(text) - 1, LIST_FULL, true);
	assert_int_equal(list.refusal, LIST_STRICT);
	list_free(&list);
}

/* A line of ten million characters is one line, rejected or a remark. */
static void lines_have_any_length(void **state)
{
	const size_t bytes = 10000000;
	char *text = malloc(bytes + 32);
	struct list list;

	(void)state;
	memset(text, '1', bytes);
	memcpy(text + bytes, "\n192.0.2.1\n", 12);
	list = read_text(text, bytes + 11, LIST_FULL, false);
	assert_int_equal(list.lines, 2);
	assert_int_equal(list.rejected.count, 1);
	assert_int_equal(list.rules.count, 1);
	list_free(&list);
	text[0] = '#';
	list = read_text(text, bytes + 11, LIST_FULL, false);
	assert_int_equal(list.ignored_lines, 1);
	assert_int_equal(list.rules.count, 1);
	list_free(&list);
	free(text);
}

/* Random ranges become prefixes that cover just them. */
static void ranges_are_covered_exactly(void **state)
{
	struct prng prng;
	char text[64];

	(void)state;
	prng_seed(&prng, 1);
	for (int i = 0; i < 2000; i++) {
		uint32_t first = 0x0a000000 + prng_below(&prng, 1 << 20);
		uint32_t last = first + prng_below(&prng, 1 << 12);
		int bytes =
			snprintf(text, sizeof(text), "%u.%u.%u.%u-%u.%u.%u.%u",
				 first >> 24, first >> 16 & 255,
				 first >> 8 & 255, first & 255, last >> 24,
				 last >> 16 & 255, last >> 8 & 255, last & 255);
		struct list list = read_text(text, bytes, LIST_FULL, false);
		uint32_t at = first;

		for (size_t j = 0; j < list.rules.count; j++) {
			assert_int_equal(list.rules.prefixes[j].addr, at);
			at = prefix_last(&list.rules.prefixes[j]) + 1;
		}
		assert_int_equal(at, last + 1);
		list_free(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_of_the_manifest),
		cmocka_unit_test(lines_are_taken_or_rejected),
		cmocka_unit_test(whole_files_are_refused),
		cmocka_unit_test(strict_makes_a_rejected_line_fatal),
		cmocka_unit_test(lines_have_any_length),
		cmocka_unit_test(ranges_are_covered_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole files: the cases with their expected values, what is refused, and
 * reading in pieces.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/list.h"
#include "runner/list_report.h"
#include "runner/list_write.h"
#include "runner/log.h"
#include "runner/prng.h"
#include "runner/rules_model.h"

#define CASES "runner/tests/data/cases/"

static const struct list_options full = { .profile = LIST_FULL };
static const struct list_options plain = { .profile = LIST_PLAIN };
static const struct list_options strict = { .strict = true };

/* Reads without talk; what was said is in the capture. */
static int read_text(const char *text, size_t bytes,
		     const struct list_options *options, struct list *list,
		     struct log_capture *said)
{
	int err;

	log_capture_begin(said);
	err = list_read_text("text", text, bytes, options, list);
	log_capture_end(said);
	return err;
}

static void check_case(const char *file, const char *wanted)
{
	const struct list_options *options =
		strncmp(wanted, "plain", 5) ? &full : &plain;
	auto_mem char *path = NULL;
	auto_mem char *report = NULL;
	struct log_capture said;
	struct list_stats stats;
	size_t report_bytes;
	struct list list;
	FILE *out;
	int err;

	assert_true(asprintf(&path, CASES "%s", file) > 0);
	log_capture_begin(&said);
	err = list_read(path, options, &list);
	log_capture_end(&said);
	assert_int_equal(list_stats_count(&list.rules, &stats), 0);
	assert_int_equal(err, stats.prefixes ? 0 : -EINVAL);

	out = open_memstream(&report, &report_bytes);
	assert_non_null(out);
	list_report_tsv(&list, &stats, options->profile, out);
	fclose(out);
	list_free(&list);

	report[strcspn(strchr(report, '\n') + 1, "\n") +
	       (strchr(report, '\n') + 1 - report)] = '\0';
	if (strcmp(strchr(report, '\n') + 1, wanted))
		fail_msg("%s:\n  got    %s\n  wanted %s", file,
			 strchr(report, '\n') + 1, wanted);
}

/* The columns from the second to the 19th, in place. */
static char *cut_columns(char *line)
{
	char *from = strchr(line, '\t'), *to = from;

	for (int column = 0; column < 18; column++)
		to = strchr(to + 1, '\t');
	*from = *to = '\0';
	return from + 1;
}

static void every_case_gives_the_expected_values(void **state)
{
	auto_file FILE *manifest = fopen(CASES "MANIFEST.tsv", "r");
	auto_mem char *line = NULL;
	size_t room = 0, rows = 0;

	(void)state;
	assert_non_null(manifest);
	assert_true(getline(&line, &room, manifest) > 0);
	while (getline(&line, &room, manifest) > 0) {
		check_case(line, cut_columns(line));
		rows++;
	}
	assert_int_equal(rows, 44);
}

static void what_is_no_text_is_refused_by_name(void **state)
{
	static const struct {
		const char *text;
		size_t bytes;
		enum list_refusal refusal;
		const char *says;
	} rows[] = {
		{ "\xff\xfe"
		  "1\0\n\0",
		  6, LIST_UTF16, "UTF-16" },
		{ "\xfe\xff\0"
		  "1\0\n",
		  6, LIST_UTF16, "UTF-16" },
		{ "\xff\xfe", 2, LIST_UTF16, "UTF-16" },
		{ "\x1f\x8b\x08\0\0", 5, LIST_GZIP, "gzip" },
		{ "192.0.2.1\n# \0\n", 14, LIST_NUL_BYTE, "NUL" },
		{ "192.0.2.1\n\0", 11, LIST_NUL_BYTE, "NUL" },
		{ "", 0, LIST_NO_PREFIX, "0 lines" },
		{ "\xef\xbb\xbf", 3, LIST_NO_PREFIX, "0 lines" },
		{ "\n\n", 2, LIST_NO_PREFIX, "2 lines: 2 ignored" },
		{ "2001:db8::1\n", 12, LIST_NO_PREFIX, "1 IPv6" },
		{ "x", 1, LIST_NO_PREFIX, "line 1: bad-address" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct log_capture said;
		struct list list;

		assert_int_equal(read_text(rows[i].text, rows[i].bytes, &full,
					   &list, &said),
				 -EINVAL);
		assert_int_equal(list.refusal, rows[i].refusal);
		assert_int_equal(list.rules.count, 0);
		assert_non_null(strstr(said.text, rows[i].says));
		list_free(&list);
	}
}

static void strict_refuses_a_rejected_line(void **state)
{
	static const char good[] = "192.0.2.1\n2001:db8::1\n";
	static const char bad[] = "# x\n192.0.2.1\nwhat\n192.0.2.300\n";
	struct log_capture said;
	struct list list;

	(void)state;
	assert_int_equal(
		read_text(good, sizeof(good) - 1, &strict, &list, &said), 0);
	list_free(&list);

	assert_int_equal(read_text(bad, sizeof(bad) - 1, &strict, &list, &said),
			 -EINVAL);
	assert_int_equal(list.refusal, LIST_STRICT);
	assert_int_equal(list.rejected.count, 2);
	assert_int_equal(list.rejected.at[0].line, 3);
	assert_non_null(strstr(said.text, "line 3: bad-address"));
	list_free(&list);
}

static void marks_and_ends(void **state)
{
	static const char text[] = "\xef\xbb\xbf"
				   "192.0.2.1\r\n"
				   "\xef\xbb\xbf"
				   "192.0.2.2\n"
				   "192.0.2.3\r";
	struct log_capture said;
	struct list list;

	(void)state;
	/* One mark is dropped, at the beginning only. */
	assert_int_equal(read_text(text, sizeof(text) - 1, &full, &list, &said),
			 0);
	assert_int_equal(list.lines, 3);
	assert_int_equal(list.rules.count, 2);
	assert_true(list.rules.prefixes[1].addr == ADDR_V4(0xc0000203));
	assert_int_equal(list.rejected.count, 1);
	assert_int_equal(list.rejected.at[0].reason, REASON_BAD_CHAR);
	list_free(&list);
}

/* A file with all sorts of lines, larger than the buffer by itself. */
static char *make_text(size_t lines, size_t *bytes)
{
	char *text = NULL;
	struct prng prng;
	FILE *out = open_memstream(&text, bytes);

	assert_non_null(out);
	prng_seed(&prng, 3);
	for (size_t i = 0; i < lines; i++) {
		unsigned int addr = prng_next(&prng);
		unsigned int len = 8 + prng_below(&prng, 25);

		if (prng_below(&prng, 1000) < 20)
			fprintf(out, "# %*s\n", (int)prng_below(&prng, 5000),
				"");
		if (prng_below(&prng, 1000) < 5)
			fputs("nonsense\r\n", out);
		fprintf(out, "%u.%u.%u.%u/%u%s", addr >> 24, addr >> 16 & 255,
			addr >> 8 & 255, addr & 255, len,
			i + 1 < lines ? "\n" : "");
	}
	fclose(out);
	return text;
}

static FILE *text_file(const char *text, size_t bytes, char *path)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fflush(file), 0);
	sprintf(path, "/proc/self/fd/%d", fileno(file));
	return file;
}

static void reading_in_pieces_changes_nothing(void **state)
{
	struct list at_once, in_pieces;
	auto_mem char *text = NULL;
	struct log_capture said;
	char path[32];
	size_t bytes;

	(void)state;
	text = make_text(200000, &bytes);
	assert_true(bytes > 3 << 20);
	assert_int_equal(read_text(text, bytes, &full, &at_once, &said), 0);
	{
		auto_file FILE *file = text_file(text, bytes, path);

		assert_non_null(file);
		assert_int_equal(list_read(path, &full, &in_pieces), 0);
	}
	assert_int_equal(in_pieces.lines, at_once.lines);
	assert_int_equal(in_pieces.ignored_lines, at_once.ignored_lines);
	assert_int_equal(in_pieces.rejected.count, at_once.rejected.count);
	assert_int_equal(in_pieces.masked.count, at_once.masked.count);
	assert_int_equal(in_pieces.rules.count, at_once.rules.count);
	for (size_t i = 0; i < at_once.rules.count; i++) {
		assert_true(in_pieces.rules.prefixes[i].addr ==
			    at_once.rules.prefixes[i].addr);
		assert_int_equal(in_pieces.rules.prefixes[i].len,
				 at_once.rules.prefixes[i].len);
	}
	list_free(&at_once);
	list_free(&in_pieces);
}

static void a_line_of_any_length_is_one_line(void **state)
{
	static const size_t lengths[] = { (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
					  10 << 20 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		static const char after[] = "\n192.0.2.9\n";
		size_t bytes = lengths[i] + sizeof(after) - 1;
		auto_mem char *text = malloc(bytes);
		struct list list;
		char path[32];

		/* Would be phantom addresses if the line were cut anywhere. */
		for (size_t b = 0; b < lengths[i]; b++)
			text[b] = "192.0.2.1 "[b % 10];
		text[0] = '#';
		memcpy(text + lengths[i], after, sizeof(after) - 1);
		{
			auto_file FILE *file = text_file(text, bytes, path);

			assert_non_null(file);
			assert_int_equal(list_read(path, &full, &list), 0);
		}
		assert_int_equal(list.lines, 2);
		assert_int_equal(list.rules.count, 1);
		list_free(&list);
	}
}

static void a_late_nul_and_missing_files_are_errors(void **state)
{
	size_t bytes = 3 << 20;
	auto_mem char *text = malloc(bytes);
	struct log_capture said;
	struct list list;
	char path[32];
	int err;

	(void)state;
	for (size_t b = 0; b < bytes; b++)
		text[b] = "192.0.2.1\n"[b % 10];
	text[bytes - 5] = '\0';
	{
		auto_file FILE *file = text_file(text, bytes, path);

		assert_non_null(file);
		log_capture_begin(&said);
		err = list_read(path, &full, &list);
		log_capture_end(&said);
	}
	assert_int_equal(err, -EINVAL);
	assert_int_equal(list.refusal, LIST_NUL_BYTE);
	assert_int_equal(list.rules.count, 0);

	log_capture_begin(&said);
	assert_int_equal(list_read("/nonexistent/list", &full, &list), -ENOENT);
	log_capture_end(&said);
	log_capture_begin(&said);
	assert_int_equal(list_read("/", &full, &list), -EISDIR);
	log_capture_end(&said);
	assert_non_null(strstr(said.text, "cannot read /"));
}

/* Addresses, prefixes, ranges, host bits, repeats and nesting of IPv6. */
static void the_other_family_is_taken_when_asked(void **state)
{
	static const char text[] = "# both families\n"
				   "192.0.2.0/24\n"
				   "2001:db8::/32\n"
				   "2001:db8:1::7/48\n" /* host bits, inside */
				   "2001:db8::/32\n"	/* repeat */
				   "2400::1\n"
				   "2400::2-2400::5\n"	     /* joins it */
				   "2001:db9::/32, remark\n" /* a neighbour */
				   "198.51.100.0-198.51.100.9\n"
				   "::/0\n"
				   "fe80::1\n"
				   "2001:db8::/129\n"
				   "1.2.3\n";
	static const char wanted[] =
		"2001:db8::/31\n2400::1/128\n2400::2/127\n2400::4/127\n"
		"fe80::1/128\n";
	static const char report[] =
		"full\tok\t13\t1\t7\t8\t7\t6\t5\t3\t"
		"158456325028528675187087900678\t1\t4\t2,9\t-\t3\t"
		"10:default-route;12:bad-address;13:bad-address\t1\n";
	const struct list_options six = { .family = FAMILY_IPV6 };
	auto_mem char *written = NULL;
	auto_mem char *reported = NULL;
	struct list_stats stats;
	struct log_capture said;
	struct list list;
	size_t size;
	FILE *out;

	(void)state;
	assert_int_equal(read_text(text, sizeof(text) - 1, &six, &list, &said),
			 0);
	assert_int_equal(list.rules.family, FAMILY_IPV6);
	out = open_memstream(&written, &size);
	assert_int_equal(list_write(&list.rules, LIST_AGGREGATED, out), 0);
	fclose(out);
	assert_string_equal(written, wanted);

	assert_int_equal(list_stats_count(&list.rules, &stats), 0);
	out = open_memstream(&reported, &size);
	list_report_tsv(&list, &stats, LIST_FULL, out);
	fclose(out);
	assert_non_null(strstr(reported, "\tskipped_v4_lines\t"));
	assert_string_equal(strchr(reported, '\n') + 1, report);
	list_free(&list);

	/* The same file for IPv4: the others are skipped, ::/0 among them. */
	assert_int_equal(read_text(text, sizeof(text) - 1, &full, &list, &said),
			 0);
	assert_int_equal(list.accepted_lines, 2);
	assert_int_equal(list.skipped_family.count, 8);
	list_free(&list);

	assert_int_equal(read_text("192.0.2.1\n", 10, &six, &list, &said),
			 -EINVAL);
	assert_non_null(strstr(said.text, "1 IPv4"));
	list_free(&list);
}

/* All that there is, in two lines: 2^128, which no number here holds. */
static void the_whole_space_is_counted(void **state)
{
	static const char text[] = "::/1\n8000::/1\n";
	const struct list_options six = { .family = FAMILY_IPV6 };
	char number[ADDR_COUNT_BYTES];
	struct list_stats stats;
	struct log_capture said;
	struct list list;
	auto_mem char *written = NULL;
	size_t size;
	FILE *out;

	(void)state;
	assert_int_equal(read_text(text, sizeof(text) - 1, &six, &list, &said),
			 0);
	assert_int_equal(list_stats_count(&list.rules, &stats), 0);
	assert_int_equal(stats.ranges, 1);
	assert_int_equal(stats.collapsed, 2);
	assert_string_equal(list_stats_addresses(&stats, number),
			    "340282366920938463463374607431768211456");

	/* In one range it could not be read again. */
	out = open_memstream(&written, &size);
	assert_int_equal(list_write(&list.rules, LIST_INTERVALS, out), 0);
	fclose(out);
	assert_string_equal(written,
			    "::-7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n"
			    "8000::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff\n");
	list_free(&list);
}

/* Written in any form and read again, a list has the same addresses. */
static void every_form_can_be_read_again(void **state)
{
	auto_mem char *text = NULL;
	struct rules_model before;
	struct log_capture said;
	struct list list;
	size_t bytes;

	(void)state;
	text = make_text(20000, &bytes);
	assert_int_equal(read_text(text, bytes, &full, &list, &said), 0);
	assert_int_equal(rules_model_build(&list.rules, &before), 0);
	for (enum list_form form = 0; form < LIST_FORM_COUNT; form++) {
		auto_mem char *written = NULL;
		struct rules_model after;
		struct list again;
		size_t size;
		FILE *out = open_memstream(&written, &size);

		assert_int_equal(list_write(&list.rules, form, out), 0);
		fclose(out);
		assert_int_equal(read_text(written, size, &full, &again, &said),
				 0);
		assert_int_equal(again.rejected.count + again.ignored_lines, 0);
		assert_int_equal(rules_model_build(&again.rules, &after), 0);
		assert_int_equal(after.count, before.count);
		assert_memory_equal(after.ranges, before.ranges,
				    after.count * sizeof(*after.ranges));
		rules_model_free(&after);
		list_free(&again);
	}
	rules_model_free(&before);
	list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_case_gives_the_expected_values),
		cmocka_unit_test(what_is_no_text_is_refused_by_name),
		cmocka_unit_test(strict_refuses_a_rejected_line),
		cmocka_unit_test(marks_and_ends),
		cmocka_unit_test(reading_in_pieces_changes_nothing),
		cmocka_unit_test(a_line_of_any_length_is_one_line),
		cmocka_unit_test(a_late_nul_and_missing_files_are_errors),
		cmocka_unit_test(the_other_family_is_taken_when_asked),
		cmocka_unit_test(the_whole_space_is_counted),
		cmocka_unit_test(every_form_can_be_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

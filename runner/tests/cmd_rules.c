// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `hookcost rules` as a user sees it: exit status, standard output and
 * standard error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/cmd_rules.h"

#define CASES "runner/tests/data/cases/"

#define ARGS_MAX 8

struct outcome {
	int status;
	char out[16384];
	char err[16384];
};

static void slurp(FILE *file, char *text, size_t room)
{
	rewind(file);
	text[fread(text, 1, room - 1, file)] = '\0';
}

/* args ends with NULL; input becomes standard input. */
static void run(const char *const *args, const char *input,
		struct outcome *outcome)
{
	auto_file FILE *in = tmpfile();
	auto_file FILE *out = tmpfile();
	auto_file FILE *err = tmpfile();
	int status;
	pid_t pid;

	assert_true(in && out && err);
	fputs(input, in);
	rewind(in);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		char *argv[ARGS_MAX] = { "rules" };
		int argc = 1;

		for (; args[argc - 1]; argc++)
			argv[argc] = (char *)args[argc - 1];
		dup2(fileno(in), STDIN_FILENO);
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		status = cmd_rules(argc, argv);
		fflush(NULL);
		_exit(status);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	outcome->status = WEXITSTATUS(status);
	slurp(out, outcome->out, sizeof(outcome->out));
	slurp(err, outcome->err, sizeof(outcome->err));
}

static void bad_usage_is_status_2(void **state)
{
	static const char *const rows[][ARGS_MAX] = {
		{ NULL },
		{ "--bogus", "-", NULL },
		{ "--write", "sorted", "-", NULL },
		{ "--profile", "plainer", "-", NULL },
		{ "--format=json", "-", NULL },
		{ "--strict=1", "-", NULL },
		{ "-", "-", NULL },
		{ "--write", NULL },
	};
	struct outcome got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		run(rows[i], "192.0.2.1\n", &got);
		assert_int_equal(got.status, 2);
		assert_string_equal(got.out, "");
		assert_non_null(strstr(got.err, "hookcost rules: "));
	}
}

static void help_is_data(void **state)
{
	static const char *const args[] = { "--help", NULL };
	struct outcome got;

	(void)state;
	run(args, "", &got);
	assert_int_equal(got.status, 0);
	assert_string_equal(got.err, "");
	assert_non_null(strstr(got.out, "rules [OPTION...] FILE\n"));
	assert_non_null(strstr(got.out, "--profile=PROFILE"));
	assert_non_null(strstr(got.out, "--strict"));
}

static void the_report_names_lines_and_reasons(void **state)
{
	static const char *const args[] = { "-", NULL };
	struct outcome got;

	(void)state;
	run(args, "192.0.2.9/24\n192.0.2.0/24\n192.0.2.1\n::1\nwhat\n", &got);
	assert_int_equal(got.status, 0);
	assert_string_equal(got.err, "");
	assert_non_null(strstr(got.out, "line 5: bad-address"));
	assert_non_null(strstr(got.out, "host bits cleared                    "
					"1   lines 1\n"));
	assert_non_null(strstr(got.out, "IPv6, skipped                        "
					"1   lines 4\n"));
	assert_non_null(
		strstr(got.out, "inside others                      1"));
}

static void each_form_is_written(void **state)
{
	static const char input[] = "198.51.100.128/25\n192.0.2.9/24\n"
				    "198.51.100.0/25\n192.0.2.0/24\n"
				    "192.0.2.4\n";
	static const struct {
		const char *form;
		const char *wanted;
	} rows[] = {
		{ "normalised", "192.0.2.0/24\n192.0.2.4/32\n"
				"198.51.100.0/25\n198.51.100.128/25\n" },
		{ "maximal", "192.0.2.0/24\n198.51.100.0/25\n"
			     "198.51.100.128/25\n" },
		{ "aggregated", "192.0.2.0/24\n198.51.100.0/24\n" },
		{ "intervals", "192.0.2.0-192.0.2.255\n"
			       "198.51.100.0-198.51.100.255\n" },
	};
	struct outcome got;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *args[] = { "--write", rows[i].form, "-", NULL };

		run(args, input, &got);
		assert_int_equal(got.status, 0);
		assert_string_equal(got.out, rows[i].wanted);
		assert_non_null(strstr(got.err, "different"));
	}
}

static void an_unusable_list_is_status_1_with_counts(void **state)
{
	static const char *const page[] = { CASES "s17_error_page.html", NULL };
	static const char *const tsv[] = { "--format", "tsv",
					   CASES "s16_comments_only.txt",
					   NULL };
	static const char *const missing[] = { "/nonexistent/list", NULL };
	static const char *const strict[] = { "--strict", "--write",
					      "normalised", "-", NULL };
	struct outcome got;

	(void)state;
	run(page, "", &got);
	assert_int_equal(got.status, 1);
	assert_non_null(strstr(got.err, "6 rejected"));
	assert_non_null(strstr(got.out, "line 5: trailing-text"));

	run(tsv, "", &got);
	assert_int_equal(got.status, 1);
	assert_non_null(strstr(got.out, "full\tfail:no-prefix\t3\t3\t0\t0\t"));

	run(missing, "", &got);
	assert_int_equal(got.status, 1);
	assert_string_equal(got.out, "");
	assert_non_null(strstr(got.err, "/nonexistent/list"));

	run(strict, "192.0.2.1\nwhat\n", &got);
	assert_int_equal(got.status, 1);
	assert_string_equal(got.out, "");
	assert_non_null(strstr(got.err, "line 2: bad-address"));

	run(strict, "\x1f\x8b\x08", &got);
	assert_int_equal(got.status, 1);
	assert_non_null(strstr(got.err, "gzip"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_usage_is_status_2),
		cmocka_unit_test(help_is_data),
		cmocka_unit_test(the_report_names_lines_and_reasons),
		cmocka_unit_test(each_form_is_written),
		cmocka_unit_test(an_unusable_list_is_status_1_with_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

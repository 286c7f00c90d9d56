// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every plot in every format, with gnuplot, without it, and with one that is
 * not good enough.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runner/cli.h"
#include "runner/gnuplot.h"
#include "runner/log.h"
#include "runner/plot.h"
#include "runner/plot_scripts.h"
#include "runner/tests/tempdir.h"

#define HAND "runner/tests/data/hand"

/* What the fixture has measured. */
static const char *const names[] = { "nft-linear@egress", "tc-bpf-lpm@egress" };

/* stdout and stderr of the code under test, in files of the directory. */
struct capture {
	int out;
	int err;
};

static int redirect(const struct tempdir *dir, const char *name, int fd)
{
	char path[128];
	int saved = dup(fd), file;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(saved >= 0 && file >= 0);
	dup2(file, fd);
	close(file);
	return saved;
}

static void capture_begin(struct capture *capture, const struct tempdir *dir)
{
	fflush(stdout);
	log_set_level(LOG_WARNING);
	capture->out = redirect(dir, "stdout", STDOUT_FILENO);
	capture->err = redirect(dir, "stderr", STDERR_FILENO);
}

static void capture_end(const struct capture *capture)
{
	fflush(stdout);
	dup2(capture->out, STDOUT_FILENO);
	dup2(capture->err, STDERR_FILENO);
	close(capture->out);
	close(capture->err);
	log_set_level(LOG_INFO);
}

static void make(struct tempdir *dir)
{
	tempdir_make(dir);
	tempdir_copy(dir, HAND, "run.json");
	tempdir_copy(dir, HAND, "samples.tsv");
}

static int render(const struct tempdir *dir, enum plot_format format)
{
	struct capture capture;
	int err;

	capture_begin(&capture, dir);
	err = plot_render(dir->path, format);
	capture_end(&capture);
	return err;
}

static int command(const struct tempdir *dir, const char *first,
		   const char *second)
{
	char *argv[] = { "plot", (char *)first, (char *)second, NULL };
	struct capture capture;
	int status;

	capture_begin(&capture, dir);
	status = cmd_plot(second ? 3 : first ? 2 : 1, argv);
	capture_end(&capture);
	return status;
}

static void assert_silent(const struct tempdir *dir)
{
	auto_mem char *text = read_text(dir->path, "stderr");

	assert_string_equal(text, "");
}

static void assert_says(const struct tempdir *dir, const char *what)
{
	auto_mem char *text = read_text(dir->path, "stderr");

	if (!strstr(text, what))
		fail_msg("\"%s\" is not in \"%s\"", what, text);
}

static void need_terminal(const char *name)
{
	if (gnuplot_has(name) > 0)
		return;
	print_message("no gnuplot with the terminal %s\n", name);
	skip();
}

static void every_plot_as_svg(void **state)
{
	struct tempdir dir;

	(void)state;
	need_terminal("svg");
	make(&dir);
	assert_int_equal(render(&dir, PLOT_SVG), 0);
	assert_silent(&dir);
	for (size_t i = 0; plot_scripts[i].name; i++) {
		auto_mem char *text = NULL;
		char name[64];

		snprintf(name, sizeof(name), "%s.svg", plot_scripts[i].name);
		text = read_text(dir.path, name);
		assert_int_equal(strncmp(text, "<?xml", 5), 0);
		assert_non_null(strstr(text, "</svg>"));
		assert_non_null(strstr(text, "60-byte frames"));
		assert_non_null(strstr(text, "A CPU @ 2.00GHz"));
		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			if (!strstr(text, names[j]))
				fail_msg("%s: no %s", name, names[j]);
	}
	tempdir_remove(&dir);
}

static void every_plot_as_png(void **state)
{
	static const char magic[] = "\x89PNG\r\n\x1a\n";
	struct tempdir dir;

	(void)state;
	need_terminal("pngcairo");
	make(&dir);
	assert_int_equal(render(&dir, PLOT_PNG), 0);
	assert_silent(&dir);
	for (size_t i = 0; plot_scripts[i].name; i++) {
		char path[128], head[8];
		struct stat info;
		FILE *in;

		snprintf(path, sizeof(path), "%s/%s.png", dir.path,
			 plot_scripts[i].name);
		in = fopen(path, "r");
		assert_non_null(in);
		assert_int_equal(fread(head, 1, sizeof(head), in), 8);
		assert_int_equal(fstat(fileno(in), &info), 0);
		fclose(in);
		assert_memory_equal(head, magic, sizeof(head));
		assert_true(info.st_size > 5000);
	}
	tempdir_remove(&dir);
}

static void every_plot_as_text(void **state)
{
	auto_mem char *text = NULL;
	struct tempdir dir;

	(void)state;
	need_terminal("dumb");
	make(&dir);
	assert_int_equal(render(&dir, PLOT_TEXT), 0);
	assert_silent(&dir);
	text = read_text(dir.path, "stdout");
	assert_non_null(strstr(text, "Packets per second"));
	assert_non_null(strstr(text, "What a filter adds to a packet"));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_non_null(strstr(text, names[i]));
	tempdir_remove(&dir);
}

/* A comma for the decimal point would move every number. */
static void locale_changes_nothing(void **state)
{
	auto_mem char *before = NULL, *after = NULL;
	struct tempdir dir;

	(void)state;
	need_terminal("svg");
	make(&dir);
	assert_int_equal(render(&dir, PLOT_SVG), 0);
	before = read_text(dir.path, "added.svg");
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	setenv("GNUTERM", "x11", 1);
	assert_int_equal(render(&dir, PLOT_SVG), 0);
	unsetenv("LC_ALL");
	unsetenv("GNUTERM");
	after = read_text(dir.path, "added.svg");
	assert_string_equal(before, after);
	tempdir_remove(&dir);
}

static void scripts_stand_alone(void **state)
{
	auto_mem char *text = NULL;
	struct tempdir dir;
	char script[256];
	FILE *file;

	(void)state;
	need_terminal("svg");
	make(&dir);
	assert_int_equal(render(&dir, PLOT_SVG), 0);
	for (size_t i = 0; plot_scripts[i].name; i++) {
		struct capture capture;
		int err;

		file = tmpfile();
		assert_non_null(file);
		snprintf(script, sizeof(script),
			 "dir = '%s'\nout = dir . '/alone.svg'\n"
			 "load 'plots/%s.gp'\n",
			 dir.path, plot_scripts[i].name);
		fputs(script, file);
		fflush(file);
		capture_begin(&capture, &dir);
		err = gnuplot_run(fileno(file), NULL);
		capture_end(&capture);
		fclose(file);
		assert_int_equal(err, 0);
		assert_silent(&dir);
	}
	text = read_text(dir.path, "alone.svg");
	assert_non_null(strstr(text, names[0]));
	tempdir_remove(&dir);
}

/* Puts a program called gnuplot, or none, in front of everything else. */
static char *fake_gnuplot(struct tempdir *bin, const char *script)
{
	char *path = strdup(getenv("PATH"));
	char program[128];

	assert_non_null(path);
	tempdir_make(bin);
	if (script) {
		tempdir_write(bin, "gnuplot", script);
		snprintf(program, sizeof(program), "%s/gnuplot", bin->path);
		assert_int_equal(chmod(program, 0755), 0);
	}
	setenv("PATH", bin->path, 1);
	return path;
}

static void real_gnuplot(struct tempdir *bin, char *path)
{
	setenv("PATH", path, 1);
	free(path);
	tempdir_remove(bin);
}

static void without_gnuplot(void **state)
{
	struct tempdir dir, bin;
	char *path;

	(void)state;
	make(&dir);
	path = fake_gnuplot(&bin, NULL);
	assert_int_equal(render(&dir, PLOT_SVG), -EOPNOTSUPP);
	assert_says(&dir, "warning: no plots without gnuplot");
	assert_says(&dir, "remedy: install it");
	assert_int_equal(command(&dir, dir.path, NULL), EXIT_CANNOT);
	real_gnuplot(&bin, path);
	tempdir_remove(&dir);
}

static void without_the_terminal(void **state)
{
	auto_mem char *text = NULL;
	struct tempdir dir, bin;
	char *path;

	(void)state;
	make(&dir);
	path = fake_gnuplot(&bin, "#!/bin/sh\n"
				  "[ \"$2\" = -e ] && echo ' dumb unknown ' ||"
				  " echo drawn as text\n");
	assert_int_equal(render(&dir, PLOT_SVG), -EOPNOTSUPP);
	assert_says(&dir, "gnuplot has no svg terminal here");
	assert_says(&dir, "remedy: ");
	assert_int_equal(command(&dir, "--format=png", dir.path), EXIT_CANNOT);
	real_gnuplot(&bin, path);
	text = read_text(dir.path, "stdout");
	assert_string_equal(text,
			    "drawn as text\ndrawn as text\ndrawn as text\n");
	tempdir_remove(&dir);
}

static void failing_gnuplot_leaves_nothing(void **state)
{
	struct tempdir dir, bin;
	char *path, file[128];

	(void)state;
	make(&dir);
	path = fake_gnuplot(&bin, "#!/bin/sh\n"
				  "echo ' svg '\n"
				  "[ \"$2\" = -e ]\n");
	assert_int_equal(render(&dir, PLOT_SVG), -EIO);
	assert_says(&dir, "gnuplot failed");
	real_gnuplot(&bin, path);
	snprintf(file, sizeof(file), "%s/pps.svg", dir.path);
	assert_int_equal(access(file, F_OK), -1);
	snprintf(file, sizeof(file), "%s/.pps.svg.%d", dir.path, (int)getpid());
	assert_int_equal(access(file, F_OK), -1);
	tempdir_remove(&dir);
}

static void nothing_measured_is_told(void **state)
{
	struct tempdir dir;

	(void)state;
	need_terminal("svg");
	make(&dir);
	tempdir_write(&dir, "samples.tsv", "");
	assert_int_equal(render(&dir, PLOT_SVG), -EIO);
	assert_says(&dir, "holds no measured filter");
	tempdir_remove(&dir);
}

static void statuses(void **state)
{
	struct tempdir dir;

	(void)state;
	make(&dir);
	assert_int_equal(command(&dir, NULL, NULL), EXIT_USAGE);
	assert_int_equal(command(&dir, "--format=pdf", dir.path), EXIT_USAGE);
	assert_int_equal(command(&dir, dir.path, dir.path), EXIT_USAGE);
	assert_int_equal(command(&dir, "--help", NULL), EXIT_DONE);
	assert_int_equal(command(&dir, "/nonexistent", NULL), EXIT_FAILED);
	assert_says(&dir, "run.json");
	if (gnuplot_has("dumb") > 0)
		assert_int_equal(command(&dir, "--format=text", dir.path),
				 EXIT_DONE);
	tempdir_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plot_as_svg),
		cmocka_unit_test(every_plot_as_png),
		cmocka_unit_test(every_plot_as_text),
		cmocka_unit_test(locale_changes_nothing),
		cmocka_unit_test(scripts_stand_alone),
		cmocka_unit_test(without_gnuplot),
		cmocka_unit_test(without_the_terminal),
		cmocka_unit_test(failing_gnuplot_leaves_nothing),
		cmocka_unit_test(nothing_measured_is_told),
		cmocka_unit_test(statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <string.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/gnuplot.h"
#include "runner/log.h"
#include "runner/outfile.h"
#include "runner/plot.h"
#include "runner/plot_scripts.h"
#include "runner/report.h"

struct format_info {
	const char *name;
	const char *terminals[2]; /* of gnuplot, one of them is enough */
};

static const struct format_info formats[] = {
	[PLOT_SVG] = { "svg", { "svg" } },
	[PLOT_PNG] = { "png", { "pngcairo", "png" } },
	[PLOT_TEXT] = { "text", { "dumb" } },
};

/* What one call draws. */
struct job {
	const char *dir;
	const char *out_dir;
	const struct format_info *format;
};

/* As gnuplot's 'string', in which only the quote and line breaks matter. */
static void write_string(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s = '", name);
	for (; *value; value++) {
		if (*value == '\'')
			fputs("''", out);
		else if (*value == '\n')
			fputs("'.\"\\n\".'", out);
		else
			fputc(*value, out);
	}
	fputs("'\n", out);
}

/* Text fits the terminal, as long as that leaves room for a plot. */
static void write_size(FILE *out)
{
	struct winsize size = { .ws_col = 80, .ws_row = 25 };

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	if (size.ws_col < 60)
		size.ws_col = 60;
	if (size.ws_col > 120)
		size.ws_col = 120;
	if (size.ws_row < 21)
		size.ws_row = 21;
	if (size.ws_row > 41)
		size.ws_row = 41;
	fprintf(out, "columns = %d\nlines = %d\n", size.ws_col,
		size.ws_row - 1);
}

static void write_script(FILE *out, const struct plot_script *script)
{
	fwrite(script->text, 1, script->end - script->text, out);
	fputc('\n', out);
}

/* The whole of what gnuplot is told, as a file in memory. */
static int make_script(const struct job *job, const struct plot_script *plot)
{
	auto_fd int fd = memfd_create(plot->name, MFD_CLOEXEC);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		if (copy >= 0)
			close(copy);
		return -errno;
	}
	write_string(out, "dir", job->dir);
	write_string(out, "format", job->format->name);
	write_string(out, "out", "");
	write_size(out);
	write_script(out, &plot_style);
	write_script(out, plot);
	if (ferror(out) | fclose(out))
		return -EIO;
	return hand_over(fd, -1);
}

/* A run without set-up times has no setup.dat. */
static bool has_data(const struct job *job, const struct plot_script *plot)
{
	auto_mem char *path = NULL;

	return asprintf(&path, "%s/%s", job->dir, plot->data) > 0 &&
	       !access(path, R_OK);
}

static int draw(const struct job *job, const struct plot_script *plot)
{
	bool text = job->format == &formats[PLOT_TEXT];
	auto_outfile struct outfile file = { 0 };
	auto_fd int script = make_script(job, plot);
	char name[64];
	int err = 0;

	if (script < 0)
		return log_err(script, "the script for gnuplot: %s",
			       strerror(-script));
	snprintf(name, sizeof(name), "%s.%s", plot->name, job->format->name);
	if (!text)
		err = outfile_open(job->out_dir, name, &file);
	if (err)
		return err;
	err = gnuplot_run(script, file.stream);
	if (err)
		return log_err(err, "the plot \"%s\" of %s cannot be drawn: %s",
			       plot->name, job->dir,
			       err == -EIO ? "gnuplot failed" : strerror(-err));
	if (text)
		return 0;
	err = outfile_commit(&file);
	if (!err)
		log_info("wrote %s/%s", job->out_dir, name);
	return err;
}

/* 0, or -EOPNOTSUPP after a warning. */
static int check_gnuplot(const struct format_info *format)
{
	int has = 0;

	for (size_t i = 0; i < ARRAY_SIZE(format->terminals) && !has; i++)
		if (format->terminals[i])
			has = gnuplot_has(format->terminals[i]);
	if (has > 0)
		return 0;
	if (!has)
		log_warn("gnuplot has no %s terminal here\n    remedy: install "
			 "a fuller gnuplot (gnuplot-nox on Debian), or draw "
			 "with --format text",
			 format->terminals[0]);
	else if (has == -ENOENT)
		log_warn("no plots without gnuplot\n    remedy: install it "
			 "(gnuplot-nox on Debian), then hookcost plot DIR");
	else
		log_warn("gnuplot does not run: %s\n    remedy: see what "
			 "gnuplot --version says",
			 strerror(-has));
	return -EOPNOTSUPP;
}

/* A killed run leaves samples and no data for gnuplot. */
static int need_data(const char *dir)
{
	auto_mem char *path = NULL;

	if (asprintf(&path, "%s/pps.dat", dir) < 0)
		return log_err(-ENOMEM, "no memory for the plot");
	return access(path, R_OK) ? report_write_files(dir) : 0;
}

static int render(const struct job *job)
{
	int err = need_data(job->dir);

	if (!err)
		err = check_gnuplot(job->format);
	for (const struct plot_script *plot = plot_scripts; plot->name && !err;
	     plot++)
		if (has_data(job, plot))
			err = draw(job, plot);
	return err;
}

int plot_render(const char *dir, enum plot_format format)
{
	const struct job job = { dir, dir, &formats[format] };

	return render(&job);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct job *job = state->input;

	switch (key) {
	case 'f':
		job->format = NULL;
		for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
			if (!strcmp(arg, formats[i].name))
				job->format = &formats[i];
		if (job->format)
			return 0;
		argp_error(state,
			   "--format: \"%s\" is not one of svg, png, text",
			   arg);
		return EINVAL;
	case 'o':
		job->out_dir = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (job->dir) {
			argp_error(state,
				   "one results directory, not \"%s\" too",
				   arg);
			return EINVAL;
		}
		job->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (job->dir)
			return 0;
		argp_error(state, "which results directory?");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_plot(int argc, char **argv)
{
	static const struct argp_option rows[] = {
		{ "format", 'f', "FORMAT", 0,
		  "svg (default), png, or text for the terminal", 0 },
		{ "out", 'o', "DIR", 0,
		  "where the pictures go; the results directory unless given",
		  0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = rows,
		.parser = parse,
		.args_doc = "DIR",
		.doc = "Draws a results directory with gnuplot.",
	};
	struct job job = { .format = &formats[PLOT_SVG] };
	int err = cli_parse(&argp, argc, argv, &job);

	if (err)
		return cli_parse_status(err);
	if (!job.out_dir)
		job.out_dir = job.dir;
	err = render(&job);
	if (err == -EOPNOTSUPP && job.format != &formats[PLOT_TEXT] &&
	    gnuplot_has("dumb") > 0) {
		/* better than nothing, but not what was asked for */
		job.format = &formats[PLOT_TEXT];
		render(&job);
	}
	return cli_status(err);
}

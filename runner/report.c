// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/log.h"
#include "runner/number.h"
#include "runner/outfile.h"
#include "runner/report.h"

static const struct report *const formats[] = {
	&report_text,	    &report_markdown,	&report_json,
	&report_tsv,	    &report_setup_text, &report_setup_markdown,
	&report_setup_json, &report_setup_tsv,
};

const struct report *report_find(const char *about, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->about, about) &&
		    !strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const char *report_axis(const struct results *results)
{
	return results->axis == RESULT_OVER_RULES ? "rules" : "lengths";
}

uint64_t report_rules(const struct results *results)
{
	uint64_t most = 0;

	for (size_t i = 0; i < results->cell_count; i++)
		if (results->cells[i].rules > most)
			most = results->cells[i].rules;
	return most;
}

const char *report_unit(const struct results *results)
{
	return results->counts_instructions ? "insn" : "ns";
}

char *report_machine(const struct results *results)
{
	const char *kernel = results_fact(results, "kernel");
	const char *cpu = results_fact(results, "cpu");
	char *text;

	if (asprintf(&text, "Linux %s%s%s", kernel ? kernel : "(unknown)",
		     cpu ? ", " : "", cpu ? cpu : "") < 0)
		return NULL;
	return text;
}

char *report_packets(const struct results *results)
{
	const char *sent = results_option(results, "sent");
	char *text;

	if (sent)
		return strdup(sent);
	if (asprintf(&text, "%s-byte frames, %s flows",
		     number_whole(results->frame_bytes).text,
		     number_whole(results->flows).text) < 0)
		return NULL;
	return text;
}

int report_write(const struct report *format, struct page *page)
{
	int err = format->begin(page), end;

	if (err)
		return err;
	for (size_t i = 0; i < page->results->cell_count && !err; i++)
		err = format->row(page, i);
	end = format->end(page);
	return err ? err : end;
}

/* Everything that a page needs, and its owner. */
struct loaded {
	struct results results;
	struct stats stats;
	struct advice advice;
};

static void drop_loaded(struct loaded *loaded)
{
	advice_free(&loaded->advice);
	stats_free(&loaded->stats);
	results_free(&loaded->results);
}

static int load(const char *dir, struct loaded *loaded, struct page *page)
{
	int err = results_load(dir, &loaded->results);

	if (!err)
		err = stats_compute(&loaded->results, &loaded->stats);
	if (!err)
		err = advice_compute(&loaded->results, &loaded->stats,
				     &loaded->advice);
	page->results = &loaded->results;
	page->stats = &loaded->stats;
	page->advice = &loaded->advice;
	return err;
}

static bool any_setup_timed(const struct results *results)
{
	for (size_t i = 0; i < results->cell_count; i++)
		if (report_has_setup(&results->cells[i]) &&
		    results->cells[i].setup.install_ns != RESULT_UNKNOWN)
			return true;
	return false;
}

int report_write_files(const char *dir)
{
	__attribute__((cleanup(drop_loaded))) struct loaded loaded = { 0 };
	auto_outfile struct outfile summary = { 0 };
	auto_outfile struct outfile blocks = { 0 };
	auto_outfile struct outfile setup = { 0 };
	struct page page = { 0 };
	int err;

	if ((err = load(dir, &loaded, &page)) ||
	    (err = outfile_open(dir, "summary.tsv", &summary)) ||
	    (err = outfile_open(dir, "pps.dat", &blocks)) ||
	    (err = outfile_open(dir, "setup.dat", &setup)))
		return err;
	page.out = summary.stream;
	err = report_write(&report_tsv, &page);
	if (err)
		return err;
	page.out = blocks.stream;
	report_blocks(&page);
	page.out = setup.stream;
	report_setup_blocks(&page);
	if ((err = outfile_commit(&summary)) ||
	    (err = outfile_commit(&blocks)) ||
	    !any_setup_timed(&loaded.results))
		return err;
	return outfile_commit(&setup);
}

int report_show(const char *dir, const struct report *format)
{
	__attribute__((cleanup(drop_loaded))) struct loaded loaded = { 0 };
	struct page page = { .out = stdout };
	int err = load(dir, &loaded, &page);

	if (!err)
		err = report_write(format, &page);
	if (err)
		return err;
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return log_err(errno ? -errno : -EIO,
			       "the report cannot be written: %s",
			       strerror(errno ? errno : EIO));
	advice_say(&loaded.advice);
	return 0;
}

struct report_options {
	const char *about;
	const char *format;
	const char *dir;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case 'f':
		options->format = arg;
		if (report_find(options->about, arg))
			return 0;
		argp_error(state,
			   "--format: \"%s\" is not one of text, "
			   "markdown, json, tsv",
			   arg);
		return EINVAL;
	case 'r':
		options->about = arg;
		if (report_find(arg, "text"))
			return 0;
		argp_error(state, "--report: \"%s\" is not one of cost, setup",
			   arg);
		return EINVAL;
	case ARGP_KEY_ARG:
		if (options->dir) {
			argp_error(state,
				   "one results directory, not \"%s\" "
				   "too",
				   arg);
			return EINVAL;
		}
		options->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (options->dir)
			return 0;
		argp_error(state, "which results directory?");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_report(int argc, char **argv)
{
	static const struct argp_option rows[] = {
		{ "format", 'f', "FORMAT", 0,
		  "text (default), markdown, json or tsv", 0 },
		{ "report", 'r', "WHAT", 0,
		  "cost of the packets (default), or setup of the filters", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = rows,
		.parser = parse,
		.args_doc = "DIR",
		.doc = "Shows a results directory.",
	};
	struct report_options options = { .about = "cost", .format = "text" };
	int err = cli_parse(&argp, argc, argv, &options);

	if (err)
		return cli_parse_status(err);
	return cli_status(report_show(
		options.dir, report_find(options.about, options.format)));
}

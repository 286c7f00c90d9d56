// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/compare.h"
#include "runner/log.h"
#include "runner/text.h"

static const struct compare_format *const formats[] = {
	&compare_text,
	&compare_markdown,
	&compare_json,
	&compare_tsv,
};

/* The owner of all that a comparison needs. */
struct group {
	struct side *sides;
	size_t count;
	struct comparison *comparisons; /* of each with the first */
};

static void drop_group(struct group *group)
{
	for (size_t i = 0; i < group->count; i++) {
		free(group->sides[i].label);
		stats_free(&group->sides[i].stats);
		results_free(&group->sides[i].results);
		comparison_free(&group->comparisons[i]);
	}
	free(group->sides);
	free(group->comparisons);
}

static int load(const char *const *dirs, size_t count, struct group *group)
{
	int err = 0;

	group->sides = calloc(count, sizeof(*group->sides));
	group->comparisons = calloc(count, sizeof(*group->comparisons));
	if (!group->sides || !group->comparisons)
		return log_err(-ENOMEM, "no memory for the comparison");
	group->count = count;
	for (size_t i = 0; i < count && !err; i++) {
		struct side *side = &group->sides[i];

		side->dir = dirs[i];
		err = results_load(side->dir, &side->results);
		if (!err)
			err = stats_compute(&side->results, &side->stats);
	}
	return err;
}

/* Whether the kernel's release tells this directory from all others. */
static bool kernel_is_unique(const struct group *group, size_t index)
{
	const char *kernel =
		results_fact(&group->sides[index].results, "kernel");

	for (size_t i = 0; i < group->count && kernel; i++) {
		const char *other =
			results_fact(&group->sides[i].results, "kernel");

		if (i != index && other && !strcmp(kernel, other))
			return false;
	}
	return kernel;
}

/* The last part of a path, without a slash at its end. */
static char *last_part(const char *path)
{
	size_t end = strlen(path), start;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start && path[start - 1] != '/';)
		start--;
	return strndup(path + start, end - start);
}

static int name_sides(struct group *group)
{
	bool kernels = true;

	for (size_t i = 0; i < group->count; i++)
		kernels &= kernel_is_unique(group, i);
	for (size_t i = 0; i < group->count; i++) {
		struct side *side = &group->sides[i];

		side->label =
			kernels ? strdup(results_fact(&side->results, "kernel"))
				: last_part(side->dir);
		if (!side->label)
			return log_err(-ENOMEM, "no memory for the comparison");
	}
	return 0;
}

static int write_out(const struct contrast *contrast,
		     const struct compare_format *format)
{
	int err = format->write(contrast, stdout);

	if (err)
		return err;
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		return log_err(errno ? -errno : -EIO,
			       "the comparison cannot be written: %s",
			       strerror(errno ? errno : EIO));
	for (size_t i = 0; i + 1 < contrast->side_count; i++)
		for (size_t j = 0; j < contrast->comparisons[i].warning_count;
		     j++)
			log_warn("%s", contrast->comparisons[i].warnings[j]);
	return 0;
}

int compare_show(const char *const *dirs, size_t count,
		 const struct compare_format *format, double threshold_percent)
{
	__attribute__((cleanup(drop_group))) struct group group = { 0 };
	struct contrast contrast = { .threshold_percent = threshold_percent };
	int err = load(dirs, count, &group);

	if (!err)
		err = name_sides(&group);
	for (size_t i = 1; i < count && !err; i++)
		err = compare_sides(&group.sides[0], &group.sides[i],
				    threshold_percent,
				    &group.comparisons[i - 1]);
	contrast.sides = group.sides;
	contrast.side_count = group.count;
	contrast.comparisons = group.comparisons;
	if (!err)
		err = write_out(&contrast, format ? format : &compare_text);
	if (err)
		return err;
	switch (contrast_verdict(&contrast)) {
	case VERDICT_SLOWER:
		return EXIT_REGRESSION;
	case VERDICT_UNDECIDED:
		return EXIT_UNDECIDED;
	default:
		return EXIT_DONE;
	}
}

struct compare_options {
	const struct compare_format *format;
	double threshold_percent;
	const char **dirs;
	size_t count;
};

static error_t parse_format(const char *name, struct argp_state *state)
{
	struct compare_options *options = state->input;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i]->name, name)) {
			options->format = formats[i];
			return 0;
		}
	argp_error(state,
		   "--format: \"%s\" is not one of text, markdown, json, tsv",
		   name);
	return EINVAL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct compare_options *options = state->input;

	switch (key) {
	case 'f':
		return parse_format(arg, state);
	case 't':
		if (!text_fraction(arg, 0, 1000, &options->threshold_percent))
			return 0;
		argp_error(state,
			   "--threshold: \"%s\" is not a per cent from 0 to "
			   "1000",
			   arg);
		return EINVAL;
	case ARGP_KEY_ARG:
		options->dirs[options->count++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (options->count >= 2)
			return 0;
		argp_error(state, "which results directories? two at least");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp_option rows[] = {
		{ "format", 'f', "FORMAT", 0,
		  "text (default), markdown, json or tsv", 0 },
		{ "threshold", 't', "PERCENT", 0,
		  "the least change that counts (2)", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = rows,
		.parser = parse,
		.args_doc = "DIR DIR...",
		.doc = "Compares results directories with the first of them.\v"
		       "The exit status is 0 for no change, or one for the "
		       "better only, 3 for a regression, and 4 where the "
		       "noise is wider than the threshold.",
	};
	auto_mem const char **dirs = calloc(argc + 1, sizeof(*dirs));
	struct compare_options options = {
		.format = &compare_text,
		.threshold_percent = COMPARE_THRESHOLD_PERCENT,
		.dirs = dirs,
	};
	int err;

	if (!dirs)
		return cli_status(log_err(-ENOMEM, "no memory"));
	err = cli_parse(&argp, argc, argv, &options);
	if (err)
		return cli_parse_status(err);
	err = compare_show(options.dirs, options.count, options.format,
			   options.threshold_percent);
	return err < 0 ? cli_status(err) : err;
}

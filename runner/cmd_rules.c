// SPDX-License-Identifier: GPL-2.0-or-later
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/cmd_rules.h"
#include "runner/list.h"
#include "runner/list_report.h"
#include "runner/list_stats.h"
#include "runner/list_write.h"
#include "runner/log.h"

enum {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
};

/* Keys of options without a short name. */
enum {
	KEY_PROFILE = 0x100,
	KEY_STRICT,
	KEY_FORMAT,
	KEY_WRITE,
	KEY_USAGE,
};

struct rules_args {
	struct list_options options;
	const char *path;
	enum list_form write; /* LIST_FORM_COUNT for none */
	bool tsv;
	bool helped; /* the help was all that was asked for */
};

static const struct argp_option option_rows[] = {
	{ "profile", KEY_PROFILE, "PROFILE", 0,
	  "Line forms to take: plain (ADDRESS and ADDRESS/LENGTH) or full (also masks, ranges, PeerGuardian, DShield, eMule DAT, first columns); default full",
	  0 },
	{ "strict", KEY_STRICT, NULL, 0,
	  "Refuse a list that has any rejected line", 0 },
	{ "format", KEY_FORMAT, "FORMAT", 0,
	  "Report as text or tsv (a header and one line); default text", 0 },
	{ "write", KEY_WRITE, "FORM", 0,
	  "Write the list to standard output as normalised (different prefixes, sorted), maximal (without those inside others), aggregated (the fewest prefixes) or intervals; the report goes to standard error then",
	  0 },
	{ "help", 'h', NULL, 0, "Give this help", -1 },
	{ "usage", KEY_USAGE, NULL, 0, "Give a short usage message", -1 },
	{ 0 },
};

static error_t bad_value(struct argp_state *state, const char *option,
			 const char *value, const char *choices)
{
	argp_error(state, "--%s: '%s' is none of %s", option, value, choices);
	return EINVAL;
}

static void give_help(struct argp_state *state, unsigned int flags)
{
	struct rules_args *args = state->input;

	/* Without the flag that makes argp leave the program. */
	argp_state_help(state, stdout, flags & ~ARGP_HELP_EXIT_OK);
	args->helped = true;
	state->next = state->argc;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
	struct rules_args *args = state->input;

	switch (key) {
	case KEY_PROFILE:
		if (strcmp(value, "plain") && strcmp(value, "full"))
			return bad_value(state, "profile", value,
					 "plain, full");
		args->options.profile = *value == 'p' ? LIST_PLAIN : LIST_FULL;
		return 0;
	case KEY_STRICT:
		args->options.strict = true;
		return 0;
	case KEY_FORMAT:
		if (strcmp(value, "text") && strcmp(value, "tsv"))
			return bad_value(state, "format", value, "text, tsv");
		args->tsv = !strcmp(value, "tsv");
		return 0;
	case KEY_WRITE:
		args->write = list_form_find(value);
		if (args->write == LIST_FORM_COUNT)
			return bad_value(
				state, "write", value,
				"normalised, maximal, aggregated, intervals");
		return 0;
	case 'h':
		give_help(state, ARGP_HELP_STD_HELP);
		return 0;
	case KEY_USAGE:
		give_help(state, ARGP_HELP_USAGE);
		return 0;
	case ARGP_KEY_ARG:
		if (args->path) {
			argp_error(state, "one FILE at a time, '%s' is extra",
				   value);
			return EINVAL;
		}
		args->path = value;
		return 0;
	case ARGP_KEY_END:
		if (args->path || args->helped)
			return 0;
		argp_error(state, "name a FILE, or - for standard input");
		return EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp rules_argp = {
	.options = option_rows,
	.parser = parse_option,
	.args_doc = "FILE",
	.doc = "Read a deny-list (FILE, or - for standard input) and report what is in it: lines taken, rejected with the reason, and skipped; repeats, overlaps and prefix lengths; and how many entries each kind of filter would hold.",
};

/* A compressed or UTF-16 file has no lines to report on. */
static bool has_lines(const struct list *list)
{
	return list->refusal == LIST_USABLE ||
	       list->refusal == LIST_NO_PREFIX || list->refusal == LIST_STRICT;
}

static int report(const struct rules_args *args, const struct list *list)
{
	FILE *out = args->write == LIST_FORM_COUNT ? stdout : stderr;
	struct list_stats stats;
	int err;

	err = list_stats_count(&list->rules, &stats);
	if (err)
		return err;
	if (args->tsv)
		list_report_tsv(list, &stats, args->options.profile, out);
	else if (has_lines(list))
		list_report_text(strcmp(args->path, "-") ? args->path
							 : "standard input",
				 list, &stats, out);
	if (fflush(out) || ferror(out))
		return log_err(errno ? -errno : -EIO,
			       "cannot write the report: %s", strerror(errno));
	return 0;
}

static void drop_list(struct list *list)
{
	list_free(list);
}

int cmd_rules(int argc, char **argv)
{
	__attribute__((cleanup(drop_list))) struct list list = { 0 };
	struct rules_args args = { .write = LIST_FORM_COUNT };
	static char name[] = "hookcost rules";
	int err;

	argv[0] = name;
	if (argp_parse(&rules_argp, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP,
		       NULL, &args))
		return STATUS_USAGE;
	if (args.helped)
		return STATUS_DONE;

	err = list_read(args.path, &args.options, &list);
	if (err && list.refusal == LIST_USABLE)
		return STATUS_FAILED;
	if (report(&args, &list) || err)
		return STATUS_FAILED;
	if (args.write != LIST_FORM_COUNT &&
	    list_write(&list.rules, args.write, stdout))
		return STATUS_FAILED;
	return STATUS_DONE;
}

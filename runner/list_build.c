// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/list_build.h"
#include "runner/log.h"

/* Room for one more; the arrays grow by half. */
static int make_room(void **array, size_t *room, size_t count, size_t more,
		     size_t bytes)
{
	size_t wanted = count + more;
	void *grown;

	if (wanted <= *room)
		return 0;
	wanted += wanted / 2 + 16;
	grown = realloc(*array, wanted * bytes);
	if (!grown)
		return log_err(-ENOMEM, "no memory for a list of %zu entries",
			       count);
	*array = grown;
	*room = wanted;
	return 0;
}

static int note_line(struct list_lines *lines, size_t line)
{
	int err = make_room((void **)&lines->at, &lines->room, lines->count, 1,
			    sizeof(*lines->at));

	if (!err)
		lines->at[lines->count++] = line;
	return err;
}

static int note_reject(struct list_rejects *rejects, size_t line,
		       enum list_reason reason)
{
	int err = make_room((void **)&rejects->at, &rejects->room,
			    rejects->count, 1, sizeof(*rejects->at));

	if (!err)
		rejects->at[rejects->count++] = (struct list_reject){
			.line = line,
			.reason = reason,
		};
	return err;
}

static int accept_line(struct list *list, const struct line *line)
{
	struct prefix *next;
	int err;

	err = make_room((void **)&list->rules.prefixes, &list->room,
			list->rules.count, RANGE_PREFIXES_MAX,
			sizeof(*list->rules.prefixes));
	if (err)
		return err;

	list->accepted_lines++;
	next = &list->rules.prefixes[list->rules.count];
	if (line->is_range) {
		list->rules.count += range_prefixes(line->range, next);
		return 0;
	}
	*next = (struct prefix){ .addr = line->range.first, .len = line->len };
	list->rules.count++;
	return line->masked ? note_line(&list->masked, list->lines) : 0;
}

static int take_line(struct reading *reading, const char *text, const char *end)
{
	struct list *list = reading->list;
	struct line line;

	if (++list->lines > UINT32_MAX)
		return log_err(-EFBIG, "%s: more than 4,294,967,295 lines",
			       reading->name);

	line_parse(text, end, reading->options->profile, &line);
	switch (line.kind) {
	case LINE_IGNORED:
		list->ignored_lines++;
		return 0;
	case LINE_REJECTED:
		return note_reject(&list->rejected, list->lines, line.reason);
	case LINE_SKIPPED_ALLOW:
		return note_line(&list->skipped_allow, list->lines);
	case LINE_ACCEPTED:
		break;
	}
	if (line.family != reading->options->family)
		return note_line(&list->skipped_family, list->lines);
	/* Of IPv6 only here: where it is skipped, ::/0 is like others. */
	if (range_is_all(&line.range))
		return note_reject(&list->rejected, list->lines,
				   REASON_DEFAULT_ROUTE);
	return accept_line(list, &line);
}

/* Nothing of a refused file is used; what it is called stays. */
static int refuse(struct reading *reading, enum list_refusal refusal,
		  const char *why)
{
	list_free(reading->list);
	reading->list->rules.family = reading->options->family;
	reading->list->refusal = refusal;
	return log_err(-EINVAL, "%s: %s", reading->name, why);
}

int list_build_start(struct reading *reading, const char *text, size_t bytes)
{
	if (bytes >= 2 &&
	    (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return refuse(
			reading, LIST_UTF16,
			"UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8");
	if (bytes >= 2 && !memcmp(text, "\x1f\x8b", 2))
		return refuse(
			reading, LIST_GZIP,
			"compressed with gzip; unpack it first: gzip -dc FILE | hookcost rules -");
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return 3;
	return 0;
}

ssize_t list_build_lines(struct reading *reading, const char *text,
			 size_t bytes, size_t fresh, bool is_all)
{
	const char *start = text, *end = text + bytes;
	const char *search = text + fresh;
	int err;

	if (memchr(search, '\0', end - search))
		return refuse(reading, LIST_NUL_BYTE,
			      "holds a NUL byte, so it is no text file");

	while (search < end) {
		const char *newline = memchr(search, '\n', end - search);

		if (!newline)
			break;
		err = take_line(reading, start, newline);
		if (err)
			return err;
		start = search = newline + 1;
	}
	if (is_all && start < end) {
		err = take_line(reading, start, end);
		if (err)
			return err;
		start = end;
	}
	return start - text;
}

static int no_prefix(struct reading *reading)
{
	const char *other = list_other_family(reading->list->rules.family);
	struct list *list = reading->list;

	list->refusal = LIST_NO_PREFIX;
	if (list->rejected.count)
		return log_err(
			-EINVAL,
			"%s: no usable prefix in %zu lines: %zu ignored, %zu rejected (the first is line %u: %s), %zu %s, %zu allowed",
			reading->name, list->lines, list->ignored_lines,
			list->rejected.count, list->rejected.at[0].line,
			list_reason_name(list->rejected.at[0].reason),
			list->skipped_family.count, other,
			list->skipped_allow.count);
	return log_err(
		-EINVAL,
		"%s: no usable prefix in %zu lines: %zu ignored, %zu %s, %zu allowed",
		reading->name, list->lines, list->ignored_lines,
		list->skipped_family.count, other, list->skipped_allow.count);
}

/* What is kept needs no room to grow; if it does not shrink, it stays. */
static void drop_spare_room(struct list *list)
{
	size_t bytes = list->rules.count * sizeof(*list->rules.prefixes);
	void *fitting = realloc(list->rules.prefixes, bytes);

	if (!fitting)
		return;
	list->rules.prefixes = fitting;
	list->room = list->rules.count;
}

int list_build_end(struct reading *reading)
{
	struct list *list = reading->list;

	if (!list->rules.count)
		return no_prefix(reading);
	drop_spare_room(list);
	if (reading->options->strict && list->rejected.count) {
		list->refusal = LIST_STRICT;
		return log_err(
			-EINVAL,
			"%s: %zu of %zu lines rejected, the first is line %u: %s",
			reading->name, list->rejected.count, list->lines,
			list->rejected.at[0].line,
			list_reason_name(list->rejected.at[0].reason));
	}
	return 0;
}

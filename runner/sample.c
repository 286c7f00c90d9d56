// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/sample.h"

#define NOT_COUNTED_TEXT "NaN"

int sample_write(FILE *out, const struct sample *sample)
{
	char counted[24] = NOT_COUNTED_TEXT;

	if (sample->instructions != SAMPLE_NOT_COUNTED)
		snprintf(counted, sizeof(counted), "%" PRIu64,
			 sample->instructions);
	if (fprintf(out,
		    "%" PRIu32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64
		    "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%d\n",
		    sample->round, sample->cell, sample->start_ns,
		    sample->elapsed_ns, sample->sent, sample->dropped,
		    sample->passed, counted, sample->fault) < 0)
		return -errno;
	return 0;
}

/*
 * Takes the next field, which must be a plain decimal number up to max and be
 * followed by the character `end`.
 */
static bool take(const char **cursor, char end, uint64_t max, uint64_t *value)
{
	char *after;

	if (**cursor < '0' || **cursor > '9')
		return false;
	errno = 0;
	*value = strtoull(*cursor, &after, 10);
	if (errno || *value > max || *after != end)
		return false;
	*cursor = after + 1;
	return true;
}

static bool take_counted(const char **cursor, uint64_t *value)
{
	static const char none[] = NOT_COUNTED_TEXT "\t";

	if (strncmp(*cursor, none, strlen(none)))
		return take(cursor, '\t', SAMPLE_NOT_COUNTED - 1, value);
	*value = SAMPLE_NOT_COUNTED;
	*cursor += strlen(none);
	return true;
}

static bool parse_line(const char *line, uint32_t cell_count,
		       struct sample *sample)
{
	uint64_t round, cell, fault;

	if (!take(&line, '\t', UINT32_MAX, &round) ||
	    !take(&line, '\t', UINT32_MAX, &cell) ||
	    !take(&line, '\t', UINT64_MAX, &sample->start_ns) ||
	    !take(&line, '\t', UINT64_MAX, &sample->elapsed_ns) ||
	    !take(&line, '\t', UINT64_MAX, &sample->sent) ||
	    !take(&line, '\t', UINT64_MAX, &sample->dropped) ||
	    !take(&line, '\t', UINT64_MAX, &sample->passed) ||
	    !take_counted(&line, &sample->instructions) ||
	    !take(&line, '\n', 1, &fault) || *line || cell >= cell_count)
		return false;
	sample->round = round;
	sample->cell = cell;
	sample->fault = fault || !sample->sent || !sample->elapsed_ns ||
			sample->sent != sample->dropped + sample->passed;
	return true;
}

static int by_cell_and_round(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->cell != b->cell)
		return a->cell < b->cell ? -1 : 1;
	return a->round < b->round ? -1 : a->round > b->round;
}

static int sort(const char *path, struct sample *samples, size_t count)
{
	if (!count)
		return 0;
	qsort(samples, count, sizeof(*samples), by_cell_and_round);
	for (size_t i = 1; i < count; i++)
		if (!by_cell_and_round(&samples[i - 1], &samples[i]))
			return log_err(-EINVAL,
				       "%s: cell %" PRIu32 " is there twice in "
				       "round %" PRIu32 "; the file is damaged",
				       path, samples[i].cell, samples[i].round);
	return 0;
}

/* Makes room for one more; the array doubles. */
static int grow(struct sample **samples, size_t count)
{
	struct sample *larger;

	if (count & (count - 1))
		return 0;
	larger = reallocarray(*samples, count ? 2 * count : 1,
			      sizeof(**samples));
	if (!larger)
		return log_err(-ENOMEM, "no memory for %zu samples", count);
	*samples = larger;
	return 0;
}

static int parse_file(FILE *in, const char *path, uint32_t cell_count,
		      struct sample **samples, size_t *count)
{
	auto_mem char *line = NULL;
	size_t size = 0, number = 0;
	ssize_t len;
	int err;

	while ((len = getline(&line, &size, in)) > 0) {
		number++;
		if (line[len - 1] != '\n')
			break;
		if (number == 1) {
			if (strcmp(line, SAMPLE_COLUMNS "\n"))
				return log_err(-EINVAL,
					       "%s:1: these are not the "
					       "columns of this version",
					       path);
			continue;
		}
		err = grow(samples, *count);
		if (err)
			return err;
		if (strlen(line) != (size_t)len ||
		    !parse_line(line, cell_count, &(*samples)[*count]))
			return log_err(-EINVAL,
				       "%s:%zu: not a sample of a cell in "
				       "run.json; the file is damaged",
				       path, number);
		(*count)++;
	}
	return ferror(in) ? log_err(-EIO, "%s: cannot be read", path) : 0;
}

int samples_load(const char *path, uint32_t cell_count, struct sample **samples,
		 size_t *count)
{
	auto_file FILE *in = fopen(path, "re");
	auto_mem struct sample *list = NULL;
	size_t n = 0;
	int err;

	if (!in)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	err = parse_file(in, path, cell_count, &list, &n);
	if (!err)
		err = sort(path, list, n);
	if (err)
		return err;
	*samples = hand_over(list, NULL);
	*count = n;
	return 0;
}

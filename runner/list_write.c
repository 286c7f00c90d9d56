// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/list_write.h"
#include "runner/log.h"
#include "runner/prefixes.h"

static const char *const form_names[LIST_FORM_COUNT] = {
	[LIST_NORMALISED] = "normalised",
	[LIST_MAXIMAL] = "maximal",
	[LIST_AGGREGATED] = "aggregated",
	[LIST_INTERVALS] = "intervals",
};

enum list_form list_form_find(const char *name)
{
	enum list_form form = 0;

	while (form < LIST_FORM_COUNT && strcmp(name, form_names[form]))
		form++;
	return form;
}

const char *list_form_name(enum list_form form)
{
	return form_names[form];
}

static void put_range(const struct range *range, enum family family, FILE *out)
{
	char first[ADDR_TEXT_BYTES], last[ADDR_TEXT_BYTES];

	fprintf(out, "%s-%s\n", addr_text(family, range->first, first),
		addr_text(family, range->last, last));
}

/* The whole space goes in two halves: in one it would not be read again. */
static void put_whole(enum family family, FILE *out)
{
	const addr_t half = prefix_mask(1);

	put_range(&(struct range){ 0, half - 1 }, family, out);
	put_range(&(struct range){ half, ADDR_MAX }, family, out);
}

static int put_ranges(const struct prefix *maximal, size_t count,
		      enum family family, FILE *out)
{
	size_t ranges = prefixes_ranges(maximal, count, NULL);
	auto_mem struct range *range = NULL;

	range = malloc((ranges + 1) * sizeof(*range));
	if (!range)
		return log_err(-ENOMEM, "no memory for %zu intervals", ranges);
	prefixes_ranges(maximal, count, range);
	if (ranges == 1 && range_is_all(range))
		put_whole(family, out);
	else
		for (size_t i = 0; i < ranges; i++)
			put_range(&range[i], family, out);
	return 0;
}

static void put_prefixes(const struct prefix *prefixes, size_t count,
			 enum family family, FILE *out)
{
	char text[ADDR_TEXT_BYTES];

	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s/%u\n",
			addr_text(family, prefixes[i].addr, text),
			prefixes[i].len);
}

int list_write(const struct rules *rules, enum list_form form, FILE *out)
{
	size_t count = rules->count;
	auto_mem struct prefix *sorted = NULL;
	int err = 0;

	sorted = malloc((count + 1) * sizeof(*sorted));
	if (!sorted)
		return log_err(-ENOMEM, "no memory to copy %zu prefixes",
			       count);
	if (count)
		memcpy(sorted, rules->prefixes, count * sizeof(*sorted));
	prefixes_sort(sorted, count);

	if (form == LIST_NORMALISED)
		count = prefixes_unique(sorted, count);
	else
		count = prefixes_maximal(sorted, count);
	if (form == LIST_AGGREGATED)
		count = prefixes_collapse(sorted, count);

	if (form == LIST_INTERVALS)
		err = put_ranges(sorted, count, rules->family, out);
	else
		put_prefixes(sorted, count, rules->family, out);
	if (err)
		return err;
	if (fflush(out) || ferror(out))
		return log_err(errno ? -errno : -EIO,
			       "cannot write the list: %s", strerror(errno));
	return 0;
}

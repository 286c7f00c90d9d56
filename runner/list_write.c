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

static void put_addr(uint32_t addr, FILE *out)
{
	fprintf(out, "%u.%u.%u.%u", addr >> 24, addr >> 16 & 0xff,
		addr >> 8 & 0xff, addr & 0xff);
}

static int put_intervals(const struct prefix *maximal, size_t count, FILE *out)
{
	size_t intervals = prefixes_intervals(maximal, count, NULL);
	auto_mem struct interval *interval = NULL;

	interval = malloc((intervals + 1) * sizeof(*interval));
	if (!interval)
		return log_err(-ENOMEM, "no memory for %zu intervals",
			       intervals);
	prefixes_intervals(maximal, count, interval);
	for (size_t i = 0; i < intervals; i++) {
		put_addr(interval[i].first, out);
		fputc('-', out);
		put_addr(interval[i].last, out);
		fputc('\n', out);
	}
	return 0;
}

static void put_prefixes(const struct prefix *prefixes, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		put_addr(prefixes[i].addr, out);
		fprintf(out, "/%u\n", prefixes[i].len);
	}
}

int list_write(const struct rules *rules, enum list_form form, FILE *out)
{
	size_t count = rules->count;
	auto_mem struct prefix *sorted = NULL;
	int err;

	sorted = malloc((count + 1) * sizeof(*sorted));
	if (!sorted)
		return log_err(-ENOMEM, "no memory to copy %zu prefixes",
			       count);
	if (count)
		memcpy(sorted, rules->prefixes, count * sizeof(*sorted));
	err = prefixes_sort(sorted, count);
	if (err)
		return err;

	if (form == LIST_NORMALISED)
		count = prefixes_unique(sorted, count);
	else
		count = prefixes_maximal(sorted, count);
	if (form == LIST_AGGREGATED)
		count = prefixes_collapse(sorted, count);

	if (form == LIST_INTERVALS)
		err = put_intervals(sorted, count, out);
	else
		put_prefixes(sorted, count, out);
	if (err)
		return err;
	if (fflush(out) || ferror(out))
		return log_err(errno ? -errno : -EIO,
			       "cannot write the list: %s", strerror(errno));
	return 0;
}

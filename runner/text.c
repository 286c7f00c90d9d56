// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/text.h"

int text_number(const char *text, uint64_t min, uint64_t max, int suffixes,
		uint64_t *value)
{
	uint64_t sum = 0, unit = 1;
	const char *at = text;

	if (!isdigit((unsigned char)*at))
		return -EINVAL;
	for (; isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, *at - '0', &sum))
			return -ERANGE;
	if (suffixes && *at == 'k')
		unit = 1000, at++;
	else if (suffixes && *at == 'M')
		unit = 1000000, at++;
	if (*at)
		return -EINVAL;
	if (__builtin_mul_overflow(sum, unit, &sum) || sum < min || sum > max)
		return -ERANGE;
	*value = sum;
	return 0;
}

int text_fraction(const char *text, double min, double max, double *value)
{
	double sum = 0, unit = 1;
	const char *at = text;

	if (!isdigit((unsigned char)*at))
		return -EINVAL;
	for (; isdigit((unsigned char)*at); at++)
		sum = sum * 10 + (*at - '0');
	if (*at == '.') {
		if (!isdigit((unsigned char)*++at))
			return -EINVAL;
		for (; isdigit((unsigned char)*at); at++) {
			unit /= 10;
			sum += (*at - '0') * unit;
		}
	}
	if (*at)
		return -EINVAL;
	if (sum < min || sum > max)
		return -ERANGE;
	*value = sum;
	return 0;
}

/* Levenshtein distance of two short words, one row at a time. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], n = strlen(b);

	if (n >= ARRAY_SIZE(row))
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t best = diagonal + (a[i] != b[j]);

			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > row[j + 1] + 1)
				best = row[j + 1] + 1;
			diagonal = row[j + 1];
			row[j + 1] = best;
		}
	}
	return row[n];
}

const char *text_nearest(const char *text, const char *const *names)
{
	size_t near = strlen(text) / 2 + 1;
	const char *nearest = NULL;

	for (size_t i = 0; names[i]; i++) {
		size_t d = distance(text, names[i]);

		if (d < near) {
			near = d;
			nearest = names[i];
		}
	}
	return nearest;
}

int text_each(const char *list, int (*fn)(const char *part, void *arg),
	      void *arg)
{
	auto_mem char *copy = strdup(list);
	char *rest = copy, *part;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	while (!err && (part = strsep(&rest, ",")))
		err = fn(part, arg);
	return err;
}

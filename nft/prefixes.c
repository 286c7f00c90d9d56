// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nft/prefixes.h"

/* By address; of two that begin alike the wider one first. */
static int compare(const void *left, const void *right)
{
	const struct prefix *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (int)a->len - b->len;
}

static bool is_sorted(const struct rules *rules)
{
	for (size_t i = 1; i < rules->count; i++)
		if (compare(&rules->prefixes[i - 1], &rules->prefixes[i]) > 0)
			return false;
	return true;
}

static int sort_copy(const struct rules *rules, struct rules *copy)
{
	size_t bytes = rules->count * sizeof(*rules->prefixes);

	copy->prefixes = malloc(bytes + 1);
	copy->count = rules->count;
	if (!copy->prefixes)
		return -ENOMEM;
	if (bytes)
		memcpy(copy->prefixes, rules->prefixes, bytes);
	if (!is_sorted(copy))
		qsort(copy->prefixes, copy->count, sizeof(*copy->prefixes),
		      compare);
	return 0;
}

int prefixes_outer(const struct rules *rules, struct rules *outer)
{
	struct prefix *all;
	size_t kept = 0;

	if (sort_copy(rules, outer))
		return -ENOMEM;
	all = outer->prefixes;
	for (size_t i = 0; i < outer->count; i++)
		if (!kept || !prefix_holds(&all[kept - 1], all[i].addr))
			all[kept++] = all[i];
	outer->count = kept;
	return 0;
}

size_t prefixes_distinct(const struct rules *rules)
{
	struct rules sorted;
	size_t distinct = 0;

	if (sort_copy(rules, &sorted))
		return 0;
	for (size_t i = 0; i < sorted.count; i++)
		if (!i || compare(&sorted.prefixes[i - 1], &sorted.prefixes[i]))
			distinct++;
	free(sorted.prefixes);
	return distinct;
}

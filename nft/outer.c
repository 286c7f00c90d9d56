// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nft/outer.h"

/* By address; of two that begin alike the wider one first. */
static int compare(const void *left, const void *right)
{
	const struct prefix *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return (int)a->len - b->len;
}

static bool sorted(const struct rules *rules)
{
	for (size_t i = 1; i < rules->count; i++)
		if (compare(&rules->prefixes[i - 1], &rules->prefixes[i]) > 0)
			return false;
	return true;
}

int outer_build(const struct rules *rules, struct rules *outer)
{
	struct prefix *copy = malloc((rules->count + 1) * sizeof(*copy));
	size_t kept = 0;

	if (!copy)
		return -ENOMEM;
	if (rules->count)
		memcpy(copy, rules->prefixes, rules->count * sizeof(*copy));
	*outer = (struct rules){ copy, rules->count };
	if (!sorted(outer))
		qsort(copy, outer->count, sizeof(*copy), compare);
	for (size_t i = 0; i < outer->count; i++)
		if (!kept || !prefix_holds(&copy[kept - 1], copy[i].addr))
			copy[kept++] = copy[i];
	outer->count = kept;
	return 0;
}

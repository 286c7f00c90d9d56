// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/list_stats.h"
#include "runner/log.h"
#include "runner/prefixes.h"

int list_stats_count(const struct rules *rules, struct list_stats *out)
{
	size_t count = rules->count;
	auto_mem struct prefix *sorted = NULL;

	*out = (struct list_stats){ .prefixes = count };
	if (!count)
		return 0;

	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return log_err(-ENOMEM, "no memory to copy %zu prefixes",
			       count);
	memcpy(sorted, rules->prefixes, count * sizeof(*sorted));
	prefixes_sort(sorted, count);

	/* Each form is made of the one before, in place. */
	out->unique = count = prefixes_unique(sorted, count);
	out->special = prefixes_special(sorted, count, rules->family);
	for (size_t i = 0; i < count; i++)
		out->by_len[sorted[i].len]++;
	out->maximal = count = prefixes_maximal(sorted, count);
	out->addresses = prefixes_addresses(sorted, count, rules->family);
	out->ranges = prefixes_ranges(sorted, count, NULL);
	out->collapsed = prefixes_collapse(sorted, count);
	return 0;
}

const char *list_stats_addresses(const struct list_stats *stats,
				 char buf[ADDR_COUNT_BYTES])
{
	/* 2^128 alone does not fit. */
	if (stats->maximal && !stats->addresses)
		return "340282366920938463463374607431768211456";
	return addr_count_text(stats->addresses, buf);
}

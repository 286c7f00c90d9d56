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
	int err;

	*out = (struct list_stats){ .prefixes = count };
	if (!count)
		return 0;

	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return log_err(-ENOMEM, "no memory to copy %zu prefixes",
			       count);
	memcpy(sorted, rules->prefixes, count * sizeof(*sorted));
	err = prefixes_sort(sorted, count);
	if (err)
		return err;

	/* Each form is made of the one before, in place. */
	out->unique = count = prefixes_unique(sorted, count);
	out->special = prefixes_special(sorted, count);
	for (size_t i = 0; i < count; i++)
		out->by_len[sorted[i].len]++;
	out->maximal = count = prefixes_maximal(sorted, count);
	out->addresses = prefixes_addresses(sorted, count);
	out->intervals = prefixes_intervals(sorted, count, NULL);
	out->collapsed = prefixes_collapse(sorted, count);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "runner/rules_sorted.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/prefixes.h"

int rules_sorted_copy(const struct rules *rules, struct rules *copy)
{
	size_t bytes = rules->count * sizeof(*rules->prefixes);
	auto_mem struct prefix *prefixes = malloc(bytes + 1);

	if (!prefixes)
		return log_err(-ENOMEM, "no memory to sort %zu prefixes",
			       rules->count);
	if (bytes)
		memcpy(prefixes, rules->prefixes, bytes);
	prefixes_sort(prefixes, rules->count);
	*copy = (struct rules){
		.prefixes = hand_over(prefixes, NULL),
		.count = rules->count,
		.family = rules->family,
	};
	return 0;
}

size_t rules_distinct(const struct rules *rules)
{
	struct rules copy;
	size_t distinct;

	if (rules_sorted_copy(rules, &copy))
		return 0;
	distinct = prefixes_unique(copy.prefixes, copy.count);
	free(copy.prefixes);
	return distinct;
}

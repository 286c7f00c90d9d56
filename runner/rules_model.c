// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/rules_model.h"

int rules_model_build(const struct rules *rules, struct rules_model *out)
{
	auto_mem struct prefix *sorted = NULL;
	size_t count = rules->count;
	int err;

	*out = (struct rules_model){ 0 };
	if (!count)
		return 0;

	sorted = malloc(count * sizeof(*sorted));
	if (!sorted)
		return log_err(-ENOMEM, "no memory to copy %zu prefixes",
			       count);
	memcpy(sorted, rules->prefixes, count * sizeof(*sorted));
	prefixes_sort(sorted, count);
	count = prefixes_maximal(sorted, count);

	out->count = prefixes_ranges(sorted, count, NULL);
	out->ranges = malloc(out->count * sizeof(*out->ranges));
	if (!out->ranges) {
		err = log_err(-ENOMEM, "no memory for %zu ranges", out->count);
		out->count = 0;
		return err;
	}
	prefixes_ranges(sorted, count, out->ranges);
	return 0;
}

void rules_model_free(struct rules_model *model)
{
	free(model->ranges);
	*model = (struct rules_model){ 0 };
}

bool rules_match(const struct rules_model *model, addr_t addr)
{
	size_t low = 0, high = model->count;

	/* The first range that ends at or after the address. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (model->ranges[middle].last < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < model->count && model->ranges[low].first <= addr;
}

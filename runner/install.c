// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <time.h>

#include "runner/install.h"
#include "runner/log.h"
#include "runner/memory.h"

/* Part of the available memory that a set may take. */
#define MEMORY_SHARE 0.9

/*
 * Less than this in the kernel's own counters may be anybody's.
 */
#define MEMORY_NOISE_BYTES (1 << 20)

#define GIB (1024.0 * 1024 * 1024)

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int check_family(const struct cell *cell)
{
	const struct filter *filter = cell->plan->filter;

	if (cell->site.family == FAMILY_IPV6 && !filter->ipv6)
		return log_err(
			-EOPNOTSUPP,
			"%s has no IPv6 here: leave it out, or take --family 4",
			filter->name);
	return 0;
}

int install_check_room(const struct filter *filter, size_t count)
{
	double needed = (double)count * filter->rule_bytes;
	uint64_t available = memory_available();

	if (filter->max_rules && count > filter->max_rules)
		return log_err(-EOPNOTSUPP, "%s holds at most %zu rules",
			       filter->name, filter->max_rules);
	if (available && needed > available * MEMORY_SHARE)
		return log_err(
			-EOPNOTSUPP,
			"%s: %zu rules take about %.1f GiB of kernel memory, %.1f GiB are available",
			filter->name, count, needed / GIB, available / GIB);
	return 0;
}

static void note_memory(struct cell *cell, uint64_t before)
{
	const struct filter *filter = cell->plan->filter;
	int64_t grown = memory_of_kernel() - before;
	uint64_t bytes;

	if (filter->memory && !filter->memory(cell->filter_state, &bytes)) {
		cell->setup.kernel_bytes = bytes;
		cell->setup.by_mechanism = true;
	} else if (grown >= MEMORY_NOISE_BYTES) {
		cell->setup.kernel_bytes = grown;
	}
	if (grown >= MEMORY_NOISE_BYTES)
		cell->setup.grown_bytes = grown;
}

int install_rules(struct cell *cell)
{
	const struct filter *filter = cell->plan->filter;
	uint64_t memory_before;
	int64_t start_ns;
	int err = check_family(cell);

	cell->setup = (struct setup){ -1, -1, -1, -1, false, -1 };
	if (err)
		return err;
	memory_before = memory_of_kernel();
	start_ns = now_ns();
	err = filter->attach(cell->filter_state, &cell->site, &cell->rules);
	if (err)
		return err;
	cell->setup.install_ns = now_ns() - start_ns;
	if (cell->rules.count)
		note_memory(cell, memory_before);
	return 0;
}

void install_undo(struct cell *cell, const struct prefix *extra)
{
	const struct filter *filter = cell->plan->filter;
	int64_t start_ns = now_ns();

	if (filter->add && !filter->add(cell->filter_state, extra))
		cell->setup.add_ns = now_ns() - start_ns;
	start_ns = now_ns();
	filter->detach(cell->filter_state);
	cell->setup.remove_ns = now_ns() - start_ns;
}

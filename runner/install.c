// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <gsl/gsl_sort_long.h>
#include <time.h>

#include "runner/install.h"
#include "runner/log.h"
#include "runner/memory.h"

/* Part of the available memory that a set may take. */
#define MEMORY_SHARE 0.9

/* Less than this in the kernel's own counters may be anybody's. */
#define MEMORY_NOISE_BYTES (1 << 20)

/* Time for adding rules, beyond which none is added any more. */
#define ADD_MAX_NS 500000000L

/* How often, and for how long, memory is watched until none is freed. */
#define QUIET_TRIES 100
#define QUIET_NS    50000000

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

/*
 * The kernel frees what went before us behind everybody's back, a large trie
 * for seconds; what it frees while our rules come would be taken off them.
 */
static uint64_t quiet_memory(const struct cell *cell)
{
	const struct timespec pause = { 0, QUIET_NS };
	double expected =
		(double)cell->rules.count * cell->plan->filter->rule_bytes;
	uint64_t now = memory_of_kernel(), before;

	if (expected < MEMORY_NOISE_BYTES)
		return now;
	for (int i = 0; i < QUIET_TRIES; i++) {
		nanosleep(&pause, NULL);
		before = now;
		now = memory_of_kernel();
		if (before < now + MEMORY_NOISE_BYTES / 4)
			break;
	}
	return now;
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
	memory_before = quiet_memory(cell);
	start_ns = now_ns();
	err = filter->attach(cell->filter_state, &cell->site, &cell->rules);
	if (err)
		return err;
	cell->setup.install_ns = now_ns() - start_ns;
	if (cell->rules.count)
		note_memory(cell, memory_before);
	return 0;
}

/*
 * The first one meets cold caches and code that was never called, so a single
 * one tells little.  A mechanism that is slow at it is not asked again.
 */
static int64_t add_each(struct cell *cell, const struct prefix *extra,
			size_t count)
{
	const struct filter *filter = cell->plan->filter;
	long took_ns[FILTER_SPARE];
	size_t done = 0;
	long sum_ns = 0;

	while (done < count && done < FILTER_SPARE && sum_ns < ADD_MAX_NS) {
		int64_t start_ns = now_ns();

		if (filter->add(cell->filter_state, &extra[done]))
			break;
		took_ns[done] = now_ns() - start_ns;
		sum_ns += took_ns[done++];
	}
	gsl_sort_long(took_ns, 1, done);
	return done ? took_ns[done / 2] : -1;
}

void install_undo(struct cell *cell, const struct prefix *extra, size_t count)
{
	const struct filter *filter = cell->plan->filter;
	int64_t start_ns;

	if (filter->add)
		cell->setup.add_ns = add_each(cell, extra, count);
	start_ns = now_ns();
	filter->detach(cell->filter_state);
	cell->setup.remove_ns = now_ns() - start_ns;
}

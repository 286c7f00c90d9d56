// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/advice.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/number.h"

#define STEAL_LIMIT_PERCENT 1.0

/* Warnings of a whole run; every canary adds one at most. */
#define FIXED_ITEMS 8

/* Instructions a packet: less than this prints as 0.00. */
#define EXACT_NOISE 0.005

static int add(struct advice *advice, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The list has room for all that there can be. */
static int add(struct advice *advice, const char *remedy, const char *fmt, ...)
{
	struct advice_item *item = &advice->items[advice->count];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&item->text, fmt, args);
	va_end(args);
	if (len < 0)
		return log_err(-ENOMEM, "no memory for a warning");
	item->remedy = remedy;
	advice->count++;
	return 0;
}

double advice_noise(const struct results *results, const struct stats *stats,
		    size_t canary)
{
	size_t baseline = results->cells[canary].baseline;

	return interval_half(&stats->cells[canary].added_ns) /
	       stats->cells[baseline].ns.value;
}

static int check_canary(const struct results *results,
			const struct stats *stats, size_t index,
			struct advice *advice)
{
	const struct result_cell *cell = &results->cells[index];
	const struct interval *added = &stats->cells[index].added_ns;
	double place = number_place(added);
	double noise = advice_noise(results, stats, index);

	if (results->counts_instructions) {
		if (!(fabs(added->value) >= EXACT_NOISE))
			return 0;
		return add(advice,
			   "compare kernels and filters only beyond this "
			   "difference, and report it: equal cells of a guest "
			   "ought to be equal to the digit",
			   "two equal cells on %s differ by %s instructions "
			   "per packet",
			   cell->hook,
			   number_rounded(added->value, place).text);
	}
	if (isnan(noise))
		return 0;
	if (!interval_holds(added, 0))
		return add(advice,
			   "run again, as one interval in twenty is wrong by "
			   "chance; if it stays, differences up to this "
			   "size mean nothing on this machine: stop other "
			   "work, or take a CPU of its own with --cpu "
			   "(isolcpus)",
			   "two equal cells on %s differ by %s ns [%s..%s], "
			   "and should not",
			   cell->hook, number_rounded(added->value, place).text,
			   number_rounded(added->lo, place).text,
			   number_rounded(added->hi, place).text);
	if (noise > ADVICE_NOISE_LIMIT)
		return add(advice,
			   "measure longer (--time), stop other work on the "
			   "machine, or take an isolated CPU with --cpu",
			   "noise on %s is wide: +-%s %% of the baseline, "
			   "where +-%s %% is good",
			   cell->hook, number_data(100 * noise, 1).text,
			   number_data(100 * ADVICE_NOISE_LIMIT, 1).text);
	return 0;
}

static int check_faults(const struct results *results,
			const struct stats *stats, struct advice *advice)
{
	size_t faults = 0, slices = 0, worst = 0;

	for (size_t i = 0; i < stats->cell_count; i++) {
		const struct cell_stats *cell = &stats->cells[i];

		faults += cell->faults;
		slices += cell->slices + cell->faults;
		if (cell->faults > stats->cells[worst].faults)
			worst = i;
	}
	if (!faults)
		return 0;
	return add(advice,
		   "these slices are left out; look for fault 1 in samples.tsv "
		   "and do not trust a cell with many",
		   "%zu of %zu slices are wrong (packets are missing, or a "
		   "verdict was), most of them of %s with %s rules",
		   faults, slices, results->cells[worst].filter,
		   number_whole(results->cells[worst].rules).text);
}

static int check_length(const struct results *results,
			const struct stats *stats, struct advice *advice)
{
	int err = 0;

	if (results->state != RUN_COMPLETE)
		err = add(advice, "run again for the whole measurement",
			  "the run did not end as planned; these are the "
			  "results up to round %zu",
			  stats->rounds);
	if (!err && !results->counts_instructions && stats->rounds < 6)
		err = add(advice,
			  "measure longer (--time) or more rounds (--rounds)",
			  "rounds are too few (%zu) for a 95 %% interval",
			  stats->rounds);
	return err;
}

static bool says(const struct results *results, const char *key,
		 const char *value)
{
	const char *fact = results_fact(results, key);

	return fact && !strcmp(fact, value);
}

/* Clock speed and neighbours; none of it moves a count of instructions. */
static int check_clock(const struct results *results, struct advice *advice)
{
	const char *governor = results_fact(results, "governor");
	double steal = results_number(results, "steal_percent");
	int err = 0;

	if (governor && !says(results, "governor", "performance") &&
	    !says(results, "governor", "unknown") &&
	    !says(results, "governor", "none"))
		err = add(advice, "cpupower frequency-set -g performance",
			  "the CPU's frequency governor is %s: the clock speed "
			  "follows the load",
			  governor);
	if (!err && says(results, "turbo", "on"))
		err = add(advice,
			  "echo 0 > /sys/devices/system/cpu/cpufreq/boost, or "
			  "echo 1 > /sys/devices/system/cpu/intel_pstate/"
			  "no_turbo",
			  "turbo is on: the clock speed depends on heat and on "
			  "the other CPUs");
	if (!err && steal > STEAL_LIMIT_PERCENT)
		err = add(advice,
			  "measure when the host is quiet, or longer (--time)",
			  "the hypervisor took %s %% of the CPU away",
			  number_data(steal, 1).text);
	return err;
}

static int compute(const struct results *results, const struct stats *stats,
		   struct advice *advice)
{
	size_t room =
		FIXED_ITEMS + results->cell_count + results->warning_count;
	int err;

	advice->items = calloc(room, sizeof(*advice->items));
	if (!advice->items)
		return log_err(-ENOMEM, "no memory for the warnings");
	err = check_length(results, stats, advice);
	for (size_t i = 0; i < results->cell_count && !err; i++)
		if (results->cells[i].role == RESULT_CANARY)
			err = check_canary(results, stats, i, advice);
	if (!err)
		err = check_faults(results, stats, advice);
	if (!err && says(results, "jit", "off"))
		err = add(advice, "sysctl net.core.bpf_jit_enable=1",
			  "the BPF JIT is off: BPF programs are interpreted, "
			  "and several times slower than usual");
	if (!err && !results->counts_instructions)
		err = check_clock(results, advice);
	for (size_t i = 0; i < results->warning_count && !err; i++)
		err = add(advice, results->warnings[i].remedy, "%s",
			  results->warnings[i].text);
	return err;
}

int advice_compute(const struct results *results, const struct stats *stats,
		   struct advice *advice)
{
	auto_advice struct advice computing = { 0 };
	int err = compute(results, stats, &computing);

	if (!err)
		*advice = hand_over(computing, (struct advice){ 0 });
	return err;
}

void advice_say(const struct advice *advice)
{
	for (size_t i = 0; i < advice->count; i++)
		log_warn("%s\n    remedy: %s", advice->items[i].text,
			 advice->items[i].remedy);
}

void advice_free(struct advice *advice)
{
	for (size_t i = 0; i < advice->count; i++)
		free(advice->items[i].text);
	free(advice->items);
	*advice = (struct advice){ 0 };
}

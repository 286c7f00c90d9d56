// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "runner/cleanup.h"
#include "runner/install.h"
#include "runner/list.h"
#include "runner/log.h"
#include "runner/rules_gen.h"
#include "runner/rules_model.h"
#include "runner/ruleset.h"
#include "runner/traffic.h"

/* Multiplier of Fibonacci hashing: 2^64 over the golden ratio. */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/*
 * Drops repeats and keeps the order, in which linear mechanisms walk: an open
 * hash of at least twice as many places, where 0 is a free one (no prefix has
 * length 0).
 */
static int drop_repeats(struct rules *rules)
{
	auto_mem uint64_t *seen = NULL;
	unsigned int bits = 4;
	size_t kept = 0;

	while (bits < 40 && UINT64_C(1) << bits < 2 * rules->count)
		bits++;
	seen = calloc(UINT64_C(1) << bits, sizeof(*seen));
	if (!seen)
		return log_err(-ENOMEM, "out of memory for %zu rules",
			       rules->count);
	for (size_t i = 0; i < rules->count; i++) {
		struct prefix prefix = rules->prefixes[i];
		uint64_t key = (uint64_t)prefix.addr << 8 | prefix.len;
		uint64_t at = key * HASH_FACTOR >> (64 - bits);

		while (seen[at] && seen[at] != key)
			at = (at + 1) & ((UINT64_C(1) << bits) - 1);
		if (seen[at])
			continue;
		seen[at] = key;
		rules->prefixes[kept++] = prefix;
	}
	rules->count = kept;
	return 0;
}

static int fit_sizes(struct options *options, size_t count)
{
	if (!options->sizes_given) {
		options->sizes[0] = count;
		options->size_count = 1;
		options->sizes_given = true;
		return 0;
	}
	for (size_t i = 0; i < options->size_count; i++)
		if (options->sizes[i] > count)
			return log_err(
				-EINVAL,
				"--rules %zu: the list %s has %zu different prefixes",
				options->sizes[i], options->list, count);
	return 0;
}

int ruleset_read(struct ruleset *set, struct options *options)
{
	const struct list_options how = { .profile = LIST_FULL,
					  .strict = options->strict };
	struct list list = { 0 };
	int err;

	if (!options->list)
		return 0;
	err = list_read(options->list, &how, &list);
	if (!err) {
		log_info(
			"%s: %zu prefixes in %zu lines, %zu lines rejected, %zu of IPv6 skipped (`hookcost rules` has them)",
			options->list, list.rules.count, list.lines,
			list.rejected.count, list.skipped_v6.count);
		set->all = hand_over(list.rules, (struct rules){ 0 });
		err = drop_repeats(&set->all);
	}
	list_free(&list);
	return err ? err : fit_sizes(options, set->all.count);
}

/* The largest cell that has room; the others are going to be skipped. */
static size_t generated_max(const struct plan *plan)
{
	struct log_capture capture;
	size_t most = 0;

	log_capture_begin(&capture);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		if (cell->rule_count > most &&
		    !install_check_room(cell->filter, cell->rule_count))
			most = cell->rule_count;
	}
	log_capture_end(&capture);
	return most;
}

static int generate_by_lengths(struct ruleset *set, const struct plan *plan)
{
	const struct options *o = plan->options;
	int err = 0;

	set->by_axis = calloc(o->length_count, sizeof(*set->by_axis));
	if (!set->by_axis)
		return log_err(-ENOMEM, "out of memory");
	set->axis_count = o->length_count;
	for (size_t i = 0; !err && i < o->length_count; i++) {
		struct rules_spec spec = { .seed = o->seed,
					   .nested = o->nested };

		err = rules_mix_lengths(o->lengths[i], &spec.mix);
		if (!err)
			err = rules_generate(&spec, generated_max(plan),
					     &set->by_axis[i]);
	}
	return err;
}

static int generate(struct ruleset *set, const struct plan *plan)
{
	const struct options *o = plan->options;
	struct rules_spec spec = { .seed = o->seed, .nested = o->nested };
	int err;

	if (o->axis == AXIS_LENGTHS)
		return generate_by_lengths(set, plan);
	if (o->length_count)
		err = rules_mix_lengths(o->lengths[0], &spec.mix);
	else
		err = rules_mix_parse(o->prefix_mix, &spec.mix);
	return err ? err
		   : rules_generate(&spec, generated_max(plan), &set->all);
}

/* Whether a packet may go there: not 0/8, 127/8, 224/3. */
static bool may_send(uint32_t first, uint64_t last)
{
	if (first >> 24 == 0 || last >= 0xe0000000)
		return false;
	return last < 0x7f000000 || first > 0x7fffffff;
}

/* The first gap of the model that has room for so many addresses. */
static int find_gap(const struct rules_model *model, uint64_t count,
		    uint32_t *base)
{
	uint64_t from = 0x01000000;

	for (size_t i = 0; i <= model->count; i++) {
		uint64_t to = i < model->count ? model->intervals[i].first
					       : 0xe0000000;

		if (from < 0x80000000 && to > 0x7f000000 &&
		    from + count > 0x7f000000)
			from = 0x80000000;
		if (from + count <= to && may_send(from, from + count - 1)) {
			*base = from;
			return 0;
		}
		if (i < model->count && model->intervals[i].last >= from)
			from = (uint64_t)model->intervals[i].last + 1;
	}
	return log_err(
		-ENOSPC,
		"the list leaves no %lu consecutive addresses for packets that match no rule: take fewer --flows",
		count);
}

/* Generated rules avoid the usual place; a list may hold it. */
static int find_misses(struct ruleset *set, const struct options *options)
{
	struct rules_model model = { 0 };
	bool taken = false;
	int err = 0;

	set->miss_base = TRAFFIC_MISS_NET;
	if (!options->list)
		return 0;
	if (rules_model_build(&set->all, &model))
		return log_err(-ENOMEM, "out of memory for the model");
	for (size_t i = 0; !taken && i < options->flows; i++)
		taken = rules_match(&model, TRAFFIC_MISS_NET + i);
	if (taken)
		err = find_gap(&model, options->flows, &set->miss_base);
	rules_model_free(&model);
	return err;
}

int ruleset_fill(struct ruleset *set, const struct plan *plan)
{
	int err = 0;

	if (!plan->options->list && plan->rules_max)
		err = generate(set, plan);
	return err ? err : find_misses(set, plan->options);
}

struct rules ruleset_view(const struct ruleset *set,
			  const struct plan_cell *cell)
{
	const struct rules *from =
		set->by_axis ? &set->by_axis[cell->axis_index] : &set->all;

	/* Fewer where there was no room for the cell. */
	return (struct rules){ from->prefixes, cell->rule_count < from->count
						       ? cell->rule_count
						       : from->count };
}

void ruleset_free(struct ruleset *set)
{
	rules_free(&set->all);
	for (size_t i = 0; i < set->axis_count; i++)
		rules_free(&set->by_axis[i]);
	free(set->by_axis);
	*set = (struct ruleset){ 0 };
}

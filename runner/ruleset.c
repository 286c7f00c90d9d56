// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static uint64_t hash(const struct prefix *prefix)
{
	uint64_t mixed = (uint64_t)(prefix->addr >> 64) ^ prefix->len;

	return (mixed * HASH_FACTOR ^ (uint64_t)prefix->addr) * HASH_FACTOR;
}

static bool is_same(const struct prefix *a, const struct prefix *b)
{
	return a->addr == b->addr && a->len == b->len;
}

/*
 * Drops repeats and keeps the order, in which linear mechanisms walk: an open
 * hash of more than twice as many places, each with the number of a kept prefix
 * from 1 on, or 0.
 */
static int drop_repeats(struct rules *rules)
{
	auto_mem uint32_t *seen = NULL;
	unsigned int bits = 4;
	size_t kept = 0;

	while (bits < 32 && UINT64_C(1) << bits <= 2 * rules->count)
		bits++;
	if (rules->count >= UINT64_C(1) << (bits - 1))
		return log_err(-E2BIG, "%zu prefixes in a list are too many",
			       rules->count);
	seen = calloc(UINT64_C(1) << bits, sizeof(*seen));
	if (!seen)
		return log_err(-ENOMEM, "out of memory for %zu rules",
			       rules->count);
	for (size_t i = 0; i < rules->count; i++) {
		struct prefix prefix = rules->prefixes[i];
		uint64_t at = hash(&prefix) >> (64 - bits);

		while (seen[at] &&
		       !is_same(&rules->prefixes[seen[at] - 1], &prefix))
			at = (at + 1) & ((UINT64_C(1) << bits) - 1);
		if (seen[at])
			continue;
		rules->prefixes[kept++] = prefix;
		seen[at] = kept;
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
					  .family = options->family,
					  .strict = options->strict };
	struct list list = { 0 };
	int err;

	set->all.family = options->family;
	if (!options->list)
		return 0;
	err = list_read(options->list, &how, &list);
	if (!err) {
		log_info(
			"%s: %zu prefixes in %zu lines, %zu lines rejected, %zu of %s skipped (`hookcost rules` has them)",
			options->list, list.rules.count, list.lines,
			list.rejected.count, list.skipped_family.count,
			list_other_family(options->family));
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
					   .family = o->family,
					   .nested = o->nested };

		err = rules_mix_lengths(o->lengths[i], o->family, &spec.mix);
		if (!err)
			err = rules_generate(&spec, generated_max(plan),
					     &set->by_axis[i]);
	}
	return err;
}

static int generate(struct ruleset *set, const struct plan *plan)
{
	const struct options *o = plan->options;
	struct rules_spec spec = { .seed = o->seed,
				   .family = o->family,
				   .nested = o->nested };
	int err;

	if (o->axis == AXIS_LENGTHS)
		return generate_by_lengths(set, plan);
	if (o->length_count)
		err = rules_mix_lengths(o->lengths[0], o->family, &spec.mix);
	else
		err = rules_mix_parse(o->prefix_mix, o->family, &spec.mix);
	return err ? err
		   : rules_generate(&spec, generated_max(plan), &set->all);
}

/* What no missing packet can be sent to: the rules and special prefixes. */
static int not_for_misses(const struct rules *rules, struct rules_model *model)
{
	size_t specials;
	const struct prefix *special =
		special_prefixes(rules->family, &specials);
	struct rules both = { .family = rules->family };
	int err;

	both.count = rules->count + specials;
	both.prefixes = malloc(both.count * sizeof(*both.prefixes));
	if (!both.prefixes)
		return log_err(-ENOMEM, "out of memory for the model");
	memcpy(both.prefixes, special, specials * sizeof(*special));
	memcpy(both.prefixes + specials, rules->prefixes,
	       rules->count * sizeof(*special));
	err = rules_model_build(&both, model);
	free(both.prefixes);
	return err;
}

/* The first gap that has room for so many addresses. */
static int find_gap(const struct rules *rules, uint32_t count, addr_t *base)
{
	addr_t room = addr_step(rules->family, count);
	struct rules_model model;
	int err = not_for_misses(rules, &model);

	if (err)
		return err;
	/* The first range of the model begins at 0, the last one ends all. */
	err = -ENOSPC;
	for (size_t i = 0; err && i + 1 < model.count; i++) {
		*base = model.ranges[i].last + 1;
		if (model.ranges[i + 1].first - *base >= room)
			err = 0;
	}
	rules_model_free(&model);
	if (!err)
		return 0;
	if (count == 1)
		return log_err(
			-ENOSPC,
			"the list leaves no address for packets that match no rule: take a shorter one");
	return log_err(
		-ENOSPC,
		"the list leaves no %u consecutive addresses for packets that match no rule: take fewer --flows",
		count);
}

/* Generated rules avoid the usual place; a list may hold it. */
static int find_misses(struct ruleset *set, const struct options *options)
{
	struct rules_model model = { 0 };
	bool taken = false;

	set->miss_base = traffic_miss_net(options->family);
	if (!options->list)
		return 0;
	if (rules_model_build(&set->all, &model))
		return log_err(-ENOMEM, "out of memory for the model");
	for (size_t i = 0; !taken && i < options->flows; i++)
		taken = rules_match(
			&model, set->miss_base + addr_step(options->family, i));
	rules_model_free(&model);
	if (!taken)
		return 0;
	return find_gap(&set->all, options->flows, &set->miss_base);
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
	return (struct rules){
		.prefixes = from->prefixes,
		.count = cell->rule_count < from->count ? cell->rule_count
							: from->count,
		.family = from->family,
	};
}

void ruleset_free(struct ruleset *set)
{
	rules_free(&set->all);
	for (size_t i = 0; i < set->axis_count; i++)
		rules_free(&set->by_axis[i]);
	free(set->by_axis);
	*set = (struct ruleset){ 0 };
}

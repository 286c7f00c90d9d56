// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/plan.h"
#include "runner/prng.h"
#include "runner/registry.h"

static const char *const role_names[] = {
	[ROLE_BASELINE] = "baseline",
	[ROLE_CANARY] = "canary",
	[ROLE_FILTER] = "filter",
};

const char *plan_role_name(enum role role)
{
	return role_names[role];
}

static void add(struct plan *plan, const struct filter *filter, enum hook hook,
		size_t rule_count, enum role role, size_t baseline)
{
	plan->cells[plan->count++] = (struct plan_cell){
		.filter = filter,
		.hook = hook,
		.rule_count = rule_count,
		.role = role,
		.baseline = baseline,
	};
	if (rule_count > plan->rules_max)
		plan->rules_max = rule_count;
}

/* The index of the hook's baseline; adds it and its canary where missing. */
static size_t baseline_of(struct plan *plan, enum hook hook)
{
	size_t at = plan->count;

	for (size_t i = 0; i < plan->count; i++)
		if (plan->cells[i].role == ROLE_BASELINE &&
		    plan->cells[i].hook == hook)
			return i;
	add(plan, filters[0], hook, 0, ROLE_BASELINE, at);
	add(plan, filters[0], hook, 0, ROLE_CANARY, at);
	return at;
}

static void add_choice(struct plan *plan, const struct options *options,
		       const struct filter_choice *choice)
{
	size_t baseline = baseline_of(plan, choice->hook);

	if (choice->filter == filters[0])
		return;
	if (options->axis == AXIS_LENGTHS) {
		for (size_t i = 0; i < options->length_count; i++) {
			add(plan, choice->filter, choice->hook,
			    options->sizes[0], ROLE_FILTER, baseline);
			plan->cells[plan->count - 1].axis_index = i;
		}
		return;
	}
	for (size_t i = 0; i < options->size_count; i++) {
		size_t size = options->sizes[i];

		if (choice->filter->linear && !options->sizes_given &&
		    size > PLAN_LINEAR_MAX)
			continue;
		add(plan, choice->filter, choice->hook, size, ROLE_FILTER,
		    baseline);
	}
}

int plan_build(struct plan *plan, const struct options *options)
{
	size_t each = options->axis == AXIS_LENGTHS ? options->length_count
						    : options->size_count;
	size_t most = options->filter_count * each + 2 * hook_count();

	*plan = (struct plan){ .options = options };
	plan->cells = calloc(most, sizeof(*plan->cells));
	if (!plan->cells)
		return log_err(-ENOMEM, "plan: out of memory");
	for (size_t i = 0; i < options->filter_count; i++)
		baseline_of(plan, options->filters[i].hook);
	for (size_t i = 0; i < options->filter_count; i++)
		add_choice(plan, options, &options->filters[i]);
	return 0;
}

void plan_free(struct plan *plan)
{
	free(plan->cells);
	*plan = (struct plan){ 0 };
}

void plan_order(const struct plan *plan, unsigned int round, size_t *order)
{
	struct prng prng;

	prng_seed(&prng, plan->options->seed ^ (uint64_t)round << 32);
	for (size_t i = 0; i < plan->count; i++) {
		size_t j = prng_below(&prng, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}

size_t plan_axis_value(const struct plan *plan, const struct plan_cell *cell)
{
	if (plan->options->axis == AXIS_RULES || !cell->rule_count)
		return cell->rule_count;
	return plan->options->lengths[cell->axis_index];
}

const char *plan_packets(const struct plan *plan, char *buf, size_t size)
{
	const struct options *o = plan->options;
	const char *syn = o->protocol == PROTOCOL_TCP_SYN ? "tcp-syn " : "";
	char ports[32] = "", frame[16];

	if (o->sports > 1)
		snprintf(ports, sizeof(ports), ", %u source ports", o->sports);
	snprintf(frame, sizeof(frame), "%u-byte", o->frame_bytes);
	if (plan->capture)
		snprintf(buf, size, "%zu captured packets, %u flows",
			 plan->capture->count, o->flows);
	else
		snprintf(buf, size, "%s %sframes, %u flows%s",
			 o->imix ? "imix" : frame, syn, o->flows, ports);
	return buf;
}

void plan_print(const struct plan *plan, FILE *out)
{
	const struct options *o = plan->options;
	char match[16], packets[PLAN_PACKETS_BYTES];

	fprintf(out, "source %s, fate %s, match %s, %s, seed %lu\n",
		o->source ? o->source->name : "auto", options_fate_name(o),
		options_match_name(o, match, sizeof(match)),
		plan_packets(plan, packets, sizeof(packets)), o->seed);
	if (o->rounds)
		fprintf(out, "%u rounds of %zu cells\n", o->rounds,
			plan->count);
	else
		fprintf(out, "%g s of measuring, %zu cells in every round\n",
			o->time_s, plan->count);
	fprintf(out, "# cell\tfilter\trules\trole\tbaseline\n");
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_cell *cell = &plan->cells[i];

		fprintf(out, "%zu\t%s@%s\t%zu\t%s\t%zu\n", i,
			cell->filter->name, hook_info(cell->hook)->name,
			cell->rule_count, plan_role_name(cell->role),
			cell->baseline);
	}
}

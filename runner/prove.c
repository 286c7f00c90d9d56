// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/prng.h"
#include "runner/prove.h"
#include "runner/registry.h"
#include "runner/rules_model.h"
#include "runner/targets.h"

struct trial {
	struct cell *cell;
	void *prover;
	const struct rules_model *model;
	struct prng prng;
};

static int count_passed(struct cell *cell, uint64_t *passed)
{
	if (cell->sink)
		return cell->sink->read(cell->sink_state, passed);
	return witness_read(&cell->witness, passed);
}

/* Sends one packet and holds what became of it against what should have. */
static int judge(struct trial *trial, addr_t daddr)
{
	const struct hook_info *info = hook_info(trial->cell->plan->hook);
	bool drop = rules_match(trial->model, daddr), refused;
	char text[ADDR_TEXT_BYTES];
	uint64_t before, after;
	int err = count_passed(trial->cell, &before);

	if (!err)
		err = registry_prover->one(trial->prover, daddr, &refused);
	if (!err)
		err = count_passed(trial->cell, &after);
	if (err)
		return err;
	if (after - before != !drop)
		return log_err(
			-EPROTO,
			"proof: a packet to %s should have been %s, %lu passed",
			addr_text(trial->cell->rules.family, daddr, text),
			drop ? "dropped" : "let through", after - before);
	if (refused != (drop && info->sender_sees_drop))
		return log_err(
			-EPROTO,
			"proof: a packet to %s was %srefused by the device's transmit path",
			addr_text(trial->cell->rules.family, daddr, text),
			refused ? "" : "not ");
	if (drop)
		trial->cell->proof.inside++;
	else
		trial->cell->proof.outside++;
	return 0;
}

/*
 * Nothing can be sent to special addresses, nor to the sender's own one, from
 * which IPv4 takes no packet that comes in for itself.
 */
static bool can_receive(enum family family, addr_t addr)
{
	const struct prefix sender = { traffic_saddr(family),
				       family_bits(family) };

	return !addr_is_special(family, addr) && !prefix_holds(&sender, addr);
}

/* Inside, at both boundaries, and beside them, where packets may go at all. */
static int judge_rule(struct trial *trial, const struct prefix *rule)
{
	enum family family = trial->cell->rules.family;
	const addr_t one = addr_step(family, 1);
	const addr_t around[] = {
		prefix_draw(rule, family, &trial->prng),
		rule->addr,
		prefix_last(rule),
		rule->addr - one,
		prefix_last(rule) + one,
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(around); i++)
		if (can_receive(family, around[i]))
			err = judge(trial, around[i]);
	return err;
}

/* A packet through thousands of rules in line takes long. */
static size_t sample_size(const struct cell *cell)
{
	if (cell->plan->filter->linear || cell->rules.count < PROVE_MANY)
		return PROVE_RULES;
	return PROVE_RULES_OF_MANY;
}

static int judge_rules(struct trial *trial)
{
	const struct rules *rules = &trial->cell->rules;
	const size_t sample = sample_size(trial->cell);
	int err = 0;

	for (size_t i = 0; !err && i < sample && i < rules->count; i++) {
		size_t at = i;

		if (rules->count > sample && i)
			at = i == 1 ? rules->count - 1
				    : prng_below(&trial->prng, rules->count);
		err = judge_rule(trial, &rules->prefixes[at]);
	}
	return err;
}

/* Of IPv6 only an eighth is in use. */
static const struct prefix *everywhere(enum family family)
{
	static const struct prefix v4 = { 0, 0 };
	static const struct prefix v6 = { ADDR_V6(0x2000000000000000, 0), 3 };

	return family == FAMILY_IPV6 ? &v6 : &v4;
}

/* Anywhere, and where the timed packets go. */
static int judge_others(struct trial *trial)
{
	enum family family = trial->cell->rules.family;
	int err = 0;

	for (size_t i = 0; !err && i < PROVE_OTHERS; i++) {
		addr_t daddr =
			prefix_draw(everywhere(family), family, &trial->prng);

		if (can_receive(family, daddr))
			err = judge(trial, daddr);
		if (!err)
			err = judge(trial, traffic_miss_net(family) +
						   addr_step(family, i));
	}
	return err;
}

static int judge_counters(struct cell *cell, uint64_t before)
{
	struct proof *proof = &cell->proof;
	uint64_t after;
	int err = cell->plan->filter->read(cell->filter_state, &after);

	if (err)
		return err;
	proof->dropped = after - before;
	if (proof->dropped != proof->inside)
		return log_err(
			-EPROTO,
			"proof: %lu packets were dropped, the mechanism counted %lu",
			proof->inside, proof->dropped);
	return 0;
}

int prove_cell(struct cell *cell, uint64_t seed)
{
	auto_mem void *prover = calloc(1, registry_prover->state_size);
	struct trial trial = { .cell = cell, .prover = prover };
	struct rules_model model = { 0 };
	uint64_t before;
	int err;

	if (!prover)
		return log_err(-ENOMEM, "proof: out of memory");
	cell->proof = (struct proof){ 0 };
	prng_seed(&trial.prng, seed);
	err = rules_model_build(&cell->rules, &model);
	if (err)
		return log_err(err, "proof: out of memory");
	trial.model = &model;
	err = registry_prover->open(prover, &cell->site, &cell->traffic);
	if (!err) {
		err = cell->plan->filter->read(cell->filter_state, &before);
		if (!err)
			err = judge_rules(&trial);
		if (!err)
			err = judge_others(&trial);
		if (!err)
			err = judge_counters(cell, before);
		registry_prover->close(prover);
	}
	rules_model_free(&model);
	return err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "runner/log.h"
#include "runner/prng.h"
#include "runner/rules_model.h"
#include "runner/targets.h"

static void consecutive(struct target *targets, size_t count,
			enum family family, addr_t first, bool match)
{
	for (size_t i = 0; i < count; i++)
		targets[i] =
			(struct target){ first + addr_step(family, i), match };
}

addr_t prefix_draw(const struct prefix *prefix, enum family family,
		   struct prng *prng)
{
	int host_bits = family_bits(family) - prefix->len;
	addr_t host = prng_below_wide(prng, (addr_t)1 << host_bits);

	return prefix->addr + (host << (ADDR_BITS - family_bits(family)));
}

/* Hits of random rules in per cent of the targets, in random places. */
static void mixed(struct target *targets, size_t count,
		  const struct rules *rules, addr_t miss_base,
		  const struct options *options)
{
	uint32_t percent =
		options->match == MATCH_RANDOM ? 100 : options->match_percent;
	size_t hits = (count * percent + 50) / 100;
	struct prng prng;

	prng_seed(&prng, options->seed);
	consecutive(targets, count, rules->family, miss_base, false);
	for (size_t i = 0; i < hits; i++) {
		const struct prefix *rule =
			&rules->prefixes[prng_below(&prng, rules->count)];

		targets[i] = (struct target){
			.daddr = prefix_draw(rule, rules->family, &prng),
			.match = true,
		};
	}
	for (size_t i = count; i > 1; i--) {
		size_t j = prng_below(&prng, i);
		struct target swap = targets[i - 1];

		targets[i - 1] = targets[j];
		targets[j] = swap;
	}
}

/* The one rule that all packets hit, or NULL. */
static const struct prefix *single_rule(const struct options *options,
					const struct rules *rules)
{
	switch (options->match) {
	case MATCH_FIRST:
		return &rules->prefixes[0];
	case MATCH_MIDDLE:
		return &rules->prefixes[rules->count / 2];
	case MATCH_LAST:
		return &rules->prefixes[rules->count - 1];
	default:
		return NULL;
	}
}

int targets_build(const struct options *options, const struct rules *rules,
		  addr_t miss_base, struct target **targets, size_t *count)
{
	const struct prefix *rule =
		rules->count ? single_rule(options, rules) : NULL;
	int host_bits = rule ? family_bits(rules->family) - rule->len : 64;
	uint64_t size = host_bits < 64 ? UINT64_C(1) << host_bits : UINT64_MAX;

	*count = options->flows < size ? options->flows : size;
	*targets = calloc(*count, sizeof(**targets));
	if (!*targets)
		return log_err(-ENOMEM, "out of memory for %zu destinations",
			       *count);
	if (rule)
		consecutive(*targets, *count, rules->family, rule->addr, true);
	else if (!rules->count || options->match == MATCH_MISS)
		consecutive(*targets, *count, rules->family, miss_base, false);
	else
		mixed(*targets, *count, rules, miss_base, options);
	return 0;
}

int targets_of_capture(const struct capture *capture, const struct rules *rules,
		       struct target **targets)
{
	struct rules_model model;
	int err = rules_model_build(rules, &model);

	if (err)
		return err;
	*targets = calloc(capture->count, sizeof(**targets));
	for (size_t i = 0; *targets && i < capture->count; i++) {
		addr_t daddr = capture->packets[i].daddr;

		(*targets)[i] = (struct target){
			.daddr = daddr,
			.match = rules_match(&model, daddr),
		};
	}
	rules_model_free(&model);
	if (!*targets)
		return log_err(-ENOMEM, "out of memory for %zu destinations",
			       capture->count);
	return 0;
}

size_t targets_count_matching(const struct target *targets, size_t count)
{
	size_t matching = 0;

	for (size_t i = 0; i < count; i++)
		matching += targets[i].match;
	return matching;
}

uint64_t targets_matching(const struct target *targets, size_t count,
			  size_t matching, uint64_t first, uint64_t packets)
{
	uint64_t total = packets / count * matching;
	size_t at = first % count;

	if (!matching || matching == count)
		return matching ? packets : 0;
	for (size_t i = 0; i < packets % count; i++) {
		total += targets[at].match;
		if (++at == count)
			at = 0;
	}
	return total;
}

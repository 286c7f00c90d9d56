/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests have in common that compare a mechanism of netfilter with
 * what the field's own tools see.  cmocka's headers come before this one.
 */
#pragma once

#include <stdio.h>

#include "runner/cleanup.h"
#include "runner/filter.h"
#include "runner/registry.h"
#include "runner/tests/scratch.h"
#include "runner/tests/spawn.h"

/*
 * Short and odd lengths, one inside another (before and after it), neighbours,
 * single addresses, the top of the space; and on which rule of a linear
 * mechanism an address inside comes to rest.
 */
#define OPINION_LIST                                                        \
	{                                                                   \
		{ ADDR_V4(0x0a010000), 17 },	     /* 10.1.0.0/17 */      \
			{ ADDR_V4(0x0a000000), 8 },  /* 10.0.0.0/8 */       \
			{ ADDR_V4(0xac100400), 22 }, /* 172.16.4.0/22 */    \
			{ ADDR_V4(0xac100500), 24 }, /* 172.16.5.0/24 */    \
			{ ADDR_V4(0xcb007108), 29 }, /* 203.0.113.8/29 */   \
			{ ADDR_V4(0xcb007110), 29 }, /* 203.0.113.16/29 */  \
			{ ADDR_V4(0x01020304), 32 }, /* 1.2.3.4 */          \
			{ ADDR_V4(0x50000000), 5 },  /* 80.0.0.0/5 */       \
			{ ADDR_V4(0xffffff00), 24 }, /* 255.255.255.0/24 */ \
	}

struct opinion {
	const struct filter *filter;
	struct site site;
	int ns, discard;
	void *state, *prover;
};

/* Whether there is such a program; says that the test is skipped if not. */
static inline bool opinion_has(const char *tool)
{
	char *argv[] = { (char *)tool, "--version", NULL };
	auto_mem struct spawned *child = malloc(sizeof(*child));

	assert_non_null(child);
	if (spawn(child, argv, NULL) != 127)
		return true;
	printf("skipped: there is no program %s\n", tool);
	return false;
}

/* What a tool prints; it must not fail.  Room for SPAWN_BYTES. */
static inline void opinion_ask(struct spawned *child, const char *command)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };

	if (spawn(child, argv, NULL))
		fail_msg("%s: %s", command, child->err);
	assert_in_range(strlen(child->out), 0, SPAWN_BYTES - 2);
}

/* A namespace with a filter's state, ready to attach; false: skip. */
static inline bool opinion_open_for(struct opinion *opinion, enum family family,
				    const char *name, enum hook hook)
{
	const struct target target = { .daddr = traffic_miss_net(family) };
	const struct traffic traffic = {
		.family = family,
		.frame_bytes = traffic_frame_min_bytes(family),
		.to_host = hook_info(hook)->to_host,
		.targets = &target,
		.target_count = 1,
	};

	*opinion = (struct opinion){ .ns = scratch_namespace() };
	if (opinion->ns < 0)
		return false;
	opinion->filter = registry_filter(name);
	assert_non_null(opinion->filter);
	opinion->site = (struct site){ if_nametoindex("lo"), hook, family };
	opinion->state = calloc(1, opinion->filter->state_size);
	opinion->prover = calloc(1, registry_prover->state_size);
	opinion->discard = -1;
	if (traffic.to_host) {
		assert_int_equal(netns_route_to_host(family), 0);
		opinion->discard = netns_discard_socket(family);
	}
	assert_int_equal(registry_prover->open(opinion->prover, &opinion->site,
					       &traffic),
			 0);
	return true;
}

static inline bool opinion_open(struct opinion *opinion, const char *name,
				enum hook hook)
{
	return opinion_open_for(opinion, FAMILY_IPV4, name, hook);
}

static inline void opinion_close(struct opinion *opinion)
{
	opinion->filter->detach(opinion->state);
	registry_prover->close(opinion->prover);
	free(opinion->state);
	free(opinion->prover);
	if (opinion->discard >= 0)
		close(opinion->discard);
	close(opinion->ns);
}

/* What attach() returns; what it says goes to text. */
static inline int opinion_attach(struct opinion *opinion,
				 const struct rules *rules,
				 struct log_capture *said)
{
	int err;

	log_capture_begin(said);
	err = opinion->filter->attach(opinion->state, &opinion->site, rules);
	log_capture_end(said);
	return err;
}

/* The same where success is expected; false, said: this kernel cannot. */
static inline bool opinion_attached(struct opinion *opinion,
				    const struct rules *rules)
{
	struct log_capture said;
	int err = opinion_attach(opinion, rules, &said);

	if (err == -EOPNOTSUPP) {
		printf("skipped: %s\n", said.text);
		opinion_close(opinion);
		return false;
	}
	if (err)
		fail_msg("attach: %d: %s", err, said.text);
	return true;
}

static inline void opinion_send(struct opinion *opinion, addr_t daddr)
{
	bool refused;

	assert_int_equal(registry_prover->one(opinion->prover, daddr, &refused),
			 0);
}

static inline uint64_t opinion_dropped(struct opinion *opinion)
{
	uint64_t dropped = 0;

	assert_int_equal(opinion->filter->read(opinion->state, &dropped), 0);
	return dropped;
}

/* The first rule that holds the address, or rules->count. */
static inline size_t opinion_rule(const struct rules *rules, addr_t daddr)
{
	size_t i = 0;

	while (i < rules->count && !prefix_holds(&rules->prefixes[i], daddr))
		i++;
	return i;
}

/*
 * Sends packets to the ends of every prefix and just beyond them, checks
 * read(), and gives how many came to rest on each rule.
 */
static inline void opinion_traffic(struct opinion *opinion,
				   const struct rules *rules, uint64_t *hits)
{
	uint64_t dropped = 0;

	for (size_t i = 0; i < rules->count; i++) {
		const struct prefix *prefix = &rules->prefixes[i];
		const addr_t daddrs[] = {
			prefix->addr,
			prefix->addr - addr_step(rules->family, 1),
			prefix_last(prefix),
			prefix_last(prefix) + addr_step(rules->family, 1),
		};

		for (size_t d = 0; d < ARRAY_SIZE(daddrs); d++) {
			size_t rule = opinion_rule(rules, daddrs[d]);

			opinion_send(opinion, daddrs[d]);
			dropped += rule < rules->count;
			if (rule < rules->count)
				hits[rule]++;
			assert_int_equal(opinion_dropped(opinion), dropped);
		}
	}
}

/* "10.1.0.0/17", a single address with or without its length. */
static inline const char *opinion_text(const struct prefix *prefix,
				       bool host_len)
{
	static char text[32];
	uint32_t a = addr_v4(prefix->addr);
	int used = snprintf(text, sizeof(text), "%u.%u.%u.%u", a >> 24,
			    a >> 16 & 255, a >> 8 & 255, a & 255);

	if (prefix->len < 32 || host_len)
		snprintf(text + used, sizeof(text) - used, "/%u", prefix->len);
	return text;
}

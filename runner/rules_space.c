// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/prefixes.h"
#include "runner/rules_space.h"
#include "runner/traffic.h"

/* 0/8 is "this network", from 224.0.0.0 on there is multicast and reserved. */
#define V4_FIRST ADDR_V4(0x01000000)
#define V4_END	 ADDR_V4(0xe0000000)

/* Global unicast. */
#define V6_FIRST ADDR_V6(0x2000000000000000, 0)
#define V6_END	 ADDR_V6(0x4000000000000000, 0)

/* Guess while one node in that many is free; then list those that are. */
#define GUESS_SHARE 64
#define GUESSES_MAX (64 * GUESS_SHARE)

/* Where wide levels have few left, after which a walk finds one. */
#define WIDE_GUESSES (1 << 20)

/* Inside the space, but not for rules; ascending. */
static const struct prefix *kept_out(enum family family, size_t *count)
{
	static const struct prefix v4[] = {
		{ ADDR_V4(0x7f000000), 8 },
		{ ADDR_V4(TRAFFIC_SADDR), 32 },
		{ ADDR_V4(TRAFFIC_MISS_NET), TRAFFIC_MISS_LEN },
	};
	static const struct prefix v6[] = {
		{ TRAFFIC_MISS_NET6, TRAFFIC_MISS_LEN6 },
		{ TRAFFIC_SADDR6, 128 },
	};

	*count = family == FAMILY_IPV6 ? ARRAY_SIZE(v6) : ARRAY_SIZE(v4);
	return family == FAMILY_IPV6 ? v6 : v4;
}

static struct prefix node_prefix(int len, addr_t node)
{
	return (struct prefix){ .addr = node << (ADDR_BITS - len), .len = len };
}

static const struct prefix *overlap_kept_out(enum family family, int len,
					     addr_t node)
{
	const struct prefix prefix = node_prefix(len, node);
	size_t count;
	const struct prefix *out = kept_out(family, &count);

	for (size_t i = 0; i < count; i++)
		if (prefixes_overlap(&prefix, &out[i]))
			return &out[i];
	return NULL;
}

/* Could be taken if the space were empty. */
static bool is_usable(const struct space *space, int len, addr_t node)
{
	const struct space_level *level = &space->level[len];

	return node >= level->first && node < level->end &&
	       !overlap_kept_out(space->family, len, node);
}

static addr_t count_usable(const struct space_level *level, enum family family,
			   int len)
{
	addr_t usable = level->end - level->first;
	addr_t counted = ADDR_MAX;
	size_t count;
	const struct prefix *out = kept_out(family, &count);

	for (size_t i = 0; i < count; i++) {
		addr_t node = out[i].addr >> (ADDR_BITS - len);

		if (node < level->first || node >= level->end)
			continue;
		if (len > out[i].len)
			usable -= (addr_t)1 << (len - out[i].len);
		else if (node != counted)
			usable--;
		counted = node;
	}
	return usable;
}

static int level_init(struct space *space, int len, bool holds, size_t expected)
{
	struct space_level *level = &space->level[len];
	bool is_v6 = space->family == FAMILY_IPV6;
	addr_t last_host = ~prefix_mask(len);
	int err;

	level->first = ((is_v6 ? V6_FIRST : V4_FIRST) + last_host) >>
		       (ADDR_BITS - len);
	level->end = (is_v6 ? V6_END : V4_END) >> (ADDR_BITS - len);
	if (level->end < level->first)
		level->end = level->first;
	level->free = count_usable(level, space->family, len);
	level->holds = holds;
	err = nodes_init(&level->touched, len, expected);
	if (!err && holds)
		err = nodes_init(&level->taken, len, expected);
	return err;
}

int space_init(struct space *space, enum family family, const bool use[LENS],
	       bool nested, size_t expected)
{
	*space = (struct space){ .family = family, .nested = nested };
	for (int len = 1; len <= family_bits(family); len++)
		if (use[len])
			space->lens[space->len_count++] = len;

	for (int i = 0; i < space->len_count; i++) {
		bool holds = !nested && i < space->len_count - 1;
		int len = space->lens[i];

		if (!level_init(space, len, holds, expected))
			continue;
		space_free(space);
		return log_err(-ENOMEM, "no memory to draw /%d prefixes", len);
	}
	return 0;
}

void space_free(struct space *space)
{
	for (int len = 1; len < LENS; len++) {
		nodes_free(&space->level[len].touched);
		nodes_free(&space->level[len].taken);
		free(space->level[len].rest);
	}
	*space = (struct space){ 0 };
}

/* Length of the taken prefix that holds the node, or 0. */
static int holder_len(const struct space *space, int len, addr_t node)
{
	for (int i = 0; i < space->len_count && space->lens[i] < len; i++) {
		int above = space->lens[i];

		if (nodes_has(&space->level[above].taken,
			      node >> (len - above)))
			return above;
	}
	return 0;
}

bool space_is_free(const struct space *space, int len, addr_t node)
{
	if (nodes_has(&space->level[len].touched, node) ||
	    !is_usable(space, len, node))
		return false;
	return space->nested || !holder_len(space, len, node);
}

/* The node after the part from this one on that is certainly not free. */
static addr_t skip_used(const struct space *space, int len, addr_t node)
{
	const struct prefix *out = overlap_kept_out(space->family, len, node);
	int holder = space->nested ? 0 : holder_len(space, len, node);
	addr_t untouched;

	if (out && out->len < len)
		holder = out->len;
	if (holder)
		return ((node >> (len - holder)) + 1) << (len - holder);

	untouched = nodes_skip(&space->level[len].touched, node);
	return untouched == node ? node + 1 : untouched;
}

/*
 * Where there are too many nodes to list: the first free one from a random one
 * on.  Each step goes past what was taken as a whole, so the walk ends.
 */
static addr_t walk(const struct space *space, int len, struct prng *prng)
{
	const struct space_level *level = &space->level[len];
	addr_t node =
		level->first + prng_below_wide(prng, level->end - level->first);

	while (!space_is_free(space, len, node)) {
		node = skip_used(space, len, node);
		if (node >= level->end)
			node = level->first;
	}
	return node;
}

static int list_rest(struct space *space, int len, struct prng *prng)
{
	struct space_level *level = &space->level[len];
	addr_t node = level->first;
	size_t count = 0;

	level->rest = malloc(level->free * sizeof(*level->rest));
	if (!level->rest)
		return log_err(-ENOMEM, "no memory to draw /%d prefixes", len);

	while (count < level->free) {
		if (!space_is_free(space, len, node)) {
			node = skip_used(space, len, node);
			continue;
		}
		level->rest[count++] = node++;
	}
	level->rest_count = count;

	for (; count > 1; count--) {
		size_t other = prng_below(prng, count);
		uint32_t last = level->rest[count - 1];

		level->rest[count - 1] = level->rest[other];
		level->rest[other] = last;
	}
	return 0;
}

int space_draw(struct space *space, int len, struct prng *prng, addr_t *node)
{
	struct space_level *level = &space->level[len];
	addr_t span = level->end - level->first;
	int guesses = level->free > span / GUESS_SHARE ? GUESSES_MAX : 0;
	int err;

	if (len > NODES_BITMAP_LEN)
		guesses = WIDE_GUESSES;
	while (!level->rest && guesses--) {
		*node = level->first + prng_below_wide(prng, span);
		if (space_is_free(space, len, *node))
			return 0;
	}
	if (len > NODES_BITMAP_LEN) {
		*node = walk(space, len, prng);
		return 0;
	}

	if (!level->rest) {
		err = list_rest(space, len, prng);
		if (err)
			return err;
	}
	do
		*node = level->rest[--level->rest_count];
	while (!space_is_free(space, len, *node));
	return 0;
}

void space_take(struct space *space, int len, addr_t node)
{
	if (space->level[len].holds)
		nodes_add(&space->level[len].taken, node);
	nodes_add(&space->level[len].touched, node);
	space->level[len].free--;
	if (space->nested)
		return;

	for (int i = 0; i < space->len_count; i++) {
		int other = space->lens[i];
		struct space_level *level = &space->level[other];

		if (other > len) {
			level->free -= (addr_t)1 << (other - len);
		} else if (other < len) {
			uint64_t above = node >> (len - other);

			if (nodes_has(&level->touched, above))
				continue;
			nodes_add(&level->touched, above);
			if (is_usable(space, other, above))
				level->free--;
		}
	}
}

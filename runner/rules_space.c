// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/prefixes.h"
#include "runner/rules_space.h"
#include "runner/traffic.h"

#define SPACE_FIRST UINT64_C(0x01000000) /* 0/8 is "this network" */
#define SPACE_END   UINT64_C(0xe0000000) /* multicast and reserved */

#define WORD_BITS 64
#define PAGE_BITS (4096 * 8)

/* Guess while one node in that many is free; then list those that are. */
#define GUESS_SHARE 64
#define GUESSES_MAX (64 * GUESS_SHARE)

/* Inside the space, but not for rules. */
static const struct prefix kept_out[] = {
	{ UINT32_C(0x7f000000), 8 },
	{ TRAFFIC_MISS_NET, TRAFFIC_MISS_LEN },
	{ TRAFFIC_SADDR, 32 },
};

static bool bit(const uint64_t *bitmap, uint64_t node)
{
	return bitmap[node / WORD_BITS] >> node % WORD_BITS & 1;
}

static void set_bit(uint64_t *bitmap, uint64_t node)
{
	bitmap[node / WORD_BITS] |= UINT64_C(1) << node % WORD_BITS;
}

static struct prefix node_prefix(int len, uint64_t node)
{
	return (struct prefix){ .addr = node << (32 - len), .len = len };
}

static const struct prefix *overlap_kept_out(int len, uint64_t node)
{
	const struct prefix prefix = node_prefix(len, node);

	for (size_t i = 0; i < ARRAY_SIZE(kept_out); i++)
		if (prefixes_overlap(&prefix, &kept_out[i]))
			return &kept_out[i];
	return NULL;
}

/* Could be taken if the space were empty. */
static bool is_usable(const struct space *space, int len, uint64_t node)
{
	const struct space_level *level = &space->level[len];

	return node >= level->first && node < level->end &&
	       !overlap_kept_out(len, node);
}

static uint64_t count_usable(const struct space_level *level, int len)
{
	uint64_t usable = level->end - level->first;
	uint64_t counted = UINT64_MAX;

	for (size_t i = 0; i < ARRAY_SIZE(kept_out); i++) {
		uint64_t node = kept_out[i].addr >> (32 - len);

		if (node < level->first || node >= level->end)
			continue;
		if (len > kept_out[i].len)
			usable -= UINT64_C(1) << (len - kept_out[i].len);
		else if (node != counted)
			usable--;
		counted = node;
	}
	return usable;
}

/* Zeroed, and no memory is taken for pages that nobody writes. */
static uint64_t *bitmap_map(size_t bytes, size_t expected)
{
	/* Few scattered bits would cost 2 MiB each in huge pages. */
	bool sparse = expected < bytes * 8 / PAGE_BITS;
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	madvise(map, bytes, sparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	return map;
}

static int level_init(struct space_level *level, int len, bool holds,
		      size_t expected)
{
	uint64_t span = UINT64_C(1) << (32 - len);
	uint64_t nodes = UINT64_C(1) << len;

	level->first = (SPACE_FIRST + span - 1) / span;
	level->end = SPACE_END / span;
	if (level->end < level->first)
		level->end = level->first;
	level->free = count_usable(level, len);

	level->bytes = (nodes + WORD_BITS - 1) / WORD_BITS * sizeof(uint64_t);
	level->touched = bitmap_map(level->bytes, expected);
	if (!level->touched)
		return -ENOMEM;
	if (!holds)
		return 0;
	level->taken = bitmap_map(level->bytes, expected);
	return level->taken ? 0 : -ENOMEM;
}

int space_init(struct space *space, const bool use[33], bool nested,
	       size_t expected)
{
	*space = (struct space){ .nested = nested };
	for (int len = 1; len <= 32; len++)
		if (use[len])
			space->lens[space->len_count++] = len;

	for (int i = 0; i < space->len_count; i++) {
		bool holds = !nested && i < space->len_count - 1;
		int len = space->lens[i];

		if (!level_init(&space->level[len], len, holds, expected))
			continue;
		space_free(space);
		return log_err(-ENOMEM, "no memory to draw /%d prefixes", len);
	}
	return 0;
}

void space_free(struct space *space)
{
	for (int len = 1; len <= 32; len++) {
		struct space_level *level = &space->level[len];

		if (level->touched)
			munmap(level->touched, level->bytes);
		if (level->taken)
			munmap(level->taken, level->bytes);
		free(level->rest);
	}
	*space = (struct space){ 0 };
}

/* Length of the taken prefix that holds the node, or 0. */
static int holder_len(const struct space *space, int len, uint64_t node)
{
	for (int i = 0; i < space->len_count && space->lens[i] < len; i++) {
		int above = space->lens[i];

		if (bit(space->level[above].taken, node >> (len - above)))
			return above;
	}
	return 0;
}

bool space_is_free(const struct space *space, int len, uint64_t node)
{
	if (bit(space->level[len].touched, node) ||
	    !is_usable(space, len, node))
		return false;
	return space->nested || !holder_len(space, len, node);
}

/* The node after the part from this one on that is certainly not free. */
static uint64_t skip_used(const struct space *space, int len, uint64_t node)
{
	const struct prefix *out = overlap_kept_out(len, node);
	int holder = space->nested ? 0 : holder_len(space, len, node);
	int offset = node % WORD_BITS;
	uint64_t untouched;

	if (out && out->len < len)
		holder = out->len;
	if (holder)
		return ((node >> (len - holder)) + 1) << (len - holder);

	untouched = ~space->level[len].touched[node / WORD_BITS] >> offset;
	if (!untouched)
		return node - offset + WORD_BITS;
	return untouched & 1 ? node + 1 : node + __builtin_ctzll(untouched);
}

static int list_rest(struct space *space, int len, struct prng *prng)
{
	struct space_level *level = &space->level[len];
	uint64_t node = level->first;
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

int space_draw(struct space *space, int len, struct prng *prng, uint64_t *node)
{
	struct space_level *level = &space->level[len];
	uint64_t span = level->end - level->first;
	int guesses = level->free > span / GUESS_SHARE ? GUESSES_MAX : 0;
	int err;

	while (!level->rest && guesses--) {
		*node = level->first + prng_below(prng, span);
		if (space_is_free(space, len, *node))
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

void space_take(struct space *space, int len, uint64_t node)
{
	if (space->level[len].taken)
		set_bit(space->level[len].taken, node);
	set_bit(space->level[len].touched, node);
	space->level[len].free--;
	if (space->nested)
		return;

	for (int i = 0; i < space->len_count; i++) {
		int other = space->lens[i];
		struct space_level *level = &space->level[other];

		if (other > len) {
			level->free -= UINT64_C(1) << (other - len);
		} else if (other < len) {
			uint64_t above = node >> (len - other);

			if (bit(level->touched, above))
				continue;
			set_bit(level->touched, above);
			if (is_usable(space, other, above))
				level->free--;
		}
	}
}

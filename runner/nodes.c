// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/mman.h>

#include "runner/nodes.h"

#define WORD_BITS 64
#define PAGE_BITS (4096 * 8)

/* Multiplier of Fibonacci hashing: 2^64 over the golden ratio. */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Zeroed, and no memory is taken for pages that nobody writes. */
static void *map_zeroes(size_t bytes, bool sparse)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	/* Few scattered bits would cost 2 MiB each in huge pages. */
	madvise(map, bytes, sparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	return map;
}

int nodes_init(struct nodes *nodes, int len, size_t expected)
{
	*nodes = (struct nodes){ .place_bits = 4 };
	if (len <= NODES_BITMAP_LEN) {
		uint64_t words =
			((UINT64_C(1) << len) + WORD_BITS - 1) / WORD_BITS;

		nodes->bytes = words * sizeof(uint64_t);
		nodes->bitmap = map_zeroes(
			nodes->bytes, expected < nodes->bytes * 8 / PAGE_BITS);
		return nodes->bitmap ? 0 : -ENOMEM;
	}
	/* At most two thirds of the places are ever taken. */
	while ((UINT64_C(1) << nodes->place_bits) < expected + expected / 2)
		nodes->place_bits++;
	nodes->bytes = sizeof(addr_t) << nodes->place_bits;
	nodes->places = map_zeroes(nodes->bytes, false);
	return nodes->places ? 0 : -ENOMEM;
}

void nodes_free(struct nodes *nodes)
{
	if (nodes->bitmap)
		munmap(nodes->bitmap, nodes->bytes);
	if (nodes->places)
		munmap(nodes->places, nodes->bytes);
	*nodes = (struct nodes){ 0 };
}

/* The place of a node, or the free one where it would go. */
static addr_t *place_of(const struct nodes *nodes, addr_t node)
{
	uint64_t mask = (UINT64_C(1) << nodes->place_bits) - 1;
	uint64_t mixed = (uint64_t)(node >> 64) * HASH_FACTOR ^ (uint64_t)node;
	uint64_t at = mixed * HASH_FACTOR >> (64 - nodes->place_bits);

	while (nodes->places[at] && nodes->places[at] != node)
		at = (at + 1) & mask;
	return &nodes->places[at];
}

bool nodes_has(const struct nodes *nodes, addr_t node)
{
	uint64_t at = node;

	if (nodes->places)
		return *place_of(nodes, node) != 0;
	return nodes->bitmap[at / WORD_BITS] >> at % WORD_BITS & 1;
}

void nodes_add(struct nodes *nodes, addr_t node)
{
	uint64_t at = node;

	if (nodes->places)
		*place_of(nodes, node) = node;
	else
		nodes->bitmap[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
}

addr_t nodes_skip(const struct nodes *nodes, addr_t node)
{
	uint64_t at = node, left;

	if (nodes->places) {
		while (nodes_has(nodes, node))
			node++;
		return node;
	}
	left = ~nodes->bitmap[at / WORD_BITS] >> at % WORD_BITS;
	if (!left)
		return at - at % WORD_BITS + WORD_BITS;
	return at + __builtin_ctzll(left);
}

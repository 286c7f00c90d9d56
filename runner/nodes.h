/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of the prefixes of one length, each by its number: the address
 * shifted by 128 - len, called a node.  Up to /32 it is a bitmap, beyond that
 * a hash.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/addr.h"

#define NODES_BITMAP_LEN 32

struct nodes {
	uint64_t *bitmap;
	addr_t *places; /* 0: free */
	unsigned int place_bits;
	size_t bytes;
};

/*
 * An empty set for at most `expected` nodes of that length, none of which is
 * 0 beyond /32.  Memory is only taken as nodes come in.  0 or -ENOMEM.
 */
int nodes_init(struct nodes *nodes, int len, size_t expected);
void nodes_free(struct nodes *nodes);

bool nodes_has(const struct nodes *nodes, addr_t node);
void nodes_add(struct nodes *nodes, addr_t node);

/* The first node from this one on that is not in the set, or one before it. */
addr_t nodes_skip(const struct nodes *nodes, addr_t node);

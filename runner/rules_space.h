/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which prefixes can still be drawn: the address space as the rule generator
 * sees it.  The count of free prefixes is exact for each length, so a search
 * for one always ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/prng.h"
#include "runner/rules.h"

/* A node is a prefix by its number: the address shifted by 32 - len. */
struct space_level {
	uint64_t first;	   /* node of the first prefix inside 1.0.0.0 ... */
	uint64_t end;	   /* ... 223.255.255.255, and behind the last */
	uint64_t free;	   /* nodes that can be taken */
	uint64_t *touched; /* bit a node: taken, or one inside it is */
	uint64_t *taken;   /* bit a node: taken; NULL if it holds no other */
	size_t bytes;	   /* of each bitmap */
	uint32_t *rest; /* the last free nodes, shuffled, once they are few */
	size_t rest_count;
};

struct space {
	bool nested;  /* a taken prefix may hold others */
	int lens[32]; /* that take part, ascending */
	int len_count;
	struct space_level level[33];
};

/*
 * use[len] says which lengths take part; expected is how many prefixes will
 * be taken, a hint for memory.  0 or -ENOMEM.
 */
int space_init(struct space *space, const bool use[33], bool nested,
	       size_t expected);
void space_free(struct space *space);

bool space_is_free(const struct space *space, int len, uint64_t node);

/* A free node of a length that has one, drawn at random.  0 or -ENOMEM. */
int space_draw(struct space *space, int len, struct prng *prng, uint64_t *node);

/* The node must be free. */
void space_take(struct space *space, int len, uint64_t node);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which prefixes can still be drawn: the address space as the rule generator
 * sees it, 1.0.0.0 to 223.255.255.255 or 2000::/3.  The count of free prefixes
 * is exact for each length, so a search for one always ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/nodes.h"
#include "runner/prng.h"
#include "runner/rules.h"

/* For a value of each length. */
#define LENS (ADDR_BITS + 1)

/* Nodes are explained in runner/nodes.h. */
struct space_level {
	addr_t first;	      /* node of the first prefix in the space ... */
	addr_t end;	      /* ... and behind the last */
	addr_t free;	      /* nodes that can be taken */
	struct nodes touched; /* taken, or one inside it is */
	struct nodes taken;   /* taken; unused if it holds no other */
	bool holds;
	uint32_t *rest; /* the last free nodes, shuffled, once they are few */
	size_t rest_count;
};

struct space {
	enum family family;
	bool nested;	     /* a taken prefix may hold others */
	int lens[ADDR_BITS]; /* that take part, ascending */
	int len_count;
	struct space_level level[LENS];
};

/*
 * use[len] says which lengths take part; expected is how many prefixes will
 * be taken, a hint for memory.  0 or -ENOMEM.
 */
int space_init(struct space *space, enum family family, const bool use[LENS],
	       bool nested, size_t expected);
void space_free(struct space *space);

bool space_is_free(const struct space *space, int len, addr_t node);

/* A free node of a length that has one, drawn at random.  0 or -ENOMEM. */
int space_draw(struct space *space, int len, struct prng *prng, addr_t *node);

/* The node must be free. */
void space_take(struct space *space, int len, addr_t node);

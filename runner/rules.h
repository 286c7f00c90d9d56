/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The deny-list: prefixes of one family, the same for every mechanism.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/addr.h"

/*
 * addr has no bit set past len (1..32 or 1..128).  Packed, because tens of
 * millions of them are kept in memory.
 */
struct prefix {
	addr_t addr;
	uint8_t len;
} __attribute__((packed, aligned(4)));

/* In the order in which linear mechanisms walk them. */
struct rules {
	struct prefix *prefixes;
	size_t count;
	enum family family;
};

/* Netmask of a length; length 0 gives 0. */
static inline addr_t prefix_mask(uint8_t len)
{
	return len ? ADDR_MAX << (ADDR_BITS - len) : 0;
}

static inline addr_t prefix_last(const struct prefix *prefix)
{
	return prefix->addr | ~prefix_mask(prefix->len);
}

static inline bool prefix_holds(const struct prefix *prefix, addr_t addr)
{
	return (addr & prefix_mask(prefix->len)) == prefix->addr;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The deny-list: IPv4 prefixes, the same for every mechanism.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* addr is in host byte order and has no bit set past len (1..32). */
struct prefix {
	uint32_t addr;
	uint8_t len;
};

/* In the order in which linear mechanisms walk them. */
struct rules {
	struct prefix *prefixes;
	size_t count;
};

/* Netmask of a length, host byte order; length 0 gives 0. */
static inline uint32_t prefix_mask(uint8_t len)
{
	return len ? ~UINT32_C(0) << (32 - len) : 0;
}

static inline uint32_t prefix_last(const struct prefix *prefix)
{
	return prefix->addr | ~prefix_mask(prefix->len);
}

static inline bool prefix_holds(const struct prefix *prefix, uint32_t addr)
{
	return (addr & prefix_mask(prefix->len)) == prefix->addr;
}

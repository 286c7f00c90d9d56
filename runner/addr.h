/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of both families.  An address is a 128-bit number in host byte
 * order; IPv4 takes its top 32 bits, and the other 96 are what they would be
 * in a prefix: 0 in a first address, 1 in a last one, without meaning in
 * between.  So a mask, an order or a range is the same code for both, and the
 * family only counts where addresses are counted, read or written.
 */
#pragma once

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum family {
	FAMILY_IPV4,
	FAMILY_IPV6,
};

typedef unsigned __int128 addr_t;

#define ADDR_BITS 128
#define ADDR_MAX  (~(addr_t)0)

/* Constants, from host byte order. */
#define ADDR_V4(addr)	   ((addr_t)(uint32_t)(addr) << 96)
#define ADDR_V6(high, low) ((addr_t)UINT64_C(high) << 64 | UINT64_C(low))

static inline uint32_t addr_v4(addr_t addr)
{
	return addr >> 96;
}

static inline int family_bits(enum family family)
{
	return family == FAMILY_IPV6 ? 128 : 32;
}

/* What has to be added to an address for the n-th after it. */
static inline addr_t addr_step(enum family family, uint64_t n)
{
	return (addr_t)n << (ADDR_BITS - family_bits(family));
}

/* 16 bytes in network byte order; those of IPv4 are the first four. */
static inline addr_t addr_get(const void *bytes)
{
	uint64_t half[2];

	memcpy(half, bytes, sizeof(half));
	return (addr_t)be64toh(half[0]) << 64 | be64toh(half[1]);
}

static inline void addr_put(addr_t addr, void *bytes)
{
	const uint64_t half[2] = {
		htobe64(addr >> 64),
		htobe64(addr),
	};

	memcpy(bytes, half, sizeof(half));
}

/* As people write it; writes to buf, which is returned. */
#define ADDR_TEXT_BYTES 46
const char *addr_text(enum family family, addr_t addr,
		      char buf[ADDR_TEXT_BYTES]);

/* An unsigned number in decimal; writes to buf, and returns where it begins. */
#define ADDR_COUNT_BYTES 40
const char *addr_count_text(addr_t count, char buf[ADDR_COUNT_BYTES]);

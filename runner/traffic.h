/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the packets of a cell look like: IPv4 UDP frames, sent to a list of
 * destinations over and over, in order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target {
	uint32_t daddr; /* host byte order */
	bool match;	/* a rule drops it */
};

struct traffic {
	uint32_t frame_bytes; /* Ethernet frame without FCS, 60..1514 */
	bool to_host;	      /* see struct hook_info */
	const struct target *targets;
	size_t target_count;
};

/* Source address and ports of every frame (TEST-NET-1, discard). */
#define TRAFFIC_SADDR UINT32_C(0xc0000201) /* 192.0.2.1 */
#define TRAFFIC_SPORT 9
#define TRAFFIC_DPORT 9

/* Destinations that no generated rule covers: 198.18.0.0/15, RFC 2544. */
#define TRAFFIC_MISS_NET UINT32_C(0xc6120000)
#define TRAFFIC_MISS_LEN 15

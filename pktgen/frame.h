/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a cell: Ethernet, IPv4 or IPv6 without options, UDP or a TCP
 * SYN, a payload of zeros.  UDP matches what the kernel's pktgen is told to
 * send, so that all sources and the proof walk the same path.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/traffic.h"

#define FRAME_MAX_BYTES 1514u

/* Where a frame holds what changes with the destination. */
#define FRAME_IP_OFFSET	   14u
#define FRAME_CHECK_OFFSET (FRAME_IP_OFFSET + 10u)
#define FRAME_DADDR_OFFSET (FRAME_IP_OFFSET + 16u)
#define FRAME_L4_OFFSET	   (FRAME_IP_OFFSET + 20u)

/* The same with IPv6, whose header has no checksum. */
#define FRAME6_DADDR_OFFSET (FRAME_IP_OFFSET + 24u)
#define FRAME6_L4_OFFSET    (FRAME_IP_OFFSET + 40u)

static inline uint32_t frame_l4_offset(enum family family)
{
	return family == FAMILY_IPV6 ? FRAME6_L4_OFFSET : FRAME_L4_OFFSET;
}

/* Not lo's address (zero), locally administered. */
#define FRAME_FOREIGN_MAC                          \
	{                                          \
		0x02, 0x00, 0x00, 0x00, 0x00, 0x01 \
	}
#define FRAME_FOREIGN_MAC_TEXT "02:00:00:00:00:01"

struct frame {
	enum family family;
	uint8_t bytes[FRAME_MAX_BYTES];
	size_t length;
};

/*
 * Makes the frame of traffic->frame_bytes from the first source port to
 * daddr, its checksums right.  -EINVAL, after saying so, for a size outside
 * traffic_frame_min_bytes()..FRAME_MAX_BYTES.
 */
int frame_build(struct frame *frame, const struct traffic *traffic,
		addr_t daddr);

/* Sends a built frame elsewhere: changes address and checksums in place. */
void frame_set_daddr(struct frame *frame, addr_t daddr);

/*
 * The IPv4 header checksum that a built frame needs for another daddr, from
 * its present one.  The value is in host byte order.
 */
uint16_t frame_check_for(const struct frame *frame, addr_t daddr);

/* The same for the checksum of TCP or UDP; 0, none, of UDP over IPv4. */
uint16_t frame_l4_check_for(const struct frame *frame, addr_t daddr);

/* Writes the header checksum that the IPv4 packet needs. */
void frame_fix_ip(uint8_t *ip);

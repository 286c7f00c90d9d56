/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the packets of a cell look like.  They are numbered from 0 on, over
 * all bursts of a cell, and the number decides all that varies: packet n goes
 * to targets[n mod target_count], with the length and the source port that
 * are next in their own turns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/addr.h"

struct target {
	addr_t daddr;
	bool match; /* a rule drops it */
};

enum protocol {
	PROTOCOL_UDP,	  /* IPv4 without checksum, like pktgen's */
	PROTOCOL_TCP_SYN, /* checksum right */
};

/* Why a packet of a capture is left out. */
enum capture_skip {
	CAPTURE_TRUNCATED, /* not captured as a whole */
	CAPTURE_NOT_IP,
	CAPTURE_OTHER_FAMILY,  /* IPv6 where IPv4 is sent, or IPv4 */
	CAPTURE_OVERSIZED,     /* a frame of more than 1514 bytes */
	CAPTURE_MALFORMED,     /* an IP header that contradicts itself */
	CAPTURE_UNDELIVERABLE, /* the host would not take it in; see reader */
	CAPTURE_SKIPS,
};

/* From the IP header on, padded as Ethernet would have it. */
struct capture_packet {
	addr_t daddr;
	size_t at;	 /* of its first byte in the capture's bytes */
	uint16_t length; /* 46..1500 */
};

struct capture {
	enum family family;		/* of all that is taken */
	struct capture_packet *packets; /* in their order */
	size_t count;
	uint8_t *bytes;
	size_t size, room;
	uint64_t skipped[CAPTURE_SKIPS];
	bool cut; /* the file holds more than is taken */
};

/*
 * The shortest frames: what Ethernet pads to; with IPv6, room for its header
 * and a TCP SYN, or UDP and what pktgen writes behind it.
 */
#define TRAFFIC_FRAME_MIN_BYTES	 60
#define TRAFFIC_FRAME6_MIN_BYTES 78

static inline uint32_t traffic_frame_min_bytes(enum family family)
{
	return family == FAMILY_IPV6 ? TRAFFIC_FRAME6_MIN_BYTES
				     : TRAFFIC_FRAME_MIN_BYTES;
}

struct traffic {
	enum family family;
	uint32_t frame_bytes; /* Ethernet frame without FCS, up to 1514 */
	bool to_host;	      /* see struct hook_info */
	const struct target *targets;
	size_t target_count;

	enum protocol protocol;
	uint32_t sports; /* different source ports; 0 is 1: TRAFFIC_SPORT */

	/* Frame lengths that take turns, instead of frame_bytes; or NULL. */
	const uint16_t *sizes;
	size_t size_count;

	/*
	 * Its packets are sent instead of any others, or NULL; then target n
	 * is the destination of packet n.
	 */
	const struct capture *capture;
};

/* Source address (of documentation) and ports (discard) of every frame. */
#define TRAFFIC_SADDR  UINT32_C(0xc0000201)	      /* 192.0.2.1 */
#define TRAFFIC_SADDR6 ADDR_V6(0x20010db800000000, 1) /* 2001:db8::1 */
#define TRAFFIC_SPORT  9
#define TRAFFIC_DPORT  9

/* With several source ports, they go up from here. */
#define TRAFFIC_SPORT_MIN  1024
#define TRAFFIC_SPORTS_MAX (65536 - TRAFFIC_SPORT_MIN)

static inline uint16_t traffic_first_sport(const struct traffic *traffic)
{
	return traffic->sports > 1 ? TRAFFIC_SPORT_MIN : TRAFFIC_SPORT;
}

/* Destinations that no generated rule covers: 198.18.0.0/15, RFC 2544. */
#define TRAFFIC_MISS_NET UINT32_C(0xc6120000)
#define TRAFFIC_MISS_LEN 15

/* The same of IPv6: 2001:2::/48, RFC 5180. */
#define TRAFFIC_MISS_NET6 ADDR_V6(0x2001000200000000, 0)
#define TRAFFIC_MISS_LEN6 48

static inline addr_t traffic_saddr(enum family family)
{
	return family == FAMILY_IPV6 ? TRAFFIC_SADDR6 : ADDR_V4(TRAFFIC_SADDR);
}

static inline addr_t traffic_miss_net(enum family family)
{
	return family == FAMILY_IPV6 ? TRAFFIC_MISS_NET6
				     : ADDR_V4(TRAFFIC_MISS_NET);
}

/*
 * The simple Internet mix: of twelve frames, seven carry 40 bytes of IP (and
 * are padded to 60), four 576 and one 1500.  In this order, with three changes
 * of the length and not ten as when they are spread: each takes time that is
 * the source's.  Of IPv6 the small ones are as small as they can be.
 */
#define TRAFFIC_IMIX                                                 \
	{                                                            \
		60, 60, 60, 60, 60, 60, 60, 590, 590, 590, 590, 1514 \
	}
#define TRAFFIC_IMIX6                                                \
	{                                                            \
		78, 78, 78, 78, 78, 78, 78, 590, 590, 590, 590, 1514 \
	}
#define TRAFFIC_IMIX_COUNT	 12
#define TRAFFIC_IMIX_MEAN_BYTES	 358
#define TRAFFIC_IMIX6_MEAN_BYTES 368

/*
 * Captured packets and the frames that prove such a cell carry this mark:
 * what has it is the host's, whatever its addresses (see netns.h).
 */
#define TRAFFIC_MARK 1

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/dlt.h>

#include "pktgen/frame.h"
#include "pktgen/template.h"
#include "runner/cleanup.h"

#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define ETHERTYPE_VLAN 0x8100
#define ETHERTYPE_QINQ 0x88a8
#define IP_MIN_BYTES   20u
#define IP6_BYTES      40u
#define MAX_PACKET     (FRAME_MAX_BYTES - FRAME_IP_OFFSET)
#define MIN_PACKET     (TRAFFIC_FRAME_MIN_BYTES - FRAME_IP_OFFSET)

/* Where the protocol of what follows is said, and how long the header is. */
static const struct link {
	int type;
	uint8_t protocol_at, bytes;
	bool ethernet; /* with tags, perhaps */
} links[] = {
	{ DLT_EN10MB, 12, 14, true },	  { DLT_LINUX_SLL, 14, 16, true },
	{ DLT_LINUX_SLL2, 0, 20, false }, { DLT_RAW, 0, 0, false },
	{ DLT_IPV4, 0, 0, false },	  { DLT_IPV6, 0, 0, false },
};

static const struct link *find_link(int type)
{
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		if (links[i].type == type)
			return &links[i];
	return NULL;
}

bool template_knows(int link_type)
{
	return find_link(link_type);
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) << 16 | get16(at + 2);
}

static enum capture_skip check_family(enum family family, uint32_t protocol)
{
	if (protocol != ETHERTYPE_IPV4 && protocol != ETHERTYPE_IPV6)
		return CAPTURE_NOT_IP;
	return (protocol == ETHERTYPE_IPV6) == (family == FAMILY_IPV6)
		       ? CAPTURE_SKIPS
		       : CAPTURE_OTHER_FAMILY;
}

/* Leaves the network layer in *frame; CAPTURE_SKIPS if it is the family's. */
static enum capture_skip strip(enum family family, const struct link *link,
			       struct captured *frame)
{
	size_t bytes = link->bytes;
	uint32_t protocol;

	if (frame->captured < bytes || !frame->captured)
		return CAPTURE_TRUNCATED;
	if (bytes) {
		protocol = get16(frame->bytes + link->protocol_at);
	} else {
		uint8_t version = frame->bytes[0] >> 4;

		protocol = version == 4	  ? ETHERTYPE_IPV4
			   : version == 6 ? ETHERTYPE_IPV6
					  : 0;
	}
	while (link->ethernet &&
	       (protocol == ETHERTYPE_VLAN || protocol == ETHERTYPE_QINQ)) {
		if (frame->captured < bytes + 4)
			return CAPTURE_TRUNCATED;
		protocol = get16(frame->bytes + bytes + 2);
		bytes += 4;
	}
	frame->bytes += bytes;
	frame->captured -= bytes;
	frame->length -= bytes < frame->length ? bytes : frame->length;
	return check_family(family, protocol);
}

static const uint8_t tcp = 6, udp = 17, icmp = 1, icmp6 = 58;

/* 0/8, 127/8, 224/3: no host has these. */
static bool is_special(uint32_t addr)
{
	return addr >> 24 == 0 || addr >> 24 == 127 || addr >= 0xe0000000;
}

/* Whether ip_rcv() and what follows deliver it as one packet. */
static bool is_deliverable(const uint8_t *ip)
{
	if (ip[0] != 0x45 || get16(ip + 6) & 0x3fff)
		return false;
	if (ip[9] != icmp && ip[9] != tcp && ip[9] != udp)
		return false;
	return !is_special(get32(ip + 12)) && !is_special(get32(ip + 16));
}

/* ::/8 (with ::1 and mapped IPv4), fe80::/10, ff00::/8: no host or no route. */
static bool is_special6(const uint8_t *addr)
{
	return addr[0] == 0 || addr[0] == 0xff ||
	       (addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80);
}

/* The same for ip6_rcv_core(); extension headers are options. */
static bool is_deliverable6(const uint8_t *ip)
{
	if (ip[6] != icmp6 && ip[6] != tcp && ip[6] != udp)
		return false;
	return !is_special6(ip + 8) && !is_special6(ip + 24);
}

/* CAPTURE_SKIPS and the length of the whole packet, or why not. */
static enum capture_skip judge6(const struct captured *packet, bool to_host,
				uint16_t *bytes)
{
	const uint8_t *ip = packet->bytes;
	uint32_t total;

	if (packet->captured < IP6_BYTES)
		return CAPTURE_TRUNCATED;
	total = IP6_BYTES + get16(ip + 4);
	/* A payload of 0: a jumbogram, or left to the network card. */
	if (packet->length > MAX_PACKET &&
	    (total == IP6_BYTES || total > MAX_PACKET))
		return CAPTURE_OVERSIZED;
	if (ip[0] >> 4 != 6)
		return CAPTURE_MALFORMED;
	if (total > MAX_PACKET)
		return CAPTURE_OVERSIZED;
	if (packet->captured < total)
		return CAPTURE_TRUNCATED;
	*bytes = total;
	return to_host && !is_deliverable6(ip) ? CAPTURE_UNDELIVERABLE
					       : CAPTURE_SKIPS;
}

static enum capture_skip judge4(const struct captured *packet, bool to_host,
				uint16_t *bytes)
{
	const uint8_t *ip = packet->bytes;
	uint32_t header, total;

	if (packet->captured < IP_MIN_BYTES)
		return CAPTURE_TRUNCATED;
	header = (ip[0] & 15u) * 4;
	total = get16(ip + 2);
	/* A total of 0: larger than 64 kB, or left to the network card. */
	if (packet->length > MAX_PACKET && (!total || total > MAX_PACKET))
		return CAPTURE_OVERSIZED;
	if (ip[0] >> 4 != 4 || header < IP_MIN_BYTES || total < header)
		return CAPTURE_MALFORMED;
	if (total > MAX_PACKET)
		return CAPTURE_OVERSIZED;
	if (packet->captured < total)
		return CAPTURE_TRUNCATED;
	*bytes = total;
	return to_host && !is_deliverable(ip) ? CAPTURE_UNDELIVERABLE
					      : CAPTURE_SKIPS;
}

/* Room for one more packet; both arrays double. */
static int grow(struct capture *capture, size_t length)
{
	size_t count = capture->count, size = capture->size;

	if (count == TEMPLATE_MAX_PACKETS || size + length > TEMPLATE_MAX_BYTES)
		return -ENOSPC;
	if (!(count & (count - 1))) {
		size_t room = count ? 2 * count : 1;
		void *more = realloc(capture->packets,
				     room * sizeof(*capture->packets));

		if (!more)
			return -ENOMEM;
		capture->packets = more;
	}
	if (size + length > capture->room) {
		size_t room = 2 * capture->room + MAX_PACKET;
		void *more = realloc(capture->bytes, room);

		if (!more)
			return -ENOMEM;
		capture->bytes = more;
		capture->room = room;
	}
	return 0;
}

int template_add(struct capture *capture, int link_type, bool to_host,
		 const struct captured *frame)
{
	struct captured packet = *frame;
	bool is_v6 = capture->family == FAMILY_IPV6;
	enum capture_skip why =
		strip(capture->family, find_link(link_type), &packet);
	uint16_t total, length;
	uint8_t *to;
	int err;

	if (why == CAPTURE_SKIPS)
		why = is_v6 ? judge6(&packet, to_host, &total)
			    : judge4(&packet, to_host, &total);
	if (why != CAPTURE_SKIPS) {
		capture->skipped[why]++;
		return 0;
	}
	length = total < MIN_PACKET ? MIN_PACKET : total;
	err = grow(capture, length);
	if (err)
		return err;
	to = capture->bytes + capture->size;
	memset(to, 0, length);
	memcpy(to, packet.bytes, total);
	if (!is_v6)
		frame_fix_ip(to);
	capture->packets[capture->count++] = (struct capture_packet){
		.daddr = is_v6 ? addr_get(to + 24) : ADDR_V4(get32(to + 16)),
		.at = capture->size,
		.length = length,
	};
	capture->size += length;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "pktgen/frame.h"
#include "runner/log.h"

#define IP_BYTES     20u
#define IP_TTL_HOPS  32 /* as pktgen has it */
#define IP_PROTO_UDP 17
#define UDP_OFFSET   (FRAME_IP_OFFSET + IP_BYTES)

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) << 16 | get16(at + 2);
}

/* One's complement sum, carries added back in. */
static uint16_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint16_t header_check(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < IP_BYTES; i += 2)
		sum += get16(ip + i);
	return ~fold(sum);
}

int frame_build(struct frame *frame, const struct traffic *traffic,
		uint32_t daddr)
{
	static const uint8_t foreign[] = FRAME_FOREIGN_MAC;
	uint8_t *ip = frame->bytes + FRAME_IP_OFFSET;
	uint8_t *udp = frame->bytes + UDP_OFFSET;
	uint32_t length = traffic->frame_bytes;

	if (length < FRAME_MIN_BYTES || length > FRAME_MAX_BYTES)
		return log_err(-EINVAL,
			       "frame size %u: give a number from %u to %u",
			       length, FRAME_MIN_BYTES, FRAME_MAX_BYTES);

	memset(frame->bytes, 0, sizeof(frame->bytes));
	frame->length = length;

	if (!traffic->to_host)
		memcpy(frame->bytes, foreign, sizeof(foreign));
	put16(frame->bytes + 12, 0x0800);

	ip[0] = 0x45;
	put16(ip + 2, length - FRAME_IP_OFFSET);
	ip[8] = IP_TTL_HOPS;
	ip[9] = IP_PROTO_UDP;
	put32(ip + 12, TRAFFIC_SADDR);
	put32(ip + 16, daddr);
	put16(ip + 10, header_check(ip));

	/* A UDP checksum of zero stands for none: pktgen's default too. */
	put16(udp, TRAFFIC_SPORT);
	put16(udp + 2, TRAFFIC_DPORT);
	put16(udp + 4, length - UDP_OFFSET);
	return 0;
}

uint16_t frame_check_for(const struct frame *frame, uint32_t daddr)
{
	uint32_t before = get32(frame->bytes + FRAME_DADDR_OFFSET);
	uint32_t sum = ~get16(frame->bytes + FRAME_CHECK_OFFSET) & 0xffff;

	/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), for both halves. */
	sum += ~before >> 16;
	sum += ~before & 0xffff;
	sum += daddr >> 16;
	sum += daddr & 0xffff;
	return ~fold(sum);
}

void frame_set_daddr(struct frame *frame, uint32_t daddr)
{
	put16(frame->bytes + FRAME_CHECK_OFFSET, frame_check_for(frame, daddr));
	put32(frame->bytes + FRAME_DADDR_OFFSET, daddr);
}

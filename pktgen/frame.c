// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "pktgen/frame.h"
#include "runner/log.h"

#define IP_BYTES     20u
#define IP_TTL_HOPS  32 /* as pktgen has it */
#define IP_PROTO_TCP 6
#define IP_PROTO_UDP 17
#define TCP_BYTES    24u /* with one option, the segment size */
#define TCP_CHECK    (FRAME_L4_OFFSET + 16u)

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

/* bytes is even. */
static uint32_t sum16(const uint8_t *at, size_t bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < bytes; i += 2)
		sum += get16(at + i);
	return sum;
}

void frame_fix_ip(uint8_t *ip)
{
	put16(ip + 10, 0);
	put16(ip + 10, (uint16_t)~fold(sum16(ip, (ip[0] & 15) * 4u)));
}

static void put_udp(uint8_t *udp, const struct traffic *traffic, uint32_t bytes)
{
	/* A UDP checksum of zero stands for none: pktgen's default too. */
	put16(udp, traffic_first_sport(traffic));
	put16(udp + 2, TRAFFIC_DPORT);
	put16(udp + 4, bytes);
}

/* A payload of zeros adds nothing to the sum. */
static void put_syn(uint8_t *tcp, const struct traffic *traffic, uint32_t bytes)
{
	uint32_t sum = IP_PROTO_TCP + bytes;

	put16(tcp, traffic_first_sport(traffic));
	put16(tcp + 2, TRAFFIC_DPORT);
	put32(tcp + 4, 1);
	put16(tcp + 12, TCP_BYTES / 4 << 12 | 2); /* SYN */
	put16(tcp + 14, 64240);
	put32(tcp + 20, 2 << 24 | 4 << 16 | 1460);
	sum += sum16(tcp - 8, 8 + TCP_BYTES); /* the addresses before it */
	put16(tcp + 16, (uint16_t)~fold(sum));
}

int frame_build(struct frame *frame, const struct traffic *traffic,
		uint32_t daddr)
{
	static const uint8_t foreign[] = FRAME_FOREIGN_MAC;
	uint8_t *ip = frame->bytes + FRAME_IP_OFFSET;
	uint8_t *l4 = frame->bytes + FRAME_L4_OFFSET;
	bool tcp = traffic->protocol == PROTOCOL_TCP_SYN;
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
	ip[9] = tcp ? IP_PROTO_TCP : IP_PROTO_UDP;
	put32(ip + 12, TRAFFIC_SADDR);
	put32(ip + 16, daddr);
	frame_fix_ip(ip);
	if (tcp)
		put_syn(l4, traffic, length - FRAME_L4_OFFSET);
	else
		put_udp(l4, traffic, length - FRAME_L4_OFFSET);
	return 0;
}

static uint16_t check_for(const struct frame *frame, size_t at, uint32_t daddr)
{
	uint32_t before = get32(frame->bytes + FRAME_DADDR_OFFSET);
	uint32_t sum = ~get16(frame->bytes + at) & 0xffff;

	/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), for both halves. */
	sum += ~before >> 16;
	sum += ~before & 0xffff;
	sum += daddr >> 16;
	sum += daddr & 0xffff;
	return ~fold(sum);
}

uint16_t frame_check_for(const struct frame *frame, uint32_t daddr)
{
	return check_for(frame, FRAME_CHECK_OFFSET, daddr);
}

static bool is_tcp(const struct frame *frame)
{
	return frame->bytes[FRAME_IP_OFFSET + 9] == IP_PROTO_TCP;
}

uint16_t frame_l4_check_for(const struct frame *frame, uint32_t daddr)
{
	return is_tcp(frame) ? check_for(frame, TCP_CHECK, daddr) : 0;
}

void frame_set_daddr(struct frame *frame, uint32_t daddr)
{
	if (is_tcp(frame))
		put16(frame->bytes + TCP_CHECK,
		      frame_l4_check_for(frame, daddr));
	put16(frame->bytes + FRAME_CHECK_OFFSET, frame_check_for(frame, daddr));
	put32(frame->bytes + FRAME_DADDR_OFFSET, daddr);
}

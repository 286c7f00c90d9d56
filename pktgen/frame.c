// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "pktgen/frame.h"
#include "runner/log.h"

#define IP_TTL_HOPS  32 /* as pktgen has it */
#define IP_PROTO_TCP 6
#define IP_PROTO_UDP 17
#define NO_CHECK     0
#define TCP_BYTES    24u /* with one option, the segment size */
#define TCP_CHECK    16u
#define UDP_CHECK    6u

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
	put16(udp, traffic_first_sport(traffic));
	put16(udp + 2, TRAFFIC_DPORT);
	put16(udp + 4, bytes);
}

static void put_syn(uint8_t *tcp, const struct traffic *traffic)
{
	put16(tcp, traffic_first_sport(traffic));
	put16(tcp + 2, TRAFFIC_DPORT);
	put32(tcp + 4, 1);
	put16(tcp + 12, TCP_BYTES / 4 << 12 | 2); /* SYN */
	put16(tcp + 14, 64240);
	put32(tcp + 20, 2 << 24 | 4 << 16 | 1460);
}

static void put_ipv4(uint8_t *ip, uint8_t protocol, uint32_t bytes,
		     addr_t daddr)
{
	ip[0] = 0x45;
	put16(ip + 2, bytes);
	ip[8] = IP_TTL_HOPS;
	ip[9] = protocol;
	put32(ip + 12, TRAFFIC_SADDR);
	put32(ip + 16, addr_v4(daddr));
	frame_fix_ip(ip);
}

static void put_ipv6(uint8_t *ip, uint8_t protocol, uint32_t payload_bytes,
		     addr_t daddr)
{
	ip[0] = 0x60;
	put16(ip + 4, payload_bytes);
	ip[6] = protocol;
	ip[7] = IP_TTL_HOPS;
	addr_put(TRAFFIC_SADDR6, ip + 8);
	addr_put(daddr, ip + 24);
}

static bool is_v6(const struct frame *frame)
{
	return frame->family == FAMILY_IPV6;
}

static bool is_tcp(const struct frame *frame)
{
	return frame->bytes[FRAME_IP_OFFSET + (is_v6(frame) ? 6 : 9)] ==
	       IP_PROTO_TCP;
}

static size_t daddr_offset(const struct frame *frame)
{
	return is_v6(frame) ? FRAME6_DADDR_OFFSET : FRAME_DADDR_OFFSET;
}

/*
 * Where the checksum over the payload is.  UDP over IPv4 goes without, which
 * is pktgen's default too; IPv6 does not allow that.
 */
static size_t l4_check_offset(const struct frame *frame)
{
	size_t l4 = frame_l4_offset(frame->family);

	if (is_tcp(frame))
		return l4 + TCP_CHECK;
	return is_v6(frame) ? l4 + UDP_CHECK : NO_CHECK;
}

/* UDP's way to write a checksum of zero, which stands for none. */
static uint16_t not_none(const struct frame *frame, uint16_t check)
{
	return check || is_tcp(frame) ? check : 0xffff;
}

/* Over the addresses, the rest of the pseudo header, and l4's own. */
static void put_l4_check(struct frame *frame, uint32_t l4_bytes)
{
	size_t at = l4_check_offset(frame);
	size_t addrs = is_v6(frame) ? 32 : 8;
	const uint8_t *l4 = frame->bytes + frame_l4_offset(frame->family);
	uint32_t sum = (is_tcp(frame) ? IP_PROTO_TCP : IP_PROTO_UDP) + l4_bytes;

	if (at == NO_CHECK)
		return;
	/* A payload of zeros adds nothing. */
	sum += sum16(l4 - addrs, addrs + TCP_BYTES);
	put16(frame->bytes + at, not_none(frame, ~fold(sum)));
}

int frame_build(struct frame *frame, const struct traffic *traffic,
		addr_t daddr)
{
	static const uint8_t foreign[] = FRAME_FOREIGN_MAC;
	uint8_t *ip = frame->bytes + FRAME_IP_OFFSET;
	uint8_t *l4 = frame->bytes + frame_l4_offset(traffic->family);
	bool tcp = traffic->protocol == PROTOCOL_TCP_SYN;
	uint8_t protocol = tcp ? IP_PROTO_TCP : IP_PROTO_UDP;
	uint32_t least = traffic_frame_min_bytes(traffic->family);
	uint32_t length = traffic->frame_bytes;
	uint32_t l4_bytes = length - frame_l4_offset(traffic->family);

	if (length < least || length > FRAME_MAX_BYTES)
		return log_err(-EINVAL,
			       "frame size %u: give a number from %u to %u",
			       length, least, FRAME_MAX_BYTES);

	memset(frame->bytes, 0, sizeof(frame->bytes));
	frame->length = length;
	frame->family = traffic->family;

	if (!traffic->to_host)
		memcpy(frame->bytes, foreign, sizeof(foreign));
	put16(frame->bytes + 12, is_v6(frame) ? 0x86dd : 0x0800);
	if (is_v6(frame))
		put_ipv6(ip, protocol, l4_bytes, daddr);
	else
		put_ipv4(ip, protocol, length - FRAME_IP_OFFSET, daddr);
	if (tcp)
		put_syn(l4, traffic);
	else
		put_udp(l4, traffic, l4_bytes);
	put_l4_check(frame, l4_bytes);
	return 0;
}

/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'), for all 16-bit pieces. */
static uint16_t check_for(const struct frame *frame, size_t at, addr_t daddr)
{
	const uint8_t *before = frame->bytes + daddr_offset(frame);
	uint32_t sum = ~get16(frame->bytes + at) & 0xffff;
	size_t bytes = is_v6(frame) ? 16 : 4;
	uint8_t after[16];

	addr_put(daddr, after);
	for (size_t i = 0; i < bytes; i += 2)
		sum += (~get16(before + i) & 0xffff) + get16(after + i);
	return ~fold(sum);
}

uint16_t frame_check_for(const struct frame *frame, addr_t daddr)
{
	return check_for(frame, FRAME_CHECK_OFFSET, daddr);
}

uint16_t frame_l4_check_for(const struct frame *frame, addr_t daddr)
{
	size_t at = l4_check_offset(frame);

	if (at == NO_CHECK)
		return 0;
	return not_none(frame, check_for(frame, at, daddr));
}

void frame_set_daddr(struct frame *frame, addr_t daddr)
{
	size_t at = l4_check_offset(frame);

	if (at != NO_CHECK)
		put16(frame->bytes + at, frame_l4_check_for(frame, daddr));
	if (is_v6(frame)) {
		addr_put(daddr, frame->bytes + FRAME6_DADDR_OFFSET);
		return;
	}
	put16(frame->bytes + FRAME_CHECK_OFFSET, frame_check_for(frame, daddr));
	put32(frame->bytes + FRAME_DADDR_OFFSET, addr_v4(daddr));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IP packets and capture files for tests, made apart from the program's own
 * builder.  Include after cmocka.h and pcap.h.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#define PACKET_BYTES 2048

struct packet {
	uint8_t bytes[PACKET_BYTES];
	size_t length;
};

/* One's complement sum of bytes, as the Internet checksum has it. */
static inline uint16_t packet_sum(const uint8_t *at, size_t bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < bytes; i++)
		sum += i & 1 ? at[i] : at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* 10.0.0.1 to 10.1.2.N, UDP, filled with N; the checksum is left wrong. */
static inline struct packet packet_udp(uint8_t n, uint16_t length)
{
	struct packet packet = { .length = length };
	const uint8_t ip[] = { 0x45, 0,	 length >> 8, length, 0, n,  0x40,
			       0,    64, 17,	      0,      0, 10, 0,
			       0,    1,	 10,	      1,      2, n };

	memset(packet.bytes, n, length);
	memcpy(packet.bytes, ip, sizeof(ip));
	return packet;
}

/* 2001:db8:a::1 to 2400:1::N, UDP, filled with N; without a checksum. */
static inline struct packet packet_udp6(uint8_t n, uint16_t length)
{
	struct packet packet = { .length = length };
	const uint8_t ip[40] = {
		0x60,	     0,	       0,	 0,    (length - 40) >> 8,
		length - 40, 17,       64,	 0x20, 1,
		0x0d,	     0xb8,     0,	 10,   [23] = 1,
		[24] = 0x24, [27] = 1, [39] = n,
	};

	memset(packet.bytes, n, length);
	memcpy(packet.bytes, ip, sizeof(ip));
	return packet;
}

/* The packet behind a link-layer header. */
static inline struct packet packet_behind(const void *header, size_t bytes,
					  const struct packet *inner)
{
	struct packet packet = { .length = bytes + inner->length };

	assert_true(packet.length <= PACKET_BYTES);
	memcpy(packet.bytes, header, bytes);
	memcpy(packet.bytes + bytes, inner->bytes, inner->length);
	return packet;
}

static inline struct packet packet_ethernet(const struct packet *inner)
{
	uint8_t header[14] = { 2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, 8, 8, 0 };

	if (inner->bytes[0] >> 4 == 6) {
		header[12] = 0x86;
		header[13] = 0xdd;
	}
	return packet_behind(header, sizeof(header), inner);
}

/* A capture file being written. */
struct tape {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

static inline struct tape tape_open(const char *file, int link_type)
{
	struct tape tape = { .pcap = pcap_open_dead(link_type, 65535) };

	assert_non_null(tape.pcap);
	tape.dumper = pcap_dump_open(tape.pcap, file);
	assert_non_null(tape.dumper);
	return tape;
}

/* With only its first `captured` bytes. */
static inline void tape_put(struct tape *tape, const struct packet *packet,
			    size_t captured)
{
	const struct pcap_pkthdr header = { .caplen = captured,
					    .len = packet->length };

	pcap_dump((uint8_t *)tape->dumper, &header, packet->bytes);
}

static inline void tape_close(struct tape *tape)
{
	pcap_dump_close(tape->dumper);
	pcap_close(tape->pcap);
}

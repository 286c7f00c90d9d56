// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the bpf source sends when more than the destination varies, and what
 * the recorder keeps: held against an independent capture by libpcap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "runner/cleanup.h"
#include "runner/registry.h"
#include "runner/select.h"
#include "runner/tests/packets.h"
#include "runner/tests/scratch.h"
#include "runner/tests/tempdir.h"

#define PACKETS	     1200
#define TARGETS	     7
#define SNAP_BYTES   1514
#define BUFFER_BYTES (8 << 20)

static const uint16_t imix[] = TRAFFIC_IMIX;
static const uint16_t imix6[] = TRAFFIC_IMIX6;
static struct target targets[TARGETS];

/* The source at work in a namespace of its own. */
static struct bench {
	const struct source *source;
	void *run, *cell;
	pcap_t *pcap;
	int ns;
} bench;

static int begin(void **state)
{
	(void)state;
	bench = (struct bench){ .source = registry_source("bpf"), .ns = -1 };
	for (size_t i = 0; i < TARGETS; i++)
		targets[i].daddr = ADDR_V4(TRAFFIC_MISS_NET + i);
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (bench.cell)
		bench.source->close(bench.cell);
	if (bench.run)
		bench.source->stop(bench.run);
	if (bench.pcap)
		pcap_close(bench.pcap);
	if (bench.ns >= 0)
		close(bench.ns);
	free(bench.cell);
	free(bench.run);
	return 0;
}

static void need_source(void)
{
	char reason[SELECT_REASON_BYTES];

	if (select_try(bench.source, FAMILY_IPV4, 0, reason, sizeof(reason)))
		skip_because("%s", reason);
	bench.ns = scratch_namespace();
	assert_true(bench.ns >= 0);
}

static pcap_t *open_lo(void)
{
	char message[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_create("lo", message);

	assert_non_null(pcap);
	pcap_set_snaplen(pcap, SNAP_BYTES);
	pcap_set_buffer_size(pcap, BUFFER_BYTES);
	pcap_set_immediate_mode(pcap, 1);
	assert_int_equal(pcap_activate(pcap), 0);
	assert_int_equal(pcap_setdirection(pcap, PCAP_D_IN), 0);
	assert_int_equal(pcap_setnonblock(pcap, 1, message), 0);
	return pcap;
}

static void open_source(const struct traffic *traffic)
{
	const struct source_setup setup = { .family = traffic->family,
					    .targets_total = TARGETS,
					    .capture = traffic->capture };
	const struct site site = { if_nametoindex("lo"), HOOK_EGRESS,
				   traffic->family };

	bench.run = calloc(1, bench.source->run_size);
	bench.cell = calloc(1, bench.source->state_size);
	assert_int_equal(bench.source->start(bench.run, &setup), 0);
	assert_int_equal(
		bench.source->open(bench.cell, bench.run, &site, traffic), 0);
	bench.pcap = open_lo();
}

static void fire(uint64_t first, uint64_t packets)
{
	const struct burst burst = { .first = first, .packets = packets };
	struct shot shot = { 0 };

	assert_int_equal(bench.source->fire(bench.cell, &burst, &shot), 0);
	assert_int_equal(shot.sent, packets);
	assert_int_equal(shot.refused, 0);
}

static uint32_t get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

/* Pseudo-header and segment; all ones if the checksum is right. */
static uint16_t tcp_sum(const uint8_t *ip)
{
	uint32_t bytes = get16(ip + 2) - 20;
	uint32_t sum =
		6 + bytes + packet_sum(ip + 12, 8) + packet_sum(ip + 20, bytes);

	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void check_frame(const struct traffic *traffic, uint64_t number,
			uint32_t length, const uint8_t *frame)
{
	const uint8_t *ip = frame + 14;
	uint32_t sports = traffic->sports ? traffic->sports : 1;
	uint32_t daddr = TRAFFIC_MISS_NET + number % TARGETS;
	uint32_t want = traffic->frame_bytes;

	if (traffic->sizes)
		want = traffic->sizes[number % traffic->size_count];
	assert_int_equal(length, want);
	assert_int_equal(get16(ip + 2), length - 14);
	assert_int_equal(packet_sum(ip, 20), 0xffff);
	assert_int_equal(get16(ip + 16) << 16 | get16(ip + 18), daddr);
	assert_int_equal(get16(ip + 20),
			 sports > 1 ? 1024 + number % sports : 9);
	if (traffic->protocol == PROTOCOL_TCP_SYN) {
		assert_int_equal(ip[9], 6);
		assert_int_equal(ip[33], 2);
		assert_int_equal(tcp_sum(ip), 0xffff);
	} else {
		assert_int_equal(ip[9], 17);
		assert_int_equal(get16(ip + 24), length - 34);
		assert_int_equal(get16(ip + 26), 0);
		for (size_t i = 42; i < length; i++)
			assert_int_equal(frame[i], 0);
	}
}

/* RFC 8200, 8.1; all ones if the checksum is right. */
static uint16_t l4_sum6(const uint8_t *ip)
{
	uint32_t bytes = get16(ip + 4);
	uint32_t sum = ip[6] + bytes + packet_sum(ip + 8, 32) +
		       packet_sum(ip + 40, bytes);

	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void check_frame6(const struct traffic *traffic, uint64_t number,
			 uint32_t length, const uint8_t *frame)
{
	static const uint8_t net[] = { 0x20, 1, 0, 2, 0, 0, 0,
				       0,    0, 0, 0, 0, 0, 0 };
	const uint8_t *ip = frame + 14;
	uint32_t sports = traffic->sports ? traffic->sports : 1;
	uint32_t want = traffic->frame_bytes;

	if (traffic->sizes)
		want = traffic->sizes[number % traffic->size_count];
	assert_int_equal(length, want);
	assert_int_equal(get16(frame + 12), 0x86dd);
	assert_int_equal(get16(ip + 4), length - 54);
	assert_memory_equal(ip + 24, net, sizeof(net));
	assert_int_equal(get16(ip + 38), number % TARGETS);
	assert_int_equal(get16(ip + 40),
			 sports > 1 ? 1024 + number % sports : 9);
	assert_int_equal(ip[6], traffic->protocol == PROTOCOL_TCP_SYN ? 6 : 17);
	if (ip[6] == 17) {
		assert_int_equal(get16(ip + 44), length - 54);
		assert_int_not_equal(get16(ip + 46), 0);
	}
	assert_int_equal(l4_sum6(ip), 0xffff);
}

/* Two bursts: the second goes on where the first has ended. */
static void check_traffic(struct traffic traffic)
{
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	uint64_t number = 0;
	void (*check)(const struct traffic *sent, uint64_t n, uint32_t length,
		      const uint8_t *frame) =
		traffic.family == FAMILY_IPV6 ? check_frame6 : check_frame;

	need_source();
	for (size_t i = 0; i < TARGETS; i++)
		targets[i].daddr = traffic_miss_net(traffic.family) +
				   addr_step(traffic.family, i);
	traffic.targets = targets;
	traffic.target_count = TARGETS;
	if (!traffic.frame_bytes)
		traffic.frame_bytes = traffic_frame_min_bytes(traffic.family);
	open_source(&traffic);
	fire(0, 701);
	fire(701, PACKETS - 701);
	while (pcap_next_ex(bench.pcap, &header, &bytes) == 1)
		check(&traffic, number++, header->len, bytes);
	assert_int_equal(number, PACKETS);
}

static void plain(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .frame_bytes = 200 });
}

static void source_ports(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .sports = 5 });
}

static void all_source_ports(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .sports = TRAFFIC_SPORTS_MAX });
}

static void tcp_syn(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .protocol = PROTOCOL_TCP_SYN });
}

static void tcp_syn_from_ports(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .protocol = PROTOCOL_TCP_SYN,
					.sports = 1000,
					.frame_bytes = 61 });
}

static void mixed_lengths(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .sizes = imix,
					.size_count = ARRAY_SIZE(imix) });
}

static void mixed_syns_from_ports(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .sizes = imix,
					.size_count = ARRAY_SIZE(imix),
					.protocol = PROTOCOL_TCP_SYN,
					.sports = 64 });
}

static void ipv6_plain(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .family = FAMILY_IPV6 });
}

static void ipv6_ports(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .family = FAMILY_IPV6,
					.sports = TRAFFIC_SPORTS_MAX });
}

static void ipv6_syns(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .family = FAMILY_IPV6,
					.protocol = PROTOCOL_TCP_SYN });
}

static void ipv6_mixed_lengths(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .family = FAMILY_IPV6,
					.sizes = imix6,
					.size_count = ARRAY_SIZE(imix6),
					.sports = 5 });
}

static void ipv6_mixed_syns(void **state)
{
	(void)state;
	check_traffic((struct traffic){ .family = FAMILY_IPV6,
					.sizes = imix6,
					.size_count = ARRAY_SIZE(imix6),
					.protocol = PROTOCOL_TCP_SYN,
					.sports = 64 });
}

/* Too many for one chunk of the source, of all lengths. */
#define CAPTURED 997

static uint16_t captured_length(size_t i)
{
	return 28 + i * 761 % 1473;
}

static struct packet captured_packet(enum family family, size_t i)
{
	return family == FAMILY_IPV6
		       ? packet_udp6(i % 251, 40 + captured_length(i) % 1461)
		       : packet_udp(i % 251, captured_length(i));
}

static void write_capture(const char *file, enum family family)
{
	struct tape tape = tape_open(file, DLT_EN10MB);

	for (size_t i = 0; i < CAPTURED; i++) {
		struct packet ip = captured_packet(family, i);
		struct packet whole = packet_ethernet(&ip);

		tape_put(&tape, &whole, whole.length);
	}
	tape_close(&tape);
}

static void check_replayed(enum family family, bool to_host, size_t i,
			   uint32_t length, const uint8_t *frame)
{
	bool is_v6 = family == FAMILY_IPV6;
	uint8_t destination[6] = { to_host ? 0 : 2, 0, 0, 0, 0, !to_host };
	struct packet ip = captured_packet(family, i);

	assert_int_equal(length, ip.length < 46 ? 60 : ip.length + 14);
	assert_memory_equal(frame, destination, 6);
	assert_int_equal(get16(frame + 12), is_v6 ? 0x86dd : 0x0800);
	if (!is_v6) { /* made right */
		assert_int_equal(packet_sum(frame + 14, 20), 0xffff);
		memcpy(ip.bytes + 10, frame + 24, 2);
	}
	assert_memory_equal(frame + 14, ip.bytes, ip.length);
	for (size_t j = 14 + ip.length; j < length; j++)
		assert_int_equal(frame[j], 0);
}

static void replay(enum family family, bool to_host)
{
	static struct target unused[CAPTURED];
	struct traffic traffic = { .family = family,
				   .frame_bytes =
					   traffic_frame_min_bytes(family),
				   .to_host = to_host,
				   .targets = unused,
				   .target_count = CAPTURED };
	struct pcap_pkthdr *header;
	struct capture capture;
	struct tempdir dir;
	const uint8_t *bytes;
	size_t number = 0;
	char file[96];

	need_source();
	tempdir_make(&dir);
	snprintf(file, sizeof(file), "%s/in.pcap", dir.path);
	write_capture(file, family);
	assert_int_equal(
		registry_capture_reader->read(file, family, to_host, &capture),
		0);
	assert_int_equal(capture.count, CAPTURED);
	traffic.capture = &capture;
	open_source(&traffic);
	/* past the end, and on from there */
	fire(0, CAPTURED + 3);
	fire(CAPTURED + 3, 500);
	while (pcap_next_ex(bench.pcap, &header, &bytes) == 1)
		check_replayed(family, to_host, number++ % CAPTURED,
			       header->len, bytes);
	assert_int_equal(number, CAPTURED + 503);
	registry_capture_reader->release(&capture);
	tempdir_remove(&dir);
}

static void captures_are_replayed_in_order(void **state)
{
	(void)state;
	replay(FAMILY_IPV4, false);
	replay(FAMILY_IPV6, false);
}

static void captures_are_replayed_to_the_host(void **state)
{
	(void)state;
	replay(FAMILY_IPV4, true);
	replay(FAMILY_IPV6, true);
}

#define RECORDED 300

/* All that lo received, byte for byte and in order. */
static void the_recorder_keeps_what_lo_carries(void **state)
{
	const struct traffic traffic = { .frame_bytes = 100 };
	auto_mem void *prover = calloc(1, registry_prover->state_size);
	auto_mem void *recorder = calloc(1, registry_recorder->state_size);
	struct site site = { .hook = HOOK_EGRESS };
	char file[96], message[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	struct tempdir dir;
	bool refused;

	(void)state;
	bench.ns = scratch_namespace();
	if (bench.ns < 0)
		skip();
	tempdir_make(&dir);
	snprintf(file, sizeof(file), "%s/proof.pcap", dir.path);
	site.ifindex = if_nametoindex("lo");
	assert_int_equal(registry_prover->open(prover, &site, &traffic), 0);
	assert_int_equal(registry_recorder->open(recorder, file), 0);
	for (uint32_t i = 0; i < RECORDED; i++)
		assert_int_equal(registry_prover->one(prover,
						      ADDR_V4(0x0a000000 + i),
						      &refused),
				 0);
	assert_int_equal(registry_recorder->close(recorder), 0);
	assert_int_equal(registry_recorder->close(recorder), 0);
	registry_prover->close(prover);

	bench.pcap = pcap_open_offline(file, message);
	assert_non_null(bench.pcap);
	assert_int_equal(pcap_datalink(bench.pcap), DLT_EN10MB);
	for (uint32_t i = 0; i < RECORDED; i++) {
		assert_int_equal(pcap_next_ex(bench.pcap, &header, &bytes), 1);
		assert_int_equal(header->caplen, 100);
		assert_int_equal(get16(bytes + 32), i);
	}
	assert_int_equal(pcap_next_ex(bench.pcap, &header, &bytes),
			 PCAP_ERROR_BREAK);
	tempdir_remove(&dir);
}

static void a_full_disk_ends_the_record(void **state)
{
	auto_mem void *recorder = calloc(1, registry_recorder->state_size);
	struct log_capture said;
	int err;

	(void)state;
	bench.ns = scratch_namespace();
	if (bench.ns < 0)
		skip();
	log_capture_begin(&said);
	err = registry_recorder->open(recorder, "/dev/full");
	if (!err)
		err = registry_recorder->close(recorder);
	log_capture_end(&said);
	assert_true(err < 0);
	assert_non_null(strstr(said.text, "/dev/full"));
}

#define bench_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		bench_test(plain),
		bench_test(source_ports),
		bench_test(all_source_ports),
		bench_test(ipv6_plain),
		bench_test(ipv6_ports),
		bench_test(ipv6_syns),
		bench_test(ipv6_mixed_lengths),
		bench_test(ipv6_mixed_syns),
		bench_test(tcp_syn),
		bench_test(tcp_syn_from_ports),
		bench_test(mixed_lengths),
		bench_test(mixed_syns_from_ports),
		bench_test(captures_are_replayed_in_order),
		bench_test(captures_are_replayed_to_the_host),
		bench_test(the_recorder_keeps_what_lo_carries),
		bench_test(a_full_disk_ends_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

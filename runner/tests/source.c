// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every source of the registry: asked n, delivered n, as lo's counters and an
 * independent capture by libpcap say, with the right addresses and checksums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <arpa/inet.h>
#include <netinet/ip.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "runner/cleanup.h"
#include "runner/registry.h"
#include "runner/select.h"
#include "runner/witness.h"
#include "runner/tests/scratch.h"

#define PACKETS	    1000
#define TARGETS	    7
#define SNAP_BYTES  1514
#define BUFFER_SIZE (4 << 20)

static const struct target targets[TARGETS] = {
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 0) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 1) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 2) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 3) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 4) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 5) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 6) },
};

static pcap_t *open_capture(void)
{
	char message[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_create("lo", message);

	assert_non_null(pcap);
	pcap_set_snaplen(pcap, SNAP_BYTES);
	pcap_set_buffer_size(pcap, BUFFER_SIZE);
	pcap_set_immediate_mode(pcap, 1);
	assert_int_equal(pcap_activate(pcap), 0);
	assert_int_equal(pcap_setdirection(pcap, PCAP_D_IN), 0);
	assert_int_equal(pcap_setnonblock(pcap, 1, message), 0);
	return pcap;
}

/* One behind the other, from a prefix on that only IPv6 can hold. */
static const struct target targets6[TARGETS] = {
	{ .daddr = TRAFFIC_MISS_NET6 + 0xfffe },
	{ .daddr = TRAFFIC_MISS_NET6 + 0xffff },
	{ .daddr = TRAFFIC_MISS_NET6 + 0x10000 },
	{ .daddr = TRAFFIC_MISS_NET6 + 0x10001 },
	{ .daddr = TRAFFIC_MISS_NET6 + 0x10002 },
	{ .daddr = TRAFFIC_MISS_NET6 + 0x10003 },
	{ .daddr = TRAFFIC_MISS_NET6 + 0x10004 },
};

/* RFC 8200, 8.1: addresses, length and protocol, then UDP. */
static uint16_t udp6_sum(const uint8_t *ip)
{
	uint32_t length = ip[4] << 8 | ip[5];
	uint32_t sum = length + ip[6];

	for (uint32_t i = 8; i < 40 + length; i++)
		sum += i % 2 ? ip[i] : ip[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint16_t header_sum(const uint8_t *header)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += header[i] << 8 | header[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

static void check_frame6(const uint8_t *ip, uint32_t ip_bytes, size_t number)
{
	static const uint8_t source[] = { 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0,
					  0,	0, 0,	 0,    0, 0, 0, 1 };
	uint8_t daddr[16] = { 0x20, 1, 0, 2 };
	uint32_t low = 0xfffe + number % TARGETS;

	daddr[13] = low >> 16;
	daddr[14] = low >> 8;
	daddr[15] = low;
	assert_int_equal(ip[0], 0x60);
	assert_int_equal(ip[4] << 8 | ip[5], ip_bytes - 40);
	assert_int_equal(ip[6], 17);
	assert_memory_equal(ip + 8, source, sizeof(source));
	assert_memory_equal(ip + 24, daddr, sizeof(daddr));
	assert_int_equal(ip[44] << 8 | ip[45], ip_bytes - 40);
	assert_true(ip[46] || ip[47]);
	assert_int_equal(udp6_sum(ip), 0xffff);
}

/* Reads what was captured and checks each frame; gives how many. */
static size_t check_frames(pcap_t *pcap, enum family family,
			   uint32_t frame_bytes)
{
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	uint32_t daddr;
	size_t count = 0;

	while (pcap_next_ex(pcap, &header, &bytes) == 1) {
		assert_int_equal(header->len, frame_bytes);
		if (family == FAMILY_IPV6) {
			assert_int_equal(bytes[12] << 8 | bytes[13], 0x86dd);
			check_frame6(bytes + 14, frame_bytes - 14, count++);
			continue;
		}
		assert_int_equal(header_sum(bytes + 14), 0xffff);
		memcpy(&daddr, bytes + 30, sizeof(daddr));
		assert_int_equal(ntohl(daddr),
				 addr_v4(targets[count % TARGETS].daddr));
		count++;
	}
	return count;
}

/* pktgen cannot send to these IPv6 addresses in turn, and must say so. */
static bool can_count(const struct source *source, void *state, void *run,
		      const struct traffic *traffic)
{
	const struct site site = { if_nametoindex("lo"), HOOK_EGRESS,
				   traffic->family };
	struct log_capture said;
	int err;

	log_capture_begin(&said);
	err = source->open(state, run, &site, traffic);
	log_capture_end(&said);
	source->close(state);
	if (!err)
		return true;
	assert_int_equal(err, -EOPNOTSUPP);
	assert_non_null(strstr(said.text, "--source bpf"));
	return false;
}

static void delivers(const struct source *source, enum family family,
		     uint32_t frame_bytes, bool to_host)
{
	const struct traffic traffic = {
		.frame_bytes = frame_bytes,
		.family = family,
		.to_host = to_host,
		.targets = family == FAMILY_IPV6 ? targets6 : targets,
		.target_count = TARGETS,
	};
	const struct source_setup setup = { .targets_total = 2 * TARGETS,
					    .family = family };
	const struct site site = { if_nametoindex("lo"), HOOK_EGRESS,
				   FAMILY_IPV4 };
	auto_mem void *run = calloc(1, source->run_size + 1);
	auto_mem void *state = calloc(1, source->state_size + 1);
	const struct burst burst = { .packets = PACKETS };
	pcap_t *pcap = open_capture();
	struct witness witness;
	struct shot shot = { 0 };
	uint64_t before, after;

	assert_int_equal(witness_open(&witness, &site), 0);
	assert_int_equal(source->start(run, &setup), 0);
	if (family == FAMILY_IPV6 && !can_count(source, state, run, &traffic)) {
		source->stop(run);
		witness_close(&witness);
		pcap_close(pcap);
		return;
	}
	assert_int_equal(source->open(state, run, &site, &traffic), 0);
	check_frames(pcap, family,
		     frame_bytes); /* of open(), if it tries itself */
	assert_int_equal(witness_read(&witness, &before), 0);
	assert_int_equal(source->fire(state, &burst, &shot), 0);
	assert_int_equal(witness_read(&witness, &after), 0);
	assert_int_equal(shot.sent, PACKETS);
	assert_int_equal(shot.refused, 0);
	assert_int_equal(after - before, PACKETS);
	assert_int_equal(check_frames(pcap, family, frame_bytes), PACKETS);
	assert_in_range(shot.elapsed_ns, PACKETS * 10, PACKETS * 1000000ull);
	source->close(state);
	source->close(state);
	source->stop(run);
	source->stop(run);
	witness_close(&witness);
	pcap_close(pcap);
}

static void need_source(const struct source *source)
{
	char reason[SELECT_REASON_BYTES];

	if (select_try(source, FAMILY_IPV4, 0, reason, sizeof(reason)))
		skip_because("%s", reason);
}

static void source_delivers(void **arg)
{
	int ns;

	need_source(*arg);
	ns = scratch_namespace();
	delivers(*arg, FAMILY_IPV4, 60, false);
	delivers(*arg, FAMILY_IPV4, 1514, false);
	delivers(*arg, FAMILY_IPV4, 61, true);
	delivers(*arg, FAMILY_IPV6, 78, false);
	delivers(*arg, FAMILY_IPV6, 1514, false);
	delivers(*arg, FAMILY_IPV6, 79, true);
	close(ns);
}

static void drops(const struct source *source, const struct filter *filter,
		  void *filter_state)
{
	struct prefix all = { ADDR_V4(TRAFFIC_MISS_NET), TRAFFIC_MISS_LEN };
	static const struct target hit = { ADDR_V4(TRAFFIC_MISS_NET + 1),
					   true };
	const struct rules rules = { &all, 1, FAMILY_IPV4 };
	const struct traffic traffic = {
		.frame_bytes = 60,
		.targets = &hit,
		.target_count = 1,
	};
	const struct source_setup setup = { .targets_total = 1 };
	const struct burst burst = { .packets = PACKETS, .matching = PACKETS };
	const struct site site = { if_nametoindex("lo"), HOOK_EGRESS,
				   FAMILY_IPV4 };
	auto_mem void *run = calloc(1, source->run_size + 1);
	auto_mem void *state = calloc(1, source->state_size + 1);
	struct shot shot = { 0 };

	assert_int_equal(filter->attach(filter_state, &site, &rules), 0);
	assert_int_equal(source->start(run, &setup), 0);
	assert_int_equal(source->open(state, run, &site, &traffic), 0);
	assert_int_equal(source->fire(state, &burst, &shot), 0);
	assert_true(shot.sent > 0);
	assert_int_equal(shot.refused, shot.sent);
	source->close(state);
	source->stop(run);
	filter->detach(filter_state);
}

/* A drop on egress is counted apart, and the burst still ends. */
static void source_sees_drops(void **arg)
{
	const struct filter *filter = registry_filter("tc-bpf-lpm");
	void *filter_state;
	int ns;

	need_source(*arg);
	ns = scratch_namespace();
	filter_state = calloc(1, filter->state_size);
	drops(*arg, filter, filter_state);
	free(filter_state);
	close(ns);
}

#define MAX_TESTS 32

int main(void)
{
	static struct CMUnitTest tests[MAX_TESTS];
	static char names[MAX_TESTS][64];
	size_t count = 0;

	for (size_t i = 0; sources[i] && count + 2 <= MAX_TESTS; i++) {
		for (int drops = 0; drops < 2; drops++) {
			snprintf(names[count], sizeof(names[count]), "%s %s",
				 sources[i]->name,
				 drops ? "sees drops" : "delivers");
			tests[count] = (struct CMUnitTest){
				.name = names[count],
				.test_func = drops ? source_sees_drops
						   : source_delivers,
				.initial_state = (void *)sources[i],
			};
			count++;
		}
	}
	return _cmocka_run_group_tests("source", tests, count, NULL, NULL);
}

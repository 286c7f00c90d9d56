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
#define SNAP_BYTES  64
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

static uint16_t header_sum(const uint8_t *header)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += header[i] << 8 | header[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* Reads what was captured and checks each frame; gives how many. */
static size_t check_frames(pcap_t *pcap, uint32_t frame_bytes)
{
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	uint32_t daddr;
	size_t count = 0;

	while (pcap_next_ex(pcap, &header, &bytes) == 1) {
		assert_int_equal(header->len, frame_bytes);
		assert_int_equal(header_sum(bytes + 14), 0xffff);
		memcpy(&daddr, bytes + 30, sizeof(daddr));
		assert_int_equal(ntohl(daddr),
				 addr_v4(targets[count % TARGETS].daddr));
		count++;
	}
	return count;
}

static void delivers(const struct source *source, uint32_t frame_bytes,
		     bool to_host)
{
	const struct traffic traffic = {
		.frame_bytes = frame_bytes,
		.to_host = to_host,
		.targets = targets,
		.target_count = TARGETS,
	};
	const struct source_setup setup = { .targets_total = TARGETS };
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
	assert_int_equal(source->open(state, run, &site, &traffic), 0);
	check_frames(pcap, frame_bytes); /* of open(), if it tries itself */
	assert_int_equal(witness_read(&witness, &before), 0);
	assert_int_equal(source->fire(state, &burst, &shot), 0);
	assert_int_equal(witness_read(&witness, &after), 0);
	assert_int_equal(shot.sent, PACKETS);
	assert_int_equal(shot.refused, 0);
	assert_int_equal(after - before, PACKETS);
	assert_int_equal(check_frames(pcap, frame_bytes), PACKETS);
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
	delivers(*arg, 60, false);
	delivers(*arg, 1514, false);
	delivers(*arg, 61, true);
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

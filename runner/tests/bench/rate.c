// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rate of the bpf source against bare BPF_PROG_TEST_RUN loops that do
 * nothing but clone and redirect, taking turns in one run; for mixed lengths
 * a bare loop of each length.  Prints the median of the paired ratios for each
 * kind of traffic, or for the one that is named; 1 if the plain one, which is
 * the first, is below the target.
 */
#include <errno.h>
#include <gsl/gsl_statistics.h>
#include <gsl/gsl_sort.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>

#include "pktgen/frame.h"
#include "pktgen/testrun.h"
#include "pktgen/testrun.skel.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/netns.h"
#include "runner/registry.h"

#define REPEATS 600000 /* divisible by the length of the mix */
#define PAIRS	15
#define TARGET	0.95
#define TARGETS 256

static const uint16_t plain_size[] = { 60 };
static const uint16_t imix[] = TRAFFIC_IMIX;
static const struct kind {
	const char *name;
	const uint16_t *sizes;
	size_t size_count;
	enum protocol protocol;
	uint32_t sports;
	bool captured;
} kinds[] = {
	{ "plain", plain_size, 1, PROTOCOL_UDP, 1, false },
	{ "sports", plain_size, 1, PROTOCOL_UDP, 1000, false },
	{ "tcp-syn", plain_size, 1, PROTOCOL_TCP_SYN, 1000, false },
	{ "imix", imix, 12, PROTOCOL_UDP, 1, false },
	{ "pcap", imix, 12, PROTOCOL_UDP, 1, true },
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Packets per second, with the system calls' own time in it. */
static double bare_pps(struct testrun_bpf *skel, const struct kind *kind)
{
	double start_s = now_s();

	skel->bss->burst.ifindex = if_nametoindex("lo");
	for (size_t i = 0; i < kind->size_count; i++) {
		const struct traffic traffic = { .frame_bytes =
							 kind->sizes[i] };
		struct frame frame;
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.bytes,
			    .data_size_in = kind->sizes[i],
			    .repeat = REPEATS / kind->size_count);

		if (frame_build(&frame, &traffic, ADDR_V4(TRAFFIC_MISS_NET)) ||
		    bpf_prog_test_run_opts(
			    bpf_program__fd(skel->progs.send_bare), &opts))
			return 0;
	}
	return REPEATS / (now_s() - start_s);
}

static double source_pps(const struct source *source, void *state)
{
	const struct burst burst = { .packets = REPEATS };
	struct shot shot = { 0 };
	double start_s = now_s();

	if (source->fire(state, &burst, &shot))
		return 0;
	return shot.sent / (now_s() - start_s);
}

/* The mix as a capture. */
static void make_capture(struct capture *capture, const struct kind *kind)
{
	static struct capture_packet packets[TARGETS];
	static uint8_t bytes[FRAME_MAX_BYTES];
	const struct traffic traffic = { .frame_bytes = 60 };
	struct frame frame;

	frame_build(&frame, &traffic, ADDR_V4(TRAFFIC_MISS_NET));
	memcpy(bytes, frame.bytes + FRAME_IP_OFFSET, 46);
	for (size_t i = 0; i < TARGETS; i++)
		packets[i].length =
			kind->sizes[i % kind->size_count] - FRAME_IP_OFFSET;
	*capture = (struct capture){
		.packets = packets,
		.count = TARGETS / kind->size_count * kind->size_count,
		.bytes = bytes,
		.size = sizeof(bytes),
	};
}

/* The median ratio, or 0. */
static double compare(struct testrun_bpf *skel, const struct kind *kind,
		      double *pps)
{
	const struct source *source = registry_source("bpf");
	auto_mem void *run = calloc(1, source->run_size);
	auto_mem void *state = calloc(1, source->state_size);
	static struct target targets[TARGETS];
	struct site site = { if_nametoindex("lo"), HOOK_EGRESS, FAMILY_IPV4 };
	struct source_setup setup = { .targets_total = TARGETS };
	struct traffic traffic = {
		.frame_bytes = 60,
		.targets = targets,
		.target_count = TARGETS,
		.protocol = kind->protocol,
		.sports = kind->sports,
		.sizes = kind->size_count > 1 ? kind->sizes : NULL,
		.size_count = kind->size_count > 1 ? kind->size_count : 0,
	};
	struct capture capture;
	double ratios[PAIRS];

	for (size_t i = 0; i < TARGETS; i++)
		targets[i].daddr = ADDR_V4(TRAFFIC_MISS_NET + i);
	if (kind->captured) {
		make_capture(&capture, kind);
		setup.capture = traffic.capture = &capture;
		traffic.target_count = capture.count;
	}
	if (!run || !state || source->start(run, &setup) ||
	    source->open(state, run, &site, &traffic))
		return 0;
	for (size_t i = 0; i < PAIRS; i++) {
		double bare = bare_pps(skel, kind);

		*pps = source_pps(source, state);
		ratios[i] = bare ? *pps / bare : 0;
	}
	source->close(state);
	source->stop(run);
	gsl_sort(ratios, 1, PAIRS);
	return gsl_stats_median_from_sorted_data(ratios, 1, PAIRS);
}

int main(int argc, char **argv)
{
	struct testrun_bpf *skel = testrun_bpf__open_and_load();
	double plain = TARGET;
	int ns;

	if (!skel || netns_new(&ns))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		double ratio, pps = 0;

		if (argc > 1 && strcmp(argv[1], kinds[i].name))
			continue;
		ratio = compare(skel, &kinds[i], &pps);
		if (!i)
			plain = ratio;
		printf("%s %.3f of a bare loop, last %.0f pps\n", kinds[i].name,
		       ratio, pps);
	}
	testrun_bpf__destroy(skel);
	return plain < TARGET;
}

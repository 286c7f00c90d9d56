// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rate of the bpf source against a bare BPF_PROG_TEST_RUN loop that does
 * nothing but clone and redirect, taking turns in one run.  Prints the median
 * of the paired ratios; 1 if it is below the target.
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

#define REPEATS 1000000
#define PAIRS	15
#define TARGET	0.95
#define TARGETS 256

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Packets per second, with the system call's own time in it. */
static double bare_pps(struct testrun_bpf *skel, struct frame *frame)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame->bytes,
		    .data_size_in = frame->length, .repeat = REPEATS);
	double start_s = now_s();

	skel->bss->burst.ifindex = if_nametoindex("lo");
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.send_bare),
				   &opts))
		return 0;
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

int main(void)
{
	const struct source *source = registry_source("bpf");
	static struct target targets[TARGETS];
	const struct traffic traffic = {
		.frame_bytes = 60,
		.targets = targets,
		.target_count = TARGETS,
	};
	const struct source_setup setup = { .targets_total = TARGETS };
	struct testrun_bpf *skel = testrun_bpf__open_and_load();
	void *run = calloc(1, source->run_size);
	void *state = calloc(1, source->state_size);
	double ratios[PAIRS], pps = 0;
	struct site site = { .hook = HOOK_EGRESS };
	struct frame frame;
	int ns;

	for (size_t i = 0; i < TARGETS; i++)
		targets[i].daddr = ADDR_V4(TRAFFIC_MISS_NET + i);
	if (!skel || !run || !state || netns_new(&ns))
		return 1;
	site.ifindex = if_nametoindex("lo");
	if (frame_build(&frame, &traffic, ADDR_V4(TRAFFIC_MISS_NET)) ||
	    source->start(run, &setup) ||
	    source->open(state, run, &site, &traffic))
		return 1;
	for (size_t i = 0; i < PAIRS; i++) {
		double bare = bare_pps(skel, &frame);

		pps = source_pps(source, state);
		if (!bare || !pps)
			return 1;
		ratios[i] = pps / bare;
	}
	gsl_sort(ratios, 1, PAIRS);
	printf("bpf source against a bare loop: %.3f (target %.2f), last %.0f pps\n",
	       gsl_stats_median_from_sorted_data(ratios, 1, PAIRS), TARGET,
	       pps);
	source->close(state);
	source->stop(run);
	testrun_bpf__destroy(skel);
	return gsl_stats_median_from_sorted_data(ratios, 1, PAIRS) < TARGET;
}

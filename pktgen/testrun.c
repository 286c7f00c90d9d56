// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf: a source that needs no pktgen.  BPF_PROG_TEST_RUN with repeat = n runs
 * a tc program n times inside one system call, and each run sends one clone
 * of the template through bpf_clone_redirect(), so through dev_queue_xmit()
 * and all egress hooks (net/core/filter.c, net/bpf/test_run.c).  The device
 * is looked up in the caller's namespace, so that one loaded program serves
 * all cells.  Time is taken by the program, at the first and the last packet.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/ip.h>
#include <net/ethernet.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "pktgen/frame.h"
#include "pktgen/testrun.h"
#include "pktgen/testrun.skel.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"

/* All cells of a run: the program and the destinations of all of them. */
struct testrun_run {
	struct testrun_bpf *skel;
	struct testrun_target *targets;
	size_t size, used;
};

struct testrun_cell {
	struct testrun_run *run;
	struct frame *frame;
	uint32_t ifindex;
	uint32_t first, count;
	uint32_t flags;
};

DEFINE_AUTO(testrun, struct testrun_bpf *, testrun_bpf__destroy)
#define auto_testrun __attribute__((cleanup(drop_testrun)))

static int explain_load_error(int err)
{
	if (err == -EPERM)
		return log_err(
			-EOPNOTSUPP,
			"bpf source: bpf() is not permitted: needs CAP_BPF and CAP_NET_ADMIN in the first user namespace, and a seccomp profile that allows it");
	if (err == -ENOSYS)
		return log_err(
			-EOPNOTSUPP,
			"bpf source: no bpf() in this kernel (CONFIG_BPF_SYSCALL)");
	return log_err(err, "bpf source: loading the program: %s",
		       strerror(-err));
}

static int testrun_start(void *state, const struct source_setup *setup)
{
	auto_testrun struct testrun_bpf *skel = testrun_bpf__open();
	struct testrun_run *run = state;
	size_t size = setup->targets_total ? setup->targets_total : 1;
	void *targets;
	int err;

	if (!skel)
		return log_err(-errno, "bpf source: open: %s", strerror(errno));
	if (size > UINT_MAX)
		return log_err(
			-E2BIG,
			"bpf source: %zu destinations are more than a map can hold",
			size);
	bpf_map__set_max_entries(skel->maps.targets, size);
	err = testrun_bpf__load(skel);
	if (err)
		return explain_load_error(err);
	targets = mmap(NULL, size * sizeof(struct testrun_target),
		       PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(skel->maps.targets), 0);
	if (targets == MAP_FAILED)
		return log_err(-errno, "bpf source: mapping destinations: %s",
			       strerror(errno));
	run->targets = targets;
	run->size = size;
	run->used = 0;
	run->skel = hand_over(skel, NULL);
	return 0;
}

static void testrun_stop(void *state)
{
	struct testrun_run *run = state;

	if (!run->skel)
		return;
	munmap(run->targets, run->size * sizeof(struct testrun_target));
	testrun_bpf__destroy(hand_over(run->skel, NULL));
}

/*
 * Sends one packet to find out whether this kernel can do it at all: before
 * 4.18 or so test runs of tc programs had no device to send on.
 */
static int try_one(struct testrun_cell *cell)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = cell->frame->bytes,
		    .data_size_in = cell->frame->length, .repeat = 1);
	struct testrun_bpf *skel = cell->run->skel;
	int err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.send_next),
					 &opts);

	if (err == -EINTR)
		return err;
	if (err)
		return log_err(-EOPNOTSUPP, "bpf source: BPF_PROG_TEST_RUN: %s",
			       strerror(-err));
	return 0;
}

static int testrun_open(void *state, void *shared, const struct site *site,
			const struct traffic *traffic)
{
	struct testrun_cell *cell = state;
	struct testrun_run *run = shared;
	auto_mem struct frame *frame = malloc(sizeof(*frame));
	struct testrun_target *targets = run->targets + run->used;
	int err;

	if (!frame)
		return log_err(-ENOMEM, "bpf source: out of memory");
	if (run->size - run->used < traffic->target_count)
		return log_err(-ENOSPC,
			       "bpf source: more destinations than announced");
	err = frame_build(frame, traffic, traffic->targets[0].daddr);
	if (err)
		return err;
	for (size_t i = 0; i < traffic->target_count; i++) {
		uint32_t daddr = traffic->targets[i].daddr;

		targets[i].daddr = htonl(daddr);
		targets[i].check = htons(frame_check_for(frame, daddr));
	}
	cell->run = run;
	cell->frame = frame;
	cell->ifindex = site->ifindex;
	cell->first = run->used;
	cell->count = traffic->target_count;
	err = try_one(cell);
	if (err)
		return err;
	frame = NULL;
	run->used += traffic->target_count;
	return 0;
}

static void testrun_close(void *state)
{
	struct testrun_cell *cell = state;

	free(hand_over(cell->frame, NULL));
}

static int testrun_fire(void *state, uint64_t packets, uint64_t matching,
			struct shot *shot)
{
	struct testrun_cell *cell = state;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = cell->frame->bytes,
		    .data_size_in = cell->frame->length, .repeat = packets);
	struct testrun_bpf *skel = cell->run->skel;
	struct testrun_burst *burst = &skel->bss->burst;
	int err;

	(void)matching;
	if (!packets || packets > INT_MAX)
		return log_err(
			-ERANGE,
			"bpf source: %lu packets in one burst, can do 1 to %d",
			packets, INT_MAX);
	*burst = (struct testrun_burst){
		.first = cell->first,
		.count = cell->count,
		.ifindex = cell->ifindex,
		.flags = cell->flags,
		.wanted = packets,
	};
	err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.send_next),
				     &opts);
	if (err == -EINTR)
		return err;
	if (err)
		return log_err(err, "bpf source: BPF_PROG_TEST_RUN: %s",
			       strerror(-err));
	if (burst->failed || burst->sent != packets)
		return log_err(
			-EIO,
			"bpf source: %llu of %lu packets sent, %llu with an error",
			burst->sent, packets, burst->failed);
	shot->sent = burst->sent;
	shot->refused = burst->refused;
	shot->elapsed_ns = burst->end_ns - burst->begin_ns;
	return 0;
}

const struct source source_bpf = {
	.name = "bpf",
	.about = "BPF_PROG_TEST_RUN with clone and redirect, no module needed",
	.slice_us = 15000,
	.run_size = sizeof(struct testrun_run),
	.state_size = sizeof(struct testrun_cell),
	.start = testrun_start,
	.open = testrun_open,
	.fire = testrun_fire,
	.close = testrun_close,
	.stop = testrun_stop,
};

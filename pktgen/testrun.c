// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf: a source that needs no pktgen.  BPF_PROG_TEST_RUN with repeat = n runs a
 * tc program n times inside one system call, and each run sends one clone of
 * the template through bpf_clone_redirect(), so through dev_queue_xmit() and
 * all egress hooks (net/core/filter.c, net/bpf/test_run.c).  The device is
 * looked up in the caller's namespace, so that the same loaded programs serve
 * all cells.  Time is taken by the program, at the first and the last packet.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/ip.h>
#include <net/ethernet.h>
#include <string.h>

#include <bpf/bpf.h>

#include "pktgen/frame.h"
#include "pktgen/testrun_load.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"

struct testrun_cell {
	struct testrun_run *run;
	struct frame *frame;
	int program;
	uint32_t ifindex;
	uint32_t first, count; /* window of the targets */
	uint32_t flags;
	struct testrun_shape shape;
};

/*
 * Sends one packet to find out whether this kernel can do it at all: before
 * 4.18 or so test runs of tc programs had no device to send on.
 */
static int try_one(struct testrun_cell *cell)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = cell->frame->bytes,
		    .data_size_in = cell->frame->length, .repeat = 1);
	int err = bpf_prog_test_run_opts(cell->program, &opts);

	if (err == -EINTR)
		return err;
	if (err)
		return log_err(-EOPNOTSUPP, "bpf source: BPF_PROG_TEST_RUN: %s",
			       strerror(-err));
	return 0;
}

/* All lengths, and what they change in the frame of the first. */
static int shape_sizes(struct testrun_shape *shape,
		       const struct traffic *traffic)
{
	enum family family = traffic->family;
	uint32_t least = traffic_frame_min_bytes(family);
	uint16_t first_net;

	if (traffic->size_count > TESTRUN_SIZES)
		return log_err(-E2BIG,
			       "bpf source: at most %d frame lengths in turn",
			       TESTRUN_SIZES);
	shape->size_count = traffic->size_count ? traffic->size_count : 1;
	for (size_t i = 0; i < shape->size_count; i++) {
		uint16_t bytes = traffic->size_count ? traffic->sizes[i]
						     : traffic->frame_bytes;
		struct testrun_size *size = &shape->sizes[i];
		uint32_t change;

		if (bytes < least || bytes > FRAME_MAX_BYTES)
			return log_err(-EINVAL, "frame size %u: not %u to %u",
				       bytes, least, FRAME_MAX_BYTES);
		size->frame_bytes = bytes;
		size->udp_bytes = htons(bytes - frame_l4_offset(family));
		size->ip_bytes = family == FAMILY_IPV6
					 ? size->udp_bytes
					 : htons(bytes - FRAME_IP_OFFSET);
		first_net = shape->sizes[0].ip_bytes;
		change = (uint16_t)~first_net + size->ip_bytes;
		size->change = (change & 0xffff) + (change >> 16);
	}
	shape->sport_first = traffic_first_sport(traffic);
	shape->sport_count = traffic->sports ? traffic->sports : 1;
	shape->is_tcp = traffic->protocol == PROTOCOL_TCP_SYN;
	shape->mark = TRAFFIC_MARK;
	return 0;
}

/* The headers of the first length, the room of the longest. */
static int build_template(struct testrun_cell *cell, struct frame *frame,
			  const struct traffic *traffic)
{
	struct traffic first = *traffic;
	int err = shape_sizes(&cell->shape, traffic);

	if (err)
		return err;
	first.frame_bytes = cell->shape.sizes[0].frame_bytes;
	err = frame_build(frame, &first, traffic->targets[0].daddr);
	if (err)
		return err;
	if (traffic->capture)
		frame->length = FRAME_MAX_BYTES;
	for (size_t i = 0; i < cell->shape.size_count; i++)
		if (cell->shape.sizes[i].frame_bytes > frame->length)
			frame->length = cell->shape.sizes[i].frame_bytes;
	return 0;
}

static void fill_target(const struct testrun_run *run, size_t at,
			const struct frame *frame, addr_t daddr)
{
	uint16_t l4_check = htons(frame_l4_check_for(frame, daddr));

	if (run->family == FAMILY_IPV6) {
		addr_put(daddr, &run->targets6[at].daddr);
		run->targets6[at].l4_check = l4_check;
		return;
	}
	run->targets[at] = (struct testrun_target){
		.daddr = htonl(addr_v4(daddr)),
		.check = htons(frame_check_for(frame, daddr)),
		.l4_check = l4_check,
	};
}

static int fill_targets(struct testrun_cell *cell, const struct frame *frame,
			const struct traffic *traffic)
{
	struct testrun_run *run = cell->run;

	if (run->size - run->used < traffic->target_count)
		return log_err(-ENOSPC,
			       "bpf source: more destinations than announced");
	if (traffic->family != run->family)
		return log_err(-EINVAL,
			       "bpf source: the family was not announced");
	for (size_t i = 0; i < traffic->target_count; i++)
		fill_target(run, run->used + i, frame,
			    traffic->targets[i].daddr);
	return 0;
}

static int choose_program(const struct testrun_cell *cell,
			  const struct traffic *traffic)
{
	const struct testrun_bpf *skel = cell->run->skel;
	bool is_v6 = cell->run->family == FAMILY_IPV6;
	const struct bpf_program *program;

	if (traffic->capture)
		program = skel->progs.send_captured;
	else if (cell->shape.size_count > 1 || cell->shape.sport_count > 1 ||
		 cell->shape.is_tcp)
		program = is_v6 ? skel->progs.send_varied6
				: skel->progs.send_varied;
	else
		program =
			is_v6 ? skel->progs.send_next6 : skel->progs.send_next;
	return bpf_program__fd(program);
}

static int testrun_open(void *state, void *shared, const struct site *site,
			const struct traffic *traffic)
{
	struct testrun_cell *cell = state;
	struct testrun_run *run = shared;
	auto_mem struct frame *frame = malloc(sizeof(*frame));
	int err;

	if (!frame)
		return log_err(-ENOMEM, "bpf source: out of memory");
	if (traffic->capture && !run->has_capture)
		return log_err(-EINVAL,
			       "bpf source: the capture was not announced");
	cell->run = run;
	cell->ifindex = site->ifindex;
	cell->first = run->used;
	cell->count = traffic->target_count;
	err = build_template(cell, frame, traffic);
	if (!err && !traffic->capture)
		err = fill_targets(cell, frame, traffic);
	if (err)
		return err;
	cell->program = choose_program(cell, traffic);
	cell->frame = frame;
	err = try_one(cell);
	if (err) {
		cell->frame = NULL;
		return err;
	}
	frame = NULL;
	if (!traffic->capture)
		run->used += traffic->target_count;
	return 0;
}

static void testrun_close(void *state)
{
	struct testrun_cell *cell = state;

	free(hand_over(cell->frame, NULL));
}

/* Everything as the burst's first packet has it. */
static void aim(struct testrun_cell *cell, const struct burst *burst)
{
	struct testrun_bpf *skel = cell->run->skel;
	struct testrun_shape *shape = &cell->shape;

	skel->bss->burst = (struct testrun_burst){
		.first = cell->first,
		.count = cell->count,
		.cursor = burst->first % cell->count,
		.ifindex = cell->ifindex,
		.flags = cell->flags,
		.wanted = burst->packets,
	};
	shape->size_at = burst->first % shape->size_count;
	shape->sport_at = burst->first % shape->sport_count;
	skel->bss->shape = *shape;
}

static int testrun_fire(void *state, const struct burst *asked,
			struct shot *shot)
{
	struct testrun_cell *cell = state;
	uint64_t packets = asked->packets;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = cell->frame->bytes,
		    .data_size_in = cell->frame->length, .repeat = packets);
	struct testrun_burst *burst = &cell->run->skel->bss->burst;
	int err;

	if (!packets || packets > INT_MAX)
		return log_err(
			-ERANGE,
			"bpf source: %lu packets in one burst, can do 1 to %d",
			packets, INT_MAX);
	aim(cell, asked);
	err = bpf_prog_test_run_opts(cell->program, &opts);
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

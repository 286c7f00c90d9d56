// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pktgen: the kernel's own packet generator, on lo, in its queue_xmit mode.
 * That is the only one that calls dev_queue_xmit() and so passes the egress
 * hooks (net/core/pktgen.c:pktgen_xmit()).
 *
 * A packet that a hook drops is an error to pktgen and not a sent one: what
 * was sent is the sum of both.  A run in which all are dropped never ends and
 * has to be stopped.  With patches/0002-* the kernel tells drops from errors,
 * and such a run has a count like any other.
 *
 * The time is the whole run, the part that pktgen calls idle included: the
 * receive side of lo can move to ksoftirqd or to a backlog thread, and the
 * time of these is idle time to pktgen but part of what a packet costs.
 */
#include <errno.h>
#include <inttypes.h>

#include "pktgen/command.h"
#include "pktgen/device.h"
#include "pktgen/flight.h"
#include "pktgen/procfs.h"
#include "runner/log.h"
#include "runner/source.h"

#define PATIENCE_NS UINT64_C(10000000000)

struct pktgen_run {
	int cpu;
};

struct pktgen_state {
	bool is_open;
	bool drops_seen; /* a drop at the hook comes back as an error */
	uint64_t packet_ns;
	struct device device;
};

static int pktgen_start(void *run, const struct source_setup *setup)
{
	struct pktgen_run *pr = run;

	pr->cpu = setup->cpu;
	return device_probe(PROCFS_ROOT);
}

/* What no setting of pktgen makes. */
static int check_shape(const struct traffic *traffic)
{
	const char *what = NULL;

	if (traffic->capture)
		what = "cannot replay a capture";
	else if (traffic->protocol != PROTOCOL_UDP)
		what = "sends UDP alone";
	else if (traffic->size_count)
		what = "sends frames of one length, no mix of them";
	else if (traffic->sports >= TRAFFIC_SPORTS_MAX)
		what = "takes an upper bound of ports that it never sends, so one port less than that";
	if (what)
		return log_err(-EOPNOTSUPP, "pktgen: %s; take --source bpf",
			       what);
	return 0;
}

/* pktgen can only count up: one address, or a range without gaps. */
static int check_targets(const struct traffic *traffic)
{
	const struct target *targets = traffic->targets;

	if (!traffic->target_count)
		return log_err(-EINVAL, "pktgen: no destination");
	for (size_t i = 1; i < traffic->target_count; i++) {
		if (targets[i].daddr != targets[0].daddr + i ||
		    targets[i].daddr < targets[0].daddr)
			return log_err(-EOPNOTSUPP,
				       "pktgen: sends to one address or to a "
				       "range of consecutive ones; take "
				       "--source bpf");
		/*
		 * A range begins with its second address, and the count of
		 * packets leaves dropped ones out: the matching ones would
		 * not be those that were asked for.
		 */
		if (targets[i].match != targets[0].match)
			return log_err(-EOPNOTSUPP,
				       "pktgen: either all or none of the "
				       "destinations can match; take "
				       "--source bpf");
	}
	return 0;
}

static int pktgen_open(void *state, void *run, const struct site *site,
		       const struct traffic *traffic)
{
	const struct pktgen_run *pr = run;
	struct pktgen_state *st = state;
	int err;

	err = check_shape(traffic);
	if (!err)
		err = check_targets(traffic);
	if (!err)
		err = device_open(&st->device, PROCFS_ROOT, pr->cpu, traffic);
	if (err)
		return err;
	st->is_open = true;
	st->drops_seen = hook_info(site->hook)->sender_sees_drop;
	return 0;
}

static void pktgen_close(void *state)
{
	struct pktgen_state *st = state;

	if (!st->is_open)
		return;
	device_close(&st->device);
	st->is_open = false;
}

/* What only a kernel that counts drops apart can tell. */
static int check_drops(uint64_t expected, const struct result *result)
{
	if (!result->counts_drops)
		return 0;
	if (result->errors)
		return log_err(-EIO,
			       "pktgen: %" PRIu64 " packets were not sent and "
			       "not dropped either; see the kernel's log",
			       result->errors);
	if (result->dropped > expected)
		return log_err(-EIO,
			       "pktgen: packets were dropped that no rule "
			       "matches: %" PRIu64 " of %" PRIu64,
			       result->dropped, result_total(result));
	return 0;
}

static int check_shot(const struct pktgen_state *st, uint64_t packets,
		      const struct result *result)
{
	uint64_t total = result_total(result);

	if (total < packets)
		return log_err(-EIO,
			       "pktgen: %s ended after %" PRIu64 " of %" PRIu64
			       " packets; did lo go down?",
			       st->device.name, total, packets);
	if (!result->elapsed_us)
		return log_err(-EIO,
			       "pktgen: %" PRIu64 " packets took less than 1 "
			       "us; send more",
			       total);
	return 0;
}

static int pktgen_fire(void *state, const struct burst *burst,
		       struct shot *shot)
{
	uint64_t packets = burst->packets, matching = burst->matching;
	struct pktgen_state *st = state;
	uint64_t dropped = st->drops_seen ? matching : 0;
	uint64_t count = st->device.counts_drops ? packets : packets - dropped;
	struct flight flight = {
		.dir = st->device.dir,
		.device = st->device.name,
		.packets = packets,
		.counted = count > 0,
		.patience_ns = PATIENCE_NS,
		.packet_ns = st->packet_ns,
	};
	struct result result;
	int err;

	if (!packets || matching > packets)
		return log_err(-EINVAL,
			       "pktgen: cannot send %" PRIu64
			       " packets, %" PRIu64 " of them matching",
			       packets, matching);
	err = device_is_here(&st->device);
	if (err)
		return err;

	/* Written before each run: it also wipes the result of the last. */
	err = command_send_number(st->device.dir, st->device.name, "count",
				  count);
	if (!err)
		err = flight_run(&flight, &result);
	if (!err)
		err = check_shot(st, packets, &result);
	if (!err)
		err = check_drops(dropped, &result);
	if (err)
		return err;

	log_debug("pktgen: %s: %" PRIu64 " sent, %" PRIu64 " of them refused, "
		  "%" PRIu64 " us, %" PRIu64 " of them idle",
		  st->device.name, result_total(&result),
		  result_refused(&result), result.elapsed_us, result.idle_us);
	st->packet_ns = flight.packet_ns;
	shot->sent = result_total(&result);
	shot->refused = result_refused(&result);
	shot->elapsed_ns = result.elapsed_us * 1000;
	return 0;
}

static void pktgen_stop(void *run)
{
	(void)run;
}

const struct source source_pktgen = {
	.name = "pktgen",
	.about = "the kernel's packet generator, in its queue_xmit mode",
	/* A run waits some 100 ms for its thread to wake, however short. */
	.slice_us = 50000,
	.run_size = sizeof(struct pktgen_run),
	.state_size = sizeof(struct pktgen_state),
	.start = pktgen_start,
	.open = pktgen_open,
	.fire = pktgen_fire,
	.close = pktgen_close,
	.stop = pktgen_stop,
};

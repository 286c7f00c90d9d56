// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <time.h>

#include "runner/cell.h"
#include "runner/cleanup.h"
#include "runner/install.h"
#include "runner/keep.h"
#include "runner/log.h"
#include "runner/netns.h"
#include "runner/registry.h"
#include "runner/targets.h"

/* Calibration: bursts grow until one takes this long. */
#define CALIBRATE_NS	  2000000
#define CALIBRATE_PACKETS 16
#define MAX_SLICE_PACKETS 100000000

static const char *const status_names[] = {
	[CELL_PENDING] = "pending",
	[CELL_MEASURED] = "measured",
	[CELL_SKIPPED] = "skipped",
	[CELL_FAILED] = "failed",
};

const char *cell_status_name(enum cell_status status)
{
	return status_names[status];
}

/* Who takes in what passes a hook that leads to the host. */
static int open_host(struct cell *cell, const struct cell_world *world)
{
	int err;

	if (world->capture)
		return netns_route_marked_to_host(cell->site.family);
	err = netns_route_to_host(cell->site.family);
	if (err)
		return err;
	if (world->options->protocol == PROTOCOL_TCP_SYN)
		cell->discard_fd = netns_discard_listener(cell->site.family);
	else
		cell->discard_fd = netns_discard_socket(cell->site.family);
	return cell->discard_fd < 0 ? cell->discard_fd : 0;
}

static int open_namespace(struct cell *cell, const struct cell_world *world)
{
	const struct hook_info *info = hook_info(cell->plan->hook);
	int err = netns_new(&cell->ns_fd);

	if (err)
		return err;
	cell->site.ifindex = if_nametoindex("lo");
	cell->site.hook = cell->plan->hook;
	cell->site.family = world->options->family;
	if (info->to_host) {
		err = open_host(cell, world);
		if (err)
			return err;
	}
	if (world->options->fate == FATE_SINK) {
		cell->sink = registry_sink(cell->plan->hook);
		if (!cell->sink)
			return log_err(-EOPNOTSUPP,
				       "there is no sink behind the hook %s",
				       info->name);
	}
	return witness_open(&cell->witness, &cell->site);
}

static int open_traffic(struct cell *cell, const struct cell_world *world)
{
	static const uint16_t imix[TRAFFIC_IMIX_COUNT] = TRAFFIC_IMIX;
	static const uint16_t imix6[TRAFFIC_IMIX_COUNT] = TRAFFIC_IMIX6;
	const struct options *o = world->options;
	const uint16_t *mix = o->family == FAMILY_IPV6 ? imix6 : imix;
	struct traffic *traffic = &cell->traffic;
	int err;

	*traffic = (struct traffic){
		.family = o->family,
		.frame_bytes = o->imix ? mix[0] : o->frame_bytes,
		.to_host = hook_info(cell->plan->hook)->to_host,
		.protocol = o->protocol,
		.sports = o->sports,
		.sizes = o->imix ? mix : NULL,
		.size_count = o->imix ? TRAFFIC_IMIX_COUNT : 0,
		.capture = world->capture,
		.target_count = world->capture ? world->capture->count : 0,
	};
	if (world->capture)
		err = targets_of_capture(world->capture, &cell->rules,
					 &cell->targets);
	else
		err = targets_build(o, &cell->rules, world->rules->miss_base,
				    &cell->targets, &traffic->target_count);
	if (!err)
		cell->targets_matching = targets_count_matching(
			cell->targets, traffic->target_count);
	return err;
}

static int attach(struct cell *cell)
{
	const struct filter *filter = cell->plan->filter;
	int err;

	cell->filter_state = calloc(1, filter->state_size + 1);
	if (!cell->filter_state)
		return log_err(-ENOMEM, "out of memory");
	err = install_rules(cell);
	if (err || !cell->sink)
		return err;
	cell->sink_state = calloc(1, cell->sink->state_size);
	if (!cell->sink_state)
		return log_err(-ENOMEM, "out of memory");
	return cell->sink->attach(cell->sink_state, &cell->site, NULL);
}

static int open_source(struct cell *cell, const struct cell_world *world)
{
	cell->source_state = calloc(1, world->source->state_size);
	if (!cell->source_state)
		return log_err(-ENOMEM, "out of memory");
	cell->traffic.targets = cell->targets;
	cell->source = world->source;
	return cell->source->open(cell->source_state, world->source_run,
				  &cell->site, &cell->traffic);
}

static uint64_t fitting(uint64_t packets, uint64_t elapsed_ns,
			uint64_t slice_ns)
{
	double fit = (double)packets * slice_ns / (elapsed_ns ? elapsed_ns : 1);

	if (fit < 1)
		return 1;
	return fit > MAX_SLICE_PACKETS ? MAX_SLICE_PACKETS : fit;
}

static int calibrate(struct cell *cell, const struct cell_world *world)
{
	struct sample sample;
	int err;

	cell->slice_packets = world->options->packets;
	if (cell->slice_packets)
		return 0;
	for (cell->slice_packets = CALIBRATE_PACKETS;;
	     cell->slice_packets *= 4) {
		err = cell_slice(cell, &sample);
		if (err)
			return err;
		if (sample.elapsed_ns >= CALIBRATE_NS ||
		    cell->slice_packets >= MAX_SLICE_PACKETS / 4)
			break;
	}
	cell_recalibrate(cell, world, &sample);
	return 0;
}

void cell_recalibrate(struct cell *cell, const struct cell_world *world,
		      const struct sample *latest)
{
	if (!world->options->packets)
		cell->slice_packets = fitting(latest->sent, latest->elapsed_ns,
					      world->slice_ns);
}

static int open_all(struct cell *cell, const struct cell_world *world)
{
	size_t count = cell->plan->rule_count;
	int err = install_check_room(cell->plan->filter, count);

	/* The room may have come since the rules were generated. */
	if (!err && cell->rules.count < count)
		err = log_err(
			-EOPNOTSUPP,
			"%s: there was no memory for %zu rules: run it again",
			cell->plan->filter->name, count);
	if (!err)
		err = open_namespace(cell, world);
	if (!err)
		err = open_traffic(cell, world);
	if (!err)
		err = attach(cell);
	if (!err)
		err = keep_proof(cell, world->options);
	if (!err)
		err = open_source(cell, world);
	if (!err)
		err = calibrate(cell, world);
	return err;
}

int cell_open(struct cell *cell, const struct cell_world *world)
{
	struct log_capture capture;
	int err;

	cell->ns_fd = cell->discard_fd = cell->witness.fd = -1;
	cell->rules = ruleset_view(world->rules, cell->plan);
	log_capture_begin(&capture);
	err = open_all(cell, world);
	log_capture_end(&capture);
	if (!err) {
		cell->status = CELL_MEASURED;
		return 0;
	}
	cell_fail(cell, capture.text[0] ? capture.text : strerror(-err));
	if (err == -EOPNOTSUPP)
		cell->status = CELL_SKIPPED;
	return err;
}

void cell_leave_out(struct cell *cell)
{
	snprintf(cell->reason, sizeof(cell->reason), "left out by --cell");
	cell->status = CELL_SKIPPED;
}

void cell_finish(struct cell *cell, const struct cell_world *world)
{
	const enum family family = world->options->family;
	struct prefix extra[FILTER_SPARE];
	struct log_capture capture;
	size_t count = 0;

	/* no rule holds where the packets go that match none */
	while (count < FILTER_SPARE && count < world->options->flows) {
		extra[count] = (struct prefix){
			world->rules->miss_base + addr_step(family, count),
			family_bits(family),
		};
		count++;
	}

	if (cell->status == CELL_MEASURED && !netns_enter(cell->ns_fd)) {
		cell->source->close(cell->source_state);
		if (cell->sink)
			cell->sink->detach(cell->sink_state);
		log_capture_begin(&capture);
		install_undo(cell, extra, count);
		log_capture_end(&capture);
	}
	cell_close(cell);
}

void cell_fail(struct cell *cell, const char *reason)
{
	snprintf(cell->reason, sizeof(cell->reason), "%s", reason);
	cell->status = CELL_FAILED;
	cell_close(cell);
}

void cell_close(struct cell *cell)
{
	if (cell->ns_fd > 0 && !netns_enter(cell->ns_fd)) {
		if (cell->source_state && cell->source)
			cell->source->close(cell->source_state);
		if (cell->sink_state)
			cell->sink->detach(cell->sink_state);
		if (cell->filter_state)
			cell->plan->filter->detach(cell->filter_state);
	}
	free(hand_over(cell->source_state, NULL));
	free(hand_over(cell->sink_state, NULL));
	free(hand_over(cell->filter_state, NULL));
	free(hand_over(cell->targets, NULL));
	if (cell->ns_fd <= 0)
		return;
	witness_close(&cell->witness);
	if (cell->discard_fd >= 0)
		close(hand_over(cell->discard_fd, -1));
	close(hand_over(cell->ns_fd, -1));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The timed part of a cell: one burst of the source, and the account of every
 * packet of it, read before and after.
 */
#include <time.h>

#include "runner/cell.h"
#include "runner/explain_mark.h"
#include "runner/netns.h"
#include "runner/targets.h"

#define SETTLE_TRIES 50
#define SETTLE_NS    200000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/* Packets that passed and that the filter dropped, up to now. */
struct ledger {
	uint64_t passed, dropped;
};

static int ledger_read(struct cell *cell, struct ledger *ledger)
{
	int err;

	if (cell->sink)
		err = cell->sink->read(cell->sink_state, &ledger->passed);
	else
		err = witness_read(&cell->witness, &ledger->passed);
	ledger->dropped = 0;
	if (!err && !hook_info(cell->plan->hook)->sender_sees_drop)
		err = cell->plan->filter->read(cell->filter_state,
					       &ledger->dropped);
	return err;
}

static int count(struct cell *cell, const struct ledger *before,
		 const struct shot *shot, struct sample *sample)
{
	struct ledger after;
	int err = ledger_read(cell, &after);

	sample->passed = after.passed - before->passed;
	if (hook_info(cell->plan->hook)->sender_sees_drop)
		sample->dropped = shot->refused;
	else
		sample->dropped = after.dropped - before->dropped;
	return err;
}

/*
 * The receive side of the last packets can still be under way when the kernel
 * has moved it to ksoftirqd; a moment later the counts must add up.
 */
static int settle(struct cell *cell, const struct ledger *before,
		  const struct shot *shot, struct sample *sample)
{
	const struct timespec moment = { .tv_nsec = SETTLE_NS };
	int err = count(cell, before, shot, sample);

	for (int i = 0; !err && i < SETTLE_TRIES; i++) {
		if (sample->passed + sample->dropped >= sample->sent)
			break;
		nanosleep(&moment, NULL);
		err = count(cell, before, shot, sample);
	}
	return err;
}

/* How many of the next packets of the cell match. */
static uint64_t next_matching(const struct cell *cell, uint64_t packets)
{
	return targets_matching(cell->targets, cell->traffic.target_count,
				cell->targets_matching, cell->next_packet,
				packets);
}

int cell_slice(struct cell *cell, struct sample *sample)
{
	const struct burst burst = {
		.first = cell->next_packet,
		.packets = cell->slice_packets,
		.matching = next_matching(cell, cell->slice_packets),
	};
	struct ledger before;
	struct shot shot = { 0 };
	int err = netns_enter(cell->ns_fd);

	if (!err)
		err = ledger_read(cell, &before);
	if (err)
		return err;
	*sample = (struct sample){
		.cell = cell->id,
		.start_ns = now_ns(),
		.instructions = SAMPLE_NOT_COUNTED,
	};
	explain_mark_begin();
	err = cell->source->fire(cell->source_state, &burst, &shot);
	explain_mark_end();
	if (err)
		return err;
	sample->sent = shot.sent;
	sample->elapsed_ns = shot.elapsed_ns;
	err = settle(cell, &before, &shot, sample);
	sample->fault = sample->sent != sample->dropped + sample->passed ||
			sample->dropped != next_matching(cell, sample->sent);
	cell->next_packet += sample->sent;
	return err;
}

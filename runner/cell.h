/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One point of the matrix at work: a namespace with its own lo, the filter on
 * it, the proof that it does what it was asked, and timed slices.
 */
#pragma once

#include "runner/plan.h"
#include "runner/ruleset.h"
#include "runner/sample.h"
#include "runner/source.h"
#include "runner/traffic.h"
#include "runner/witness.h"

enum cell_status {
	CELL_PENDING,
	CELL_MEASURED,
	CELL_SKIPPED, /* this machine lacks something */
	CELL_FAILED,  /* it did not do what it was asked */
};

/* Packets that judged the filter before the timing. */
struct proof {
	uint64_t inside;  /* sent to an address that a rule holds */
	uint64_t outside; /* sent to one that no rule holds */
	uint64_t dropped; /* by the mechanism's own counters */
};

/* What the rules cost before and after the packets; -1: not measured. */
struct setup {
	int64_t install_ns; /* all rules */
	int64_t add_ns;	    /* one more, the median of some */
	int64_t remove_ns;  /* all */
	int64_t kernel_bytes;
	bool by_mechanism;   /* kernel_bytes is its own figure */
	int64_t grown_bytes; /* by the kernel's own counters */
};

struct cell {
	size_t id;
	size_t axis_value; /* plan_axis_value() */
	const struct plan_cell *plan;
	enum cell_status status;
	char reason[512]; /* why it is not measured */

	int ns_fd, discard_fd;
	struct site site;
	struct rules rules; /* a view of the run's list */
	struct target *targets;
	size_t targets_matching;
	struct traffic traffic;
	struct witness witness;
	const struct filter *sink; /* NULL with fate stack */
	const struct source *source;
	void *filter_state, *sink_state, *source_state;

	struct setup setup;
	uint64_t slice_packets;
	uint64_t next_packet; /* number of the next slice's first packet */
	struct proof proof;
};

/* What the cells of a run have in common. */
struct cell_world {
	const struct options *options;
	const struct ruleset *rules;
	const struct capture *capture; /* NULL without one */
	const struct source *source;
	void *source_run;
	uint64_t slice_ns;
};

const char *cell_status_name(enum cell_status status);

/*
 * Sets up cell->plan (with cell->id), proves it and finds out how many
 * packets make a slice.  0, or a negative errno with status and reason set
 * and everything undone; -EINTR after a signal.
 */
int cell_open(struct cell *cell, const struct cell_world *world);

/*
 * One timed slice; fills everything in sample but the round.  sample->fault
 * says that the counts do not add up or that a verdict was wrong.  0, -EINTR,
 * or another negative errno, said.
 */
int cell_slice(struct cell *cell, struct sample *sample);

/* Fits slice_packets to what the latest slice took. */
void cell_recalibrate(struct cell *cell, const struct cell_world *world,
		      const struct sample *latest);

/* Instead of cell_open(), for a cell that the user did not ask for. */
void cell_leave_out(struct cell *cell);

/*
 * After the last slice: adds one rule more and removes all, for the time that
 * it takes, and closes the cell.
 */
void cell_finish(struct cell *cell, const struct cell_world *world);

/* Takes the cell out of the run, with why (errors after the set-up). */
void cell_fail(struct cell *cell, const char *reason);

/* Removes everything; harmless on a zeroed or a failed cell. */
void cell_close(struct cell *cell);

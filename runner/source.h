/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packet source: what a file in pktgen/ implements.  It sends on lo of the
 * current network namespace.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/filter.h"
#include "runner/traffic.h"

/* What the source says of one burst. */
struct shot {
	uint64_t sent;	     /* handed to the hook, dropped ones included */
	uint64_t refused;    /* of these, dropped on egress (NET_XMIT_DROP) */
	uint64_t elapsed_ns; /* from the first packet to the last */
};

/* What all cells of a run have in common. */
struct source_setup {
	size_t targets_total; /* sum of target_count over the cells */
	int cpu; /* the CPU that sends; the caller is pinned to it */
};

struct source {
	const char *name;
	const char *about;
	uint32_t slice_us; /* length of a slice that suits it */
	size_t run_size;   /* shared state of a run, zeroed by the runner */
	size_t state_size; /* state of one cell, zeroed by the runner */

	/*
	 * start: once a run, before any open().  open: in the cell's
	 * namespace, with lo up.  Both all or nothing, with -EOPNOTSUPP after
	 * naming what is missing and the remedy.  traffic stays valid until
	 * close().
	 */
	int (*start)(void *run, const struct source_setup *setup);
	int (*open)(void *state, void *run, const struct site *site,
		    const struct traffic *traffic);

	/*
	 * Sends `packets` packets to the targets in order, beginning with the
	 * first, in the cell's namespace.  matching is how many of them a rule
	 * drops (a source whose count leaves those out cannot count to an
	 * end).  -EINTR after a signal.
	 */
	int (*fire)(void *state, uint64_t packets, uint64_t matching,
		    struct shot *shot);

	/* Cannot fail; harmless on zeroed state. */
	void (*close)(void *state);
	void (*stop)(void *run);
};

/*
 * Sends single frames for the proof before the timing; independent of the
 * sources.  one(): sends one frame to daddr; *refused says whether it was
 * dropped on egress.  When it returns, lo has received the frame.
 */
struct prover {
	size_t state_size;
	int (*open)(void *state, const struct site *site,
		    const struct traffic *traffic);
	int (*one)(void *state, uint32_t daddr, bool *refused);
	void (*close)(void *state);
};

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

/* What is to be sent. */
struct burst {
	uint64_t first; /* number of its first packet, see traffic.h */
	uint64_t packets;

	/*
	 * How many of them a rule drops: a source whose count leaves those out
	 * cannot count to an end.
	 */
	uint64_t matching;
};

/* What all cells of a run have in common. */
struct source_setup {
	enum family family;
	size_t targets_total; /* sum of target_count over the cells */
	int cpu; /* the CPU that sends; the caller is pinned to it */
	const struct capture *capture; /* of all cells, or NULL */
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
	 * Sends a burst in order, in the cell's namespace.  A source that
	 * cannot begin anywhere takes only targets of which all or none match,
	 * and begins with the first.  -EINTR after a signal.
	 */
	int (*fire)(void *state, const struct burst *burst, struct shot *shot);

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
	int (*one)(void *state, addr_t daddr, bool *refused);
	void (*close)(void *state);
};

/*
 * Reads captures into memory, all or nothing.
 */
struct capture_reader {
	/*
	 * Takes the packets of a family from a file and counts the others.
	 * to_host: leaves out what the kernel's receive path would not deliver
	 * one by one (fragments, headers with options, protocols but ICMP, TCP
	 * and UDP, addresses that no host has), for then sent packets could
	 * not be held against delivered ones.  0, or a negative errno after
	 * saying what is wrong with the file.
	 */
	int (*read)(const char *file, enum family family, bool to_host,
		    struct capture *capture);

	/* Harmless on zeroed memory. */
	void (*release)(struct capture *capture);
};

/*
 * Keeps what lo carries, in a file.
 */
struct recorder {
	size_t state_size;

	/* From now on, in the current namespace; 0 or errno, said. */
	int (*open)(void *state, const char *file);

	/*
	 * Writes what lo has received since and closes the file.  0, or a
	 * negative errno after saying what is not in the file.
	 */
	int (*close)(void *state);
};

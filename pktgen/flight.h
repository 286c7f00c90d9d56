/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of pktgen.  The write of "start" blocks until the run is over, and
 * a run whose packets are all dropped never is; so it is written by a thread
 * of its own, and the caller watches the device and can stop it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pktgen/result.h"

struct flight {
	int dir;	    /* pktgen's, of the current namespace */
	const char *device; /* its file there */
	uint64_t packets;   /* accepted and dropped ones */

	/*
	 * pktgen itself ends the run when it has counted that many packets.
	 * Otherwise it is stopped when it has: some more than that go out.
	 */
	bool counted;

	/*
	 * A run that does not move for so long is given up.  A counted one is
	 * looked at ten times in this time.
	 */
	uint64_t patience_ns;

	/*
	 * In: a guess of the time of a packet, 0 for none.  Out: what it was.
	 */
	uint64_t packet_ns;
};

/*
 * Runs the device from start to end in the current namespace.  Whatever
 * happens, the device is at rest afterwards, and *result is what it says.
 * -EINTR after a signal, another errno after saying what went wrong.
 */
int flight_run(struct flight *flight, struct result *result);

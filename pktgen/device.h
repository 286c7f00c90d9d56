/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pktgen's device for lo in one network namespace: lo@N on the thread of CPU
 * N.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "runner/traffic.h"

struct device {
	int dir;	 /* pktgen's directory of the namespace */
	ino_t net_ns;	 /* its number */
	char thread[24]; /* the thread's file, kpktgend_N */
	char name[24];	 /* the device's file, lo@N */

	/* Dropped packets are in its count: see result.h. */
	bool counts_drops;
};

/*
 * Whether there is a pktgen below root at all.  0, or -EOPNOTSUPP after naming
 * the remedy.
 */
int device_probe(const char *root);

/*
 * Adds lo of the current namespace to the thread of a CPU, cleared of what a
 * killed run left on it, and sets up all that makes the packets of the
 * traffic; its targets are the first and the last of a range.  On an error,
 * which is said, nothing stays behind.
 */
int device_open(struct device *dev, const char *root, int cpu,
		const struct traffic *traffic);

/*
 * A run is started in the namespace of the thread that asks for it.  0, or
 * -ENODEV after naming both, if that is not the device's.
 */
int device_is_here(const struct device *dev);

/* Removes the device, from any namespace. */
void device_close(struct device *dev);

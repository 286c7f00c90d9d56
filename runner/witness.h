/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the packets that passed the hook, independently of the source and of
 * the filter: by the namespace's own counters.
 */
#pragma once

#include <stdint.h>

#include "runner/filter.h"

struct witness {
	int fd; /* a file of /proc/net, read again and again */
	bool to_host;
	enum family family;
};

/*
 * In the cell's namespace.  Behind egress, lo counts what it loops back
 * (drivers/net/loopback.c); behind the other hooks, IP counts what it
 * delivers (Ip: InDelivers, net/ipv4/ip_input.c; Ip6InDelivers,
 * net/ipv6/ip6_input.c).  0 or a negative errno,
 * said.
 */
int witness_open(struct witness *witness, const struct site *site);
void witness_close(struct witness *witness);

/* Packets that have passed since the namespace was made. */
int witness_read(const struct witness *witness, uint64_t *passed);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Network namespaces that exist only as descriptors of this process, so that
 * nothing is left however it ends, and the lo in them.
 */
#pragma once

#include <stdbool.h>

#include "runner/addr.h"

/*
 * Makes a namespace with lo up and enters it; *ns_fd keeps it alive and is
 * the caller's to close.  0, or a negative errno after naming the capability
 * that is missing (-EOPNOTSUPP) or what failed.
 */
int netns_new(int *ns_fd);

/* Enters a namespace again.  0 or a negative errno, said. */
int netns_enter(int ns_fd);

/*
 * Makes every destination of the family local to lo, so that packets pass the
 * route lookup: with IPv4, whatever rp_filter was inherited, since the frames'
 * source is reachable through lo; with IPv6, also where disable_ipv6 was.  0,
 * -EOPNOTSUPP after saying what is missing, or another negative errno, said.
 */
int netns_route_to_host(enum family family);

/*
 * Instead of that, makes every packet of the family with TRAFFIC_MARK local to
 * lo, whatever its addresses.  Answers to it have no mark, find no route from
 * such an address, and are not sent.
 */
int netns_route_marked_to_host(enum family family);

/*
 * A UDP socket on the frames' port that takes part in the whole receive path
 * and keeps nothing: a socket filter refuses each packet after the lookup.
 * A descriptor, or a negative errno, said.
 */
int netns_discard_socket(enum family family);

/* The same for TCP: a listener that no SYN reaches, and that answers none. */
int netns_discard_listener(enum family family);

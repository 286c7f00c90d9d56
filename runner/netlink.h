/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A netlink socket of the current namespace, and one request at a time over
 * it (libmnl).
 */
#pragma once

#include <libmnl/libmnl.h>

#include "runner/cleanup.h"

DEFINE_AUTO(mnl, struct mnl_socket *, mnl_socket_close)
#define auto_mnl __attribute__((cleanup(drop_mnl)))

/*
 * Opens and binds a socket to the protocol family `bus` (NETLINK_ROUTE, ...).
 * NULL with errno set; says nothing.
 */
struct mnl_socket *nl_open(int bus);

/*
 * Sends nlh with a new sequence number (and NLM_F_ACK unless it is a dump),
 * then reads until the acknowledgement or the end of the dump; each data
 * message goes to cb (may be NULL).  0 or the kernel's negative errno; says
 * nothing, for the caller knows what it asked.
 */
int nl_request(struct mnl_socket *nl, struct nlmsghdr *nlh, mnl_cb_t cb,
	       void *arg);

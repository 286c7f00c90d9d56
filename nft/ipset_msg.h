/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to ipset over netlink, as ip_set_core.c reads them, and its errors.
 */
#pragma once

#include <linux/netfilter.h>
#include <linux/netfilter/ipset/ip_set.h>

#include "nft/hashset.h"

/* The oldest protocol that kernels still speak has all that is needed. */
#define IPSET_MSG_PROTOCOL 6
#define IPSET_MSG_TYPE	   "hash:net"

/* Begins a message in buf, for the set by its name if `named`. */
struct nlmsghdr *ipset_begin(void *buf, enum ipset_cmd cmd, uint16_t flags,
			     const struct hashset *set, bool named);

void ipset_put_number(struct nlmsghdr *nlh, uint16_t type, uint32_t number);

/* An element: an address of the set's family and a length. */
void ipset_put_prefix(const struct hashset *set, struct nlmsghdr *nlh,
		      const struct prefix *prefix);

/*
 * Says what a negative errno means, `what` was being done by `who`; ipset's own
 * numbers lie beyond those of errno.  A negative errno.
 */
int ipset_explain(const char *who, const char *what, int err);

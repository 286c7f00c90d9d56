/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a filter sits in the packet path of lo.
 */
#pragma once

#include <stdbool.h>

enum hook {
	HOOK_EGRESS,
	HOOK_INGRESS,
	HOOK_PREROUTING,
	HOOK_INPUT,
};

#define HOOK_BIT(hook) (1u << (hook))

struct hook_info {
	const char *name;

	/*
	 * The frames carry lo's own address (zero) and are delivered to a
	 * socket.  Otherwise they carry a foreign one, and ip_rcv() drops
	 * them as PACKET_OTHERHOST: the cheapest end of the path.
	 */
	bool to_host;

	/*
	 * A drop here is the result of dev_queue_xmit(), so that the source
	 * counts it; elsewhere only the filter does.
	 */
	bool sender_sees_drop;
};

/* Never NULL for a value of the enum. */
const struct hook_info *hook_info(enum hook hook);

/* 0, or -EINVAL if there is no hook of that name; says nothing. */
int hook_by_name(const char *name, enum hook *hook);

/* How many values the enum has. */
unsigned int hook_count(void);

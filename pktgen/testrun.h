/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What testrun.bpf.c and testrun.c share; seen by both compilers. */
#pragma once

#include <linux/types.h>

/* One destination, ready to be copied into the IPv4 header (network order). */
struct testrun_target {
	__u32 daddr;
	__u16 check;
	__u16 unused;
};

struct testrun_burst {
	/* set before it */
	__u32 first, count; /* window of the targets */
	__u32 ifindex;
	__u32 flags; /* of bpf_clone_redirect() */
	__u64 wanted;

	/* zeroed before it */
	__u32 cursor;
	__u32 unused;
	__u64 sent;
	__u64 refused; /* NET_XMIT_DROP */
	__u64 failed;  /* any other result */
	__u64 begin_ns, end_ns;
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What testrun.bpf.c and testrun.c share; seen by both compilers. */
#pragma once

#include <linux/types.h>

/* One destination, ready to be copied into the IPv4 header (network order). */
struct testrun_target {
	__u32 daddr;
	__u16 check;
	__u16 l4_check; /* 0: UDP */
};

/* A frame length, and what it makes of the headers (network order). */
struct testrun_size {
	__u16 frame_bytes;
	__u16 ip_bytes;
	__u16 udp_bytes;
	__u16 change; /* of any checksum's sum, from the first length */
};

#define TESTRUN_SIZES 16 /* a power of two */

/* What varies besides the destination. */
struct testrun_shape {
	__u32 size_count, size_at;
	__u32 sport_first, sport_count, sport_at; /* host order */
	__u32 is_tcp;
	__u32 mark; /* of captured packets */
	struct testrun_size sizes[TESTRUN_SIZES];
};

/*
 * A captured packet lies in a chunk as a whole, so that the verifier sees
 * where it ends.
 */
#define TESTRUN_CHUNK_BYTES  65536u
#define TESTRUN_PACKET_BYTES 1500u

struct testrun_packet {
	__u32 chunk;
	__u16 at;
	__u16 length;
};

struct testrun_burst {
	/* set before it */
	__u32 first, count; /* window of the targets */
	__u32 ifindex;
	__u32 flags; /* of bpf_clone_redirect() */
	__u64 wanted;

	__u32 cursor; /* in the window, where to begin */

	/* zeroed before it */
	__u32 unused;
	__u64 sent;
	__u64 refused; /* NET_XMIT_DROP */
	__u64 failed;  /* any other result */
	__u64 begin_ns, end_ns;
};

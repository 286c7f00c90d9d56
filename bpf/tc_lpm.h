/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tc_lpm.bpf.c and tc_lpm.c share; seen by both compilers. */
#pragma once

#include <linux/types.h>

/* struct bpf_lpm_trie_key with an IPv6 address, network order. */
struct tc_lpm_key6 {
	__u32 len;
	__u8 addr[16];
};

/* struct bpf_lpm_trie_key with an IPv4 address, network order. */
struct tc_lpm_key {
	__u32 len;
	__u32 addr;
};

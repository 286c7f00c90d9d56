/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way in which every program here counts what it drops: a slot for each
 * CPU, so that the cost of counting is the same for all.
 */
#pragma once

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__type(key, __u32);
	__type(value, __u64);
	__uint(max_entries, 1);
} dropped SEC(".maps");

static __always_inline void count_drop(void)
{
	__u32 key = 0;
	__u64 *slot = bpf_map_lookup_elem(&dropped, &key);

	if (slot)
		(*slot)++;
}

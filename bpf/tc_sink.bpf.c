// SPDX-License-Identifier: GPL-2.0-or-later
/* Swallows and counts every packet that the classifiers before it let pass. */
#include <linux/pkt_cls.h>

#include "bpf/counter.bpf.h"

SEC("tc")
int swallow(struct __sk_buff *skb)
{
	count_drop();
	return TC_ACT_STOLEN;
}

char _license[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sender of the bpf source.  BPF_PROG_TEST_RUN repeats it; each repeat
 * gives the template its next destination and sends one clone of it.  The
 * clone is used up before the next repeat, so that writing to the template
 * never copies it.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include "pktgen/testrun.h"

#define NET_XMIT_DROP 1

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct testrun_target);
	__uint(max_entries, 1);
} targets SEC(".maps");

struct testrun_burst burst;

SEC("tc")
int send_next(struct __sk_buff *skb)
{
	__u32 at = burst.first + burst.cursor;
	struct testrun_target *target = bpf_map_lookup_elem(&targets, &at);
	void *data = (void *)(long)skb->data;
	void *data_end = (void *)(long)skb->data_end;
	struct iphdr *ip = data + ETH_HLEN;
	long ret;

	if (!target || (void *)(ip + 1) > data_end)
		return TC_ACT_SHOT;
	ip->daddr = target->daddr;
	ip->check = target->check;
	if (++burst.cursor >= burst.count)
		burst.cursor = 0;
	if (!burst.sent)
		burst.begin_ns = bpf_ktime_get_ns();
	ret = bpf_clone_redirect(skb, burst.ifindex, burst.flags);
	if (ret == NET_XMIT_DROP)
		burst.refused++;
	else if (ret)
		burst.failed++;
	if (++burst.sent == burst.wanted)
		burst.end_ns = bpf_ktime_get_ns();
	return TC_ACT_OK;
}

/*
 * The yardstick of the benchmark: the same call with nothing around it.
 */
SEC("tc")
int send_bare(struct __sk_buff *skb)
{
	bpf_clone_redirect(skb, burst.ifindex, 0);
	return TC_ACT_OK;
}

char _license[] SEC("license") = "GPL";

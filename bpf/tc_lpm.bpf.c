// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drops IPv4 packets whose destination is in the trie; everything else goes
 * on to the next classifier.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bpf/counter.bpf.h"
#include "bpf/tc_lpm.h"

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tc_lpm_key);
	__type(value, __u8);
	__uint(max_entries, 1);
} prefixes SEC(".maps");

SEC("tc")
int judge(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data;
	void *data_end = (void *)(long)skb->data_end;
	struct iphdr *ip = data + ETH_HLEN;
	struct tc_lpm_key key = { .len = 32 };

	if (skb->protocol != bpf_htons(ETH_P_IP) || (void *)(ip + 1) > data_end)
		return TC_ACT_UNSPEC;
	key.addr = ip->daddr;
	if (!bpf_map_lookup_elem(&prefixes, &key))
		return TC_ACT_UNSPEC;
	count_drop();
	return TC_ACT_SHOT;
}

char _license[] SEC("license") = "GPL";

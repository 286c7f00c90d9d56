// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drops packets whose destination is in the trie; everything else goes on to
 * the next classifier.  A program and a trie for each family; only one pair is
 * loaded.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
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

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct tc_lpm_key6);
	__type(value, __u8);
	__uint(max_entries, 1);
} prefixes6 SEC(".maps");

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

SEC("tc")
int judge6(struct __sk_buff *skb)
{
	void *data = (void *)(long)skb->data;
	void *data_end = (void *)(long)skb->data_end;
	struct ipv6hdr *ip = data + ETH_HLEN;
	struct tc_lpm_key6 key = { .len = 128 };

	if (skb->protocol != bpf_htons(ETH_P_IPV6) ||
	    (void *)(ip + 1) > data_end)
		return TC_ACT_UNSPEC;
	__builtin_memcpy(key.addr, &ip->daddr, sizeof(key.addr));
	if (!bpf_map_lookup_elem(&prefixes6, &key))
		return TC_ACT_UNSPEC;
	count_drop();
	return TC_ACT_SHOT;
}

char _license[] SEC("license") = "GPL";

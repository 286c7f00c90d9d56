// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The senders of the bpf source.  BPF_PROG_TEST_RUN repeats one of them; each
 * repeat gives the template its next destination, and what else varies, and
 * sends one clone of it.  The clone is used up before the next repeat, so that
 * writing to the template never copies it.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/pkt_cls.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <bpf/bpf_endian.h>
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

/* Instead of those, with IPv6. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct testrun_target6);
	__uint(max_entries, 1);
} targets6 SEC(".maps");

/* Only with a capture; see testrun.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct testrun_packet);
	__uint(max_entries, 1);
} packets SEC(".maps");

struct chunk {
	__u8 bytes[TESTRUN_CHUNK_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct chunk);
	__uint(max_entries, 1);
} chunks SEC(".maps");

struct testrun_burst burst;
struct testrun_shape shape;

/* Sends the template as it is now. */
static __always_inline int transmit(struct __sk_buff *skb)
{
	long ret;

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

/* The plain case: frames of one length from one port. */
SEC("tc")
int send_next(struct __sk_buff *skb)
{
	__u32 at = burst.first + burst.cursor;
	struct testrun_target *target = bpf_map_lookup_elem(&targets, &at);
	void *data = (void *)(long)skb->data;
	void *data_end = (void *)(long)skb->data_end;
	struct iphdr *ip = data + ETH_HLEN;

	if (!target || (void *)(ip + 1) > data_end)
		return TC_ACT_SHOT;
	ip->daddr = target->daddr;
	ip->check = target->check;
	return transmit(skb);
}

/* The same with IPv6 and UDP, which has the only checksum. */
SEC("tc")
int send_next6(struct __sk_buff *skb)
{
	__u32 at = burst.first + burst.cursor;
	struct testrun_target6 *target = bpf_map_lookup_elem(&targets6, &at);
	void *data = (void *)(long)skb->data;
	void *data_end = (void *)(long)skb->data_end;
	struct ipv6hdr *ip = data + ETH_HLEN;
	struct udphdr *udp = (void *)(ip + 1);

	if (!target || (void *)(udp + 1) > data_end)
		return TC_ACT_SHOT;
	ip->daddr = target->daddr;
	udp->check = target->l4_check;
	return transmit(skb);
}

/* RFC 1624: the checksum after its sum has changed. */
static __always_inline __u16 changed(__u16 check, __u32 change)
{
	__u32 sum = (__u16)~check + change;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/*
 * Lengths and source ports in turn.  A frame that grows gets zeros at its end
 * (net/core/filter.c:bpf_skb_change_tail()), which is its payload.
 */
SEC("tc")
int send_varied(struct __sk_buff *skb)
{
	struct testrun_size *size =
		&shape.sizes[shape.size_at & (TESTRUN_SIZES - 1)];
	__u32 at = burst.first + burst.cursor;
	struct testrun_target *target = bpf_map_lookup_elem(&targets, &at);
	__u32 sport = shape.sport_first + shape.sport_at;
	__u32 frame_bytes = size->frame_bytes;
	void *data, *data_end;
	struct iphdr *ip;

	if (skb->len != frame_bytes && bpf_skb_change_tail(skb, frame_bytes, 0))
		return TC_ACT_SHOT;
	data = (void *)(long)skb->data;
	data_end = (void *)(long)skb->data_end;
	ip = data + ETH_HLEN;
	if (!target || (void *)(ip + 1) + sizeof(struct tcphdr) > data_end)
		return TC_ACT_SHOT;
	ip->daddr = target->daddr;
	ip->tot_len = size->ip_bytes;
	ip->check = changed(target->check, size->change);
	if (shape.is_tcp) {
		struct tcphdr *tcp = (void *)(ip + 1);
		__u16 before = bpf_htons(shape.sport_first);

		tcp->source = bpf_htons(sport);
		tcp->check =
			changed(target->l4_check,
				size->change + (__u16)~before + tcp->source);
	} else {
		struct udphdr *udp = (void *)(ip + 1);

		udp->source = bpf_htons(sport);
		udp->len = size->udp_bytes;
	}
	if (++shape.size_at >= shape.size_count)
		shape.size_at = 0;
	if (++shape.sport_at >= shape.sport_count)
		shape.sport_at = 0;
	return transmit(skb);
}

/* The same with IPv6.  UDP's length is in its checksum twice. */
SEC("tc")
int send_varied6(struct __sk_buff *skb)
{
	struct testrun_size *size =
		&shape.sizes[shape.size_at & (TESTRUN_SIZES - 1)];
	__u32 at = burst.first + burst.cursor;
	struct testrun_target6 *target = bpf_map_lookup_elem(&targets6, &at);
	__u16 before = bpf_htons(shape.sport_first);
	__u16 sport = bpf_htons(shape.sport_first + shape.sport_at);
	__u32 frame_bytes = size->frame_bytes;
	__u32 change = size->change + (__u16)~before + sport;
	void *data, *data_end;
	struct ipv6hdr *ip;

	if (skb->len != frame_bytes && bpf_skb_change_tail(skb, frame_bytes, 0))
		return TC_ACT_SHOT;
	data = (void *)(long)skb->data;
	data_end = (void *)(long)skb->data_end;
	ip = data + ETH_HLEN;
	if (!target || (void *)(ip + 1) + sizeof(struct tcphdr) > data_end)
		return TC_ACT_SHOT;
	ip->daddr = target->daddr;
	ip->payload_len = size->ip_bytes;
	if (shape.is_tcp) {
		struct tcphdr *tcp = (void *)(ip + 1);

		tcp->source = sport;
		tcp->check = changed(target->l4_check, change);
	} else {
		struct udphdr *udp = (void *)(ip + 1);
		__u16 check = changed(target->l4_check, change + size->change);

		udp->source = sport;
		udp->len = size->udp_bytes;
		udp->check = check ? check : 0xffff;
	}
	if (++shape.size_at >= shape.size_count)
		shape.size_at = 0;
	if (++shape.sport_at >= shape.sport_count)
		shape.sport_at = 0;
	return transmit(skb);
}

/* The packets of a capture behind the Ethernet header of the template. */
SEC("tc")
int send_captured(struct __sk_buff *skb)
{
	__u32 number = burst.cursor;
	struct testrun_packet *packet = bpf_map_lookup_elem(&packets, &number);
	struct chunk *chunk;
	__u64 at, length;
	__u32 key;

	if (!packet)
		return TC_ACT_SHOT;
	key = packet->chunk;
	at = packet->at;
	length = packet->length;
	chunk = bpf_map_lookup_elem(&chunks, &key);
	if (!chunk || at > TESTRUN_CHUNK_BYTES - TESTRUN_PACKET_BYTES ||
	    !length)
		return TC_ACT_SHOT;
	/* Both limits in one comparison are beyond the verifier. */
	barrier_var(length);
	if (length > TESTRUN_PACKET_BYTES)
		return TC_ACT_SHOT;
	if (skb->len != ETH_HLEN + length &&
	    bpf_skb_change_tail(skb, ETH_HLEN + length, 0))
		return TC_ACT_SHOT;
	if (bpf_skb_store_bytes(skb, ETH_HLEN, chunk->bytes + at, length, 0))
		return TC_ACT_SHOT;
	skb->mark = shape.mark;
	return transmit(skb);
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

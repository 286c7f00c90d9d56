// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frames byte for byte, and the prover in a namespace of its own.
 */
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <cmocka.h>

#include "pktgen/frame.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"

extern const struct prover prover_packet;

/* Summed over a right header, checksum included, it is all ones. */
static uint32_t header_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void test_bytes(void **unused)
{
	const struct traffic traffic = { .frame_bytes = 60 };
	/* The checksum, 0x0fa8, was added up apart from this code. */
	static const uint8_t want[42] = {
		0x02, 0,    0,	  0,	0, 1,  0,   0,	0,  0,
		0,    0,    0x08, 0x00, /* IPv4 */
		0x45, 0,    0,	  46,	0, 0,  0,   0,	32, 17,
		0x0f, 0xa8, 192,  0,	2, 1,  198, 18, 3,  4, /* UDP */
		0,    9,    0,	  9,	0, 26, 0,   0,
	};
	struct frame frame;

	(void)unused;
	assert_int_equal(frame_build(&frame, &traffic, ADDR_V4(0xc6120304)), 0);
	assert_int_equal(frame.length, 60);
	assert_memory_equal(frame.bytes, want, sizeof(want));
	for (size_t i = sizeof(want); i < sizeof(frame.bytes); i++)
		assert_int_equal(frame.bytes[i], 0);
}

static void test_to_host(void **unused)
{
	const struct traffic traffic = { .frame_bytes = 60, .to_host = true };
	static const uint8_t zeros[12];
	struct frame frame;

	(void)unused;
	assert_int_equal(frame_build(&frame, &traffic, ADDR_V4(0xc6120304)), 0);
	assert_memory_equal(frame.bytes, zeros, sizeof(zeros));
}

static void test_sizes(void **unused)
{
	static const struct {
		uint32_t frame_bytes;
		int rc;
	} rows[] = {
		{ 0, -EINVAL },	    { 59, -EINVAL },
		{ 60, 0 },	    { 61, 0 },
		{ 1514, 0 },	    { 1515, -EINVAL },
		{ 65536, -EINVAL }, { UINT32_MAX, -EINVAL },
	};
	struct log_capture capture;
	struct frame frame;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct traffic traffic = { .frame_bytes =
							 rows[i].frame_bytes };
		const uint8_t *ip = frame.bytes + FRAME_IP_OFFSET;

		log_capture_begin(&capture);
		assert_int_equal(
			frame_build(&frame, &traffic, ADDR_V4(0x01020304)),
			rows[i].rc);
		log_capture_end(&capture);
		if (rows[i].rc) {
			assert_non_null(strstr(capture.text, "60 to 1514"));
			continue;
		}
		assert_int_equal(frame.length, rows[i].frame_bytes);
		assert_int_equal(ip[2] << 8 | ip[3], frame.length - 14);
		assert_int_equal(ip[24] << 8 | ip[25], frame.length - 34);
		assert_int_equal(header_sum(ip), 0xffff);
	}
}

/* The step from one address to another gives what a new build would. */
static void test_other_daddr(void **unused)
{
	static const uint32_t addrs[] = {
		0,	    1,		0x0000ffff, 0xffff0000,
		0xffffffff, 0x7f000001, 0x80000000, 0xc6120000,
		0xc613ffff, 0x0a0b0c0d, 0x2d52f9f8, 0xd2acd2ac,
	};
	const struct traffic traffic = { .frame_bytes = 60 };
	struct frame moved, fresh;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(addrs) * ARRAY_SIZE(addrs); i++) {
		uint32_t from = addrs[i / ARRAY_SIZE(addrs)];
		uint32_t to = addrs[i % ARRAY_SIZE(addrs)];
		const uint8_t *check = fresh.bytes + FRAME_CHECK_OFFSET;

		assert_int_equal(frame_build(&moved, &traffic, ADDR_V4(from)),
				 0);
		assert_int_equal(frame_build(&fresh, &traffic, ADDR_V4(to)), 0);
		assert_int_equal(frame_check_for(&moved, ADDR_V4(to)),
				 check[0] << 8 | check[1]);
		frame_set_daddr(&moved, ADDR_V4(to));
		assert_memory_equal(moved.bytes, fresh.bytes, 1514);
	}
}

/* The checksum, 0xaeeb, was added up apart from this code. */
static void test_ipv6(void **unused)
{
	static const uint8_t want[] = {
		0x02, 0,    0,	  0,	0, 1,  0,    0,	   0,	 0,
		0,    0,    0x86, 0xdd,			 /* IPv6 */
		0x60, 0,    0,	  0,	0, 24, 17,   32, /* UDP */
		0x20, 0x01, 0x0d, 0xb8, 0, 0,  0,    0,	   0,	 0,
		0,    0,    0,	  0,	0, 1,  0x20, 0x01, 0,	 2,
		0,    0,    0,	  0,	0, 0,  0,    0,	   0,	 0,
		3,    4,    0,	  9,	0, 9,  0,    24,   0xae, 0xeb,
	};
	static const addr_t addrs[] = {
		0,
		1,
		ADDR_MAX,
		ADDR_V6(0xffff0000ffff0000, 0x0000ffff0000ffff),
		TRAFFIC_MISS_NET6,
		ADDR_V6(0x20010db8dead0001, 0xbeef00020003a55a),
		/* The first gives a checksum of zero, written as ones. */
		ADDR_V6(0x2001000200000000, 0xb1ef),
		TRAFFIC_MISS_NET6 + 0xb1ee,
	};
	struct traffic traffic = { .family = FAMILY_IPV6, .frame_bytes = 78 };
	struct frame moved, fresh;

	(void)unused;
	assert_int_equal(
		frame_build(&fresh, &traffic, TRAFFIC_MISS_NET6 + 0x304), 0);
	assert_memory_equal(fresh.bytes, want, sizeof(want));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(addrs) * ARRAY_SIZE(addrs); i++) {
		addr_t from = addrs[i / 2 / ARRAY_SIZE(addrs)];
		addr_t to = addrs[i / 2 % ARRAY_SIZE(addrs)];

		traffic.protocol = i % 2 ? PROTOCOL_TCP_SYN : PROTOCOL_UDP;
		assert_int_equal(frame_build(&moved, &traffic, from), 0);
		assert_int_equal(frame_build(&fresh, &traffic, to), 0);
		frame_set_daddr(&moved, to);
		assert_memory_equal(moved.bytes, fresh.bytes, 1514);
		if (traffic.protocol == PROTOCOL_UDP)
			assert_true(moved.bytes[60] || moved.bytes[61]);
	}
	traffic.frame_bytes = 77;
	assert_int_equal(frame_build(&fresh, &traffic, 0), -EINVAL);
}

/* The sum over pseudo-header and segment, byte by byte; all ones if right. */
static uint32_t tcp_sum(const uint8_t *ip)
{
	uint32_t bytes = (ip[2] << 8 | ip[3]) - 20;
	uint32_t sum = ip[9] + bytes;

	for (uint32_t i = 0; i < 8; i++)
		sum += i & 1 ? ip[12 + i] : ip[12 + i] << 8;
	for (uint32_t i = 0; i < bytes; i++)
		sum += i & 1 ? ip[20 + i] : ip[20 + i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void test_syn(void **unused)
{
	static const uint32_t lengths[] = { 60, 61, 590, 1514 };
	static const uint32_t addrs[] = { 0, 0xffffffff, 0xc6120304,
					  0x0a0b0c0d };
	struct frame moved, fresh;

	(void)unused;
	for (size_t i = 0; i < 16; i++) {
		const struct traffic traffic = {
			.frame_bytes = lengths[i / 4],
			.protocol = PROTOCOL_TCP_SYN,
			.sports = i & 1 ? 5 : 1,
		};
		const uint8_t *ip = fresh.bytes + FRAME_IP_OFFSET;

		assert_int_equal(
			frame_build(&fresh, &traffic, ADDR_V4(addrs[i % 4])),
			0);
		assert_int_equal(header_sum(ip), 0xffff);
		assert_int_equal(tcp_sum(ip), 0xffff);
		assert_int_equal(ip[9], 6);
		assert_int_equal(ip[20] << 8 | ip[21], i & 1 ? 1024 : 9);
		assert_int_equal(ip[32], 0x60); /* six words: a segment size */
		assert_int_equal(ip[33], 0x02); /* SYN alone */
		assert_int_equal(
			frame_build(&moved, &traffic, ADDR_V4(0x01020304)), 0);
		frame_set_daddr(&moved, ADDR_V4(addrs[i % 4]));
		assert_memory_equal(moved.bytes, fresh.bytes, 1514);
	}
}

/* Every address of a /12, walked in place, keeps a right header. */
static void test_walk(void **unused)
{
	const struct traffic traffic = { .frame_bytes = 60 };
	struct frame frame;

	(void)unused;
	assert_int_equal(frame_build(&frame, &traffic, ADDR_V4(0)), 0);
	for (uint32_t i = 0; i < 1u << 20; i++) {
		frame_set_daddr(&frame, ADDR_V4(i << 12 | (i & 0xfff)));
		if (header_sum(frame.bytes + FRAME_IP_OFFSET) != 0xffff)
			fail_msg("wrong checksum for %#x", i << 12);
	}
}

/* A new namespace with lo up (or not); false if not allowed here. */
static bool sandbox(bool up)
{
	auto_fd int fd = -1;
	struct ifreq req = { .ifr_name = "lo" };

	if (unshare(CLONE_NEWNET)) {
		print_message("skipped: unshare: %s\n", strerror(errno));
		return false;
	}
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	assert_true(fd >= 0);
	req.ifr_flags = up ? IFF_UP : 0;
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &req), 0);
	return true;
}

static void test_prover(void **unused)
{
	const struct traffic traffic = { .frame_bytes = 80 };
	struct site site = { .hook = HOOK_EGRESS };
	auto_mem void *state = calloc(1, prover_packet.state_size);
	auto_fd int tap = -1;
	struct sockaddr_ll lo = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL) };
	struct frame want;
	uint8_t got[2048];
	bool refused = true;

	(void)unused;
	if (!sandbox(true))
		skip();
	site.ifindex = if_nametoindex("lo");
	lo.sll_ifindex = (int)site.ifindex;
	tap = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(tap, (struct sockaddr *)&lo, sizeof(lo)), 0);

	assert_non_null(state);
	assert_int_equal(prover_packet.open(state, &site, &traffic), 0);
	for (uint32_t daddr = 0xc6120000; daddr < 0xc6120010; daddr++) {
		assert_int_equal(frame_build(&want, &traffic, ADDR_V4(daddr)),
				 0);
		assert_int_equal(
			prover_packet.one(state, ADDR_V4(daddr), &refused), 0);
		assert_false(refused);
		/* Once on its way out, once on its way in, and no wait. */
		for (int i = 0; i < 2; i++) {
			assert_int_equal(recv(tap, got, sizeof(got), 0), 80);
			assert_memory_equal(got, want.bytes, 80);
		}
		assert_int_equal(recv(tap, got, sizeof(got), 0), -1);
	}
	prover_packet.close(state);
	prover_packet.close(state);
}

/* A second opinion: the drop is set up by the nft program. */
static bool nft_drops(const char *rules)
{
	char *const argv[] = { "nft", (char *)rules, NULL };
	int status = -1;
	pid_t pid;

	if (posix_spawnp(&pid, "nft", NULL, NULL, argv, environ) ||
	    waitpid(pid, &status, 0) != pid || status) {
		print_message("skipped: nft: no egress hook here\n");
		return false;
	}
	return true;
}

static void test_prover_dropped(void **unused)
{
	const struct traffic traffic = { .frame_bytes = 60 };
	struct site site = { .hook = HOOK_EGRESS };
	auto_mem void *state = calloc(1, prover_packet.state_size);
	bool refused;

	(void)unused;
	if (!sandbox(true) ||
	    !nft_drops("add table netdev t; add chain netdev t c { type filter "
		       "hook egress device lo priority 0; }; "
		       "add rule netdev t c ip daddr 198.18.0.5 drop"))
		skip();
	site.ifindex = if_nametoindex("lo");
	assert_int_equal(prover_packet.open(state, &site, &traffic), 0);
	for (uint32_t daddr = 0xc6120000; daddr < 0xc6120010; daddr++) {
		assert_int_equal(
			prover_packet.one(state, ADDR_V4(daddr), &refused), 0);
		assert_int_equal(refused, daddr == 0xc6120005);
	}
	prover_packet.close(state);
}

static void test_prover_down(void **unused)
{
	const struct traffic traffic = { .frame_bytes = 60 };
	struct site site = { .hook = HOOK_EGRESS };
	auto_mem void *state = calloc(1, prover_packet.state_size);
	struct log_capture capture;
	bool refused = true;

	(void)unused;
	if (!sandbox(false))
		skip();
	site.ifindex = if_nametoindex("lo");
	prover_packet.close(state); /* harmless on zeroed state */
	assert_int_equal(prover_packet.open(state, &site, &traffic), 0);
	log_capture_begin(&capture);
	assert_int_equal(prover_packet.one(state, 0xc6120000, &refused),
			 -ENETDOWN);
	log_capture_end(&capture);
	assert_false(refused);
	assert_non_null(strstr(capture.text, "lo"));
	prover_packet.close(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_to_host),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_other_daddr),
		cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_syn),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_prover),
		cmocka_unit_test(test_prover_dropped),
		cmocka_unit_test(test_prover_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

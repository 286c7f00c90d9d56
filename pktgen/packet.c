// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The prover: single frames through a packet socket, which calls
 * dev_queue_xmit() like the sources do, and hands the answer of the egress
 * hooks back (net/packet/af_packet.c:packet_snd()).
 *
 * The socket has protocol 0: it never receives, and so adds no tap to lo.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "pktgen/frame.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"

struct packet_state {
	bool is_open;
	int socket;
	struct sockaddr_ll to;
	struct frame frame;
};

static int packet_open(void *state, const struct site *site,
		       const struct traffic *traffic)
{
	const uint32_t mark = traffic->capture ? TRAFFIC_MARK : 0;
	struct packet_state *st = state;
	auto_fd int fd = -1;
	int err;

	err = frame_build(&st->frame, traffic, 0);
	if (err)
		return err;

	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0 && (errno == EAFNOSUPPORT || errno == EPERM))
		return log_err(
			-EOPNOTSUPP, "packet socket: %s; %s", strerror(errno),
			errno == EPERM
				? "run as root or with CAP_NET_RAW"
				: "the kernel needs CONFIG_PACKET (modprobe af_packet)");
	if (fd < 0)
		return log_err(-errno, "packet socket: %s", strerror(errno));

	st->to = (struct sockaddr_ll){
		.sll_family = AF_PACKET,
		.sll_ifindex = (int)site->ifindex,
	};
	if (setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)))
		return log_err(-errno, "packet socket: mark: %s",
			       strerror(errno));
	if (bind(fd, (struct sockaddr *)&st->to, sizeof(st->to)))
		return log_err(-errno,
			       "packet socket: bind to interface %u: %s",
			       site->ifindex, strerror(errno));

	/* Said per frame: kernels before 5.1 do not look into the header. */
	st->to.sll_protocol =
		htons(traffic->family == FAMILY_IPV6 ? ETH_P_IPV6 : ETH_P_IP);
	st->to.sll_halen = ETH_ALEN;
	memcpy(st->to.sll_addr, st->frame.bytes, ETH_ALEN);
	st->socket = hand_over(fd, -1);
	st->is_open = true;
	return 0;
}

/*
 * lo queues the frame for the CPU that sends, and the receive side runs when
 * dev_queue_xmit() turns bottom halves on again: before sendto() returns.
 */
static int packet_one(void *state, addr_t daddr, bool *refused)
{
	struct packet_state *st = state;
	ssize_t sent;

	frame_set_daddr(&st->frame, daddr);
	do {
		sent = sendto(st->socket, st->frame.bytes, st->frame.length, 0,
			      (const struct sockaddr *)&st->to, sizeof(st->to));
	} while (sent < 0 && errno == EINTR);

	/* NET_XMIT_DROP, by way of net_xmit_errno() */
	*refused = sent < 0 && errno == ENOBUFS;
	if (*refused || sent == (ssize_t)st->frame.length)
		return 0;
	if (sent < 0)
		return log_err(-errno, "packet socket: send on lo: %s",
			       strerror(errno));
	return log_err(-EIO, "packet socket: %zd of %zu bytes sent", sent,
		       st->frame.length);
}

static void packet_close(void *state)
{
	struct packet_state *st = state;

	if (!st->is_open)
		return;
	close(st->socket);
	st->is_open = false;
}

const struct prover prover_packet = {
	.state_size = sizeof(struct packet_state),
	.open = packet_open,
	.one = packet_one,
	.close = packet_close,
};

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <libnftnl/common.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "nft/batch.h"

/*
 * A commit walks the whole of a changed interval set (seen on Linux 6.18), so
 * few and large transactions are quick: a million prefixes take 7 s in pieces
 * of 256 KiB, 2 s in pieces of 4 MiB, 1.5 s as a whole.  Of the buffer, only
 * what is used takes memory.
 */
#define TRANSACTION_BYTES (64u << 20)
#define ANSWER_BYTES	  (8u << 20)
#define REPLY_BYTES	  32768
/* BATCH_BEGIN and BATCH_END. */
#define FRAME_BYTES 64

static void force_buffer(int fd, int forced, int plain, int bytes)
{
	/* Forcing needs CAP_NET_ADMIN outside of user namespaces. */
	if (setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, plain, &bytes, sizeof(bytes));
}

struct mnl_socket *batch_socket(void)
{
	struct mnl_socket *nl = nl_open(NETLINK_NETFILTER);
	int on = 1, fd;

	if (!nl)
		return NULL;
	fd = mnl_socket_get_fd(nl);
	force_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, TRANSACTION_BYTES);
	force_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, ANSWER_BYTES);
	/* Errors need not carry the message that they are about. */
	mnl_socket_setsockopt(nl, NETLINK_CAP_ACK, &on, sizeof(on));
	return nl;
}

/* The kernel refuses a message longer than the send buffer less 32 bytes. */
static size_t sendable(struct mnl_socket *nl)
{
	int bytes = 0;
	socklen_t len = sizeof(bytes);

	if (getsockopt(mnl_socket_get_fd(nl), SOL_SOCKET, SO_SNDBUF, &bytes,
		       &len) ||
	    bytes < BATCH_MESSAGE_MAX + FRAME_BYTES + 32)
		return BATCH_MESSAGE_MAX + FRAME_BYTES;
	return bytes - 32;
}

int batch_init(struct batch *batch, struct mnl_socket *nl)
{
	size_t limit = sendable(nl);

	if (limit > TRANSACTION_BYTES)
		limit = TRANSACTION_BYTES;
	batch_init_in(batch, nl, malloc(limit), limit);
	batch->owns_buf = true;
	return batch->buf ? 0 : -ENOMEM;
}

void batch_init_in(struct batch *batch, struct mnl_socket *nl, void *buf,
		   size_t size)
{
	*batch = (struct batch){
		.nl = nl,
		.buf = buf,
		.size = size,
	};
}

void batch_free(struct batch *batch)
{
	if (batch->owns_buf)
		free(batch->buf);
	*batch = (struct batch){ 0 };
}

struct nlmsghdr *batch_begin(struct batch *batch, uint16_t type,
			     uint16_t family, uint16_t flags)
{
	if (!batch->used)
		batch->used =
			nftnl_batch_begin(batch->buf, batch->seq++)->nlmsg_len;
	batch->last = batch->used;
	return nftnl_nlmsg_build_hdr(batch->buf + batch->used, type, family,
				     flags, batch->seq++);
}

void batch_end(struct batch *batch, const struct nlmsghdr *nlh)
{
	batch->used += NLMSG_ALIGN(nlh->nlmsg_len);
}

bool batch_full(const struct batch *batch)
{
	return batch->used + BATCH_MESSAGE_MAX + FRAME_BYTES > batch->size;
}

/* What the answers to one transaction say. */
struct verdict {
	uint32_t last_seq;
	bool acked;
	int err;
	uint16_t failed_type;
};

static void judge(const struct nlmsghdr *nlh, struct verdict *verdict)
{
	const struct nlmsgerr *answer = mnl_nlmsg_get_payload(nlh);

	if (nlh->nlmsg_type != NLMSG_ERROR ||
	    mnl_nlmsg_get_payload_len(nlh) < sizeof(*answer))
		return;
	if (!answer->error && nlh->nlmsg_seq == verdict->last_seq)
		verdict->acked = true;
	if (!answer->error || verdict->err)
		return;
	verdict->err = answer->error;
	verdict->failed_type = NFNL_MSG_TYPE(answer->msg.nlmsg_type);
	if (NFNL_SUBSYS_ID(answer->msg.nlmsg_type) != NFNL_SUBSYS_NFTABLES)
		verdict->failed_type = answer->msg.nlmsg_type;
}

/* The kernel has judged before sendto() returns, so nothing is waited for. */
static void read_answers(struct mnl_socket *nl, struct verdict *verdict)
{
	_Alignas(struct nlmsghdr) char reply[REPLY_BYTES];
	const struct nlmsghdr *nlh;
	ssize_t len;
	int left;

	for (;;) {
		len = recv(mnl_socket_get_fd(nl), reply, sizeof(reply),
			   MSG_DONTWAIT);
		if (len < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (len <= 0)
			return;
		left = len;
		nlh = (const struct nlmsghdr *)reply;
		for (; mnl_nlmsg_ok(nlh, left);
		     nlh = mnl_nlmsg_next(nlh, &left))
			judge(nlh, verdict);
	}
}

int batch_commit(struct batch *batch)
{
	struct nlmsghdr *last = (void *)(batch->buf + batch->last);
	struct verdict verdict = { 0 };
	size_t bytes;

	if (!batch->used)
		return 0;
	/* Refusals come unasked; the last acknowledgement stands for all. */
	last->nlmsg_flags |= NLM_F_ACK;
	verdict.last_seq = last->nlmsg_seq;
	bytes = batch->used +
		nftnl_batch_end(batch->buf + batch->used, batch->seq++)
			->nlmsg_len;
	batch->used = 0;
	if (mnl_socket_sendto(batch->nl, batch->buf, bytes) < 0) {
		batch->failed_type = 0;
		return -errno;
	}
	read_answers(batch->nl, &verdict);
	batch->failed_type = verdict.failed_type;
	if (verdict.err)
		return verdict.err;
	return verdict.acked ? 0 : -ENOBUFS;
}

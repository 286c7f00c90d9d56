// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "runner/netlink.h"

/* Large enough for every message that the kernel sends in one piece. */
#define REPLY_BYTES 32768

struct mnl_socket *nl_open(int bus)
{
	auto_mnl struct mnl_socket *nl = mnl_socket_open2(bus, SOCK_CLOEXEC);

	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		return NULL;
	return hand_over(nl, NULL);
}

int nl_request(struct mnl_socket *nl, struct nlmsghdr *nlh, mnl_cb_t cb,
	       void *arg)
{
	static unsigned int last_seq;
	unsigned int portid = mnl_socket_get_portid(nl);
	_Alignas(struct nlmsghdr) char reply[REPLY_BYTES];
	ssize_t len;
	int ret;

	nlh->nlmsg_seq = ++last_seq;
	if ((nlh->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		nlh->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	do {
		len = mnl_socket_recvfrom(nl, reply, sizeof(reply));
		if (len < 0 && errno == EINTR)
			ret = MNL_CB_OK;
		else if (len < 0)
			return -errno;
		else
			ret = mnl_cb_run(reply, len, nlh->nlmsg_seq, portid, cb,
					 arg);
	} while (ret == MNL_CB_OK);
	return ret < 0 ? -errno : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fib_rules.h>
#include <linux/filter.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/netlink.h"
#include "runner/netns.h"
#include "runner/rules.h"
#include "runner/traffic.h"

#define LO_IFINDEX 1

static int lo_up(void)
{
	auto_mnl struct mnl_socket *nl = nl_open(NETLINK_ROUTE);
	_Alignas(struct nlmsghdr) char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct ifinfomsg *link;
	int err;

	if (!nl)
		return log_err(-errno, "netns: netlink: %s", strerror(errno));
	nlh->nlmsg_type = RTM_NEWLINK;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	link = mnl_nlmsg_put_extra_header(nlh, sizeof(*link));
	link->ifi_index = LO_IFINDEX;
	link->ifi_flags = IFF_UP;
	link->ifi_change = IFF_UP;
	err = nl_request(nl, nlh, NULL, NULL);
	if (err == -EPERM)
		return log_err(-EOPNOTSUPP,
			       "netns: setting lo up needs CAP_NET_ADMIN");
	if (err)
		return log_err(err, "netns: setting lo up: %s", strerror(-err));
	return 0;
}

int netns_enter(int ns_fd)
{
	if (setns(ns_fd, CLONE_NEWNET))
		return log_err(-errno, "netns: entering a namespace: %s",
			       strerror(errno));
	return 0;
}

int netns_new(int *ns_fd)
{
	int fd, err;

	if (unshare(CLONE_NEWNET)) {
		if (errno == EPERM)
			return log_err(
				-EOPNOTSUPP,
				"making a network namespace needs CAP_SYS_ADMIN: run as root");
		return log_err(errno == EINVAL ? -EOPNOTSUPP : -errno,
			       "netns: unshare: %s (CONFIG_NET_NS?)",
			       strerror(errno));
	}
	err = lo_up();
	if (err)
		return err;
	fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return log_err(-errno, "netns: /proc/thread-self/ns/net: %s",
			       strerror(errno));
	*ns_fd = fd;
	return 0;
}

/* For marked packets; below 256, so that it needs no attribute. */
#define MARKED_TABLE 100

static int add_route(struct mnl_socket *nl, enum family family, uint8_t table,
		     uint8_t type, uint8_t scope, const struct prefix *dest)
{
	uint8_t addr[16];
	_Alignas(struct nlmsghdr) char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct rtmsg *route;

	nlh->nlmsg_type = RTM_NEWROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL;
	route = mnl_nlmsg_put_extra_header(nlh, sizeof(*route));
	route->rtm_family = family == FAMILY_IPV6 ? AF_INET6 : AF_INET;
	route->rtm_dst_len = dest->len;
	route->rtm_table = table;
	route->rtm_protocol = RTPROT_STATIC;
	route->rtm_scope = scope;
	route->rtm_type = type;
	addr_put(dest->addr, addr);
	if (dest->len)
		mnl_attr_put(nlh, RTA_DST, family_bits(family) / 8, addr);
	mnl_attr_put_u32(nlh, RTA_OIF, LO_IFINDEX);
	return nl_request(nl, nlh, NULL, NULL);
}

static int add_mark_rule(struct mnl_socket *nl, enum family family)
{
	_Alignas(struct nlmsghdr) char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct fib_rule_hdr *rule;

	nlh->nlmsg_type = RTM_NEWRULE;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL;
	rule = mnl_nlmsg_put_extra_header(nlh, sizeof(*rule));
	rule->family = family == FAMILY_IPV6 ? AF_INET6 : AF_INET;
	rule->table = MARKED_TABLE;
	rule->action = FR_ACT_TO_TBL;
	mnl_attr_put_u32(nlh, FRA_FWMARK, TRAFFIC_MARK);
	return nl_request(nl, nlh, NULL, NULL);
}

static const struct prefix everything = { 0, 0 };

#define DISABLE_FILE "/proc/sys/net/ipv6/conf/%s/disable_ipv6"

/*
 * In this namespace, which may have inherited it.  What is right already is not
 * written, since /proc/sys is often read-only.
 */
static int enable_ipv6(const char *which)
{
	char file[sizeof(DISABLE_FILE) + 8], now = '0';
	auto_fd int fd = -1;

	snprintf(file, sizeof(file), DISABLE_FILE, which);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &now, 1) != 1)
		return log_err(
			-EOPNOTSUPP,
			"netns: %s: %s; IPv6 needs CONFIG_IPV6 (module ipv6, no ipv6.disable=1)",
			file, strerror(errno));
	if (now == '0')
		return 0;
	close(fd);
	fd = open(file, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		return log_err(-EOPNOTSUPP,
			       "netns: %s: %s; IPv6 must not be disabled", file,
			       strerror(errno));
	return 0;
}

static int enable_ipv6_here(void)
{
	int err = enable_ipv6("all");

	return err ? err : enable_ipv6("lo");
}

static int route_to_host6(struct mnl_socket *nl)
{
	int err = enable_ipv6_here();

	if (err)
		return err;
	err = add_route(nl, FAMILY_IPV6, RT_TABLE_LOCAL, RTN_LOCAL,
			RT_SCOPE_UNIVERSE, &everything);
	return err ? log_err(err, "netns: adding an IPv6 route to lo: %s",
			     strerror(-err))
		   : 0;
}

static int route_to_host4(struct mnl_socket *nl)
{
	/* Alone: its neighbours may be in a list, and are the host's. */
	const struct prefix sender = { ADDR_V4(TRAFFIC_SADDR), 32 };
	int err = add_route(nl, FAMILY_IPV4, RT_TABLE_LOCAL, RTN_LOCAL,
			    RT_SCOPE_HOST, &everything);

	if (!err)
		err = add_route(nl, FAMILY_IPV4, RT_TABLE_LOCAL, RTN_UNICAST,
				RT_SCOPE_LINK, &sender);
	return err ? log_err(err, "netns: adding a route to lo: %s",
			     strerror(-err))
		   : 0;
}

int netns_route_to_host(enum family family)
{
	auto_mnl struct mnl_socket *nl = nl_open(NETLINK_ROUTE);

	if (!nl)
		return log_err(-errno, "netns: netlink: %s", strerror(errno));
	return family == FAMILY_IPV6 ? route_to_host6(nl) : route_to_host4(nl);
}

/*
 * The check of the source address asks without the mark, and finds a neighbour
 * on lo (net/ipv4/fib_frontend.c:__fib_validate_source()).  The source of an
 * answer must be local without it, and is not
 * (net/ipv4/route.c:ip_route_output_key_hash_rcu()).
 */
static int route_marked4(struct mnl_socket *nl)
{
	int err = add_route(nl, FAMILY_IPV4, MARKED_TABLE, RTN_LOCAL,
			    RT_SCOPE_HOST, &everything);

	return err ? err
		   : add_route(nl, FAMILY_IPV4, RT_TABLE_MAIN, RTN_UNICAST,
			       RT_SCOPE_LINK, &everything);
}

/* IPv6 does not check the source. */
static int route_marked6(struct mnl_socket *nl)
{
	return add_route(nl, FAMILY_IPV6, MARKED_TABLE, RTN_LOCAL,
			 RT_SCOPE_UNIVERSE, &everything);
}

int netns_route_marked_to_host(enum family family)
{
	auto_mnl struct mnl_socket *nl = nl_open(NETLINK_ROUTE);
	bool is_v6 = family == FAMILY_IPV6;
	int err = 0;

	if (!nl)
		return log_err(-errno, "netns: netlink: %s", strerror(errno));
	if (is_v6)
		err = enable_ipv6_here();
	if (err)
		return err;
	err = add_mark_rule(nl, family);
	if (err == -EOPNOTSUPP || err == -EAFNOSUPPORT)
		return log_err(
			-EOPNOTSUPP,
			"netns: routing by mark needs CONFIG_IP_MULTIPLE_TABLES (and, of IPv6, CONFIG_IPV6_MULTIPLE_TABLES)");
	if (!err)
		err = is_v6 ? route_marked6(nl) : route_marked4(nl);
	if (err)
		return log_err(err, "netns: adding a route to lo: %s",
			       strerror(-err));
	return 0;
}

static int bind_any(int fd, enum family family)
{
	const struct sockaddr_in any = {
		.sin_family = AF_INET,
		.sin_port = htons(TRAFFIC_DPORT),
	};
	const struct sockaddr_in6 any6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(TRAFFIC_DPORT),
	};

	if (family == FAMILY_IPV6)
		return bind(fd, (const struct sockaddr *)&any6, sizeof(any6));
	return bind(fd, (const struct sockaddr *)&any, sizeof(any));
}

static int discard(enum family family, int type)
{
	struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, 0);
	const struct sock_fprog filter = { .len = 1, .filter = &refuse };
	int domain = family == FAMILY_IPV6 ? AF_INET6 : AF_INET;
	auto_fd int fd = socket(domain, type | SOCK_CLOEXEC, 0);

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
		       sizeof(filter)) ||
	    bind_any(fd, family) || (type == SOCK_STREAM && listen(fd, 1)))
		return log_err(-errno, "netns: the discarding socket: %s",
			       strerror(errno));
	return hand_over(fd, -1);
}

int netns_discard_socket(enum family family)
{
	return discard(family, SOCK_DGRAM);
}

int netns_discard_listener(enum family family)
{
	return discard(family, SOCK_STREAM);
}

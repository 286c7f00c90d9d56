// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/ipset/ip_set_hash.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#include "nft/ipset_msg.h"
#include "runner/log.h"

struct nlmsghdr *ipset_begin(void *buf, enum ipset_cmd cmd, uint16_t flags,
			     const struct hashset *set, bool named)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct nfgenmsg *nfg;

	nlh->nlmsg_type = NFNL_SUBSYS_IPSET << 8 | cmd;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nfg = mnl_nlmsg_put_extra_header(nlh, sizeof(*nfg));
	nfg->nfgen_family = set->family;
	nfg->version = NFNETLINK_V0;
	mnl_attr_put_u8(nlh, IPSET_ATTR_PROTOCOL, IPSET_MSG_PROTOCOL);
	if (named)
		mnl_attr_put_strz(nlh, IPSET_ATTR_SETNAME, set->name);
	return nlh;
}

void ipset_put_number(struct nlmsghdr *nlh, uint16_t type, uint32_t number)
{
	mnl_attr_put_u32(nlh, type | NLA_F_NET_BYTEORDER, htonl(number));
}

int ipset_explain(const char *who, const char *what, int err)
{
	switch (-err) {
	case EINVAL:
	case EOPNOTSUPP:
	case EPROTONOSUPPORT:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel has no ipset: it needs CONFIG_IP_SET (module ip_set)",
			who);
	case IPSET_ERR_FIND_TYPE:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel's ipset has no %s: it needs CONFIG_IP_SET_HASH_NET (module ip_set_hash_net)",
			who, IPSET_MSG_TYPE);
	case EPERM:
		return log_err(err, "%s: ipset needs CAP_NET_ADMIN", who);
	case ENOMEM:
		return log_err(
			err,
			"%s: the kernel has not enough memory for the set: use fewer rules",
			who);
	case IPSET_ERR_HASH_FULL:
		return log_err(-ENOSPC, "%s: the set is full", who);
	case IPSET_ERR_MAX_SETS:
		return log_err(
			-ENOSPC,
			"%s: the kernel has no room for another set (max_sets of module ip_set)",
			who);
	case EEXIST:
	case IPSET_ERR_EXIST_SETNAME2:
		return log_err(-EEXIST,
			       "%s: there is a set of the same name already",
			       who);
	case IPSET_ERR_PROTOCOL:
		return log_err(-EPROTO,
			       "%s: %s: the kernel speaks another protocol",
			       who, what);
	default:
		if (-err > IPSET_ERR_PRIVATE)
			return log_err(-EIO, "%s: %s: ipset error %d", who,
				       what, -err);
		return log_err(err, "%s: %s: %s", who, what, strerror(-err));
	}
}

void ipset_put_prefix(const struct hashset *set, struct nlmsghdr *nlh,
		      const struct prefix *prefix)
{
	uint8_t addr[16];
	struct nlattr *data = mnl_attr_nest_start(nlh, IPSET_ATTR_DATA);
	struct nlattr *ip = mnl_attr_nest_start(nlh, IPSET_ATTR_IP);

	addr_put(prefix->addr, addr);
	if (set->family == NFPROTO_IPV6)
		mnl_attr_put(nlh, IPSET_ATTR_IPADDR_IPV6 | NLA_F_NET_BYTEORDER,
			     16, addr);
	else
		mnl_attr_put(nlh, IPSET_ATTR_IPADDR_IPV4 | NLA_F_NET_BYTEORDER,
			     4, addr);
	mnl_attr_nest_end(nlh, ip);
	mnl_attr_put_u8(nlh, IPSET_ATTR_CIDR, prefix->len);
	mnl_attr_nest_end(nlh, data);
}

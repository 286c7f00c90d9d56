// SPDX-License-Identifier: GPL-2.0-or-later
#include <libnftnl/common.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#include "nft/backend.h"
#include "runner/netlink.h"

struct search {
	const char *table;
	bool found;
};

static int compare(const struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, sizeof(struct nfgenmsg)) {
		if (mnl_attr_get_type(attr) == NFTA_TABLE_NAME &&
		    !strcmp(mnl_attr_get_str(attr), search->table))
			search->found = true;
	}
	return MNL_CB_OK;
}

bool backend_nft_has(enum family family, const char *table)
{
	auto_mnl struct mnl_socket *nl = nl_open(NETLINK_NETFILTER);
	_Alignas(struct nlmsghdr) char buf[256];
	struct search search = { .table = table };
	struct nlmsghdr *nlh;

	if (!nl)
		return false;
	nlh = nftnl_nlmsg_build_hdr(buf, NFT_MSG_GETTABLE,
				    family == FAMILY_IPV6 ? NFPROTO_IPV6
							  : NFPROTO_IPV4,
				    NLM_F_DUMP, 0);
	return !nl_request(nl, nlh, compare, &search) && search.found;
}

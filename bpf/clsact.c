// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "bpf/clsact.h"
#include "runner/log.h"
#include "runner/netlink.h"

uint32_t clsact_parent(enum hook hook)
{
	return TC_H_MAKE(TC_H_CLSACT, hook == HOOK_EGRESS ? TC_H_MIN_EGRESS
							  : TC_H_MIN_INGRESS);
}

static int clsact_request(unsigned int ifindex, uint16_t type, uint16_t flags)
{
	auto_mnl struct mnl_socket *nl = nl_open(NETLINK_ROUTE);
	_Alignas(struct nlmsghdr) char buf[256];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct tcmsg *tc;

	if (!nl)
		return -errno;
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	tc = mnl_nlmsg_put_extra_header(nlh, sizeof(*tc));
	tc->tcm_family = AF_UNSPEC;
	tc->tcm_ifindex = ifindex;
	tc->tcm_parent = TC_H_CLSACT;
	tc->tcm_handle = TC_H_MAKE(TC_H_CLSACT, 0);
	mnl_attr_put_strz(nlh, TCA_KIND, "clsact");
	return nl_request(nl, nlh, NULL, NULL);
}

int clsact_open(struct clsact *clsact, const struct site *site)
{
	int err = clsact_request(site->ifindex, RTM_NEWQDISC,
				 NLM_F_CREATE | NLM_F_EXCL);

	if (err && err != -EEXIST) {
		if (err == -EPERM)
			return log_err(err, "tc: clsact: needs CAP_NET_ADMIN");
		return log_err(
			err == -ENOENT || err == -EOPNOTSUPP ? -EOPNOTSUPP
							     : err,
			"tc: this kernel has no clsact qdisc (%s): CONFIG_NET_SCH_INGRESS and CONFIG_NET_CLS_ACT, module sch_ingress",
			strerror(-err));
	}
	clsact->ifindex = site->ifindex;
	clsact->made = !err;
	return 0;
}

void clsact_close(struct clsact *clsact)
{
	if (clsact->made)
		clsact_request(clsact->ifindex, RTM_DELQDISC, 0);
	clsact->made = false;
}

static struct bpf_tc_hook tc_hook(const struct site *site)
{
	return (struct bpf_tc_hook){
		.sz = sizeof(struct bpf_tc_hook),
		.ifindex = site->ifindex,
		.attach_point = site->hook == HOOK_EGRESS ? BPF_TC_EGRESS
							  : BPF_TC_INGRESS,
	};
}

static int add_bpf(const struct site *site, int prog_fd, unsigned int prio,
		   const char *who)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = prio,
		    .prog_fd = prog_fd);
	struct bpf_tc_hook hook = tc_hook(site);
	int err = bpf_tc_attach(&hook, &opts);

	if (err == -ENOENT || err == -EOPNOTSUPP)
		return log_err(
			-EOPNOTSUPP,
			"%s: this kernel has no BPF classifier: CONFIG_NET_CLS_BPF, module cls_bpf",
			who);
	if (err == -EEXIST)
		return log_err(
			err, "%s: another classifier is at priority %u already",
			who, prio);
	if (err)
		return log_err(err, "%s: attaching the program: %s", who,
			       strerror(-err));
	return 0;
}

int clsact_bpf_attach(struct clsact_bpf *bpf, const struct site *site,
		      int prog_fd, unsigned int prio, const char *who)
{
	struct clsact clsact = {};
	int err = clsact_open(&clsact, site);

	if (err)
		return err;
	err = add_bpf(site, prog_fd, prio, who);
	if (err) {
		clsact_close(&clsact);
		return err;
	}
	*bpf = (struct clsact_bpf){ clsact, *site, prio };
	return 0;
}

void clsact_bpf_detach(struct clsact_bpf *bpf)
{
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = bpf->prio);
	struct bpf_tc_hook hook = tc_hook(&bpf->site);

	if (!bpf->prio)
		return;
	bpf_tc_detach(&hook, &opts);
	clsact_close(&bpf->clsact);
	bpf->prio = 0;
}

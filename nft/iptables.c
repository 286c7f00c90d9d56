// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iptables: one rule a prefix in the legacy back end, in the form that
 * iptables-legacy gives to `-d PREFIX -j DROP`; table raw in prerouting, table
 * filter on input.  The verdict is taken in
 * net/ipv4/netfilter/ip_tables.c:ipt_do_table(), which compares the packet with
 * rule after rule (addresses under masks, interfaces), 152 bytes further each
 * (208 with IPv6): linear in the number of rules, dearer once they outgrow a
 * cache.
 */
#include "nft/xtables.h"

#define WHO "iptables"

static int iptables_attach(void *state, const struct site *site,
			   const struct rules *rules)
{
	const struct blob_rules drops = {
		.family = rules->family,
		.dst = rules->prefixes,
		.count = rules->count,
	};
	struct xtables *xt = state;
	int err = xtables_open(xt, WHO, site);

	if (err)
		return err;
	err = xtables_replace(xt, WHO, &drops);
	if (err)
		xtables_close(xt);
	return err;
}

static int iptables_read(void *state, uint64_t *dropped)
{
	return xtables_read(state, WHO, dropped);
}

static void iptables_detach(void *state)
{
	xtables_close(state);
}

static int iptables_add(void *state, const struct prefix *prefix)
{
	return xtables_add(state, WHO, prefix);
}

static int iptables_memory(void *state, uint64_t *bytes)
{
	return xtables_memory(state, bytes);
}

const struct filter filter_iptables = {
	.name = WHO,
	.about = "iptables (legacy), one rule a prefix",
	.judge = "ipt_do_table",
	.hook = HOOK_PREROUTING,
	.hooks = XTABLES_HOOKS,
	.linear = true,
	/* Less the policies and the end mark. */
	.max_rules = XTABLES_MAX_BYTES / BLOB_RULE_BYTES - 8,
	.ipv6 = true,
	.state_size = sizeof(struct xtables),
	.rule_bytes = 350,
	.attach = iptables_attach,
	.read = iptables_read,
	.add = iptables_add,
	.memory = iptables_memory,
	.detach = iptables_detach,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nft-sink: swallows whatever the filters let pass, one step of priority after
 * them on the same hook, so that the cost of the hook stands out from that of
 * the stack behind it.  One rule without a match, judged in
 * net/netfilter/nf_tables_core.c:nft_do_chain(); its cost is constant, and in
 * the baseline too.
 *
 * On ingress nf_tables runs after tc, so that this sink is behind the filters
 * of both; on egress it runs before, and the sink there is one of tc.
 */
#include <errno.h>

#include "nft/chain.h"
#include "nft/expr.h"
#include "runner/log.h"

#define WHO    "nft-sink"
#define BEHIND 1

static int fill(struct chain *chain, struct batch *batch,
		const struct site *site)
{
	auto_rule struct nftnl_rule *rule = chain_rule(chain);
	int err = chain_hook(chain, batch, WHO, site, BEHIND);

	if (err)
		return err;
	if (!rule || expr_counter(rule) || expr_drop(rule))
		return log_err(-ENOMEM, WHO ": out of memory");
	chain_add_rule(chain, batch, rule);
	return chain_commit(chain, batch, WHO, site);
}

static int sink_attach(void *state, const struct site *site,
		       const struct rules *rules)
{
	auto_batch struct batch batch = { 0 };
	struct chain *chain = state;
	int err = chain_open(chain, &batch, WHO, "hookcost_sink", site);

	(void)rules;
	if (!err)
		err = fill(chain, &batch, site);
	if (err)
		chain_close(chain);
	return err;
}

static int sink_read(void *state, uint64_t *swallowed)
{
	return chain_read(state, WHO, swallowed);
}

static void sink_detach(void *state)
{
	chain_close(state);
}

const struct filter sink_nft_sink = {
	.name = WHO,
	.about = "swallows what passes ingress, prerouting or input",
	.judge = "nft_do_chain",
	.hook = HOOK_PREROUTING,
	.ipv6 = true,
	.hooks = CHAIN_HOOKS & ~HOOK_BIT(HOOK_EGRESS),
	.state_size = sizeof(struct chain),
	.attach = sink_attach,
	.read = sink_read,
	.detach = sink_detach,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nft-linear: one nf_tables rule a prefix, in the form that the program nft
 * gives to `ip daddr PREFIX counter drop` (or `ip6`).  The verdict is taken in
 * net/netfilter/nf_tables_core.c:nft_do_chain(), which walks the rules in order
 * and leaves a rule at the first expression that does not hold.  So a miss
 * costs two to five expressions for each rule (the test for the family, only on
 * egress and ingress, and load, mask, compare): linear in their number.  The
 * counter comes after the match; a miss never touches it.
 */
#include <errno.h>

#include "nft/chain.h"
#include "nft/expr.h"
#include "runner/log.h"

#define WHO "nft-linear"

/* More than enough for a transaction of one rule. */
#define ONE_RULE_BYTES 2048

static int add_prefix(const struct chain *chain, struct batch *batch,
		      const struct prefix *prefix)
{
	auto_rule struct nftnl_rule *rule = chain_rule(chain);
	int err = rule ? expr_match_daddr(rule, chain->site.family, prefix)
		       : -ENOMEM;

	if (!err)
		err = expr_counter(rule);
	if (!err)
		err = expr_drop(rule);
	if (err)
		return log_err(err, WHO ": out of memory");
	chain_add_rule(chain, batch, rule);
	return 0;
}

static int fill(struct chain *chain, struct batch *batch,
		const struct site *site, const struct rules *rules)
{
	int err = chain_hook(chain, batch, WHO, site, 0);

	for (size_t i = 0; !err && i < rules->count; i++) {
		if (batch_full(batch))
			err = chain_commit(chain, batch, WHO, site);
		if (!err)
			err = add_prefix(chain, batch, &rules->prefixes[i]);
	}
	return err ? err : chain_commit(chain, batch, WHO, site);
}

static int linear_attach(void *state, const struct site *site,
			 const struct rules *rules)
{
	auto_batch struct batch batch = { 0 };
	struct chain *chain = state;
	int err = chain_open(chain, &batch, WHO, "hookcost_linear", site);

	if (!err)
		err = fill(chain, &batch, site, rules);
	if (err)
		chain_close(chain);
	return err;
}

static int linear_read(void *state, uint64_t *dropped)
{
	return chain_read(state, WHO, dropped);
}

static int linear_add(void *state, const struct prefix *prefix)
{
	_Alignas(struct nlmsghdr) char buf[ONE_RULE_BYTES];
	struct chain *chain = state;
	struct batch batch;
	int err;

	batch_init_in(&batch, chain->nl, buf, sizeof(buf));
	err = add_prefix(chain, &batch, prefix);
	return err ? err : chain_commit(chain, &batch, WHO, &chain->site);
}

static void linear_detach(void *state)
{
	chain_close(state);
}

const struct filter filter_nft_linear = {
	.name = WHO,
	.about = "nf_tables, one rule a prefix",
	.judge = "nft_do_chain",
	.hook = HOOK_EGRESS,
	.hooks = CHAIN_HOOKS,
	.ipv6 = true,
	.linear = true,
	.state_size = sizeof(struct chain),
	.rule_bytes = 950,
	.attach = linear_attach,
	.read = linear_read,
	.add = linear_add,
	.detach = linear_detach,
};

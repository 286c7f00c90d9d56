// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * none: no filter at all, the baseline of every table.  On each hook the
 * packets take the same path as those of the filters there.
 */
#include "runner/filter.h"

static int none_attach(void *state, const struct site *site,
		       const struct rules *rules)
{
	(void)state, (void)site, (void)rules;
	return 0;
}

static int none_read(void *state, uint64_t *dropped)
{
	(void)state;
	*dropped = 0;
	return 0;
}

static int none_add(void *state, const struct prefix *prefix)
{
	(void)state, (void)prefix;
	return 0;
}

static void none_detach(void *state)
{
	(void)state;
}

const struct filter filter_none = {
	.name = "none",
	.about = "no filter, the baseline",
	.judge = "-",
	.hook = HOOK_EGRESS,
	.hooks = HOOK_BIT(HOOK_EGRESS) | HOOK_BIT(HOOK_INGRESS) |
		 HOOK_BIT(HOOK_PREROUTING) | HOOK_BIT(HOOK_INPUT),
	.attach = none_attach,
	.read = none_read,
	.add = none_add,
	.detach = none_detach,
};

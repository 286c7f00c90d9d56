/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expressions of a rule, appended one by one, as the program nft makes
 * them.  Each function returns 0 or -ENOMEM and says nothing.
 */
#pragma once

#include <libnftnl/rule.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/rules.h"

/* Only the family goes on to the next expression: needed in netdev tables. */
int expr_only_family(struct nftnl_rule *rule, enum family family);

/* Loads the first `bytes` bytes of the destination address. */
int expr_load_daddr(struct nftnl_rule *rule, enum family family,
		    uint32_t bytes);

/* The destination address lies in the prefix. */
int expr_match_daddr(struct nftnl_rule *rule, enum family family,
		     const struct prefix *prefix);

/* What was loaded lies in the set. */
int expr_lookup(struct nftnl_rule *rule, const char *set);

int expr_counter(struct nftnl_rule *rule);
int expr_drop(struct nftnl_rule *rule);

// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h> /* which libnftnl/expr.h takes for granted */
#include <libnftnl/expr.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <stddef.h>

#include "nft/expr.h"

static struct nftnl_expr *append(struct nftnl_rule *rule, const char *name)
{
	struct nftnl_expr *expr = nftnl_expr_alloc(name);

	if (expr)
		nftnl_rule_add_expr(rule, expr);
	return expr;
}

static int compare(struct nftnl_rule *rule, const void *data, uint32_t bytes)
{
	struct nftnl_expr *expr = append(rule, "cmp");

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_CMP_OP, NFT_CMP_EQ);
	nftnl_expr_set(expr, NFTNL_EXPR_CMP_DATA, data, bytes);
	return 0;
}

static int mask(struct nftnl_rule *rule, const void *bits, uint32_t bytes)
{
	struct nftnl_expr *expr = append(rule, "bitwise");
	const uint8_t none[16] = { 0 };

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_OP, NFT_BITWISE_BOOL);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_LEN, bytes);
	nftnl_expr_set(expr, NFTNL_EXPR_BITWISE_MASK, bits, bytes);
	nftnl_expr_set(expr, NFTNL_EXPR_BITWISE_XOR, none, bytes);
	return 0;
}

int expr_only_family(struct nftnl_rule *rule, enum family family)
{
	struct nftnl_expr *expr = append(rule, "meta");
	uint16_t protocol =
		htons(family == FAMILY_IPV6 ? ETH_P_IPV6 : ETH_P_IP);

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_KEY, NFT_META_PROTOCOL);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_DREG, NFT_REG_1);
	return compare(rule, &protocol, sizeof(protocol));
}

int expr_load_daddr(struct nftnl_rule *rule, enum family family, uint32_t bytes)
{
	struct nftnl_expr *expr = append(rule, "payload");

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_BASE,
			   NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_OFFSET,
			   family == FAMILY_IPV6
				   ? offsetof(struct ip6_hdr, ip6_dst)
				   : offsetof(struct iphdr, daddr));
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_LEN, bytes);
	return 0;
}

int expr_match_daddr(struct nftnl_rule *rule, enum family family,
		     const struct prefix *prefix)
{
	uint32_t bytes = family_bits(family) / 8;
	uint8_t addr[16], bits[16];
	int err;

	/* Whole bytes are loaded without a mask, hence compared at once. */
	if (prefix->len % 8 == 0)
		bytes = prefix->len / 8;
	addr_put(prefix->addr, addr);
	addr_put(prefix_mask(prefix->len), bits);
	err = expr_load_daddr(rule, family, bytes);
	if (!err && prefix->len % 8)
		err = mask(rule, bits, bytes);
	return err ? err : compare(rule, addr, bytes);
}

int expr_lookup(struct nftnl_rule *rule, const char *set)
{
	struct nftnl_expr *expr = append(rule, "lookup");

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1);
	nftnl_expr_set_str(expr, NFTNL_EXPR_LOOKUP_SET, set);
	return 0;
}

int expr_counter(struct nftnl_rule *rule)
{
	return append(rule, "counter") ? 0 : -ENOMEM;
}

int expr_drop(struct nftnl_rule *rule)
{
	struct nftnl_expr *expr = append(rule, "immediate");

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_IMM_VERDICT, NF_DROP);
	return 0;
}

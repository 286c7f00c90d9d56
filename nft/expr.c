// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h> /* which libnftnl/expr.h takes for granted */
#include <libnftnl/expr.h>
#include <linux/if_ether.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <netinet/ip.h>
#include <stddef.h>

#include "nft/expr.h"

#define ADDR_BYTES sizeof(uint32_t)

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

static int mask(struct nftnl_rule *rule, uint32_t bits)
{
	struct nftnl_expr *expr = append(rule, "bitwise");
	uint32_t none = 0;

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_OP, NFT_BITWISE_BOOL);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_BITWISE_LEN, ADDR_BYTES);
	nftnl_expr_set(expr, NFTNL_EXPR_BITWISE_MASK, &bits, sizeof(bits));
	nftnl_expr_set(expr, NFTNL_EXPR_BITWISE_XOR, &none, sizeof(none));
	return 0;
}

int expr_only_ipv4(struct nftnl_rule *rule)
{
	struct nftnl_expr *expr = append(rule, "meta");
	uint16_t ipv4 = htons(ETH_P_IP);

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_KEY, NFT_META_PROTOCOL);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_META_DREG, NFT_REG_1);
	return compare(rule, &ipv4, sizeof(ipv4));
}

int expr_load_daddr(struct nftnl_rule *rule, uint32_t bytes)
{
	struct nftnl_expr *expr = append(rule, "payload");

	if (!expr)
		return -ENOMEM;
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_BASE,
			   NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_OFFSET,
			   offsetof(struct iphdr, daddr));
	nftnl_expr_set_u32(expr, NFTNL_EXPR_PAYLOAD_LEN, bytes);
	return 0;
}

int expr_match_daddr(struct nftnl_rule *rule, const struct prefix *prefix)
{
	uint32_t addr = htonl(prefix->addr);
	uint32_t bytes = ADDR_BYTES;
	int err;

	/* Whole bytes are loaded without a mask, hence compared at once. */
	if (prefix->len % 8 == 0)
		bytes = prefix->len / 8;
	err = expr_load_daddr(rule, bytes);
	if (!err && prefix->len % 8)
		err = mask(rule, htonl(prefix_mask(prefix->len)));
	return err ? err : compare(rule, &addr, bytes);
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

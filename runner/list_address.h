/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses and prefixes as deny-lists write them, of both families.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "runner/list_line.h"

/* A part of a line: the characters from first up to end. */
struct span {
	const char *first;
	const char *end;
};

/* ADDRESS, ADDRESS/LENGTH or ADDRESS/MASK. */
struct endpoint {
	int family; /* AF_INET or AF_INET6 */
	bool has_len;
	bool has_mask; /* the length was written as a mask */
	uint8_t len;   /* 32 or 128 without has_len */
	uint32_t v4;   /* as written, host byte order */
	struct in6_addr v6;
};

static inline bool span_is_empty(struct span span)
{
	return span.first == span.end;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct span span_trim(struct span span);

/*
 * The whole span must be the endpoint.  padded: leading zeros in octets are
 * decimal padding.  Length 0 is REASON_DEFAULT_ROUTE for IPv4 and taken for
 * IPv6, where everything malformed is REASON_BAD_ADDRESS.
 */
enum list_reason endpoint_parse(struct span span, bool padded,
				struct endpoint *out);

/* A length or mask for an address whose len it sets. */
enum list_reason endpoint_parse_len(struct span span, struct endpoint *out);

/* Begins with an address, or with what must have been meant as one. */
bool span_is_address_like(struct span span);

/* Sets family, both ends, len and masked of the line from a prefix. */
void endpoint_to_line(const struct endpoint *prefix, struct line *out);

/* The line's interval from two addresses of one family; REASON_NONE if so. */
enum list_reason endpoints_to_line(const struct endpoint *first,
				   const struct endpoint *last,
				   struct line *out);

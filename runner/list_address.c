// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>
#include <string.h>

#include "runner/list_address.h"

struct span span_trim(struct span span)
{
	while (span.first < span.end && is_blank(*span.first))
		span.first++;
	while (span.first < span.end && is_blank(span.end[-1]))
		span.end--;
	return span;
}

/*
 * A decimal number that is all of the span; -1 if it is none, and a number
 * above limit stands for all that are larger.
 */
static int parse_number(struct span span, int limit)
{
	int value = 0;

	if (span_is_empty(span))
		return -1;
	for (const char *c = span.first; c < span.end; c++) {
		if (!is_digit(*c))
			return -1;
		if (value <= limit)
			value = value * 10 + (*c - '0');
	}
	return value;
}

static bool has_leading_zero(struct span span)
{
	return span.end - span.first > 1 && *span.first == '0';
}

static enum list_reason parse_v4(struct span span, bool padded, uint32_t *out)
{
	enum list_reason reason = REASON_NONE;
	struct span octet = { span.first, span.first };
	uint32_t addr = 0;

	for (int i = 0; i < 4; i++) {
		int value;

		while (octet.end < span.end && *octet.end != '.')
			octet.end++;
		value = parse_number(octet, 255);
		if (value < 0 || value > 255)
			return REASON_BAD_ADDRESS;
		if (padded && octet.end - octet.first > 3)
			return REASON_BAD_ADDRESS;
		if (!padded && has_leading_zero(octet))
			reason = REASON_LEADING_ZERO;
		addr = addr << 8 | value;
		/* A dot must follow the first three, the end the last. */
		if ((octet.end == span.end) != (i == 3))
			return REASON_BAD_ADDRESS;
		if (i < 3)
			octet.first = ++octet.end;
	}
	*out = addr;
	return reason;
}

static enum list_reason parse_v6(struct span span, struct in6_addr *out)
{
	char text[INET6_ADDRSTRLEN] = "";
	size_t chars = span.end - span.first;

	if (chars >= sizeof(text))
		return REASON_BAD_ADDRESS;
	memcpy(text, span.first, chars);
	return inet_pton(AF_INET6, text, out) == 1 ? REASON_NONE
						   : REASON_BAD_ADDRESS;
}

static enum list_reason parse_mask(struct span span, struct endpoint *out)
{
	uint32_t mask, host_bits;
	enum list_reason reason = parse_v4(span, false, &mask);

	if (reason == REASON_LEADING_ZERO)
		return reason;
	if (reason)
		return REASON_BAD_PREFIX;
	if (!mask)
		return REASON_DEFAULT_ROUTE;

	/* Ones up to the end: no gap, and no wildcard mask either. */
	host_bits = ~mask;
	if (host_bits & (host_bits + 1))
		return REASON_BAD_PREFIX;
	out->len = 32 - __builtin_popcount(host_bits);
	out->has_mask = true;
	return REASON_NONE;
}

static enum list_reason parse_v6_len(struct span span, struct endpoint *out)
{
	int len = parse_number(span, 128);

	if (len < 0 || len > 128 || has_leading_zero(span))
		return REASON_BAD_ADDRESS;
	out->len = len;
	return REASON_NONE;
}

enum list_reason endpoint_parse_len(struct span span, struct endpoint *out)
{
	int len;

	out->has_len = true;
	if (out->family == AF_INET6)
		return parse_v6_len(span, out);
	if (memchr(span.first, '.', span.end - span.first))
		return parse_mask(span, out);

	len = parse_number(span, 32);
	if (len < 0 || len > 32)
		return REASON_BAD_PREFIX;
	if (!len)
		return REASON_DEFAULT_ROUTE;
	if (has_leading_zero(span))
		return REASON_LEADING_ZERO;
	out->len = len;
	return REASON_NONE;
}

enum list_reason endpoint_parse(struct span span, bool padded,
				struct endpoint *out)
{
	struct span addr = span;
	enum list_reason reason;
	bool is_v6 = false;

	*out = (struct endpoint){ 0 };
	for (addr.end = span.first; addr.end < span.end; addr.end++) {
		if (*addr.end == '/')
			break;
		is_v6 |= *addr.end == ':';
	}
	out->family = is_v6 ? AF_INET6 : AF_INET;
	out->len = is_v6 ? 128 : 32;
	reason = is_v6 ? parse_v6(addr, &out->v6)
		       : parse_v4(addr, padded, &out->v4);
	if (reason || addr.end == span.end)
		return reason;
	return endpoint_parse_len((struct span){ addr.end + 1, span.end }, out);
}

bool span_is_address_like(struct span span)
{
	struct span word = { span.first, span.first };
	bool only_digits = true;
	struct in6_addr v6;
	int dots = 0;

	while (word.end < span.end && !is_blank(*word.end) &&
	       *word.end != '/' && *word.end != '-') {
		dots += *word.end == '.';
		only_digits &= is_digit(*word.end) || *word.end == '.';
		word.end++;
	}
	return (dots == 3 && only_digits) || !parse_v6(word, &v6);
}

static void v6_prefix_ends(const struct endpoint *prefix, struct line *out)
{
	out->v6_first = prefix->v6;
	out->v6_last = prefix->v6;
	for (int i = 0; i < 16; i++) {
		int kept_bits = prefix->len - i * 8;
		uint8_t host_bits = kept_bits >= 8   ? 0
				    : kept_bits <= 0 ? 0xff
						     : 0xff >> kept_bits;

		out->masked |= prefix->v6.s6_addr[i] & host_bits;
		out->v6_first.s6_addr[i] &= ~host_bits;
		out->v6_last.s6_addr[i] |= host_bits;
	}
}

void endpoint_to_line(const struct endpoint *prefix, struct line *out)
{
	uint32_t mask = prefix_mask(prefix->len);

	out->family = prefix->family;
	out->is_range = false;
	out->len = prefix->len;
	out->masked = false;
	if (prefix->family == AF_INET6) {
		v6_prefix_ends(prefix, out);
		return;
	}
	out->masked = prefix->v4 & ~mask;
	out->v4.first = prefix->v4 & mask;
	out->v4.last = prefix->v4 | ~mask;
}

enum list_reason endpoints_to_line(const struct endpoint *first,
				   const struct endpoint *last,
				   struct line *out)
{
	if (first->has_len || last->has_len || first->family != last->family)
		return REASON_BAD_RANGE;

	out->family = first->family;
	out->is_range = true;
	if (first->family == AF_INET6) {
		out->v6_first = first->v6;
		out->v6_last = last->v6;
		return memcmp(&first->v6, &last->v6, sizeof(first->v6)) > 0
			       ? REASON_BAD_RANGE
			       : REASON_NONE;
	}
	out->v4.first = first->v4;
	out->v4.last = last->v4;
	return first->v4 > last->v4 ? REASON_BAD_RANGE : REASON_NONE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line of a deny-list.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/prefixes.h"

/*
 * plain: ADDRESS and ADDRESS/LENGTH.  full adds ADDRESS/MASK, A-B, PeerGuardian
 * (NAME:A-B), DShield (tabs: first, last, length or mask), eMule DAT (A - B ,
 * LEVEL , TEXT) and a first column before a tab or comma.
 */
enum list_profile {
	LIST_FULL,
	LIST_PLAIN,
};

enum line_kind {
	LINE_IGNORED,	    /* empty or a remark */
	LINE_ACCEPTED,	    /* a prefix or range */
	LINE_SKIPPED_ALLOW, /* a range that the list allows */
	LINE_REJECTED,
};

enum list_reason {
	REASON_NONE,
	REASON_BAD_CHAR,      /* not ASCII, or a control character */
	REASON_BAD_ADDRESS,   /* not four octets in decimal; bad IPv6 */
	REASON_LEADING_ZERO,  /* octal or decimal? */
	REASON_BAD_PREFIX,    /* length or mask */
	REASON_DEFAULT_ROUTE, /* length 0: a filter that matches all */
	REASON_BAD_RANGE,     /* end before start, or ends that disagree */
	REASON_TRAILING_TEXT, /* an address and then something else */
	REASON_NOT_PLAIN,     /* well-formed, but of the full profile */
	REASON_COUNT,
};

/* What a line says, for either family. */
struct line {
	enum line_kind kind;
	enum list_reason reason; /* of LINE_REJECTED */
	int family;		 /* AF_INET or AF_INET6, of the other kinds */
	bool masked;		 /* host bits were set, and are cleared here */
	bool is_range;		 /* else a prefix, of length len */
	uint8_t len;
	struct interval v4;		   /* first and last address, AF_INET */
	struct in6_addr v6_first, v6_last; /* the same, AF_INET6 */
};

/*
 * Reads the line between text and end (without LF).  Pure: no memory, no
 * messages.
 */
void line_parse(const char *text, const char *end, enum list_profile profile,
		struct line *out);

/* The word for a reason, as in "bad-prefix". */
const char *list_reason_name(enum list_reason reason);

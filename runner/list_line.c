// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "runner/list_form.h"
#include "runner/list_line.h"

static enum list_reason parse_content(struct span span, bool is_ascii,
				      enum list_profile profile,
				      struct line *out)
{
	bool has_columns = memchr(span.first, ',', span.end - span.first) ||
			   memchr(span.first, '\t', span.end - span.first);
	enum list_reason reason = REASON_BAD_CHAR, named;
	bool is_plain = false;

	if (is_ascii)
		reason = form_parse(span, &is_plain, out);
	if (reason && reason != REASON_BAD_RANGE &&
	    reason != REASON_DEFAULT_ROUTE &&
	    form_parse_peerguardian(span, &named, out)) {
		out->kind = LINE_ACCEPTED;
		reason = named;
		is_plain = false;
	}
	if (reason)
		return reason;

	if (out->family == AF_INET && out->kind == LINE_ACCEPTED &&
	    out->v4.first == 0 && out->v4.last == UINT32_MAX)
		return REASON_DEFAULT_ROUTE;
	if (profile == LIST_PLAIN && (!is_plain || has_columns))
		return REASON_NOT_PLAIN;
	return REASON_NONE;
}

/*
 * Cuts the remark off.  False if there is a control character, which has no
 * place in a list; after the loop is_ascii says whether what is left is.
 */
static bool scan_content(struct span *span, bool *is_ascii)
{
	*is_ascii = true;
	for (const char *c = span->first; c < span->end; c++) {
		if (*c == '#' || *c == ';') {
			span->end = c;
			break;
		}
		if (*c & 0x80)
			*is_ascii = false;
		else if ((*c < ' ' && *c != '\t') || *c == 0x7f)
			return false;
	}
	*span = span_trim(*span);
	return true;
}

/* A number of up to three digits without leading zero, or -1. */
static int take_number(const char **at, const char *end)
{
	const char *c = *at;
	int value;

	if (c == end || !is_digit(*c))
		return -1;
	value = *c++ - '0';
	if (value) {
		if (c < end && is_digit(*c))
			value = value * 10 + (*c++ - '0');
		if (c < end && is_digit(*c))
			value = value * 10 + (*c++ - '0');
	}
	*at = c;
	return value;
}

/*
 * What nearly all lines of large lists are: "A" or "A/LEN" and nothing else.
 * Only a shortcut: what it does not take goes the long way, and what it takes
 * would come out the same there.
 */
static bool parse_common(const char *text, const char *end, struct line *out)
{
	struct endpoint prefix = { .family = AF_INET, .len = 32 };

	for (int i = 0; i < 4; i++) {
		int octet = take_number(&text, end);

		if (octet < 0 || octet > 255)
			return false;
		prefix.v4 = prefix.v4 << 8 | octet;
		if (i < 3 && (text == end || *text++ != '.'))
			return false;
	}
	if (text < end && *text == '/') {
		int len;

		text++;
		len = take_number(&text, end);
		if (len < 1 || len > 32)
			return false;
		prefix.len = len;
	}
	if (text != end)
		return false;
	endpoint_to_line(&prefix, out);
	return true;
}

void line_parse(const char *text, const char *end, enum list_profile profile,
		struct line *out)
{
	struct span span = { text, end };
	bool is_ascii;

	*out = (struct line){ 0 };
	while (span.first < span.end && span.end[-1] == '\r')
		span.end--;
	out->kind = LINE_ACCEPTED;
	if (parse_common(span.first, span.end, out))
		return;

	out->kind = LINE_IGNORED;
	if (memchr(span.first, '\r', span.end - span.first)) {
		/* Old Macintosh line ends would hide entries in a remark. */
		out->kind = LINE_REJECTED;
		out->reason = REASON_BAD_CHAR;
		return;
	}
	span = span_trim(span);
	if (span_is_empty(span) || *span.first == '#' || *span.first == ';' ||
	    (span.end - span.first >= 2 && !memcmp(span.first, "//", 2)))
		return;

	out->kind = LINE_ACCEPTED;
	if (!scan_content(&span, &is_ascii))
		out->reason = REASON_BAD_CHAR;
	else
		out->reason = parse_content(span, is_ascii, profile, out);
	if (out->reason)
		out->kind = LINE_REJECTED;
}

const char *list_reason_name(enum list_reason reason)
{
	static const char *const names[REASON_COUNT] = {
		[REASON_NONE] = "none",
		[REASON_BAD_CHAR] = "bad-char",
		[REASON_BAD_ADDRESS] = "bad-address",
		[REASON_LEADING_ZERO] = "leading-zero",
		[REASON_BAD_PREFIX] = "bad-prefix",
		[REASON_DEFAULT_ROUTE] = "default-route",
		[REASON_BAD_RANGE] = "bad-range",
		[REASON_TRAILING_TEXT] = "trailing-text",
		[REASON_NOT_PLAIN] = "not-plain",
	};

	return names[reason];
}

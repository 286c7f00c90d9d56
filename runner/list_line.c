// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "runner/list_address.h"
#include "runner/list_line.h"

/* eMule lets pass what has a level above this. */
#define DAT_LEVEL_MAX 127

static bool is_separator(char c)
{
	return c == '\t' || c == ',';
}

static struct span span_word(struct span span)
{
	struct span word = { span.first, span.first };

	while (word.end < span.end && !is_blank(*word.end))
		word.end++;
	return word;
}

/* Takes the column in front of the next separator off the line. */
static struct span take_column(struct span *rest, char *separator)
{
	struct span column = { rest->first, rest->first };

	while (column.end < rest->end && !is_separator(*column.end))
		column.end++;
	*separator = column.end < rest->end ? *column.end : '\0';
	rest->first = column.end + (*separator != '\0');
	return span_trim(column);
}

/* "A", "A/LEN", "A/MASK", and a range with or without blanks: "A - B". */
static enum list_reason parse_entry(struct span span, bool padded,
				    bool *is_plain, struct line *out)
{
	struct span left = { span.first, span.first };
	struct endpoint first, last;
	enum list_reason reason;
	struct span rest, right;

	while (left.end < span.end && !is_blank(*left.end) && *left.end != '-')
		left.end++;
	rest = span_trim((struct span){ left.end, span.end });
	reason = endpoint_parse(left, padded, &first);
	if (reason)
		return reason;
	*is_plain = !first.has_mask;
	endpoint_to_line(&first, out);
	if (span_is_empty(rest))
		return REASON_NONE;
	if (*rest.first != '-')
		return REASON_TRAILING_TEXT;

	rest.first++;
	rest = span_trim(rest);
	right = span_word(rest);
	reason = endpoint_parse(right, padded, &last);
	if (reason)
		return reason;
	*is_plain = false;
	reason = endpoints_to_line(&first, &last, out);
	if (reason)
		return reason;
	return right.end == rest.end ? REASON_NONE : REASON_TRAILING_TEXT;
}

/* DShield: first address, last address, and the length that both agree on. */
static enum list_reason parse_row(struct span start, struct span end,
				  struct span len, struct line *out)
{
	struct endpoint first, last;
	struct line range = { 0 };
	enum list_reason reason;

	reason = endpoint_parse(start, false, &first);
	if (!reason)
		reason = endpoint_parse(end, false, &last);
	if (!reason)
		reason = endpoints_to_line(&first, &last, &range);
	if (!reason)
		reason = endpoint_parse_len(len, &first);
	if (reason)
		return reason;

	endpoint_to_line(&first, out);
	if (out->masked)
		return REASON_BAD_RANGE;
	if (out->family == AF_INET)
		return out->v4.last == range.v4.last ? REASON_NONE
						     : REASON_BAD_RANGE;
	return memcmp(&out->v6_last, &range.v6_last, sizeof(range.v6_last))
		       ? REASON_BAD_RANGE
		       : REASON_NONE;
}

/* The level of "A - B , LEVEL , TEXT", or -1 if the line has another form. */
static int dat_level(struct span line)
{
	struct span range, level;
	int value = 0;
	char separator;

	range = take_column(&line, &separator);
	if (separator != ',' ||
	    !memchr(range.first, '-', range.end - range.first))
		return -1;
	level = take_column(&line, &separator);
	if (separator != ',' || span_is_empty(level))
		return -1;
	for (const char *c = level.first; c < level.end; c++) {
		if (!is_digit(*c))
			return -1;
		if (value <= DAT_LEVEL_MAX)
			value = value * 10 + (*c - '0');
	}
	return value;
}

/* Everything but PeerGuardian. */
static enum list_reason parse_form(struct span span, bool *is_plain,
				   struct line *out)
{
	struct span rest = span, column, second, third;
	char separator, next_separator, last_separator;
	enum list_reason reason;
	int level;

	column = take_column(&rest, &separator);
	if (!separator)
		return parse_entry(column, false, is_plain, out);

	level = dat_level(span);
	if (level > DAT_LEVEL_MAX)
		out->kind = LINE_SKIPPED_ALLOW;
	if (level >= 0)
		return parse_entry(column, true, is_plain, out);

	second = take_column(&rest, &next_separator);
	if (!span_is_address_like(second))
		return parse_entry(column, false, is_plain, out);

	third = take_column(&rest, &last_separator);
	if (separator == '\t' && next_separator == '\t' &&
	    !span_is_empty(third))
		return parse_row(column, second, third, out);
	reason = parse_entry(column, false, is_plain, out);
	return reason ? reason : REASON_TRAILING_TEXT;
}

/* "NAME:A-B": whether the line has that form; if so with the reason. */
static bool parse_peerguardian(struct span span, enum list_reason *reason,
			       struct line *out)
{
	const char *colon = memrchr(span.first, ':', span.end - span.first);
	struct span range;
	bool is_plain;

	if (!colon)
		return false;
	range = span_trim((struct span){ colon + 1, span.end });
	if (span_is_empty(range) || !is_digit(*range.first) ||
	    !memchr(range.first, '-', range.end - range.first))
		return false;
	for (const char *c = range.first; c < range.end; c++)
		if (*c & 0x80)
			return false;
	*reason = parse_entry(range, false, &is_plain, out);
	if (!*reason && !out->is_range)
		*reason = REASON_TRAILING_TEXT;
	return true;
}

static enum list_reason parse_content(struct span span, bool is_ascii,
				      enum list_profile profile,
				      struct line *out)
{
	bool has_columns = memchr(span.first, ',', span.end - span.first) ||
			   memchr(span.first, '\t', span.end - span.first);
	enum list_reason reason = REASON_BAD_CHAR, named;
	bool is_plain = false;

	if (is_ascii)
		reason = parse_form(span, &is_plain, out);
	if (reason && reason != REASON_BAD_RANGE &&
	    reason != REASON_DEFAULT_ROUTE &&
	    parse_peerguardian(span, &named, out)) {
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

void line_parse(const char *text, const char *end, enum list_profile profile,
		struct line *out)
{
	struct span span = { text, end };
	bool is_ascii;

	*out = (struct line){ .kind = LINE_IGNORED };
	while (span.first < span.end && span.end[-1] == '\r')
		span.end--;
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

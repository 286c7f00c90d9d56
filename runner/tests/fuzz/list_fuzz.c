// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz target for the list reader (make fuzz).  Beside not crashing:
 *
 *  - what the plain profile accepts, an independent strict parser on top of
 *    inet_pton() accepts as well, with the same value;
 *  - what plain accepts, full accepts with the same value;
 *  - every physical line is counted in exactly one class;
 *  - a list that is written and read again holds the same prefixes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/list.h"
#include "runner/list_write.h"
#include "runner/log.h"
#include "runner/prefixes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                           \
	do {                                                         \
		if (!(condition)) {                                  \
			fprintf(stderr, "line %d: " #condition "\n", \
				__LINE__);                           \
			abort();                                     \
		}                                                    \
	} while (0)

/* "A" or "A/LEN" with nothing around it; false if it is anything else. */
static bool reference_parse(const char *text, struct prefix *out, bool *masked)
{
	char word[64];
	char *slash, *end;
	struct in_addr addr;
	long len = 32;

	if (strlen(text) >= sizeof(word))
		return false;
	strcpy(word, text);
	slash = strchr(word, '/');
	if (slash) {
		*slash = '\0';
		if (slash[1] < '1' || slash[1] > '9')
			return false;
		len = strtol(slash + 1, &end, 10);
		if (*end || len > 32)
			return false;
	}
	if (inet_pton(AF_INET, word, &addr) != 1)
		return false;
	out->len = len;
	out->addr = ADDR_V4(ntohl(addr.s_addr)) & prefix_mask(len);
	*masked = ADDR_V4(ntohl(addr.s_addr)) != out->addr;
	return true;
}

/* The line as a string, without remark, CRs and blanks around. */
static char *strip(const char *text, const char *end)
{
	char *copy = strndup(text, end - text), *first = copy;
	size_t chars = strcspn(copy, "#;");

	while (chars && strchr(" \t\r", copy[chars - 1]))
		chars--;
	copy[chars] = '\0';
	first += strspn(copy, " \t");
	memmove(copy, first, strlen(first) + 1);
	return copy;
}

static void check_line(const char *text, const char *end)
{
	struct line plain, full;
	struct prefix wanted;
	bool masked;
	char *word;

	line_parse(text, end, LIST_PLAIN, &plain);
	line_parse(text, end, LIST_FULL, &full);
	REQUIRE((plain.kind == LINE_IGNORED) == (full.kind == LINE_IGNORED));
	REQUIRE(plain.kind != LINE_SKIPPED_ALLOW);
	REQUIRE((full.kind == LINE_REJECTED) == (full.reason != REASON_NONE));
	if (full.kind == LINE_ACCEPTED) {
		REQUIRE(full.range.first <= full.range.last);
		REQUIRE(full.family == FAMILY_IPV6 ||
			!range_is_all(&full.range));
	}

	word = strip(text, end);
	if (plain.kind == LINE_ACCEPTED && plain.family == FAMILY_IPV4) {
		REQUIRE(reference_parse(word, &wanted, &masked));
		REQUIRE(!plain.is_range && plain.len == wanted.len);
		REQUIRE(plain.range.first == wanted.addr);
		REQUIRE(plain.range.last == prefix_last(&wanted));
		REQUIRE(plain.masked == masked);
		REQUIRE(full.kind == LINE_ACCEPTED && !full.is_range);
		REQUIRE(full.range.first == plain.range.first);
		REQUIRE(full.len == plain.len && full.masked == plain.masked);
	} else if (plain.kind == LINE_REJECTED &&
		   !memchr(text, '\r', end - text) &&
		   !memchr(text, '\0', end - text)) {
		/* In a remark anything goes but control characters. */
		REQUIRE(!reference_parse(word, &wanted, &masked) ||
			plain.reason == REASON_BAD_CHAR ||
			plain.reason == REASON_LEADING_ZERO);
	}
	free(word);
}

static void check_lines(const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);

		check_line(text, newline ? newline : end);
		text = newline ? newline + 1 : end;
	}
}

static struct prefix *sorted_copy(const struct rules *rules, size_t *count)
{
	struct prefix *copy = malloc((rules->count + 1) * sizeof(*copy));

	if (rules->count)
		memcpy(copy, rules->prefixes, rules->count * sizeof(*copy));
	prefixes_sort(copy, rules->count);
	*count = prefixes_unique(copy, rules->count);
	return copy;
}

static void check_written(const struct list *list, enum list_form form,
			  const struct list_options *options)
{
	struct prefix *before, *after;
	size_t bytes, before_count, after_count;
	struct list again;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);

	REQUIRE(!list_write(&list->rules, form, out));
	fclose(out);
	REQUIRE(!list_read_text("again", text, bytes, options, &again));
	REQUIRE(!again.rejected.count && !again.masked.count);

	before = sorted_copy(&list->rules, &before_count);
	after = sorted_copy(&again.rules, &after_count);
	if (form != LIST_NORMALISED) {
		before_count = prefixes_maximal(before, before_count);
		after_count = prefixes_maximal(after, after_count);
		before_count = prefixes_collapse(before, before_count);
		after_count = prefixes_collapse(after, after_count);
	}
	REQUIRE(before_count == after_count);
	for (size_t i = 0; i < before_count; i++)
		REQUIRE(before[i].addr == after[i].addr &&
			before[i].len == after[i].len);
	free(before);
	free(after);
	free(text);
	list_free(&again);
}

static void check_list(const char *text, size_t size, enum family family,
		       enum list_profile profile)
{
	const struct list_options options = { .profile = profile,
					      .family = family };
	struct list list;
	int err = list_read_text("fuzz", text, size, &options, &list);

	REQUIRE((list.refusal == LIST_USABLE) == !err);
	REQUIRE((list.rules.count > 0) == !err);
	REQUIRE(list.lines ==
		list.ignored_lines + list.accepted_lines + list.rejected.count +
			list.skipped_family.count + list.skipped_allow.count);
	for (size_t i = 0; i < list.rules.count; i++) {
		const struct prefix *prefix = &list.rules.prefixes[i];

		REQUIRE(prefix->len >= 1 && prefix->len <= family_bits(family));
		REQUIRE(!(prefix->addr & ~prefix_mask(prefix->len)));
	}
	if (!err)
		for (enum list_form form = 0; form < LIST_FORM_COUNT; form++) {
			/* Plain has no ranges. */
			if (form == LIST_INTERVALS && profile == LIST_PLAIN)
				continue;
			check_written(&list, form, &options);
		}
	list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct log_capture said;

	log_capture_begin(&said);
	check_lines(text, size);
	for (enum family family = 0; family <= FAMILY_IPV6; family++) {
		check_list(text, size, family, LIST_FULL);
		check_list(text, size, family, LIST_PLAIN);
	}
	log_capture_end(&said);
	return 0;
}

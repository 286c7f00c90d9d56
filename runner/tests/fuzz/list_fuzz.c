// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a deny-list: no crash, no endless loop, and what is accepted
 * holds together.  Build with clang -fsanitize=fuzzer (make fuzz).
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/list.h"
#include "runner/list_write.h"
#include "runner/log.h"
#include "runner/prefixes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static void check_prefixes(const struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct prefix *prefix = &rules->prefixes[i];

		require(prefix->len >= 1 && prefix->len <= 32, "length");
		require(!(prefix->addr & ~prefix_mask(prefix->len)),
			"no host bits");
	}
}

static void check_counts(const struct list *list)
{
	require(list->lines == list->ignored_lines + list->accepted_lines +
				       list->rejected.count +
				       list->skipped_v6.count +
				       list->skipped_allow.count,
		"every line is counted once");
	for (size_t i = 1; i < list->rejected.count; i++)
		require(list->rejected.at[i - 1].line <
				list->rejected.at[i].line,
			"rejected lines ascend");
}

/* Written and read again, it is the same set. */
static void check_round_trip(struct list *list)
{
	const struct list_options plain = { .profile = LIST_PLAIN };
	struct list again;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	require(out && !list_write(&list->rules, LIST_NORMALISED, out),
		"can be written");
	fclose(out);
	require(!list_read_text("again", text, bytes, &plain, &again),
		"can be read again");
	require(!prefixes_sort(list->rules.prefixes, list->rules.count),
		"can be sorted");
	list->rules.count =
		prefixes_unique(list->rules.prefixes, list->rules.count);
	require(again.rules.count == list->rules.count, "as many");
	for (size_t i = 0; i < again.rules.count; i++)
		require(again.rules.prefixes[i].addr ==
					list->rules.prefixes[i].addr &&
				again.rules.prefixes[i].len ==
					list->rules.prefixes[i].len,
			"the same");
	list_free(&again);
	free(text);
}

/* A single line that plain takes starts with what inet_pton() takes. */
static void check_reference(const uint8_t *data, size_t size,
			    const struct list *list)
{
	char word[32];
	size_t start = 0, len = 0;
	struct in_addr addr;

	if (list->lines != 1 || list->accepted_lines != 1)
		return;
	if (size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3))
		start = 3;
	while (start < size && (data[start] == ' ' || data[start] == '\t'))
		start++;
	while (start + len < size && len < sizeof(word) - 1 &&
	       strchr("0123456789.", data[start + len]) && data[start + len]) {
		word[len] = data[start + len];
		len++;
	}
	word[len] = '\0';
	require(inet_pton(AF_INET, word, &addr) == 1, "is an address");
	require(prefix_holds(&list->rules.prefixes[0], ntohl(addr.s_addr)),
		"is that address");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum list_profile profiles[] = { LIST_FULL, LIST_PLAIN };
	struct log_capture quiet;
	size_t accepted[2];

	log_capture_begin(&quiet);
	for (int i = 0; i < 2; i++) {
		const struct list_options options = { .profile = profiles[i] };
		struct list list;
		int err = list_read_text("fuzz", (const char *)data, size,
					 &options, &list);

		accepted[i] = list.accepted_lines;
		check_prefixes(&list.rules);
		if (!err) {
			check_counts(&list);
			if (profiles[i] == LIST_PLAIN)
				check_reference(data, size, &list);
			check_round_trip(&list);
		}
		list_free(&list);
	}
	require(accepted[1] <= accepted[0], "plain takes no more than full");
	log_capture_end(&quiet);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One line at a time: each form and each class of reason, in both profiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/list_line.h"

struct row {
	const char *text;
	const char *full;  /* what the profile makes of it, see describe() */
	const char *plain; /* NULL: the same */
};

/*
 * "192.0.2.0/24", with "masked " in front if host bits were cleared;
 * "192.0.2.0-192.0.2.9"; "v6"; "allow"; "ignored"; or the reason.
 */
static const char *describe(const struct line *line, char *text, size_t room)
{
	char a[ADDR_TEXT_BYTES], b[ADDR_TEXT_BYTES];

	if (line->kind == LINE_IGNORED)
		return "ignored";
	if (line->kind == LINE_REJECTED)
		return list_reason_name(line->reason);
	if (line->kind == LINE_SKIPPED_ALLOW)
		return "allow";
	if (line->family == FAMILY_IPV6)
		return "v6";

	addr_text(line->family, line->range.first, a);
	addr_text(line->family, line->range.last, b);
	if (line->is_range)
		snprintf(text, room, "%s-%s", a, b);
	else
		snprintf(text, room, "%s%s/%u", line->masked ? "masked " : "",
			 a, line->len);
	return text;
}

static void check_line(const char *text, enum list_profile profile,
		       const char *wanted)
{
	size_t chars = strlen(text);
	/* Its own block, so that a sanitizer sees any step outside. */
	auto_mem char *copy = malloc(chars + 1);
	char described[128];
	struct line line;
	const char *got;

	memcpy(copy, text, chars);
	line_parse(copy, copy + chars, profile, &line);
	got = describe(&line, described, sizeof(described));
	if (strcmp(got, wanted))
		fail_msg("\"%s\" in %s: %s, not %s", text,
			 profile == LIST_PLAIN ? "plain" : "full", got, wanted);
}

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_line(rows[i].text, LIST_FULL, rows[i].full);
		check_line(rows[i].text, LIST_PLAIN,
			   rows[i].plain ? rows[i].plain : rows[i].full);
	}
}

static void addresses_and_prefixes(void **state)
{
	static const struct row rows[] = {
		{ "192.0.2.1", "192.0.2.1/32", NULL },
		{ " \t192.0.2.1\t ", "192.0.2.1/32", NULL },
		{ "0.0.0.0", "0.0.0.0/32", NULL },
		{ "255.255.255.255", "255.255.255.255/32", NULL },
		{ "192.0.2.0/24", "192.0.2.0/24", NULL },
		{ "192.0.2.7/24", "masked 192.0.2.0/24", NULL },
		{ "255.255.255.255/1", "masked 128.0.0.0/1", NULL },
		{ "192.0.2.7/32", "192.0.2.7/32", NULL },
		{ "192.0.2.256", "bad-address", NULL },
		{ "192.0.2.99999999999999999999", "bad-address", NULL },
		{ "4294967488.0.2.1", "bad-address", NULL },
		{ "192.0.2", "bad-address", NULL },
		{ "192.0.2.", "bad-address", NULL },
		{ ".192.0.2.1", "bad-address", NULL },
		{ "192.0.2.1.", "bad-address", NULL },
		{ "192.0.2.1.5", "bad-address", NULL },
		{ "192..2.1", "bad-address", NULL },
		{ "3221225985", "bad-address", NULL },
		{ "0xc0.0.2.1", "bad-address", NULL },
		{ "+192.0.2.1", "bad-address", NULL },
		{ "-192.0.2.1", "bad-address", NULL },
		{ "192.0.2.1e0", "bad-address", NULL },
		{ "localhost", "bad-address", NULL },
		{ "host.example.org", "bad-address", NULL },
		{ "a-b.example.org", "bad-address", NULL },
		{ "/24", "bad-address", NULL },
		{ "/", "bad-address", NULL },
		{ ",", "bad-address", NULL },
		{ ":", "bad-address", NULL },
		{ "192.0.2.01", "leading-zero", NULL },
		{ "00.0.0.0", "leading-zero", NULL },
		{ "192.0.02.0/24", "leading-zero", NULL },
		{ "192.0.02.0/33", "leading-zero", NULL },
		{ "192.0.2.0300", "bad-address", NULL },
		{ "192.0.2.0/33", "bad-prefix", NULL },
		{ "192.0.2.0/", "bad-prefix", NULL },
		{ "192.0.2.0/-1", "bad-prefix", NULL },
		{ "192.0.2.0/+8", "bad-prefix", NULL },
		{ "192.0.2.0/ 24", "bad-prefix", NULL },
		{ "192.0.2.0/24/24", "bad-prefix", NULL },
		{ "192.0.2.0/4294967320", "bad-prefix", NULL },
		{ "192.0.2.0/0x18", "bad-prefix", NULL },
		{ "192.0.2.0 /24", "trailing-text", NULL },
		{ "192.0.2.0/024", "leading-zero", NULL },
		{ "0.0.0.0/0", "default-route", NULL },
		{ "192.0.2.0/00", "default-route", NULL },
		{ "192.0.2.1 5", "trailing-text", NULL },
		{ "192.0.2.1 // remark", "trailing-text", NULL },
		{ "192.0.2.1 192.0.2.2", "trailing-text", NULL },
		{ "<p>192.0.2.1</p>", "bad-address", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void remarks_line_ends_and_characters(void **state)
{
	static const struct row rows[] = {
		{ "", "ignored", NULL },
		{ " \t ", "ignored", NULL },
		{ "\r", "ignored", NULL },
		{ "\r\r\r", "ignored", NULL },
		{ "# 192.0.2.1", "ignored", NULL },
		{ "  ; 192.0.2.1", "ignored", NULL },
		{ "//192.0.2.1", "ignored", NULL },
		{ "/192.0.2.1", "bad-address", NULL },
		{ "# Stra\xc3\x9f"
		  "e",
		  "ignored", NULL },
		{ "192.0.2.1#x", "192.0.2.1/32", NULL },
		{ "192.0.2.1\t;x # y", "192.0.2.1/32", NULL },
		{ "192.0.2.1 # \xc3\xa9\xff", "192.0.2.1/32", NULL },
		{ "192.0.2.1\r", "192.0.2.1/32", NULL },
		{ "192.0.2.1 \r\r", "192.0.2.1/32", NULL },
		{ "192.0.2.1\r ", "bad-char", NULL },
		{ "192.0.2.1\r192.0.2.2", "bad-char", NULL },
		{ "# remark\r192.0.2.2", "bad-char", NULL },
		{ "192.0.2.1\v", "bad-char", NULL },
		{ "192.0.2.1\x7f", "bad-char", NULL },
		{ "192.0.2.1\xc2\xa0", "bad-char", NULL },
		{ "\xef\xbb\xbf"
		  "192.0.2.1",
		  "bad-char", NULL },
		{ "192.0.2.1,caf\xc3\xa9", "bad-char", NULL },
		{ "h\xc3\xb6st.example", "bad-char", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void masks(void **state)
{
	static const struct row rows[] = {
		{ "192.0.2.0/255.255.255.0", "192.0.2.0/24", "not-plain" },
		{ "192.0.2.9/255.255.255.0", "masked 192.0.2.0/24",
		  "not-plain" },
		{ "192.0.2.9/255.255.255.255", "192.0.2.9/32", "not-plain" },
		{ "192.0.2.9/128.0.0.0", "masked 128.0.0.0/1", "not-plain" },
		{ "192.0.2.0/0.0.0.0", "default-route", NULL },
		{ "192.0.2.0/0.0.0.255", "bad-prefix", NULL },
		{ "192.0.2.0/255.0.255.0", "bad-prefix", NULL },
		{ "192.0.2.0/255.255.255", "bad-prefix", NULL },
		{ "192.0.2.0/255.255.256.0", "bad-prefix", NULL },
		{ "192.0.2.0/255.255.255.00", "leading-zero", NULL },
		{ "192.0.2.0/2.4", "bad-prefix", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void ranges(void **state)
{
	static const struct row rows[] = {
		{ "192.0.2.0-192.0.2.9", "192.0.2.0-192.0.2.9", "not-plain" },
		{ "192.0.2.0 - 192.0.2.9", "192.0.2.0-192.0.2.9", "not-plain" },
		{ "192.0.2.0\t -192.0.2.9", "192.0.2.0-192.0.2.9",
		  "not-plain" },
		{ "192.0.2.0\t-\t192.0.2.9", "192.0.2.0-192.0.2.9",
		  "not-plain" },
		{ "192.0.2.0-\t192.0.2.9", "192.0.2.0-192.0.2.9", "not-plain" },
		{ "192.0.2.0\t-\t192.0.2.9\t5", "trailing-text", NULL },
		{ "192.0.2.0\t-\tZZ", "192.0.2.0/32", "not-plain" },
		{ "192.0.2.5-192.0.2.5", "192.0.2.5-192.0.2.5", "not-plain" },
		{ "0.0.0.0-255.255.255.254", "0.0.0.0-255.255.255.254",
		  "not-plain" },
		{ "0.0.0.0-255.255.255.255", "default-route", NULL },
		{ "192.0.2.9-192.0.2.0", "bad-range", NULL },
		{ "192.0.2.0/24-192.0.3.0/24", "bad-range", NULL },
		{ "192.0.2.0-192.0.3.0/24", "bad-range", NULL },
		{ "192.0.2.0/24-192.0.3.0", "bad-range", NULL },
		{ "192.0.2.1-2001:db8::1", "bad-range", NULL },
		{ "2001:db8::1-192.0.2.1", "bad-range", NULL },
		{ "2001:db8::2-2001:db8::1", "bad-range", NULL },
		{ "192.0.2.1-", "bad-address", NULL },
		{ "192.0.2.1-9", "bad-address", NULL },
		{ "192.0.2.1--192.0.2.9", "bad-address", NULL },
		{ "192.0.2.1-192.0.2.300", "bad-address", NULL },
		{ "192.0.2.1-192.0.2.09", "leading-zero", NULL },
		{ "192.0.2.1-192.0.2.3-192.0.2.5", "bad-address", NULL },
		{ "192.0.2.1-192.0.2.3 x", "trailing-text", NULL },
		{ "192.0.2.1 a-b", "trailing-text", NULL },
		{ "-", "bad-address", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void peerguardian(void **state)
{
	static const struct row rows[] = {
		{ "Name:192.0.2.0-192.0.2.9", "192.0.2.0-192.0.2.9",
		  "not-plain" },
		{ "A: b-c, d:192.0.2.0-192.0.2.9", "192.0.2.0-192.0.2.9",
		  "not-plain" },
		{ "A-B, 5, c:192.0.2.0 - 192.0.2.9", "192.0.2.0-192.0.2.9",
		  "not-plain" },
		{ "dead:beef:192.0.2.0-192.0.2.9", "192.0.2.0-192.0.2.9",
		  "not-plain" },
		{ "Universit\xe4t:192.0.2.0-192.0.2.9", "192.0.2.0-192.0.2.9",
		  "bad-char" },
		{ "Name:192.0.2.0-192.0.2.9\xe4", "bad-char", NULL },
		{ "Na\x01me:192.0.2.0-192.0.2.9", "bad-char", NULL },
		{ "Name:192.0.2.9-192.0.2.0", "bad-range", NULL },
		{ "Name:192.0.2.0-192.0.2.256", "bad-address", NULL },
		{ "Name:192.0.2.0/24-192.0.3.0", "bad-range", NULL },
		{ "Name:192.0.2.01-192.0.2.9", "leading-zero", NULL },
		{ "Name:0.0.0.0-255.255.255.255", "default-route", NULL },
		{ "Name:192.0.2.0/24", "bad-address", NULL },
		{ "Name:192.0.2.0", "bad-address", NULL },
		{ "Name:192.0.2.0-192.0.2.9 x", "trailing-text", NULL },
		{ "Name:192.0.2.0 is-ours", "trailing-text", NULL },
	};

	(void)state;
	/* In plain the form is not looked for, so only that it is refused. */
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct line line;

		check_line(rows[i].text, LIST_FULL, rows[i].full);
		line_parse(rows[i].text, rows[i].text + strlen(rows[i].text),
			   LIST_PLAIN, &line);
		assert_int_equal(line.kind, LINE_REJECTED);
	}
}

static void rows_and_columns(void **state)
{
	static const struct row rows[] = {
		{ "192.0.2.0\t192.0.2.255\t24\tx", "192.0.2.0/24",
		  "not-plain" },
		{ "192.0.2.0\t192.0.2.255\t255.255.255.0", "192.0.2.0/24",
		  "not-plain" },
		{ "192.0.2.0\t192.0.2.255\t25", "bad-range", NULL },
		{ "192.0.2.1\t192.0.2.255\t24", "bad-range", NULL },
		{ "192.0.2.255\t192.0.2.0\t24", "bad-range", NULL },
		{ "192.0.2.0/24\t192.0.2.255\t24", "bad-range", NULL },
		{ "192.0.2.0\t2001:db8::1\t24", "bad-range", NULL },
		{ "192.0.2.0\t192.0.2.255\t33", "bad-prefix", NULL },
		{ "192.0.2.0\t192.0.2.255\tZZ", "bad-prefix", NULL },
		{ "192.0.2.0\t192.0.2.300\t24", "bad-address", NULL },
		{ "192.0.2.0\t192.0.2.055\t24", "leading-zero", NULL },
		{ "0.0.0.0\t255.255.255.255\t0", "default-route", NULL },
		{ "192.0.2.0\t192.0.2.255", "trailing-text", NULL },
		{ "192.0.2.0\t192.0.2.255\t\tx", "trailing-text", NULL },
		{ "192.0.2.0,192.0.2.255,24", "trailing-text", NULL },
		{ "192.0.2.0,192.0.3.0/24", "trailing-text", NULL },
		{ "192.0.2.0, 192.0.3.0 x", "trailing-text", NULL },
		{ "192.0.2.0,2001:db8::1", "trailing-text", NULL },
		{ "192.0.2.0,192.0.2.300", "trailing-text", NULL },
		{ "192.0.2.7\t24", "192.0.2.7/32", "not-plain" },
		{ "192.0.2.7,24", "192.0.2.7/32", "not-plain" },
		{ "192.0.2.7,", "192.0.2.7/32", "not-plain" },
		{ "192.0.2.7 ,0.95", "192.0.2.7/32", "not-plain" },
		{ "192.0.2.0/24,scan,\"x y\"", "192.0.2.0/24", "not-plain" },
		{ "192.0.2.0-192.0.2.9,5", "192.0.2.0-192.0.2.9", "not-plain" },
		{ "192.0.2.7 x,5", "trailing-text", NULL },
		{ "Start\tEnd\tNetmask", "bad-address", NULL },
		{ "\t192.0.2.7\t ", "192.0.2.7/32", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void emule_dat(void **state)
{
	static const struct row rows[] = {
		{ "192.000.002.016 - 192.000.002.031 , 000 , x",
		  "192.0.2.16-192.0.2.31", "not-plain" },
		{ "192.0.2.16-192.0.2.31,127,", "192.0.2.16-192.0.2.31",
		  "not-plain" },
		{ "192.0.2.16 - 192.0.2.31 , 128 , x", "allow", "not-plain" },
		{ "192.0.2.16 - 192.0.2.31 , 99999999999 , x", "allow",
		  "not-plain" },
		{ "000.000.000.000 - 255.255.255.255 , 200 , x", "allow",
		  "not-plain" },
		{ "000.000.000.000 - 255.255.255.255 , 100 , x",
		  "default-route", NULL },
		{ "192.0.2.31 - 192.0.2.16 , 100 , x", "bad-range", NULL },
		{ "192.0.2.31 - 192.0.2.16 , 200 , x", "bad-range", NULL },
		{ "192.0.2.16 - 192.0.2.256 , 100 , x", "bad-address", NULL },
		{ "192.0.2.0016 - 192.0.2.31 , 100 , x", "bad-address", NULL },
		{ "192.0.2.016 - 192.0.2.31 , x , y", "leading-zero", NULL },
		{ "192.0.2.016 - 192.0.2.31 , 100", "leading-zero", NULL },
		{ "192.0.2.016 - 192.0.2.31", "leading-zero", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void ipv6(void **state)
{
	static const struct row rows[] = {
		{ "2001:db8::1", "v6", NULL },
		{ "2001:db8::/32", "v6", NULL },
		{ "2001:db8::7/32", "v6", NULL },
		{ "::", "v6", NULL },
		{ "::/0", "v6", NULL },
		{ "::ffff:192.0.2.1", "v6", NULL },
		{ "2001:db8::1 # x", "v6", NULL },
		{ "2001:db8::1-2001:db8::9", "v6", "not-plain" },
		{ "2001:db8::1,5", "v6", "not-plain" },
		{ "2001:db8::g", "bad-address", NULL },
		{ "2001:db8::/129", "bad-address", NULL },
		{ "2001:db8::/", "bad-address", NULL },
		{ "2001:db8::/ffff::", "bad-address", NULL },
		{ "2001:db8", "bad-address", NULL },
		{ "2001:db8:::1", "bad-address", NULL },
		{ "fe80::1%lo", "bad-address", NULL },
		{ "1:2:3:4:5:6:7:8:9", "bad-address", NULL },
		{ "::192.0.2.256", "bad-address", NULL },
		{ "[2001:db8::1]", "bad-address", NULL },
		{ "2001:0db8:0000:0000:0000:0000:0000:0000:0000:0000:0001",
		  "bad-address", NULL },
		{ "2001:db8::1 x", "trailing-text", NULL },
	};

	(void)state;
	check_rows(rows, ARRAY_SIZE(rows));
}

static void ipv6_ends_are_right(void **state)
{
	static const char text[] = "2001:db8:ffff::1/37";
	static const char range[] = "2001:db8::9 - 2001:db8::a:0";
	struct in6_addr first, last;
	struct line line;

	(void)state;
	line_parse(text, text + sizeof(text) - 1, LIST_FULL, &line);
	inet_pton(AF_INET6, "2001:db8:f800::", &first);
	inet_pton(AF_INET6, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", &last);
	assert_int_equal(line.kind, LINE_ACCEPTED);
	assert_int_equal(line.len, 37);
	assert_true(line.masked);
	assert_true(line.range.first == addr_get(&first));
	assert_true(line.range.last == addr_get(&last));

	line_parse(range, range + sizeof(range) - 1, LIST_FULL, &line);
	inet_pton(AF_INET6, "2001:db8::9", &first);
	inet_pton(AF_INET6, "2001:db8::a:0", &last);
	assert_true(line.is_range);
	assert_true(line.range.first == addr_get(&first));
	assert_true(line.range.last == addr_get(&last));
}

/* A NUL cannot come from a file; the parser must hold without that. */
static void a_nul_is_a_bad_character(void **state)
{
	static const char text[] = "192.0.2.1\0";
	struct line line;

	(void)state;
	line_parse(text, text + sizeof(text) - 1, LIST_FULL, &line);
	assert_int_equal(line.kind, LINE_REJECTED);
	assert_int_equal(line.reason, REASON_BAD_CHAR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_prefixes),
		cmocka_unit_test(remarks_line_ends_and_characters),
		cmocka_unit_test(masks),
		cmocka_unit_test(ranges),
		cmocka_unit_test(peerguardian),
		cmocka_unit_test(rows_and_columns),
		cmocka_unit_test(emule_dat),
		cmocka_unit_test(ipv6),
		cmocka_unit_test(ipv6_ends_are_right),
		cmocka_unit_test(a_nul_is_a_bad_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

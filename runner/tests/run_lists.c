// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program from end to end with lists as people have them: every mechanism
 * holds the same addresses, and proves it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>

#include <cmocka.h>

#include "runner/tests/measured.h"

#define LINES 1000000

/* Numerical Recipes' generator: any will do. */
static uint32_t draw(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) +
		UINT64_C(1442695040888963407);
	return state >> 32;
}

/* An address of a region that is neither private nor reserved. */
static uint32_t draw_addr(void)
{
	return UINT32_C(0x10000000) + draw() % UINT32_C(0x50000000);
}

static void put(FILE *list, uint32_t addr, const char *rest)
{
	fprintf(list, "%u.%u.%u.%u%s", addr >> 24, addr >> 16 & 255,
		addr >> 8 & 255, addr & 255, rest);
}

/*
 * Remarks in every style, host bits, ranges, what was there before, and parts
 * of it; and some lines that are none.
 */
static void write_list(void)
{
	FILE *list = fopen(input, "w");
	uint32_t before[64] = { 0 };

	assert_non_null(list);
	fputs("# blocklist, generated\r\n#\r\n\r\n", list);
	for (size_t i = 0; i < LINES; i++) {
		uint32_t addr = draw_addr(), old = before[i % 64];

		before[i % 64] = addr;
		switch (old ? draw() % 20 : 19) {
		case 0: /* again */
			put(list, old, "\n");
			break;
		case 1: /* the network of one that was there */
			put(list, old & 0xffffff00, "/24 ; reported twice\n");
			break;
		case 2: /* inside of it */
			put(list, (old & 0xffffff00) + 64, "/26\n");
			break;
		case 3 ... 7: /* with host bits */
			put(list, addr, "/24\t# host bits\n");
			break;
		case 8:
			put(list, addr & 0xfffffff0, "-");
			put(list, (addr & 0xfffffff0) + 9, "\n");
			break;
		case 9:
			put(list, addr, i % 100 ? "/30\r\n" : "/33\n");
			break;
		default:
			put(list, addr, i % 5 ? "\n" : "   # seen\n");
		}
	}
	assert_int_equal(fclose(list), 0);
}

static void check_proof(const json_t *cell, json_int_t rules)
{
	const json_t *proof = json_object_get(cell, "proof");

	assert_int_equal(whole(cell, "rules"), rules);
	assert_true(whole(proof, "inside") > 100);
	assert_true(whole(proof, "outside") > 100);
	assert_int_equal(whole(proof, "dropped"), whole(proof, "inside"));
}

/* One list, one command, all mechanisms that hold a set. */
static void a_million_lines_in_every_set(void **state)
{
	const json_t *cells, *cell;
	json_int_t rules = 0;
	size_t i, filters = 0;
	char args[256];
	json_t *json;

	(void)state;
	write_list();
	snprintf(args, sizeof(args),
		 "--rounds 6 --packets 500 --no-plots --list %s "
		 "--filter tc-bpf-lpm,nft-set,ipset",
		 input);
	run_well(args);
	assert_non_null(strstr(child.err, "lines rejected"));
	json = read_run();
	assert_int_equal(count_measured(json), 7);
	cells = json_object_get(json, "cells");
	json_array_foreach(cells, i, cell) {
		if (strcmp(json_string_value(json_object_get(cell, "role")),
			   "filter"))
			continue;
		if (!filters++)
			rules = whole(cell, "rules");
		check_proof(cell, rules);
	}
	assert_int_equal(filters, 3);
	assert_in_range(rules, LINES * 9 / 10, LINES * 11 / 10);
	add_slices();
	json_decref(json);
}

static void an_ipv6_list_in_every_set(void **state)
{
	struct totals totals;
	char args[256];
	json_t *json;
	FILE *list;

	(void)state;
	list = fopen(input, "w");
	assert_non_null(list);
	fputs("2001:2::/32\n192.0.2.0/24\n2001:db8::1\n2001:2::/32\n"
	      "fd00::/8\nfe80::/10\nff02::/16\n::1\n2a00::5-2a00::b\n",
	      list);
	assert_int_equal(fclose(list), 0);
	snprintf(args, sizeof(args),
		 "--rounds 6 --packets 200 --no-plots --family 6 --list %s "
		 "--filter tc-bpf-lpm,nft-set,ipset,iptables",
		 input);
	run_well(args);
	assert_non_null(strstr(child.err, "1 of IPv4 skipped"));
	json = read_run();
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(json, "options"), "family")),
		"6");
	assert_int_equal(count_measured(json), 8);
	json_decref(json);
	totals = add_slices();
	assert_int_equal(totals.dropped, 0);
	assert_int_equal(totals.sent, 8 * 7 * 200);
}

/* Neighbours of the sender's address, and both ends of all addresses. */
static void addresses_at_the_edges(void **state)
{
	char args[256];
	json_t *json;
	FILE *list;

	(void)state;
	list = fopen(input, "w");
	assert_non_null(list);
	fputs("192.0.2.0\n192.0.2.2\n192.0.2.200/29\n1.0.0.0\n0.0.0.1\n"
	      "223.255.255.255\n127.0.0.1\n224.0.0.0/3\n",
	      list);
	assert_int_equal(fclose(list), 0);
	snprintf(args, sizeof(args),
		 "--rounds 6 --packets 200 --no-plots --list %s --filter "
		 "tc-bpf-lpm,tc-u32,nft-set,nft-linear,ipset,iptables",
		 input);
	run_well(args);
	json = read_run();
	assert_int_equal(count_measured(json), 10);
	json_decref(json);
	add_slices();
}

#define whole_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		whole_test(a_million_lines_in_every_set),
		whole_test(an_ipv6_list_in_every_set),
		whole_test(addresses_at_the_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From addresses and counts to functions, and the difference of two kernels:
 * on a small captured table of symbols.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/profile.h"

static const char *const lines[] = {
	"ffffffff81e00000 nft_do_chain",
	"ffffffff81000000 _stext",
	"ffffffffc0a01000 bpf_prog_6deef7357e7b4530_judge",
	"ffffffff81d00000 __dev_queue_xmit",
	"ffffffffc0500000 pktgen_xmit",
};

static void make_symbols(struct symbols *symbols)
{
	*symbols = (struct symbols){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_int_equal(symbols_add(symbols, lines[i]), 0);
	symbols_sort(symbols);
}

static void addresses_have_functions(void **state)
{
	struct symbols symbols;

	(void)state;
	make_symbols(&symbols);
	assert_string_equal(symbols_name(&symbols, 0xffffffff81e00000),
			    "nft_do_chain");
	assert_string_equal(symbols_name(&symbols, 0xffffffff81dfffff),
			    "__dev_queue_xmit");
	assert_string_equal(symbols_name(&symbols, 0xffffffffc0a01123),
			    "bpf_prog_6deef7357e7b4530_judge");
	assert_string_equal(symbols_name(&symbols, 0x7fff12345678), "[user]");
	assert_string_equal(symbols_name(&symbols, 0xffff800000000000),
			    "[unknown]");
	assert_int_equal(symbols_add(&symbols, "no address"), -EINVAL);
	assert_int_equal(symbols_add(&symbols, "ffff"), -EINVAL);
	symbols_free(&symbols);
}

static void add(struct profile *profile, const struct symbols *symbols,
		const char *text, double factor)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	assert_int_equal(profile_add(profile, symbols, file, factor), 0);
	fclose(file);
}

/* 2N packets less N packets, over N. */
static struct profile pair(const struct symbols *symbols, const char *once,
			   const char *twice, double packets)
{
	struct profile profile = { 0 };

	add(&profile, symbols, twice, 1 / packets);
	add(&profile, symbols, once, -1 / packets);
	profile_settle(&profile);
	return profile;
}

static double insn_of(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->count; i++)
		if (!strcmp(profile->rows[i].name, name))
			return profile->rows[i].insn;
	return 0;
}

static void differences_add_up(void **state)
{
	struct profile before, after, difference;
	struct symbols symbols;
	double sum = 0;

	(void)state;
	make_symbols(&symbols);
	/* boot and user space are the same in both, and vanish */
	before = pair(&symbols,
		      "ffffffff81000010 999999\n401000 77\n"
		      "ffffffff81d00000 1000\nffffffff81d00040 630\n",
		      "ffffffff81000010 999999\n401000 77\n"
		      "ffffffff81d00000 2000\nffffffff81d00040 1260\n",
		      10);
	after = pair(&symbols,
		     "ffffffff81000010 555\nffffffff81d00000 1640\n"
		     "ffffffff81e00008 2000\n",
		     "ffffffff81000010 555\nffffffff81d00000 3280\n"
		     "ffffffff81e00008 4000\n",
		     10);
	assert_int_equal(before.count, 1);
	assert_true(fabs(before.total - 163) < 1e-9);
	assert_true(fabs(insn_of(&after, "nft_do_chain") - 200) < 1e-9);
	assert_int_equal(profile_difference(&before, &after, &difference), 0);
	for (size_t i = 0; i < difference.count; i++)
		sum += difference.rows[i].insn;
	assert_true(fabs(sum - (after.total - before.total)) < 1e-9);
	assert_true(fabs(difference.total - sum) < 1e-9);
	assert_string_equal(difference.rows[0].name, "nft_do_chain");
	assert_true(fabs(insn_of(&difference, "__dev_queue_xmit") - 1) < 1e-9);
	profile_free(&difference);
	profile_free(&before);
	profile_free(&after);
	symbols_free(&symbols);
}

static void a_torn_file_is_an_error(void **state)
{
	struct profile profile = { 0 };
	struct symbols symbols;
	static const char text[] = "ffffffff81d00000 10\nffffffff81d0 x\n";
	FILE *file = fmemopen((void *)text, strlen(text), "r");

	(void)state;
	make_symbols(&symbols);
	assert_int_equal(profile_add(&profile, &symbols, file, 1), -EINVAL);
	fclose(file);
	profile_free(&profile);
	symbols_free(&symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_functions),
		cmocka_unit_test(differences_add_up),
		cmocka_unit_test(a_torn_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

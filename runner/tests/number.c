// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "runner/cleanup.h"
#include "runner/number.h"

static void numbers_are_as_sharp_as_they_are_known(void **state)
{
	static const struct {
		struct interval interval;
		const char *value;
		const char *bracket;
	} rows[] = {
		{ { 23.14, 20.6, 25.6 }, "23.1", "[20.6..25.6]" },
		{ { 224.3, 219.6, 227.4 }, "224", "[220..227]" },
		{ { 24312.4, 23962, 24662 }, "24,310", "[23,960..24,660]" },
		{ { 1352123, 1340123, 1364123 },
		  "1,352,000",
		  "[1,340,000..1,364,000]" },
		{ { -0.04, -3.4, 1.1 }, "0.0", "[-3.4..1.1]" },
		{ { -1234.5, -1240, -1229 }, "-1,234", "[-1,240..-1,229]" },
		{ { 0.0512, 0.0509, 0.0515 }, "0.051", "[0.051..0.051]" },
		{ { 2962, 2962, 2962 }, "2,962", "[2,962..2,962]" },
		{ { 141.25, 141.25, 141.25 }, "141.25", "[141.25..141.25]" },
		{ { 123456, NAN, NAN }, "123,000", "unknown" },
		{ { NAN, NAN, NAN }, "-", "" },
		{ { 999999.6, 999991, 1000009 },
		  "1,000,000",
		  "[999,991..1,000,009]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct interval *interval = &rows[i].interval;

		assert_string_equal(number_median(interval, false).text,
				    rows[i].value);
		assert_string_equal(number_bracket(interval, false).text,
				    rows[i].bracket);
	}
	assert_string_equal(number_whole(0).text, "0");
	assert_string_equal(number_whole(999).text, "999");
	assert_string_equal(number_whole(1000).text, "1,000");
	assert_string_equal(number_whole(UINT64_MAX).text,
			    "18,446,744,073,709,551,615");
	assert_string_equal(number_data(1.25, 4).text, "1.2500");
	assert_string_equal(number_data(INFINITY, 4).text, "NaN");
}

static void decimal_comma_changes_nothing(void **state)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8",
					     "fr_FR.UTF-8", "fr_FR.utf8",
					     "de_DE",	    "sv_SE.utf8" };
	struct number number;
	bool found = false;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !found; i++)
		found = setlocale(LC_NUMERIC, names[i]);
	if (!found) {
		print_message("no locale with a decimal comma here\n");
		skip();
	}
	number = number_data(1.5, 2);
	setlocale(LC_NUMERIC, "C");
	assert_string_equal(number.text, "1.50");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_sharp_as_they_are_known),
		cmocka_unit_test(decimal_comma_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner/number.h"

/* printf() takes the decimal point from the locale; this is in "C". */
static void print_fixed(struct number *number, double value, int decimals)
{
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));

	snprintf(number->text, sizeof(number->text), "%.*f", decimals, value);
	uselocale(before);
}

struct number number_data(double value, int decimals)
{
	struct number number = { "NaN" };

	if (isfinite(value))
		print_fixed(&number, value, decimals);
	return number;
}

struct number number_known(int64_t value)
{
	struct number number = { "NaN" };

	if (value >= 0)
		snprintf(number.text, sizeof(number.text), "%" PRId64, value);
	return number;
}

/* Puts a comma before every third digit of the whole part, from its end. */
static void separate(struct number *number)
{
	char plain[sizeof(number->text)];
	size_t start, digits;
	char *out = number->text;

	memcpy(plain, number->text, sizeof(plain));
	start = strspn(plain, "-");
	digits = strspn(plain + start, "0123456789");
	if (strlen(plain) + digits / 3 >= sizeof(plain))
		return;
	for (size_t i = 0; plain[i]; i++) {
		size_t left = start + digits - i;

		if (i > start && i < start + digits && left % 3 == 0)
			*out++ = ',';
		*out++ = plain[i];
	}
	*out = '\0';
}

struct number number_whole(uint64_t value)
{
	struct number number;

	snprintf(number.text, sizeof(number.text), "%" PRIu64, value);
	separate(&number);
	return number;
}

struct number number_rounded(double value, double place)
{
	struct number number = { "-" };
	int decimals = place < 1 ? lrint(-log10(place)) : 0;

	if (!isfinite(value))
		return number;
	if (place > 1)
		value = rint(value / place) * place;
	/* no "-0.0" */
	if (fabs(value) < place / 2)
		value = 0;
	print_fixed(&number, value, decimals);
	separate(&number);
	return number;
}

struct number number_signed(double value, double place)
{
	struct number number = number_rounded(value, place);
	size_t len = strlen(number.text);

	if (value < place / 2 || !isfinite(value) ||
	    len + 1 >= sizeof(number.text))
		return number;
	memmove(number.text + 1, number.text, len + 1);
	number.text[0] = '+';
	return number;
}

/* To which instructions a packet are worth printing. */
#define EXACT_PLACE 0.01

double number_place(const struct interval *interval)
{
	double half = interval_half(interval);
	double lowest = 0.001, power, place;

	if (isnan(interval->value))
		return 1;
	/* A fit leaves rounding errors where there is nothing else. */
	if (half <= 1e-9 * fabs(interval->value)) {
		double whole = rint(interval->value * 100) / 100;

		return whole == rint(whole) ? 1 : 0.01;
	}
	if (isnan(half)) {
		if (interval->value == 0)
			return 1;
		place = pow(10, floor(log10(fabs(interval->value))) - 2);
	} else {
		power = pow(10, floor(log10(half)));
		place = half / power < 3.55 ? power / 10 : power;
	}
	return fmax(place, lowest);
}

struct number number_median(const struct interval *interval, bool exact)
{
	double place = exact ? EXACT_PLACE : number_place(interval);

	return number_rounded(interval->value, place);
}

struct number number_bracket(const struct interval *interval, bool exact)
{
	double place = number_place(interval);
	struct number number = { "" };

	if (isnan(interval->value) || (exact && interval->lo == interval->hi))
		return number;
	if (isnan(interval->lo))
		return (struct number){ "unknown" };
	snprintf(number.text, sizeof(number.text), "[%.21s..%.21s]",
		 number_rounded(interval->lo, place).text,
		 number_rounded(interval->hi, place).text);
	return number;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as text, with a decimal point in every locale.
 */
#pragma once

#include <stdint.h>

#include "runner/stats.h"

/* Returned by value, so that a call can be an argument of printf(). */
struct number {
	char text[48];
};

/* For files: a fixed number of decimals, or NaN. */
struct number number_data(double value, int decimals);

/* For files: a count of ns or bytes, or NaN where it is negative. */
struct number number_known(int64_t value);

/* For people: thousands separators. */
struct number number_whole(uint64_t value);

/*
 * For people: rounded to a multiple of `place`, a power of ten, which also
 * says how many decimals there are; "-" for NaN.
 */
struct number number_rounded(double value, double place);

/* The same with a plus sign where it is one: for differences. */
struct number number_signed(double value, double place);

/*
 * The place to which an interval's numbers are worth printing.  The Particle
 * Data Group's rule: of the half width, two digits if they are 10 to 35, else
 * one.  Without an interval three digits of the value; of an exact value all,
 * to a hundredth.
 */
double number_place(const struct interval *interval);

/*
 * The value of an interval, to its place; or to a hundredth, where the clock
 * counts instructions and all digits are the same on every machine.
 */
struct number number_median(const struct interval *interval, bool exact);

/*
 * "[20.6..25.6]", to its place; "unknown" for a value without an interval.
 * Nothing without a value, nor, if `exact`, where the value is all there is.
 */
struct number number_bracket(const struct interval *interval, bool exact);

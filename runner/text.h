/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading values that a person typed: all of the text or nothing, and never
 * depending on the locale.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * A decimal number from min to max; with `suffixes`, k and M multiply by a
 * thousand and a million.  0, -EINVAL (not a number, trailing text) or
 * -ERANGE; says nothing.
 */
int text_number(const char *text, uint64_t min, uint64_t max, int suffixes,
		uint64_t *value);

/* A plain decimal fraction such as 2.5, from min to max; likewise. */
int text_fraction(const char *text, double min, double max, double *value);

/*
 * The name that `text` was most likely meant to be (edit distance), or NULL
 * if none comes near.  names is closed by NULL.
 */
const char *text_nearest(const char *text, const char *const *names);

/* Calls fn for each part of a list "a,b,c"; stops at the first error. */
int text_each(const char *list, int (*fn)(const char *part, void *arg),
	      void *arg);

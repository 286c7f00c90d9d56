/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parsers of the options have in common: values that are checked
 * whole, and errors that name the option, the value and what it could be.
 */
#pragma once

#include <stdint.h>

/* -EINVAL, after saying that there is no such `what`, and the nearest one. */
int option_bad_name(const char *option, const char *value, const char *what,
		    const char *const *known);

/* -EINVAL, after saying what text_number() or text_fraction() found wrong. */
int option_bad_number(const char *option, const char *value, int err,
		      const char *range);

/* text_number() with its error said; 0 or -EINVAL. */
int option_number(const char *option, const char *value, uint64_t min,
		  uint64_t max, int suffixes, uint64_t *out);

/* The index of the name in `known`, which NULL ends; 0 or -EINVAL, said. */
int option_name(const char *option, const char *value, const char *what,
		const char *const *known, unsigned int *index);

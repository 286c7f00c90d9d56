/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes rules as a list that list_read() takes.
 */
#pragma once

#include <stdio.h>

#include "runner/rules.h"

enum list_form {
	LIST_NORMALISED, /* different prefixes, sorted */
	LIST_MAXIMAL,	 /* those of them that are in no other */
	LIST_AGGREGATED, /* the fewest prefixes for the same addresses */
	LIST_INTERVALS,	 /* FIRST-LAST */
	LIST_FORM_COUNT,
};

/* The form of a name, or LIST_FORM_COUNT. */
enum list_form list_form_find(const char *name);
const char *list_form_name(enum list_form form);

/* 0, or a negative errno after saying why. */
int list_write(const struct rules *rules, enum list_form form, FILE *out);

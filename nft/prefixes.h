/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mechanisms that refuse overlaps or duplicates need to know of the list.
 */
#pragma once

#include "runner/rules.h"

/*
 * A sorted copy of the list without the prefixes that lie inside others and
 * without duplicates; nothing is merged.  The caller frees outer->prefixes.
 * 0 or -ENOMEM; says nothing.
 */
int prefixes_outer(const struct rules *rules, struct rules *outer);

/* How many different prefixes the list has; 0 when out of memory. */
size_t prefixes_distinct(const struct rules *rules);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list in the order of addresses, for mechanisms that refuse overlaps,
 * leave out duplicates, or are filled faster so.
 */
#pragma once

#include "runner/rules.h"

/*
 * A sorted copy of the list, whose prefixes the caller frees.  0 or -ENOMEM,
 * said.
 */
int rules_sorted_copy(const struct rules *rules, struct rules *copy);

/* How many different prefixes the list has; 0 when out of memory. */
size_t rules_distinct(const struct rules *rules);

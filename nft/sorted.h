/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list in the order of addresses, for mechanisms that refuse overlaps or
 * leave out duplicates.
 */
#pragma once

#include "runner/rules.h"

/*
 * A sorted copy of the list, whose prefixes the caller frees.  0 or -ENOMEM,
 * said.
 */
int sorted_copy(const struct rules *rules, struct rules *copy);

/* How many different prefixes the list has; 0 when out of memory. */
size_t sorted_distinct(const struct rules *rules);

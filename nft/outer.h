/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prefixes that lie in no other one: what an interval set can hold.
 */
#pragma once

#include "runner/rules.h"

/*
 * A sorted copy of the list without the prefixes that lie inside others and
 * without duplicates; nothing is merged.  The caller frees outer->prefixes.
 * 0 or -ENOMEM; says nothing.
 */
int outer_build(const struct rules *rules, struct rules *outer);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rules mean, in user space: the reference that every mechanism's
 * verdicts are held against.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/prefixes.h"
#include "runner/rules.h"

/* Disjoint, ascending, with at least one address between two. */
struct rules_model {
	struct range *ranges;
	size_t count;
};

/* 0 or -ENOMEM; the model is independent of the rules afterwards. */
int rules_model_build(const struct rules *rules, struct rules_model *out);
void rules_model_free(struct rules_model *model);

/* Whether a rule holds the address; binary search. */
bool rules_match(const struct rules_model *model, addr_t addr);

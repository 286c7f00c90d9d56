/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <jansson.h>
#include <math.h>

#include "runner/stats.h"

/* JSON knows no NaN. */
static inline json_t *number_pack(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static inline json_t *interval_pack(const struct interval *interval)
{
	return json_pack(
		"{s:o, s:o, s:o}", "value", number_pack(interval->value), "lo",
		number_pack(interval->lo), "hi", number_pack(interval->hi));
}

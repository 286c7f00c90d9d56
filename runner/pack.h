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

/* A count of ns or bytes, which is not known where negative. */
static inline json_t *known_pack(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static inline json_t *interval_pack(const struct interval *interval)
{
	return json_pack(
		"{s:o, s:o, s:o}", "value", number_pack(interval->value), "lo",
		number_pack(interval->lo), "hi", number_pack(interval->hi));
}

/* Adds what is known of a filter's set-up.  0, or -1 after dropping item. */
static inline int setup_merge(json_t *item, const struct result_setup *setup)
{
	json_t *facts =
		json_pack("{s:o, s:o, s:o, s:o, s:s?, s:o}", "setup_ns",
			  known_pack(setup->install_ns), "add_ns",
			  known_pack(setup->add_ns), "remove_ns",
			  known_pack(setup->remove_ns), "kernel_bytes",
			  known_pack(setup->kernel_bytes), "kernel_bytes_from",
			  *setup->bytes_from ? setup->bytes_from : NULL,
			  "grown_bytes", known_pack(setup->grown_bytes));
	int err = json_object_update(item, facts);

	json_decref(facts);
	if (err)
		json_decref(item);
	return err;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the packets of a cell go.
 */
#pragma once

#include "runner/options.h"
#include "runner/rules.h"
#include "runner/traffic.h"

/*
 * options->flows destinations for a cell with these rules, chosen by
 * options->match: misses are consecutive addresses from miss_base on; hits
 * of one rule are consecutive addresses of its prefix (fewer than flows if it
 * is small); random ones are drawn from the seed.  Without rules all miss.
 * *targets is the caller's to free.  0 or -ENOMEM, said.
 */
int targets_build(const struct options *options, const struct rules *rules,
		  uint32_t miss_base, struct target **targets, size_t *count);

/* How many of the first `packets` packets sent to the targets in turn match. */
uint64_t targets_matching(const struct target *targets, size_t count,
			  uint64_t packets);

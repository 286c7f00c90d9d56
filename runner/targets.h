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

/*
 * The destinations of a capture's packets, in their order, judged by the
 * reference model of the rules.  Otherwise the same.
 */
int targets_of_capture(const struct capture *capture, const struct rules *rules,
		       struct target **targets);

/* How many of the targets a rule matches. */
size_t targets_count_matching(const struct target *targets, size_t count);

/*
 * How many of the packets first..first+packets-1 match, where packet n goes
 * to targets[n mod count], of which `matching` match.
 */
uint64_t targets_matching(const struct target *targets, size_t count,
			  size_t matching, uint64_t first, uint64_t packets);

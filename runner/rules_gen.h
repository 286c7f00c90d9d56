/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes deny-lists from a seed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/rules.h"
#include "runner/rules_space.h"

/* Used when nothing else is asked. */
#define PREFIX_MIX_DEFAULT  "24:0.9,16:0.1"
#define PREFIX_MIX_DEFAULT6 "48:0.5,64:0.5"

static inline const char *rules_mix_default(enum family family)
{
	return family == FAMILY_IPV6 ? PREFIX_MIX_DEFAULT6 : PREFIX_MIX_DEFAULT;
}

/* Of IPv4 a /1 always covers a special range; of IPv6 as many will do. */
#define PREFIX_LENGTHS_MAX 31

struct prefix_mix {
	double weight[LENS]; /* by prefix length; relative, [0] is unused */
	bool each_first;     /* the list opens with one prefix of each length */
};

struct rules_spec {
	uint64_t seed;
	enum family family;
	struct prefix_mix mix;
	bool nested; /* about half of what can lie inside another prefix does;
			otherwise no two share an address */
};

/*
 * Reads "LEN:WEIGHT,..." with lengths 1 to 32 or 128, each once; ":WEIGHT" may
 * be left out and is 1 then.  0, or -EINVAL after saying what is wrong.
 */
int rules_mix_parse(const char *text, enum family family,
		    struct prefix_mix *mix);

/*
 * A mix of that many different lengths in equal parts, spread around /24 or
 * /64.  A list of at least that many prefixes has all of them.  0, or -EINVAL
 * after saying the limit.
 */
int rules_mix_lengths(size_t lengths, enum family family,
		      struct prefix_mix *mix);

/*
 * Draws count different prefixes.  A longer list of the same spec begins with
 * the shorter one, and the list is the same on every machine.  No prefix covers
 * an address that the traffic uses (runner/traffic.h), and none is outside
 * 1.0.0.0 to 223.255.255.255 without 127/8, or 2000::/3.  When a length has no
 * free prefix left the others take its place, with a warning.  0, -ENOSPC when
 * the space is used up before the list is full (the message says where),
 * -EINVAL for an empty mix, -ENOMEM. Free with rules_free().
 */
int rules_generate(const struct rules_spec *spec, size_t count,
		   struct rules *out);

void rules_free(struct rules *rules);

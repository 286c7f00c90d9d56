/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The socket options by which the tables of a family are read and changed
 * (net/ipv4/netfilter/ip_tables.c and its twin of IPv6).  All give 0 or a
 * negative errno, and say nothing.
 */
#pragma once

#include "nft/xtables.h"

/* A raw socket, or a negative errno. */
int door_open(enum family family);

/* The kernel's option for all of them. */
const char *door_option(enum family family);

/* Of the table info->name. */
int door_info(const struct xtables *xt, struct ipt_getinfo *info);

/* entries->name and entries->size say which table, and how large it is. */
int door_entries(const struct xtables *xt, struct ipt_get_entries *entries);

/* The kernel writes the counters of the old entries to replace->counters. */
int door_replace(const struct xtables *xt, const struct ipt_replace *replace);

int door_add_counters(const struct xtables *xt,
		      const struct xt_counters_info *counters);

/*
 * The newest revision of a match that the kernel has and that is not above
 * `newest`; -ENOENT if there is none down to 1.  Says nothing.
 */
int door_match_revision(const struct xtables *xt, const char *match,
			int newest);

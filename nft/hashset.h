/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of ipset, type hash:net, over its own netlink messages.
 */
#pragma once

#include <linux/netfilter/ipset/ip_set.h>

#include "runner/netlink.h"
#include "runner/rules.h"

struct hashset {
	struct mnl_socket *nl; /* of the namespace where it was made, or NULL */
	char name[IPSET_MAXNAMELEN]; /* unique among those of this process */
	uint8_t family;		     /* NFPROTO_ */
	bool made;
};

/*
 * Makes a set that holds the prefixes.  0; -EOPNOTSUPP if the kernel has no
 * such sets; another negative errno; said, with `who` for the mechanism.
 * All or nothing.
 */
int hashset_make(struct hashset *set, const char *who,
		 const struct rules *rules);

/* Adds one prefix more; 0 or a negative errno, said. */
int hashset_add(struct hashset *set, const char *who,
		const struct prefix *prefix);

/*
 * What the set takes by ipset's own figure, a 32-bit number: -EOVERFLOW when
 * it cannot be right.  0 or a negative errno.
 */
int hashset_memory(const struct hashset *set, const char *who, uint64_t *bytes);

/* By which number the matches know the set; 0 or a negative errno, said. */
int hashset_index(const struct hashset *set, const char *who,
		  ip_set_id_t *index);

/*
 * Removes the set, which no rule may use any more.  Cannot fail, harmless on
 * zeroed state.
 */
void hashset_destroy(struct hashset *set);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mechanism: what a file in bpf/ or nft/ implements.  It works on lo of the
 * current network namespace, accepts by default, and its rules drop.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runner/hook.h"
#include "runner/rules.h"

/* Where to attach. */
struct site {
	unsigned int ifindex; /* of lo in the current namespace */
	enum hook hook;
	enum family family; /* of the packets that are judged */
};

/* Rules for which attach() leaves room on top, for add(). */
#define FILTER_SPARE 5

struct filter {
	const char *name;    /* as on the command line and in the files */
	const char *about;   /* one line for `hookcost list` */
	const char *judge;   /* kernel function that takes the verdict */
	enum hook hook;	     /* the default one */
	unsigned int hooks;  /* HOOK_BIT()s of all that it can */
	bool ipv6;	     /* can do IPv6 as well as IPv4 */
	bool linear;	     /* the cost grows with the number of rules */
	size_t max_rules;    /* known limit of the kernel, 0 for none */
	size_t state_size;   /* private state, zeroed by the runner */
	uint32_t rule_bytes; /* kernel memory of a rule, about, in large sets */

	/*
	 * All or nothing: on an error the kernel is as it was before the call.
	 * -EOPNOTSUPP after naming what the kernel lacks and the remedy (this
	 * is how `hookcost check` finds out), another errno after saying what
	 * failed.
	 */
	int (*attach)(void *state, const struct site *site,
		      const struct rules *rules);

	/*
	 * Packets that the rules have dropped since attach, by the mechanism's
	 * own counters.  Called between slices, never inside one.
	 */
	int (*read)(void *state, uint64_t *dropped);

	/*
	 * Adds one rule more in the way that a user of the mechanism does; the
	 * prefix is not in the rules.  Called FILTER_SPARE times at most.
	 */
	int (*add)(void *state, const struct prefix *prefix);

	/*
	 * Kernel memory that the rules take, in bytes, by the mechanism's own
	 * figure; NULL where it has none.
	 */
	int (*memory)(void *state, uint64_t *bytes);

	/* Cannot fail; harmless on zeroed state and when called again. */
	void (*detach)(void *state);
};

/*
 * A sink is a filter without rules that swallows whatever reaches it, right
 * after the hook; its read() gives how many.  A swallowed packet counts as
 * sent, so that it cannot be taken for one that the filter dropped.
 */

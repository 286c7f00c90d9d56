/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clsact qdisc, whose egress and ingress hooks all tc classifiers share
 * (net/sched/sch_ingress.c), and BPF classifiers on it.
 */
#pragma once

#include <stdbool.h>

#include "runner/filter.h"

/* Order in which the hook runs its classifiers. */
#define CLSACT_PRIO_FILTER 1
#define CLSACT_PRIO_SINK   0xfff0

struct clsact {
	unsigned int ifindex;
	bool made; /* by us, so that it is ours to delete */
};

/* Handle of the hook's side of clsact: the parent of its classifiers. */
uint32_t clsact_parent(enum hook hook);

/*
 * Makes sure that the device has a clsact qdisc.  One that is there already
 * is used and left alone later.  -EOPNOTSUPP after naming what is missing.
 */
int clsact_open(struct clsact *clsact, const struct site *site);

/* Removes the qdisc, and all classifiers with it, if clsact_open() made it. */
void clsact_close(struct clsact *clsact);

/* A direct-action BPF classifier on clsact. */
struct clsact_bpf {
	struct clsact clsact;
	struct site site;
	unsigned int prio;
};

/*
 * Attaches the program, with a clsact where there is none; all or nothing.
 * 0 or a negative errno, said with `who` in front.
 */
int clsact_bpf_attach(struct clsact_bpf *bpf, const struct site *site,
		      int prog_fd, unsigned int prio, const char *who);

/* Harmless on zeroed state. */
void clsact_bpf_detach(struct clsact_bpf *bpf);

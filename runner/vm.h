/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measurement of `run` inside guests: every cell of every kernel's plan is
 * a boot, or with the time clock every kernel is one.
 */
#pragma once

#include "runner/guest_qemu.h"
#include "runner/plan.h"

#define VM_MAX_KERNELS 16

struct vm_options {
	const char *specs[VM_MAX_KERNELS + 1];
	size_t spec_count; /* 0: one that apt has */
	const char *modules;
	enum guest_clock clock;
	const char *out;	 /* NULL: a new directory by date */
	bool explain;		 /* by which functions, too */
	unsigned int jobs;	 /* guests at a time, 0: as many as fit */
	unsigned int patience_s; /* CPU time without a word from a guest */
	int argc;		 /* the command line, for the record */
	char **argv;
};

/*
 * Measures, leaves a results directory for each kernel, and shows the table.
 * 0; -EOPNOTSUPP if this machine or all kernels cannot, -EINTR after a signal
 * (what was measured is saved), -EIO if a guest failed, or another negative
 * errno; all said.
 */
int vm_measure(const struct vm_options *options, const struct plan *plan);

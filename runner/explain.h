/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `hookcost vm --explain`: which functions of the kernel a packet's
 * instructions are spent in.  Each cell is booted twice more under a plugin
 * that counts from a slice's begin to its end, with slices of N and of 2N
 * packets, so that the difference of the counts belongs to the packets alone.
 */
#pragma once

#include "runner/guest_qemu.h"
#include "runner/plan.h"

struct explain_kernel {
	const struct guest_setup *setup; /* as for the measurement */
	const char *dir;		 /* of the results */
};

/*
 * Writes explain-CELL.tsv and explain-CELL.folded into each directory and shows
 * on stdout each cell, and what the kernels differ in, or with a single one
 * what the filter adds to its baseline.  `width` guests at a time.  A cell that
 * fails is named, the others go on.  0, also after a warning that this QEMU
 * takes no plugins or a kernel lacks a filter; or a negative errno, said.
 */
int explain_cells(const struct explain_kernel *kernels, size_t count,
		  const struct plan *plan, unsigned int width,
		  const char *qemu_version);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts what the guests of one kernel send into one results directory, as if
 * it had been a single run.
 */
#pragma once

#include "runner/guest_qemu.h"
#include "runner/journal.h"

struct guest_collect {
	struct journal journal;
	const struct plan *plan;
	const char *title;  /* of the kernel, in messages */
	struct cell *cells; /* only what the journal writes is filled */
	bool has_machine;
};

/* One boot's part. */
struct guest_part {
	struct guest_collect *collect;
	long cell;	 /* the only one that it measures, -1: all */
	size_t guest_id; /* its number in the guest */
	bool heard;	 /* the guest has said what became of it */
};

/*
 * Makes the directory and describes the run: options, command line, kernel,
 * QEMU and its clock.  0 or a negative errno, said.
 */
int guest_collect_open(struct guest_collect *collect, const char *dir,
		       const struct plan *plan, int argc, char **argv,
		       const struct guest_setup *setup, const char *qemu);

/* For struct guest_task; context is a struct guest_part. */
int guest_collect_line(void *context, const char *line);
int guest_collect_done(void *context, int err, const char *reason);

/*
 * Says how the run ended (0 or a negative errno), and sorts the samples, which
 * have come as the guests ran, so that equal runs leave equal files.  0 or a
 * negative errno, said.
 */
int guest_collect_close(struct guest_collect *collect, int how);

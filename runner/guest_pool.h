/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many boots, some at a time.  They know nothing of each other; one that
 * fails leaves the others as they are.
 */
#pragma once

#include "runner/guest_qemu.h"

struct guest_task {
	const struct guest_setup *setup;
	const char *const *words;
	const char *log_path; /* for the console, or NULL */

	/* its lines, and that it has ended: err as from guest_poll() */
	int (*line)(void *context, const char *line);
	int (*done)(void *context, int err, const char *reason);
	void *context;
};

/*
 * How many guests run at a time: one a CPU that we may use, as far as the
 * memory goes.
 */
unsigned int guest_pool_width(unsigned int memory_mb);

/*
 * Boots all, in order, `width` at a time.  0 when all have ended, well or not;
 * -EINTR after a signal, or what line() or done() returned: then all that ran
 * are ended, and done() is not called for them.
 */
int guest_pool_run(const struct guest_task *tasks, size_t count,
		   unsigned int width);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other programs: started without a shell, never outliving us.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
	const char *const *argv; /* argv[0] is looked up in PATH */
	const char *dir;	 /* to start in, NULL: ours */
	int in, out, err;	 /* its 0, 1 and 2; -1: /dev/null */
	const int *keep;	 /* descriptors that it inherits as well */
	size_t keep_count;
};

/*
 * Starts it in a process group of its own, so that Ctrl-C reaches only us; it
 * is killed by the kernel when we die.  Returns the pid, or a negative errno
 * without a word (-ENOENT: there is no such program).
 */
pid_t process_start(const struct process *process);

/*
 * Starts it and waits.  *status is what it exited with, or 128 + the signal
 * that ended it.  0; -EINTR after a signal, with the process killed; or
 * another negative errno; says nothing.
 */
int process_run(const struct process *process, int *status);

/* Ends it at once and collects it; harmless for pid <= 0. */
void process_kill(pid_t pid);

/*
 * From here on SIGINT, SIGTERM, SIGHUP and SIGCHLD wait to be asked for, so
 * that whatever is under way can be undone first.
 */
void process_block_signals(void);

/* Whether one of the first three has come; it stays pending. */
bool process_interrupted(void);

/* Sleeps until a signal comes or milliseconds have passed. */
void process_nap(unsigned int milliseconds);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This program as the init of a guest.
 */
#pragma once

#include <stdbool.h>

/*
 * What the guest is booted for.  argv are the words of the plan; lines written
 * to the descriptor, which it closes, reach the host as they are.  Returns an
 * exit status; what failed is said.
 */
typedef int guest_job(int argc, char **argv, int out_fd);

/* A plan of this word alone: the guest answers, and that is all. */
#define GUEST_PROBE "probe"

/* Whether we are the first process of a guest that this program has booted. */
bool guest_init_wanted(void);

/* Mounts, loads modules, does the job, and powers off; does not return. */
int guest_init(guest_job *job) __attribute__((noreturn));

/*
 * What guest_init() says on the port beside the job's lines.  LOG is why
 * something failed, END the last line of all, with the exit status.
 */
#define GUEST_SAYS_STAGE "stage "
#define GUEST_SAYS_LOG	 "log "
#define GUEST_SAYS_END	 "end "

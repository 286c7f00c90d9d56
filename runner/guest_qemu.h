/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One boot of a guest: QEMU is started, its console is kept, and the lines
 * that the guest sends are handed on as they come.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runner/guest_image.h"
#include "runner/guest_kernel.h"

enum guest_clock {
	GUEST_INSTRUCTIONS, /* emulated; 1 ns of the guest is 1 instruction */
	GUEST_TIME,	    /* KVM */
};

/* What all boots of a kernel have in common. */
struct guest_setup {
	const struct guest_kernel *kernel;
	const struct guest_image *image;
	enum guest_clock clock;
	const char *modules_absent; /* for the record */
	unsigned int memory_mb;
	unsigned int patience_s; /* CPU time without a word from the guest */
	const char *plugin;	 /* QEMU's -plugin argument, or NULL */
	int plugin_fds[2];	 /* inherited when there is a plugin */
};

struct guest {
	const struct guest_setup *setup;
	pid_t pid;
	int console, port; /* in memory; QEMU writes, we read */
	int log;	   /* where the console is copied to */
	off_t console_at, port_at;
	char *line; /* of the port, as far as it has come */
	size_t line_bytes, line_room;
	char tail[2048]; /* of the console */
	size_t tail_bytes;
	uint64_t word_wall_ns, word_cpu_ns; /* at the last progress */
	bool ended;			    /* the guest said so */
	int status;			    /* and with which exit status */
	char reason[768];		    /* why it failed, if known */
};

/* Gets each line of the job's; a negative errno ends the guest. */
typedef int guest_line(void *context, const char *line);

/*
 * Boots a guest with the words of its plan.  The console is written to log, an
 * open descriptor, or -1.  0 or a negative errno, said; -EOPNOTSUPP if there
 * is no QEMU.
 */
int guest_boot(struct guest *guest, const struct guest_setup *setup,
	       const char *const *words, int log);

/*
 * Hands on what has come.  1: goes on.  0: it has done its job.  Else a
 * negative errno, and guest->reason says why: -EOPNOTSUPP if the job said that
 * the guest's kernel cannot, or what line() returned, with an empty reason.
 */
int guest_poll(struct guest *guest, guest_line *line, void *context);

/* Ends QEMU where it runs still; harmless on zeroed memory. */
void guest_end(struct guest *guest);

/*
 * The version of QEMU, such as "7.2.22", or -EOPNOTSUPP after saying that it
 * is missing.
 */
int guest_qemu_version(char *version, size_t size);

/* Whether this QEMU was built with plugins; false also if it does not start. */
bool guest_qemu_has_plugins(void);

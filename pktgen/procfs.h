/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and writing pktgen's files, nothing more.  A directory that was
 * opened in a network namespace keeps to that namespace's files, whatever the
 * thread enters later.
 */
#pragma once

#include <stddef.h>

/*
 * Follows the thread, while /proc/net follows the first thread of the
 * process.
 */
#define PROCFS_ROOT "/proc/thread-self/net/pktgen"

/* A file of pktgen is some 1.3 kB; this leaves room for new lines. */
#define PROCFS_TEXT_BYTES 4096

/* A descriptor of the directory, or a negative errno; says nothing. */
int procfs_open(const char *root);

/*
 * Writes a line, without its line end, to a file.  0 or the negative errno
 * that pktgen gave; says nothing.  For "start" it returns when the run is
 * over.
 */
int procfs_write(int dir, const char *file, const char *line);

/*
 * Reads a whole file as a string.  0, a negative errno, or -EFBIG if it does
 * not fit; says nothing.
 */
int procfs_read(int dir, const char *file, char *text, size_t size);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes an archive in the format that the kernel unpacks at boot (cpio,
 * newc).  Nothing of the host gets in but names, modes and contents: inodes
 * count up, times are 0.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct guest_cpio {
	struct archive *archive;
	int64_t inode;
};

/* Begins an archive at the descriptor's position.  All: 0 or -errno, said. */
int guest_cpio_open(struct guest_cpio *cpio, int fd);

/* Begins an entry: a file of a size, a directory, or a device. */
int guest_cpio_header(struct guest_cpio *cpio, const char *name, mode_t mode,
		      size_t bytes, dev_t device);

/* A file with these contents. */
int guest_cpio_data(struct guest_cpio *cpio, const char *name, const void *data,
		    size_t bytes);

/* A file with the contents of another. */
int guest_cpio_file(struct guest_cpio *cpio, const char *name,
		    const char *path);

/* Ends the archive; returns err if that is one already. */
int guest_cpio_close(struct guest_cpio *cpio, int err);

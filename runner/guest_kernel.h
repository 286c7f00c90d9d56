/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which kernel a guest boots: from what the user wrote to an image and the
 * directory of its modules.
 */
#pragma once

#include <limits.h>

struct guest_kernel {
	char spec[256];		/* as the user wrote it */
	char release[128];	/* as `uname -r` will say */
	char image[PATH_MAX];	/* a bzImage */
	char modules[PATH_MAX]; /* holds its modules at any depth, or "" */
};

/*
 * Resolves a SPEC: an image, a kernel build tree, a .deb or .rpm file,
 * debian:VERSION (fetched through apt, not installed), or "host".
 * modules: where the modules are, NULL to look beside the image.
 * Packages are unpacked into the cache directory once.
 *
 * 0, or a negative errno, said: -ENOENT, -EINVAL (not such a kernel),
 * -EOPNOTSUPP (this machine has no apt), -EINTR after a signal.
 */
int guest_kernel_find(struct guest_kernel *kernel, const char *spec,
		      const char *modules);

/*
 * Reads release from the image and checks that it is a kernel for 64-bit x86.
 * 0 or a negative errno, said.
 */
int guest_kernel_read(struct guest_kernel *kernel);

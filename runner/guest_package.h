/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A distribution's kernel package: unpacked into the cache, never installed.
 */
#pragma once

#include "runner/guest_kernel.h"

/*
 * A .deb or .rpm file: fills image, release and modules.  0 or a negative
 * errno, said.
 */
int guest_package_open(struct guest_kernel *kernel, const char *path);

/*
 * The newest kernel of Debian's for virtual machines of a version as in "6.1",
 * among those that apt offers; fetched unless the cache has it.  The same
 * errors, and -EOPNOTSUPP where apt is missing.
 */
int guest_package_debian(struct guest_kernel *kernel, const char *version);

/*
 * Unpacks image, configuration and modules of a package file to a directory.
 * 0 or a negative errno, said; -EINTR after a signal.
 */
int guest_unpack(const char *package, const char *dir);

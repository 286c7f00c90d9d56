/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Debian's package manager offers; it is asked, and made to fetch, but
 * not to install.
 */
#pragma once

#include <stddef.h>

/*
 * The newest image package of a kernel version such as "6.12" that is built
 * for virtual machines, as PACKAGE=VERSION.  0; -EOPNOTSUPP without apt or
 * without such a package, -EINVAL for what is no version, all said.
 */
int guest_apt_newest(const char *version, char *package, size_t size);

/*
 * Fetches PACKAGE=VERSION to a directory and writes the file's path.  0 or a
 * negative errno, said; -EINTR after a signal.
 */
int guest_apt_fetch(const char *package, const char *dir, char *file,
		    size_t size);

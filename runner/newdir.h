/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories for results, which never overwrite any.
 */
#pragma once

/*
 * Makes a directory; one that is there already must be empty.  `option` is
 * what the user names another one with.  0 or a negative errno, said.
 */
int newdir_make(const char *dir, const char *option);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * `hookcost rules FILE`: reads a deny-list, reports what is in it, and writes
 * it back in another form.  Needs no privilege.  argv[0] is the command's own
 * name.  Returns the exit status: 0, 1 for a list that cannot be used, 2 for
 * bad usage.
 */
int cmd_rules(int argc, char **argv);

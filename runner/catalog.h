/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * `hookcost list`: the registry, a line each on stdout.  Returns an exit
 * status.
 */
int cmd_list(int argc, char **argv);

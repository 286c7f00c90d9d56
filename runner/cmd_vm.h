/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* `hookcost vm`; argv[0] is "vm".  Returns the exit status. */
int cmd_vm(int argc, char **argv);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * `hookcost check`: a line for every fact of the machine, source, filter and
 * sink on stdout, "yes" or "no: reason and remedy".  An exit status:
 * EXIT_CANNOT if nothing at all can be measured.
 */
int cmd_check(int argc, char **argv);

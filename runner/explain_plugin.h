/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * A descriptor of QEMU's plugin (runner/explain/counter.c), which is part of
 * this program, or a negative errno, said.
 */
int explain_plugin_open(void);

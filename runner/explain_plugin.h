/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/*
 * A descriptor of the plugin (runner/explain/counter.c), which is part of this
 * program, for a version of QEMU like "10.0.2".  A negative errno, said;
 * -EOPNOTSUPP if there is none for its interface.
 */
int explain_plugin_open(const char *qemu_version);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run asks of the process it runs in.
 */
#pragma once

/*
 * Stays on one CPU: `wanted`, or the last one that we may use where it is
 * negative.  The CPU, or a negative errno, said.
 */
int host_pin(int wanted);

/* Descriptors for many namespaces; locked memory for maps before Linux 5.11. */
void host_raise_limits(void);

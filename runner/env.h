/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the machine that numbers depend on.  What cannot be known is
 * "unknown", never guessed.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

/*
 * A new JSON object of facts, strings but for steal_percent: kernel, version,
 * cpu, cpus, memory_mb, virtual, governor, turbo, smt, jit, mitigations,
 * vulnerable, cmdline, clocksource.  Read it before entering a namespace: the
 * JIT's sysctl does not exist inside.  NULL when out of memory.
 */
json_t *env_machine(void);

/* Jiffies of /proc/stat, to tell what the hypervisor took in between. */
struct env_steal {
	uint64_t stolen, all;
};

void env_steal_read(struct env_steal *steal);

/* Per cent of the CPU time between the two, or -1 if unknown. */
double env_steal_percent(const struct env_steal *before,
			 const struct env_steal *after);

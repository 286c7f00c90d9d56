/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory as /proc/meminfo has it.
 */
#pragma once

#include <stdint.h>

/* What can still be used without swapping, in bytes; 0 if unknown. */
uint64_t memory_available(void);

/*
 * What the kernel itself uses, in bytes: slab, vmalloc and per-CPU memory.
 * The difference of two readings includes what others did in between.
 */
uint64_t memory_of_kernel(void);

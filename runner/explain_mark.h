/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a slice begins and ends, for a plugin that watches the guest: a "nop"
 * with an address in it that nobody else writes (opcode 0f 1f 84 00, then four
 * bytes; Intel's manual, volume 2, NOP).  On other machines it is nothing.
 */
#pragma once

#include <string.h>

#define EXPLAIN_MARK_BYTES 8
#define EXPLAIN_MARK_BEGIN "\x0f\x1f\x84\x00hk\x01("
#define EXPLAIN_MARK_END   "\x0f\x1f\x84\x00hk\x01)"

static inline void explain_mark_begin(void)
{
#ifdef __x86_64__
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0, 'h', 'k', 1, '('" ::
				 : "memory");
#endif
}

static inline void explain_mark_end(void)
{
#ifdef __x86_64__
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0, 'h', 'k', 1, ')'" ::
				 : "memory");
#endif
}

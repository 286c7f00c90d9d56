/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

/* In front of "ADDRESS NAME" in a stream (journal_open_stream). */
#define SYMBOLS_LINE "symbol "

/* Has JITed programs appear in kallsyms from now on; before they are loaded. */
void symbols_prepare(void);

/* Writes the functions of /proc/kallsyms, a line each; 0 or -errno, said. */
int symbols_send(FILE *out);

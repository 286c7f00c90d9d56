/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest's /proc/kallsyms: functions by address, those of modules and of
 * JITed BPF programs included.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t addr;
	char *name;
};

struct symbols {
	struct symbol *list; /* by address, after symbols_sort() */
	size_t count, room;
};

/* Takes "ADDRESS NAME"; 0, -EINVAL or -ENOMEM, silently. */
int symbols_add(struct symbols *symbols, const char *line);

void symbols_sort(struct symbols *symbols);

/*
 * The function that an address lies in: "[user]" below the kernel's half,
 * "[unknown]" before the first symbol.
 */
const char *symbols_name(const struct symbols *symbols, uint64_t addr);

void symbols_free(struct symbols *symbols);

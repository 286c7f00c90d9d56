// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/symbols.h"

#define KERNEL_HALF (UINT64_C(1) << 63)

int symbols_add(struct symbols *symbols, const char *line)
{
	char *end;
	uint64_t addr = strtoull(line, &end, 16);
	char *name;

	if (end == line || *end != ' ' || !end[1])
		return -EINVAL;
	if (symbols->count == symbols->room) {
		size_t room = symbols->room ? 2 * symbols->room : 65536;
		struct symbol *grown =
			reallocarray(symbols->list, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		symbols->list = grown;
		symbols->room = room;
	}
	name = strdup(end + 1);
	if (!name)
		return -ENOMEM;
	symbols->list[symbols->count++] = (struct symbol){ addr, name };
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

void symbols_sort(struct symbols *symbols)
{
	if (symbols->count)
		qsort(symbols->list, symbols->count, sizeof(*symbols->list),
		      by_addr);
}

const char *symbols_name(const struct symbols *symbols, uint64_t addr)
{
	size_t low = 0, high = symbols->count;

	if (addr < KERNEL_HALF)
		return "[user]";
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->list[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? symbols->list[low - 1].name : "[unknown]";
}

void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->list[i].name);
	free(hand_over(symbols->list, NULL));
	symbols->count = symbols->room = 0;
}

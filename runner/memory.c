// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/memory.h"

/* The sum of the lines with these names, which NULL ends. */
static uint64_t sum(const char *const *names)
{
	auto_file FILE *file = fopen("/proc/meminfo", "re");
	uint64_t bytes = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		for (size_t i = 0; names[i]; i++) {
			size_t len = strlen(names[i]);

			if (!strncmp(line, names[i], len) && line[len] == ':')
				bytes += strtoull(line + len + 1, NULL, 10) *
					 1024;
		}
	}
	return bytes;
}

uint64_t memory_available(void)
{
	static const char *const names[] = { "MemAvailable", NULL };

	return sum(names);
}

uint64_t memory_of_kernel(void)
{
	static const char *const names[] = { "Slab", "VmallocUsed", "Percpu",
					     NULL };

	return sum(names);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel modules that a guest loads: what all cells of a kernel need,
 * whatever their filter, so that they all boot alike.
 */
#pragma once

#include <stddef.h>

struct guest_module {
	char *name; /* with underscores */
	char *path; /* of the file, compressed or not */
};

struct guest_modules {
	struct guest_module *list; /* what a module needs comes before it */
	size_t count;
	char absent[1024]; /* names that were wanted and are nowhere */
};

/*
 * Finds the wanted modules and all that they depend on under a directory (""
 * for none).  What the kernel has built in is left out; what it does not have
 * is named in absent.  0 or a negative errno, said.
 */
int guest_modules_find(struct guest_modules *modules, const char *dir);

/* The same for a list of one's own, which ends with NULL. */
int guest_modules_find_these(struct guest_modules *modules, const char *dir,
			     const char *const *wanted);

/* Harmless on zeroed memory. */
void guest_modules_free(struct guest_modules *modules);

/*
 * The file, decompressed; the caller frees *data.  0 or a negative errno,
 * said.
 */
int guest_module_read(const struct guest_module *module, char **data,
		      size_t *size);

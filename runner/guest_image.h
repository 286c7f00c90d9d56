/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest boots into: an archive with this program as init, its shared
 * libraries and the kernel's modules, kept in memory and byte for byte the
 * same whenever it is made from the same files.
 */
#pragma once

#include <stddef.h>

#include "runner/guest_modules.h"

#define GUEST_INIT	  "init"
#define GUEST_PLAN	  "hookcost.plan"
#define GUEST_MODULE_DIR  "modules"
#define GUEST_MODULE_LIST "modules.list"
#define GUEST_LIST	  "list"    /* the user's deny-list */
#define GUEST_CAPTURE	  "capture" /* and packets */

/* The words for the guest, each with its NUL, then zeros. */
#define GUEST_PLAN_BYTES 65536

/*
 * How the kernel lays out its memory depends on the size of the archive and
 * moves results by hundredths of a per cent; so it comes in steps, and a few
 * changed bytes in a library or a module do not show.
 */
#define GUEST_IMAGE_STEP (8 << 20)

struct guest_image {
	int fd; /* all but the plan */
	size_t bytes;
};

/* A file of the host's that a guest needs. */
struct guest_file {
	const char *name; /* in the guest */
	const char *path; /* here; NULL ends a list */
};

/* files may be NULL.  0 or a negative errno, said. */
int guest_image_build(struct guest_image *image,
		      const struct guest_modules *modules,
		      const struct guest_file *files);
void guest_image_free(struct guest_image *image);

/*
 * The archive with the plan for one boot: words, which end with NULL.
 * Returns a descriptor of its own, or a negative errno, said.
 */
int guest_image_with_plan(const struct guest_image *image,
			  const char *const *words);

/*
 * The shared libraries of this process, and its dynamic loader: for each a
 * path, the list ends with NULL and is freed as one.  interpreter (size
 * PATH_MAX) is where the kernel looks for the loader, or "".  NULL without
 * memory.
 */
char **guest_libs_list(char *interpreter);

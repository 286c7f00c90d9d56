/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From text to a list, piece by piece; where the text comes from is in list.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "runner/list.h"

struct reading {
	const char *name; /* for messages */
	const struct list_options *options;
	struct list *list;
};

/*
 * Looks at the beginning of the file.  Returns how many bytes of a mark to
 * drop, or -EINVAL after refusing the file.
 */
int list_build_start(struct reading *reading, const char *text, size_t bytes);

/*
 * Takes the complete lines at the beginning of the text, where everything
 * before fresh has been searched for line ends already; is_all: the text ends
 * here, and so does its last line.  Returns the number of bytes used, or a
 * negative errno after saying why.
 */
ssize_t list_build_lines(struct reading *reading, const char *text,
			 size_t bytes, size_t fresh, bool is_all);

/* 0 if the list can be used, else -EINVAL after saying why not. */
int list_build_end(struct reading *reading);

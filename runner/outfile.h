/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is there as a whole or not at all: written under another name
 * beside it and renamed at the end.
 */
#pragma once

#include <stdio.h>

struct outfile {
	FILE *stream;
	char *path;
	char *temp;
};

/* 0, or a negative errno after saying why. */
int outfile_open(const char *dir, const char *name, struct outfile *file);

/*
 * Flushes, closes and renames.  Every error since the opening, a full disk
 * above all, is found here at the latest, is said, and leaves what was there
 * before.
 */
int outfile_commit(struct outfile *file);

/* Throws it away; harmless on zeroed memory and after a commit. */
void outfile_drop(struct outfile *file);

#define auto_outfile __attribute__((cleanup(outfile_drop)))

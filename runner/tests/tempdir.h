/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory for one test, and files in it.  Include after cmocka.h.
 */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/cleanup.h"

struct tempdir {
	char path[64];
};

static inline void tempdir_make(struct tempdir *dir)
{
	strcpy(dir->path, "/tmp/hookcost-test.XXXXXX");
	assert_non_null(mkdtemp(dir->path));
}

/* Removes it with the files in it; it has no directories in it. */
static inline void tempdir_remove(struct tempdir *dir)
{
	DIR *list = opendir(dir->path);
	struct dirent *entry;

	assert_non_null(list);
	while ((entry = readdir(list)))
		unlinkat(dirfd(list), entry->d_name, 0);
	closedir(list);
	assert_int_equal(rmdir(dir->path), 0);
}

static inline void tempdir_write(const struct tempdir *dir, const char *name,
				 const char *text)
{
	char path[320];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

/* The text of dir/name; the caller frees it. */
static inline char *read_text(const char *dir, const char *name)
{
	char path[320], *text;
	long size;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("%s cannot be opened", path);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	size = ftell(in);
	rewind(in);
	text = calloc(1, size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, size, in), size);
	fclose(in);
	return text;
}

static inline void tempdir_copy(const struct tempdir *dir, const char *from,
				const char *name)
{
	auto_mem char *text = read_text(from, name);

	tempdir_write(dir, name, text);
}

/* `text` with the first `old` replaced; the caller frees it. */
static inline char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	size_t head;
	char *result;

	if (!at)
		fail_msg("\"%s\" is not in the text", old);
	head = at - text;
	result = calloc(1, strlen(text) + strlen(new) + 1);
	assert_non_null(result);
	memcpy(result, text, head);
	strcat(result, new);
	strcat(result, text + head + strlen(old));
	return result;
}

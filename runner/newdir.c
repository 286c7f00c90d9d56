// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/log.h"
#include "runner/newdir.h"

static int is_empty(const char *dir)
{
	DIR *handle = opendir(dir);
	struct dirent *entry;
	int empty = 1;

	if (!handle)
		return -errno;
	while ((entry = readdir(handle)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			empty = 0;
	closedir(handle);
	return empty;
}

int newdir_make(const char *dir, const char *option)
{
	int empty;

	if (!mkdir(dir, 0777))
		return 0;
	if (errno != EEXIST)
		return log_err(-errno, "%s: %s", dir, strerror(errno));
	empty = is_empty(dir);
	if (empty < 0)
		return log_err(empty, "%s: %s", dir, strerror(-empty));
	if (!empty)
		return log_err(
			-EEXIST,
			"%s is not empty: name another directory with --%s, results are never overwritten",
			dir, option);
	return 0;
}

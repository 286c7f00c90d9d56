// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "pktgen/procfs.h"
#include "runner/cleanup.h"

int procfs_open(const char *root)
{
	int dir = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return dir < 0 ? -errno : dir;
}

int procfs_write(int dir, const char *file, const char *line)
{
	auto_fd int fd = openat(dir, file, O_WRONLY | O_CLOEXEC);
	size_t length = strlen(line);
	char text[128];
	ssize_t put;

	if (fd < 0)
		return -errno;
	if (length + 1 > sizeof(text))
		return -EMSGSIZE;

	/* One write: each of them is a command of its own. */
	memcpy(text, line, length);
	text[length] = '\n';
	put = write(fd, text, length + 1);
	if (put < 0)
		return -errno;
	return put == (ssize_t)length + 1 ? 0 : -EIO;
}

int procfs_read(int dir, const char *file, char *text, size_t size)
{
	auto_fd int fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while (have < size) {
		got = read(fd, text + have, size - have);
		if (got < 0)
			return -errno;
		if (!got) {
			text[have] = '\0';
			return 0;
		}
		have += got;
	}
	return -EFBIG;
}

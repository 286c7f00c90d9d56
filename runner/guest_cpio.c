// SPDX-License-Identifier: GPL-2.0-or-later
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runner/cleanup.h"
#include "runner/guest_cpio.h"
#include "runner/log.h"

#define BLOCK_BYTES (1 << 16)

DEFINE_AUTO(writer, struct archive *, archive_write_free)
DEFINE_AUTO(entry, struct archive_entry *, archive_entry_free)
#define auto_entry __attribute__((cleanup(drop_entry)))

static int failed(struct guest_cpio *cpio)
{
	return log_err(-EIO, "guest image: %s",
		       archive_error_string(cpio->archive));
}

/* Begins an entry: a file of a size, a directory, or a device. */
int guest_cpio_header(struct guest_cpio *cpio, const char *name, mode_t mode,
		      size_t bytes, dev_t device)
{
	auto_entry struct archive_entry *entry = archive_entry_new();

	if (!entry)
		return log_err(-ENOMEM, "out of memory");
	archive_entry_set_pathname(entry, name);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_size(entry, bytes);
	archive_entry_set_nlink(entry, 1);
	archive_entry_set_ino64(entry, ++cpio->inode);
	archive_entry_set_mtime(entry, 0, 0);
	if (S_ISCHR(mode))
		archive_entry_set_rdev(entry, device);
	if (archive_write_header(cpio->archive, entry) != ARCHIVE_OK)
		return failed(cpio);
	return 0;
}

int guest_cpio_data(struct guest_cpio *cpio, const char *name, const void *data,
		    size_t bytes)
{
	int err = guest_cpio_header(cpio, name, S_IFREG | 0755, bytes, 0);

	if (!err && bytes &&
	    archive_write_data(cpio->archive, data, bytes) != (ssize_t)bytes)
		err = failed(cpio);
	return err;
}

int guest_cpio_file(struct guest_cpio *cpio, const char *name, const char *path)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return log_err(-errno, "guest image: %s: %s", path,
			       strerror(errno));
	if (!S_ISREG(st.st_mode))
		return log_err(-EINVAL, "guest image: %s is not a plain file",
			       path);
	if (!st.st_size)
		return guest_cpio_data(cpio, name, NULL, 0);
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return log_err(-errno, "guest image: %s: %s", path,
			       strerror(errno));
	err = guest_cpio_data(cpio, name, data, st.st_size);
	munmap(data, st.st_size);
	return err;
}

int guest_cpio_open(struct guest_cpio *cpio, int fd)
{
	cpio->archive = archive_write_new();
	if (!cpio->archive)
		return log_err(-ENOMEM, "out of memory");
	archive_write_set_format_cpio_newc(cpio->archive);
	archive_write_set_bytes_per_block(cpio->archive, BLOCK_BYTES);
	archive_write_set_bytes_in_last_block(cpio->archive, 1);
	if (archive_write_open_fd(cpio->archive, fd) != ARCHIVE_OK)
		return failed(cpio);
	return 0;
}

int guest_cpio_close(struct guest_cpio *cpio, int err)
{
	if (cpio->archive && !err &&
	    archive_write_close(cpio->archive) != ARCHIVE_OK)
		err = failed(cpio);
	drop_writer(&cpio->archive);
	return err;
}

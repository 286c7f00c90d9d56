// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A .deb is an ar archive with a tar file in it, deb(5); an .rpm is, to
 * libarchive, a cpio archive behind a filter.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/guest_package.h"
#include "runner/log.h"
#include "runner/process.h"

#define BLOCK_BYTES (1 << 17)

DEFINE_AUTO(reader, struct archive *, archive_read_free)
DEFINE_AUTO(writer, struct archive *, archive_write_free)
#define auto_reader __attribute__((cleanup(drop_reader)))
#define auto_writer __attribute__((cleanup(drop_writer)))

/* The tar file inside, as libarchive reads it. */
struct inner {
	struct archive *outer;
	char block[BLOCK_BYTES];
};

static ssize_t read_inner(struct archive *tar, void *data, const void **block)
{
	struct inner *inner = data;
	ssize_t size = archive_read_data(inner->outer, inner->block,
					 sizeof(inner->block));

	*block = inner->block;
	if (size < 0)
		archive_set_error(tar, archive_errno(inner->outer), "%s",
				  archive_error_string(inner->outer));
	return size;
}

static int failed(struct archive *archive, const char *what)
{
	int err = archive_errno(archive);

	return log_err(err > 0 ? -err : -EINVAL, "%s: %s", what,
		       archive_error_string(archive));
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* What a guest needs, without the leading "./" or "/"; NULL for the rest. */
static const char *wanted(const char *path)
{
	path += strspn(path, "./");
	if (starts_with(path, "usr/lib/modules/"))
		path += strlen("usr/");
	if (starts_with(path, "lib/modules/") || starts_with(path, "boot/"))
		return path;
	return NULL;
}

static int copy_data(struct archive *from, struct archive *to)
{
	const void *block;
	size_t size;
	int64_t at;
	int err;

	while (!(err = archive_read_data_block(from, &block, &size, &at)))
		if (archive_write_data_block(to, block, size, at) < 0)
			return failed(to, "unpacking");
	return err == ARCHIVE_EOF ? 0 : failed(from, "unpacking");
}

static int unpack_one(struct archive *from, struct archive *to,
		      struct archive_entry *entry, const char *dir,
		      const char *name)
{
	char path[PATH_MAX];

	/* neither links nor devices: no package file may lead outside */
	if (archive_entry_filetype(entry) != AE_IFREG ||
	    archive_entry_hardlink(entry))
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return log_err(-ENAMETOOLONG, "unpacking: %s: name too long",
			       name);
	archive_entry_copy_pathname(entry, path);
	archive_entry_set_perm(entry, 0644);
	if (archive_write_header(to, entry) != ARCHIVE_OK)
		return failed(to, "unpacking");
	return archive_entry_size(entry) ? copy_data(from, to) : 0;
}

static int unpack_entries(struct archive *from, const char *package,
			  const char *dir)
{
	auto_writer struct archive *to = archive_write_disk_new();
	struct archive_entry *entry;
	int got, err = 0;

	if (!to)
		return log_err(-ENOMEM, "out of memory");
	archive_write_disk_set_options(to, ARCHIVE_EXTRACT_SECURE_NODOTDOT |
						   ARCHIVE_EXTRACT_UNLINK);
	while (!err && !(got = archive_read_next_header(from, &entry))) {
		const char *name = wanted(archive_entry_pathname(entry));

		if (process_interrupted())
			return -EINTR;
		if (name)
			err = unpack_one(from, to, entry, dir, name);
	}
	if (!err && got != ARCHIVE_EOF)
		err = failed(from, package);
	return err;
}

static int unpack_tar(struct archive *outer, const char *package,
		      const char *dir)
{
	auto_reader struct archive *tar = archive_read_new();
	auto_mem struct inner *inner = malloc(sizeof(*inner));

	if (!tar || !inner)
		return log_err(-ENOMEM, "out of memory");
	inner->outer = outer;
	archive_read_support_filter_all(tar);
	archive_read_support_format_tar(tar);
	if (archive_read_open(tar, inner, NULL, read_inner, NULL))
		return failed(tar, package);
	return unpack_entries(tar, package, dir);
}

static int unpack_deb(struct archive *outer, const char *package,
		      const char *dir)
{
	struct archive_entry *entry;
	int got;

	while (!(got = archive_read_next_header(outer, &entry)))
		if (starts_with(archive_entry_pathname(entry), "data.tar"))
			return unpack_tar(outer, package, dir);
	if (got != ARCHIVE_EOF)
		return failed(outer, package);
	return log_err(-EINVAL, "%s is not a Debian package: no data in it",
		       package);
}

int guest_unpack(const char *package, const char *dir)
{
	auto_reader struct archive *outer = archive_read_new();
	size_t len = strlen(package);
	bool deb = len > 4 && !strcmp(package + len - 4, ".deb");

	if (!outer)
		return log_err(-ENOMEM, "out of memory");
	if (deb) {
		archive_read_support_format_ar(outer);
	} else {
		archive_read_support_filter_all(outer);
		archive_read_support_format_cpio(outer);
	}
	if (archive_read_open_filename(outer, package, BLOCK_BYTES))
		return failed(outer, package);
	return deb ? unpack_deb(outer, package, dir)
		   : unpack_entries(outer, package, dir);
}

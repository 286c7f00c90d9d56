// SPDX-License-Identifier: GPL-2.0-or-later
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/guest_modules.h"
#include "runner/log.h"

#define FIRST_ROOM  (1 << 16)
#define BLOCK_BYTES (1 << 16)

DEFINE_AUTO(reader, struct archive *, archive_read_free)
#define auto_reader __attribute__((cleanup(drop_reader)))

static int read_all(struct archive *archive, const char *path, char **data,
		    size_t *size)
{
	size_t room = FIRST_ROOM, used = 0;
	auto_mem char *buf = malloc(room);
	ssize_t got;

	while (buf && (got = archive_read_data(archive, buf + used,
					       room - used)) > 0) {
		char *larger;

		used += got;
		if (used < room)
			continue;
		room *= 2;
		larger = realloc(buf, room);
		if (!larger)
			return log_err(-ENOMEM, "out of memory");
		buf = larger;
	}
	if (!buf)
		return log_err(-ENOMEM, "out of memory");
	if (got < 0)
		return log_err(-EIO, "%s: %s", path,
			       archive_error_string(archive));
	*data = hand_over(buf, NULL);
	*size = used;
	return 0;
}

/* An archive of a single file, behind whatever compression there is. */
int guest_module_read(const struct guest_module *module, char **data,
		      size_t *size)
{
	auto_reader struct archive *archive = archive_read_new();
	struct archive_entry *entry;

	if (!archive)
		return log_err(-ENOMEM, "out of memory");
	archive_read_support_filter_all(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open_filename(archive, module->path, BLOCK_BYTES) ||
	    archive_read_next_header(archive, &entry))
		return log_err(-EIO, "%s: %s", module->path,
			       archive_error_string(archive));
	return read_all(archive, module->path, data, size);
}

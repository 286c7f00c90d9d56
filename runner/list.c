// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/list.h"
#include "runner/list_build.h"
#include "runner/log.h"

/* Bytes read at a time; the buffer grows only for a longer line. */
#define BUFFER_BYTES (1 << 20)

/* Fills the buffer up; the number of bytes, less than asked at the end. */
static ssize_t fill(int fd, const char *name, char *buffer, size_t bytes)
{
	size_t filled = 0;

	while (filled < bytes) {
		ssize_t got = read(fd, buffer + filled, bytes - filled);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return log_err(-errno, "cannot read %s: %s", name,
				       strerror(errno));
		if (!got)
			break;
		filled += got;
	}
	return filled;
}

struct buffer {
	char *text;
	size_t room;
	size_t kept; /* the beginning of a line whose end is not read yet */
};

static void drop_buffer(struct buffer *buffer)
{
	free(buffer->text);
}

/* Room behind what is kept. */
static int buffer_prepare(struct buffer *buffer, const char *name)
{
	size_t room = buffer->room ? buffer->room * 2 : BUFFER_BYTES;
	char *grown;

	if (buffer->kept < buffer->room)
		return 0;
	grown = realloc(buffer->text, room);
	if (!grown)
		return log_err(-ENOMEM, "%s: no memory for a line of %zu bytes",
			       name, buffer->kept);
	buffer->text = grown;
	buffer->room = room;
	return 0;
}

static int read_all(struct reading *reading, int fd)
{
	__attribute__((cleanup(drop_buffer))) struct buffer buffer = { 0 };
	bool is_first = true, is_all = false;

	while (!is_all) {
		ssize_t got, used;
		size_t filled;
		int mark = 0;
		int err;

		err = buffer_prepare(&buffer, reading->name);
		if (err)
			return err;
		got = fill(fd, reading->name, buffer.text + buffer.kept,
			   buffer.room - buffer.kept);
		if (got < 0)
			return got;
		filled = buffer.kept + got;
		is_all = filled < buffer.room;

		if (is_first)
			mark = list_build_start(reading, buffer.text, filled);
		if (mark < 0)
			return mark;
		is_first = false;
		used = list_build_lines(reading, buffer.text + mark,
					filled - mark, buffer.kept, is_all);
		if (used < 0)
			return used;
		used += mark;
		buffer.kept = filled - used;
		memmove(buffer.text, buffer.text + used, buffer.kept);
	}
	return list_build_end(reading);
}

int list_read(const char *path, const struct list_options *options,
	      struct list *out)
{
	struct reading reading = { .options = options, .list = out };
	auto_fd int opened = -1;
	int fd = STDIN_FILENO;
	int err;

	*out = (struct list){ 0 };
	reading.name = "standard input";
	if (strcmp(path, "-")) {
		reading.name = path;
		opened = fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return log_err(-errno, "cannot open %s: %s", path,
				       strerror(errno));
	}
	err = read_all(&reading, fd);
	if (err && err != -EINVAL)
		list_free(out);
	return err;
}

int list_read_text(const char *name, const char *text, size_t bytes,
		   const struct list_options *options, struct list *out)
{
	struct reading reading = {
		.name = name,
		.options = options,
		.list = out,
	};
	ssize_t used;
	int mark;

	*out = (struct list){ 0 };
	mark = list_build_start(&reading, text, bytes);
	if (mark < 0)
		return mark;
	used = list_build_lines(&reading, text + mark, bytes - mark, 0, true);
	if (used < 0) {
		if (used != -EINVAL)
			list_free(out);
		return used;
	}
	return list_build_end(&reading);
}

void list_free(struct list *list)
{
	free(list->rules.prefixes);
	free(list->rejected.at);
	free(list->masked.at);
	free(list->skipped_v6.at);
	free(list->skipped_allow.at);
	*list = (struct list){ 0 };
}

const char *list_verdict(enum list_refusal refusal)
{
	static const char *const verdicts[] = {
		[LIST_USABLE] = "ok",
		[LIST_NO_PREFIX] = "fail:no-prefix",
		[LIST_UTF16] = "fail:utf-16",
		[LIST_GZIP] = "fail:gzip",
		[LIST_NUL_BYTE] = "fail:nul-byte",
		[LIST_STRICT] = "fail:rejected",
	};

	return verdicts[refusal];
}

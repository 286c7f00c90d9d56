// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/outfile.h"

static int open_temp(struct outfile *file)
{
	auto_fd int fd = -1;

	unlink(file->temp);
	fd = open(file->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	file->stream = fdopen(fd, "w");
	if (!file->stream)
		return -errno;
	fd = -1;
	return 0;
}

int outfile_open(const char *dir, const char *name, struct outfile *file)
{
	auto_outfile struct outfile opening = { 0 };
	int err;

	if (asprintf(&opening.path, "%s/%s", dir, name) < 0) {
		opening.path = NULL;
		return log_err(-ENOMEM, "%s: no memory", name);
	}
	if (asprintf(&opening.temp, "%s/.%s.%d", dir, name, (int)getpid()) <
	    0) {
		opening.temp = NULL;
		return log_err(-ENOMEM, "%s: no memory", name);
	}
	err = open_temp(&opening);
	if (err)
		return log_err(err, "%s cannot be written: %s", opening.path,
			       strerror(-err));
	*file = hand_over(opening, (struct outfile){ 0 });
	return 0;
}

int outfile_commit(struct outfile *file)
{
	int err = 0;

	errno = 0;
	if (fflush(file->stream) || ferror(file->stream))
		err = errno ? -errno : -EIO;
	if (fclose(hand_over(file->stream, NULL)) && !err)
		err = -errno;
	if (!err && rename(file->temp, file->path))
		err = -errno;
	if (err)
		log_err(err, "%s cannot be written: %s", file->path,
			strerror(-err));
	else
		free(hand_over(file->temp, NULL));
	outfile_drop(file);
	return err;
}

void outfile_drop(struct outfile *file)
{
	if (file->stream)
		fclose(file->stream);
	if (file->temp)
		unlink(file->temp);
	free(file->temp);
	free(file->path);
	*file = (struct outfile){ 0 };
}

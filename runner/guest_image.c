// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The archive is not compressed: the emulated CPU copies faster than it
 * inflates.  The kernel unpacks several archives one after the other, which
 * is how the plan of a boot is added.
 */
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runner/cleanup.h"
#include "runner/guest_cpio.h"
#include "runner/guest_image.h"
#include "runner/log.h"

#define PAD_NAME "pad"

/* More than the pad's own header and the end of its archive take. */
#define PAD_OVERHEAD 512

/* Directories on the way to a file; the kernel does not make them. */
static int put_parents(struct guest_cpio *cpio, const char *name)
{
	char dir[PATH_MAX];
	int err = 0;

	strcpy(dir, name);
	for (char *at = strchr(dir, '/'); !err && at;
	     at = strchr(at + 1, '/')) {
		*at = '\0';
		err = guest_cpio_header(cpio, dir, S_IFDIR | 0755, 0, 0);
		*at = '/';
	}
	return err;
}

static int put_program(struct guest_cpio *cpio)
{
	char interpreter[PATH_MAX], name[PATH_MAX];
	auto_mem char **libs = guest_libs_list(interpreter);
	int err = guest_cpio_file(cpio, GUEST_INIT, "/proc/self/exe");

	if (!libs)
		return log_err(-ENOMEM, "out of memory");
	if (!err)
		err = guest_cpio_header(cpio, "lib", S_IFDIR | 0755, 0, 0);
	for (size_t i = 0; !err && libs[i]; i++) {
		if (!strcmp(libs[i], interpreter))
			continue;
		snprintf(name, sizeof(name), "lib%s", strrchr(libs[i], '/'));
		err = guest_cpio_file(cpio, name, libs[i]);
	}
	if (err || !interpreter[0])
		return err;
	err = put_parents(cpio, interpreter + 1);
	return err ? err : guest_cpio_file(cpio, interpreter + 1, interpreter);
}

static int put_modules(struct guest_cpio *cpio,
		       const struct guest_modules *modules)
{
	auto_mem char *list = calloc(modules->count + 1, NAME_MAX + 2);
	int err =
		guest_cpio_header(cpio, GUEST_MODULE_DIR, S_IFDIR | 0755, 0, 0);
	char *end = list;

	if (!list)
		return log_err(-ENOMEM, "out of memory");
	for (size_t i = 0; !err && i < modules->count; i++) {
		const struct guest_module *module = &modules->list[i];
		auto_mem char *data = NULL;
		char name[NAME_MAX + 16];
		size_t bytes;

		end += sprintf(end, "%.*s\n", NAME_MAX, module->name);
		snprintf(name, sizeof(name), GUEST_MODULE_DIR "/%s",
			 module->name);
		err = guest_module_read(module, &data, &bytes);
		if (!err)
			err = guest_cpio_data(cpio, name, data, bytes);
	}
	return err ? err
		   : guest_cpio_data(cpio, GUEST_MODULE_LIST, list, end - list);
}

/* The console, the port, and what a C library opens, without devtmpfs. */
static int put_devices(struct guest_cpio *cpio)
{
	static const struct {
		const char *name;
		unsigned int major, minor;
	} devices[] = {
		{ "dev/console", 5, 1 }, { "dev/null", 1, 3 },
		{ "dev/zero", 1, 5 },	 { "dev/urandom", 1, 9 },
		{ "dev/ttyS1", 4, 65 },
	};
	static const char *const dirs[] = { "dev", "proc", "sys", "tmp" };
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(dirs); i++)
		err = guest_cpio_header(cpio, dirs[i], S_IFDIR | 0755, 0, 0);
	for (size_t i = 0; !err && i < ARRAY_SIZE(devices); i++)
		err = guest_cpio_header(
			cpio, devices[i].name, S_IFCHR | 0600, 0,
			makedev(devices[i].major, devices[i].minor));
	return err;
}

static int put_contents(int fd, const struct guest_modules *modules,
			const struct guest_file *files)
{
	struct guest_cpio cpio = { 0 };
	int err = guest_cpio_open(&cpio, fd);

	if (!err)
		err = put_devices(&cpio);
	if (!err)
		err = put_program(&cpio);
	if (!err)
		err = put_modules(&cpio, modules);
	for (; !err && files && files->path; files++)
		err = guest_cpio_file(&cpio, files->name, files->path);
	return guest_cpio_close(&cpio, err);
}

/*
 * A file of zeros, so that the whole has a size in steps; it is unpacked like
 * the rest, so that the memory in use has one as well.
 */
static int put_pad(int fd)
{
	struct guest_cpio cpio = { 0 };
	off_t bytes = lseek(fd, 0, SEEK_END);
	size_t pad =
		GUEST_IMAGE_STEP - (bytes + PAD_OVERHEAD) % GUEST_IMAGE_STEP;
	auto_mem char *zeros = calloc(1, pad);
	int err;

	if (!zeros)
		return log_err(-ENOMEM, "out of memory");
	err = guest_cpio_open(&cpio, fd);
	if (!err)
		err = guest_cpio_data(&cpio, PAD_NAME, zeros, pad);
	err = guest_cpio_close(&cpio, err);
	if (err)
		return err;
	bytes = lseek(fd, 0, SEEK_END);
	/* what the reckoning has left over; the kernel skips zeros */
	if (ftruncate(fd, bytes + GUEST_IMAGE_STEP - bytes % GUEST_IMAGE_STEP))
		return log_err(-errno, "guest image: %s", strerror(errno));
	return 0;
}

int guest_image_build(struct guest_image *image,
		      const struct guest_modules *modules,
		      const struct guest_file *files)
{
	auto_fd int fd = memfd_create("guest-image", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return log_err(-errno, "memfd: %s", strerror(errno));
	err = put_contents(fd, modules, files);
	if (!err)
		err = put_pad(fd);
	if (err)
		return err;
	image->bytes = lseek(fd, 0, SEEK_END);
	image->fd = hand_over(fd, -1);
	return 0;
}

void guest_image_free(struct guest_image *image)
{
	if (image->fd > 0)
		close(image->fd);
	*image = (struct guest_image){ .fd = -1 };
}

/* The words in a block of fixed size: a longer plan moves nothing. */
static int pack(const char *const *words, char *block)
{
	size_t used = 0;

	for (; *words; words++) {
		size_t bytes = strlen(*words) + 1;

		if (used + bytes >= GUEST_PLAN_BYTES)
			return log_err(-E2BIG,
				       "the guest's options are too long");
		memcpy(block + used, *words, bytes);
		used += bytes;
	}
	return 0;
}

static int copy(int from, int to, size_t bytes)
{
	off_t at = 0;

	while ((size_t)at < bytes) {
		ssize_t got =
			copy_file_range(from, &at, to, NULL, bytes - at, 0);

		if (got <= 0)
			return log_err(got ? -errno : -EIO, "guest image: %s",
				       got ? strerror(errno) : "cut short");
	}
	return 0;
}

int guest_image_with_plan(const struct guest_image *image,
			  const char *const *words)
{
	struct guest_cpio cpio = { 0 };
	auto_fd int fd = memfd_create("guest-boot", MFD_CLOEXEC);
	auto_mem char *block = calloc(1, GUEST_PLAN_BYTES);
	int err;

	if (fd < 0 || !block)
		return log_err(-ENOMEM, "memfd: %s", strerror(errno));
	err = pack(words, block);
	if (!err)
		err = copy(image->fd, fd, image->bytes);
	if (!err)
		err = guest_cpio_open(&cpio, fd);
	if (!err)
		err = guest_cpio_data(&cpio, GUEST_PLAN, block,
				      GUEST_PLAN_BYTES);
	err = guest_cpio_close(&cpio, err);
	return err ? err : hand_over(fd, -1);
}

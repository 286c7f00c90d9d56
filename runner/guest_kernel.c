// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a bzImage: Documentation/arch/x86/boot.rst.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "runner/cleanup.h"
#include "runner/guest_kernel.h"
#include "runner/guest_package.h"
#include "runner/log.h"

#define HEADER_BYTES	   0x8000
#define BOOT_FLAG_AT	   0x1fe
#define MAGIC_AT	   0x202
#define PROTOCOL_AT	   0x206
#define VERSION_POINTER_AT 0x20e
#define XLOADFLAGS_AT	   0x236
#define XLF_KERNEL_64	   1
#define PROTOCOL_2_12	   0x20c
#define ARM64_MAGIC_AT	   0x38

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len >= end_len && !strcmp(text + len - end_len, end);
}

static unsigned int le16(const uint8_t *head, size_t at)
{
	return head[at] | head[at + 1] << 8;
}

/* What it is instead, as far as a glance tells. */
static const char *look(const uint8_t *head, size_t size)
{
	if (size >= 4 && !memcmp(head, "\177ELF", 4))
		return "an ELF file; QEMU boots the compressed image, arch/x86/boot/bzImage";
	if (size > ARM64_MAGIC_AT + 4 &&
	    !memcmp(head + ARM64_MAGIC_AT, "ARM\x64", 4))
		return "a kernel for arm64; only x86-64 is supported";
	if (size >= 2 && !memcmp(head, "\x1f\x8b", 2))
		return "a gzip file, not a kernel image";
	return "not a Linux kernel image";
}

static int read_release(struct guest_kernel *kernel, const uint8_t *head,
			size_t size)
{
	size_t at = le16(head, VERSION_POINTER_AT) + 0x200, len;

	if (at == 0x200 || at >= size)
		return log_err(-EINVAL, "%s: its header names no version",
			       kernel->image);
	len = strnlen((const char *)head + at, size - at);
	len = strcspn((const char *)head + at, " ") < len
		      ? strcspn((const char *)head + at, " ")
		      : len;
	if (len >= sizeof(kernel->release))
		len = sizeof(kernel->release) - 1;
	memcpy(kernel->release, head + at, len);
	kernel->release[len] = '\0';
	return 0;
}

int guest_kernel_read(struct guest_kernel *kernel)
{
	auto_mem uint8_t *head = calloc(1, HEADER_BYTES + 1);
	auto_fd int fd = open(kernel->image, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (!head)
		return log_err(-ENOMEM, "out of memory");
	if (fd < 0)
		return log_err(-errno, "%s: %s", kernel->image,
			       strerror(errno));
	size = pread(fd, head, HEADER_BYTES, 0);
	if (size < 0)
		return log_err(-errno, "%s: %s", kernel->image,
			       strerror(errno));
	if (size < HEADER_BYTES || le16(head, BOOT_FLAG_AT) != 0xaa55 ||
	    memcmp(head + MAGIC_AT, "HdrS", 4))
		return log_err(-EINVAL, "%s is %s", kernel->image,
			       look(head, size));
	if (le16(head, PROTOCOL_AT) >= PROTOCOL_2_12 &&
	    !(le16(head, XLOADFLAGS_AT) & XLF_KERNEL_64))
		return log_err(
			-EINVAL,
			"%s is a 32-bit kernel; only x86-64 is supported",
			kernel->image);
	return read_release(kernel, head, size);
}

/* Fills path if a directory is there. */
static bool try_dir(char *path, const char *fmt, const char *base,
		    const char *release)
{
	char candidate[PATH_MAX];
	int len = snprintf(candidate, sizeof(candidate), fmt, base, release);

	if (len >= (int)sizeof(candidate) || !is_dir(candidate))
		return false;
	strcpy(path, candidate);
	return true;
}

static void find_modules(struct guest_kernel *kernel)
{
	static const char *const places[] = {
		"%s/lib/modules/%s",	 "%s/modules/%s",
		"%s/../lib/modules/%s",	 "%s/../usr/lib/modules/%s",
		"%s/usr/lib/modules/%s", "%s/modules",
	};
	char base[PATH_MAX];
	char *slash;

	strcpy(base, kernel->image);
	slash = strrchr(base, '/');
	if (slash)
		*slash = '\0';
	else
		strcpy(base, ".");
	/* an installed image: modules and vmlinuz in one directory */
	if (ends_with(base, kernel->release)) {
		strcpy(kernel->modules, base);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (try_dir(kernel->modules, places[i], base, kernel->release))
			return;
}

static int take_image(struct guest_kernel *kernel, const char *path)
{
	if (strlen(path) >= sizeof(kernel->image))
		return log_err(-ENAMETOOLONG, "%s: name too long", path);
	strcpy(kernel->image, path);
	return guest_kernel_read(kernel);
}

static int take_tree(struct guest_kernel *kernel, const char *dir)
{
	static const char boot[] = "arch/x86/boot/bzImage";
	char path[PATH_MAX];
	int err;

	if (snprintf(path, sizeof(path), "%s/%s", dir, boot) >=
	    (int)sizeof(path))
		return log_err(-ENAMETOOLONG, "%s: name too long", dir);
	if (!exists(path))
		return log_err(
			-ENOENT,
			"%s has no %s: build the kernel there first (make bzImage modules)",
			dir, boot);
	err = take_image(kernel, path);
	if (!err)
		strcpy(kernel->modules, dir);
	return err;
}

static int take_host(struct guest_kernel *kernel)
{
	char path[PATH_MAX];
	struct utsname host;

	uname(&host);
	snprintf(path, sizeof(path), "/boot/vmlinuz-%s", host.release);
	if (!exists(path))
		snprintf(path, sizeof(path), "/lib/modules/%s/vmlinuz",
			 host.release);
	if (!exists(path))
		return log_err(
			-ENOENT,
			"--kernel host: there is no /boot/vmlinuz-%s (a container, or a kernel from outside?); name an image or a package",
			host.release);
	return take_image(kernel, path);
}

static int take(struct guest_kernel *kernel, const char *spec)
{
	static const char debian[] = "debian:";

	if (!strcmp(spec, "host"))
		return take_host(kernel);
	if (!strncmp(spec, debian, strlen(debian)))
		return guest_package_debian(kernel, spec + strlen(debian));
	if (!exists(spec))
		return log_err(
			-ENOENT,
			"--kernel %s: no such file; a kernel is an image, a build tree, a .deb or .rpm file, debian:6.12, debian:6.1 or host",
			spec);
	if (is_dir(spec))
		return take_tree(kernel, spec);
	if (ends_with(spec, ".deb") || ends_with(spec, ".rpm"))
		return guest_package_open(kernel, spec);
	return take_image(kernel, spec);
}

int guest_kernel_find(struct guest_kernel *kernel, const char *spec,
		      const char *modules)
{
	int err;

	*kernel = (struct guest_kernel){ 0 };
	snprintf(kernel->spec, sizeof(kernel->spec), "%s", spec);
	err = take(kernel, spec);
	if (err)
		return err;
	if (modules) {
		if (!is_dir(modules) || strlen(modules) >= PATH_MAX)
			return log_err(-ENOENT,
				       "--modules %s: no such directory",
				       modules);
		strcpy(kernel->modules, modules);
	}
	if (!kernel->modules[0])
		find_modules(kernel);
	if (!kernel->modules[0] &&
	    !try_dir(kernel->modules, "%s/lib/modules/%s", "", kernel->release))
		log_warn(
			"%s: no modules beside it, so only what is built in can be measured; --modules DIR names them",
			kernel->image);
	return 0;
}

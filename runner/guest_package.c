// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <glob.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "runner/cleanup.h"
#include "runner/guest_apt.h"
#include "runner/guest_cache.h"
#include "runner/guest_package.h"
#include "runner/log.h"

/* The only file that matches, as in debian's boot/vmlinuz-VERSION. */
static int find_image(struct guest_kernel *kernel, const char *dir)
{
	static const char *const places[] = { "%s/boot/vmlinuz*",
					      "%s/lib/modules/*/vmlinuz" };
	char pattern[PATH_MAX + 32];
	glob_t found;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(pattern, sizeof(pattern), places[i], dir);
		if (glob(pattern, 0, NULL, &found))
			continue;
		snprintf(kernel->image, sizeof(kernel->image), "%s",
			 found.gl_pathv[0]);
		globfree(&found);
		return 0;
	}
	return log_err(
		-EINVAL,
		"%s holds no kernel image (a package of modules, headers or debug symbols?)",
		kernel->spec);
}

static int take_unpacked(struct guest_kernel *kernel, const char *dir)
{
	char modules[PATH_MAX + 160];
	int err = find_image(kernel, dir);

	if (!err)
		err = guest_kernel_read(kernel);
	if (err)
		return err;
	snprintf(modules, sizeof(modules), "%s/lib/modules/%s", dir,
		 kernel->release);
	if (!access(modules, F_OK) && strlen(modules) < PATH_MAX)
		strcpy(kernel->modules, modules);
	return 0;
}

/* Unpacks into the cache and takes what is there. */
static int add(struct guest_cache *cache, struct guest_kernel *kernel,
	       const char *package, const char *name)
{
	struct guest_kernel check = *kernel;
	char path[PATH_MAX];
	int err = guest_unpack(package, cache->temp);

	/* what is no kernel must not stay in the cache under its name */
	if (!err)
		err = take_unpacked(&check, cache->temp);
	if (!err)
		err = guest_cache_commit(cache, name, path);
	return err ? err : take_unpacked(kernel, path);
}

/* The name of its entry changes when the file does. */
static int entry_name(const char *package, char *name, size_t size)
{
	const char *slash = strrchr(package, '/');
	struct stat st;

	if (stat(package, &st))
		return log_err(-errno, "%s: %s", package, strerror(errno));
	snprintf(name, size, "%.100s.%jx.%jx", slash ? slash + 1 : package,
		 (uintmax_t)st.st_size,
		 (uintmax_t)st.st_mtim.tv_sec * 1000000000 +
			 st.st_mtim.tv_nsec);
	return 0;
}

int guest_package_open(struct guest_kernel *kernel, const char *package)
{
	auto_cache struct guest_cache cache = { .lock = -1 };
	char name[160], path[PATH_MAX];
	int err = entry_name(package, name, sizeof(name));

	if (!err)
		err = guest_cache_open(&cache);
	if (err)
		return err;
	if (guest_cache_has(&cache, name, path))
		return take_unpacked(kernel, path);
	log_info("unpacking %s", package);
	err = guest_cache_begin(&cache);
	return err ? err : add(&cache, kernel, package, name);
}

int guest_package_debian(struct guest_kernel *kernel, const char *version)
{
	auto_cache struct guest_cache cache = { .lock = -1 };
	char package[128], file[PATH_MAX], path[PATH_MAX];
	int err = guest_cache_open(&cache);

	if (!err)
		err = guest_apt_newest(version, package, sizeof(package));
	if (err)
		return err;
	if (guest_cache_has(&cache, package, path))
		return take_unpacked(kernel, path);
	log_info("fetching %s through apt", package);
	err = guest_cache_begin(&cache);
	if (!err)
		err = guest_apt_fetch(package, cache.temp, file, sizeof(file));
	if (err)
		return err;
	err = add(&cache, kernel, file, package);
	return err;
}

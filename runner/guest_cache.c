// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runner/cleanup.h"
#include "runner/guest_cache.h"
#include "runner/log.h"
#include "runner/process.h"

#define TEMP_PREFIX ".new-"
#define OPEN_DIRS   16
#define NAP_MS	    200

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS);
}

/* mkdir -p */
static int make_path(char *path)
{
	for (char *at = strchr(path + 1, '/');; at = strchr(at + 1, '/')) {
		if (at)
			*at = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			return log_err(
				-errno,
				"the cache directory %s: %s; XDG_CACHE_HOME names another place",
				path, strerror(errno));
		if (!at)
			return 0;
		*at = '/';
	}
}

static int name_dir(struct guest_cache *cache)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int len;

	if (xdg && xdg[0] == '/')
		len = snprintf(cache->dir, sizeof(cache->dir), "%s/hookcost",
			       xdg);
	else if (!geteuid() || !home || home[0] != '/')
		len = snprintf(cache->dir, sizeof(cache->dir),
			       "/var/cache/hookcost");
	else
		len = snprintf(cache->dir, sizeof(cache->dir),
			       "%s/.cache/hookcost", home);
	if (len >= (int)sizeof(cache->dir))
		return log_err(-ENAMETOOLONG, "XDG_CACHE_HOME is too long");
	return 0;
}

static void remove_leftovers(const struct guest_cache *cache)
{
	DIR *dir = opendir(cache->dir);
	char path[PATH_MAX];
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, TEMP_PREFIX, strlen(TEMP_PREFIX)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", cache->dir,
			 entry->d_name);
		remove_tree(path);
	}
	closedir(dir);
}

static int lock(struct guest_cache *cache)
{
	bool told = false;

	cache->lock = open(cache->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cache->lock < 0)
		return log_err(-errno, "%s: %s", cache->dir, strerror(errno));
	while (flock(cache->lock, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return log_err(-errno, "%s: %s", cache->dir,
				       strerror(errno));
		if (!told)
			log_info("waiting for another hookcost to leave %s",
				 cache->dir);
		told = true;
		if (process_interrupted())
			return -EINTR;
		process_nap(NAP_MS);
	}
	return 0;
}

int guest_cache_open(struct guest_cache *cache)
{
	int err;

	*cache = (struct guest_cache){ .lock = -1 };
	err = name_dir(cache);
	if (!err)
		err = make_path(cache->dir);
	if (!err)
		err = lock(cache);
	if (!err)
		remove_leftovers(cache);
	return err;
}

bool guest_cache_has(const struct guest_cache *cache, const char *name,
		     char *path)
{
	snprintf(path, PATH_MAX, "%s/%s", cache->dir, name);
	return !access(path, F_OK);
}

int guest_cache_begin(struct guest_cache *cache)
{
	snprintf(cache->temp, sizeof(cache->temp), "%s/" TEMP_PREFIX "XXXXXX",
		 cache->dir);
	if (!mkdtemp(cache->temp)) {
		cache->temp[0] = '\0';
		return log_err(-errno, "%s: %s", cache->dir, strerror(errno));
	}
	/* apt fetches as a user of its own, others may read as well */
	chmod(cache->temp, 0755);
	return 0;
}

int guest_cache_commit(struct guest_cache *cache, const char *name, char *path)
{
	snprintf(path, PATH_MAX, "%s/%s", cache->dir, name);
	if (rename(cache->temp, path))
		return log_err(-errno, "%s: %s", path, strerror(errno));
	cache->temp[0] = '\0';
	return 0;
}

void guest_cache_close(struct guest_cache *cache)
{
	if (cache->temp[0])
		remove_tree(cache->temp);
	cache->temp[0] = '\0';
	if (cache->lock >= 0)
		close(hand_over(cache->lock, -1));
}

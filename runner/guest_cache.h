/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cache directory: $XDG_CACHE_HOME/hookcost, for root /var/cache/hookcost,
 * else ~/.cache/hookcost.  Entries are directories that appear whole or not at
 * all, whenever the program is killed.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct guest_cache {
	char dir[PATH_MAX / 2];
	char temp[PATH_MAX]; /* an entry in the making, or "" */
	int lock;
};

/*
 * Makes the directory where missing, waits for others who work in it, and
 * removes what a killed one has left.  0 or a negative errno, said.
 */
int guest_cache_open(struct guest_cache *cache);

/* Writes the path of an entry (size PATH_MAX); says whether it is there. */
bool guest_cache_has(const struct guest_cache *cache, const char *name,
		     char *path);

/* Makes cache->temp, an empty directory for an entry in the making. */
int guest_cache_begin(struct guest_cache *cache);

/* Gives cache->temp its name; writes its path (size PATH_MAX). */
int guest_cache_commit(struct guest_cache *cache, const char *name, char *path);

/* Removes an entry that was not committed, and unlocks. */
void guest_cache_close(struct guest_cache *cache);

#define auto_cache __attribute__((cleanup(guest_cache_close)))

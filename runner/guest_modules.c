// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A package has no modules.dep (installing it would make one), nor has a
 * build tree; so the dependencies come from the modules themselves.
 */
#include <errno.h>
#include <fts.h>
#include <libkmod.h>
#include <stdbool.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/guest_modules.h"
#include "runner/log.h"
#include "runner/process.h"

DEFINE_AUTO(kmod, struct kmod_ctx *, kmod_unref)
#define auto_kmod __attribute__((cleanup(drop_kmod)))

/*
 * crc32c comes first: libcrc32c asks for the algorithm when it is loaded, and
 * there is no modprobe in the guest.
 */
static const char *const all_wanted[] = {
	"crc32c_intel", "crc32c_generic",  "pktgen",	     "af_packet",
	"sch_ingress",	"cls_u32",	   "cls_bpf",	     "cls_basic",
	"cls_flower",	"cls_matchall",	   "em_ipset",	     "act_gact",
	"act_bpf",	"nfnetlink",	   "nf_tables",	     "nft_compat",
	"ip_set",	"ip_set_hash_net", "ip_set_hash_ip", "x_tables",
	"xt_set",	"ip_tables",	   "iptable_raw",    "iptable_filter",
	"ipv6",		"ip6_tables",	   "ip6table_raw",   "ip6table_filter",
	NULL,
};

/* Rough, for their number; a distribution has some thousand. */
#define MAX_MODULES 16384
#define MAX_DEPTH   32
#define ABSENT	    1

struct search {
	struct kmod_ctx *kmod;
	struct guest_module *files; /* all that there are */
	size_t file_count;
	char *builtin; /* modules.builtin, one path a line */
	struct guest_modules *out;
};

/* "nft-compat.ko.xz" -> "nft_compat"; NULL for what is no module. */
static char *module_name(const char *file)
{
	const char *end = strstr(file, ".ko");
	char *name;

	if (!end || (end[3] && end[3] != '.'))
		return NULL;
	name = strndup(file, end - file);
	for (char *at = name; at && *at; at++)
		if (*at == '-')
			*at = '_';
	return name;
}

static int add_file(struct search *search, const FTSENT *entry)
{
	char *name = module_name(entry->fts_name);
	struct guest_module *file = &search->files[search->file_count];

	if (!name)
		return 0;
	if (search->file_count == MAX_MODULES) {
		free(name);
		return log_err(-E2BIG, "%s: more than %d modules",
			       entry->fts_path, MAX_MODULES);
	}
	file->name = name;
	file->path = strdup(entry->fts_path);
	search->file_count++;
	return file->path ? 0 : log_err(-ENOMEM, "out of memory");
}

static int list_files(struct search *search, const char *dir)
{
	char *const roots[] = { (char *)dir, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOSTAT, NULL);
	FTSENT *entry;
	int err = 0;

	if (!walk)
		return log_err(-errno, "%s: %s", dir, strerror(errno));
	while (!err && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_F || entry->fts_info == FTS_NSOK)
			err = add_file(search, entry);
		if (!err && process_interrupted())
			err = -EINTR;
	}
	fts_close(walk);
	return err;
}

static const char *file_of(const struct search *search, const char *name)
{
	for (size_t i = 0; i < search->file_count; i++)
		if (!strcmp(search->files[i].name, name))
			return search->files[i].path;
	return NULL;
}

/* modules.builtin, at the top of a build tree or beside kernel/. */
static void read_builtin(struct search *search, const char *dir)
{
	char path[4200];
	auto_file FILE *in = NULL;
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/modules.builtin", dir);
	in = fopen(path, "re");
	if (in && getdelim(&search->builtin, &size, '\0', in) < 0)
		free(hand_over(search->builtin, NULL));
}

static bool is_builtin(const struct search *search, const char *name)
{
	char entry[80];

	if (!search->builtin)
		return false;
	for (int dashes = 0; dashes < 2; dashes++) {
		snprintf(entry, sizeof(entry), "/%s.ko\n", name);
		for (char *at = entry + 1; dashes && *at && *at != '.'; at++)
			if (*at == '_')
				*at = '-';
		if (strstr(search->builtin, entry))
			return true;
	}
	return false;
}

static bool is_taken(const struct search *search, const char *name)
{
	for (size_t i = 0; i < search->out->count; i++)
		if (!strcmp(search->out->list[i].name, name))
			return true;
	return false;
}

static int take(struct search *search, const char *name, unsigned int depth);

/* "nf_tables,x_tables": what modpost wrote.  As take(). */
static int take_depends(struct search *search, char *depends,
			unsigned int depth)
{
	char *name;
	int err = 0;

	while (!err && (name = strsep(&depends, ",")))
		if (*name)
			err = take(search, name, depth + 1);
	return err;
}

static int take_needed(struct search *search, const char *path,
		       unsigned int depth)
{
	struct kmod_list *info = NULL, *at;
	struct kmod_module *module;
	int err = kmod_module_new_from_path(search->kmod, path, &module);

	if (err < 0)
		return log_err(err, "%s: %s", path, strerror(-err));
	err = kmod_module_get_info(module, &info);
	kmod_module_unref(module);
	if (err < 0)
		return log_err(err, "%s is not a kernel module: %s", path,
			       strerror(-err));
	err = 0;
	kmod_list_foreach(at, info)
	{
		auto_mem char *value = strdup(kmod_module_info_get_value(at));

		if (!err && value &&
		    !strcmp(kmod_module_info_get_key(at), "depends"))
			err = take_depends(search, value, depth);
	}
	kmod_module_info_free_list(info);
	return err;
}

static int append(struct search *search, const char *name, const char *path)
{
	struct guest_modules *out = search->out;
	struct guest_module *larger =
		reallocarray(out->list, out->count + 1, sizeof(*larger));

	if (!larger)
		return log_err(-ENOMEM, "out of memory");
	out->list = larger;
	larger[out->count].name = strdup(name);
	larger[out->count].path = strdup(path);
	out->count++;
	return larger[out->count - 1].name && larger[out->count - 1].path
		       ? 0
		       : log_err(-ENOMEM, "out of memory");
}

/* Says once that a module is not there, and why. */
static int note_absent(struct search *search, const char *name)
{
	struct guest_modules *out = search->out;
	size_t len = strlen(out->absent);

	snprintf(out->absent + len, sizeof(out->absent) - len, "%s%s",
		 len ? " " : "", name);
	return ABSENT;
}

/*
 * Depth first, so that what is needed is loaded before.  0, ABSENT if it or
 * something that it needs is not there, or a negative errno.
 */
static int take(struct search *search, const char *name, unsigned int depth)
{
	const char *path;
	int err;

	if (depth > MAX_DEPTH)
		return log_err(-ELOOP, "module %s depends on itself", name);
	if (is_taken(search, name) || is_builtin(search, name))
		return 0;
	path = file_of(search, name);
	if (!path)
		return note_absent(search, name);
	err = take_needed(search, path, depth);
	if (err == ABSENT && !depth)
		note_absent(search, name);
	return err ? err : append(search, name, path);
}

static void free_list(struct guest_module *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].name);
		free(list[i].path);
	}
	free(list);
}

int guest_modules_find_these(struct guest_modules *modules, const char *dir,
			     const char *const *wanted)
{
	static const char *const no_config = NULL;
	auto_kmod struct kmod_ctx *kmod = kmod_new(dir, &no_config);
	struct search search = { .kmod = kmod, .out = modules };
	int err = 0;

	*modules = (struct guest_modules){ 0 };
	search.files = calloc(MAX_MODULES, sizeof(*search.files));
	if (!search.files || !kmod)
		err = log_err(-ENOMEM, "out of memory");
	if (!err && dir[0]) {
		read_builtin(&search, dir);
		err = list_files(&search, dir);
	}
	for (size_t i = 0; err >= 0 && wanted[i]; i++)
		err = take(&search, wanted[i], 0);
	if (err == ABSENT)
		err = 0;
	free_list(search.files, search.file_count);
	free(search.builtin);
	if (err)
		guest_modules_free(modules);
	return err;
}

int guest_modules_find(struct guest_modules *modules, const char *dir)
{
	return guest_modules_find_these(modules, dir, all_wanted);
}

void guest_modules_free(struct guest_modules *modules)
{
	free_list(modules->list, modules->count);
	*modules = (struct guest_modules){ 0 };
}

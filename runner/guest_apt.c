// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "runner/cleanup.h"
#include "runner/guest_apt.h"
#include "runner/log.h"
#include "runner/process.h"

#define FLAVOUR "-cloud-amd64"

/* Runs a program of apt's; its output is left in *out. */
static int ask(const char *const *argv, const char *dir, FILE **out)
{
	auto_fd int fd = memfd_create("apt", MFD_CLOEXEC);
	struct process apt = { .argv = argv, .dir = dir, .in = -1, .err = -1 };
	int status, err;

	if (fd < 0)
		return log_err(-errno, "memfd: %s", strerror(errno));
	apt.out = apt.err = fd;
	err = process_run(&apt, &status);
	if (err == -ENOENT)
		return log_err(
			-EOPNOTSUPP,
			"debian: kernels are fetched through apt, and there is no %s here; fetch the package elsewhere and name the file",
			argv[0]);
	if (err == -EINTR)
		return err;
	if (err)
		return log_err(err, "%s: %s", argv[0], strerror(-err));
	*out = fdopen(fd, "r");
	if (!*out)
		return log_err(-errno, "%s: %s", argv[0], strerror(errno));
	fd = -1;
	rewind(*out);
	return status ? 1 : 0;
}

static bool is_version(const char *text)
{
	return text[0] && strspn(text, "0123456789.") == strlen(text) &&
	       strchr(text, '.');
}

/*
 * Whether an image of ours: linux-image-6.1.0-57-cloud-amd64 is one for 6.1,
 * linux-image-6.12-cloud-amd64 (which has nothing in it) is none for 6.12.
 */
static bool is_image(const char *name, const char *version)
{
	static const char start[] = "linux-image-";
	size_t len = strlen(version), size = strlen(name);

	if (size < strlen(FLAVOUR) ||
	    strcmp(name + size - strlen(FLAVOUR), FLAVOUR) ||
	    strncmp(name, start, strlen(start)))
		return false;
	name += strlen(start);
	return !strncmp(name, version, len) && name[len] == '.';
}

/*
 * Takes the number at the cursor, else 0; letters and signs between numbers
 * are passed over, which is enough to order one kernel's packages.
 */
static unsigned long next_number(const char **cursor)
{
	*cursor += strcspn(*cursor, "0123456789");
	return **cursor ? strtoul(*cursor, (char **)cursor, 10) : 0;
}

static bool is_newer(const char *name, const char *than)
{
	while (*name || *than) {
		unsigned long a = next_number(&name), b = next_number(&than);

		if (a != b)
			return a > b;
	}
	return false;
}

/* apt-cache madison: "package | version | where", the newest first. */
static void take_lines(FILE *in, const char *version, char *package,
		       size_t size)
{
	auto_mem char *line = NULL;
	size_t room = 0;

	package[0] = '\0';
	while (getline(&line, &room, in) > 0) {
		char name[128], release[128], both[260];

		if (sscanf(line, " %127[^ |] | %127[^ |]", name, release) !=
			    2 ||
		    !is_image(name, version))
			continue;
		snprintf(both, sizeof(both), "%s=%s", name, release);
		if (strlen(both) < size && is_newer(both, package))
			strcpy(package, both);
	}
}

/* The names of all images of a version, for one question about them all. */
static int list_names(const char *version, char *names, size_t size)
{
	char pattern[64];
	const char *const argv[] = { "apt-cache", "pkgnames", pattern, NULL };
	auto_file FILE *out = NULL;
	auto_mem char *line = NULL;
	size_t room = 0, used = 0;
	int err;

	snprintf(pattern, sizeof(pattern), "linux-image-%s", version);
	err = ask(argv, NULL, &out);
	if (err < 0)
		return err;
	while (getline(&line, &room, out) > 0) {
		size_t len = strcspn(line, "\n");

		line[len] = '\0';
		if (is_image(line, version) && used + len + 1 < size) {
			memcpy(names + used, line, len + 1);
			used += len + 1;
		}
	}
	names[used] = '\0';
	return 0;
}

int guest_apt_newest(const char *version, char *package, size_t size)
{
	const char *argv[64] = { "apt-cache", "madison" };
	char names[4096];
	auto_file FILE *out = NULL;
	size_t count = 2;
	int err;

	if (!is_version(version))
		return log_err(
			-EINVAL,
			"--kernel debian:%s: a version is like 6.1 or 6.12",
			version);
	err = list_names(version, names, sizeof(names));
	if (err)
		return err;
	for (const char *at = names; *at && count < ARRAY_SIZE(argv) - 1;
	     at += strlen(at) + 1)
		argv[count++] = at;
	package[0] = '\0';
	if (count > 2) {
		err = ask(argv, NULL, &out);
		if (err < 0)
			return err;
		take_lines(out, version, package, size);
	}
	if (!package[0])
		return log_err(
			-EOPNOTSUPP,
			"--kernel debian:%s: apt offers no package linux-image-%s*" FLAVOUR
			" (`apt-get update`, or another version)",
			version, version);
	return 0;
}

/* The last line that apt printed, which is where the error is. */
static void last_line(FILE *in, char *text, size_t size)
{
	auto_mem char *line = NULL;
	size_t room = 0;

	text[0] = '\0';
	while (getline(&line, &room, in) > 0)
		if (line[0] != '\n')
			snprintf(text, size, "%.*s", (int)strcspn(line, "\n"),
				 line);
}

int guest_apt_fetch(const char *package, const char *dir, char *file,
		    size_t size)
{
	const char *const argv[] = { "apt-get", "download", "-q", package,
				     NULL };
	auto_file FILE *out = NULL;
	char pattern[4128], text[256];
	glob_t found;
	int err = ask(argv, dir, &out);

	if (err < 0)
		return err;
	snprintf(pattern, sizeof(pattern), "%s/*.deb", dir);
	if (err || glob(pattern, 0, NULL, &found)) {
		last_line(out, text, sizeof(text));
		return log_err(-EIO, "apt-get download %s: %s", package, text);
	}
	snprintf(file, size, "%s", found.gl_pathv[0]);
	globfree(&found);
	return 0;
}

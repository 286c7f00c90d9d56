// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `vm` does before anything boots: kernels of every kind, packages, the
 * cache, the archive that a guest boots into, and the words for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>
#include <time.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/guest_cache.h"
#include "runner/guest_image.h"
#include "runner/guest_kernel.h"
#include "runner/guest_words.h"
#include "runner/log.h"
#include "runner/tests/tempdir.h"

#define IMAGE_BYTES 40000

static struct tempdir dir;
static struct log_capture said;

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return remove(path);
}

static int begin(void **state)
{
	(void)state;
	tempdir_make(&dir);
	return setenv("XDG_CACHE_HOME", dir.path, 1);
}

static int end(void **state)
{
	(void)state;
	return nftw(dir.path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *in_dir(const char *name)
{
	static char path[4][300];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir.path, name);
	return path[turn];
}

static void write_bytes(const char *path, const void *data, size_t size)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(data, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* Just enough of a bzImage to be taken for one. */
static void fake_image(uint8_t *image, const char *release)
{
	memset(image, 0, IMAGE_BYTES);
	image[0x1fe] = 0x55;
	image[0x1ff] = 0xaa;
	memcpy(image + 0x202, "HdrS", 4);
	image[0x206] = 0x0f;
	image[0x207] = 0x02;
	image[0x20f] = 0x30;
	image[0x236] = 1;
	snprintf((char *)image + 0x3200, 200, "%s (me@here) #1", release);
}

static int find(struct guest_kernel *kernel, const char *spec,
		const char *modules)
{
	int err;

	log_capture_begin(&said);
	err = guest_kernel_find(kernel, spec, modules);
	log_capture_end(&said);
	return err;
}

static void refused(const char *spec, int err, const char *words)
{
	struct guest_kernel kernel;

	assert_int_equal(find(&kernel, spec, NULL), err);
	if (!strstr(said.text, words))
		fail_msg("'%s' does not say '%s'", said.text, words);
}

static void images_are_told_apart(void **state)
{
	static uint8_t image[IMAGE_BYTES];
	struct guest_kernel kernel;

	(void)state;
	fake_image(image, "6.12.0-test");
	write_bytes(in_dir("bzImage"), image, sizeof(image));
	log_set_level(LOG_ERROR);
	assert_int_equal(find(&kernel, in_dir("bzImage"), NULL), 0);
	log_set_level(LOG_INFO);
	assert_string_equal(kernel.release, "6.12.0-test");
	assert_string_equal(kernel.modules, "");

	assert_int_equal(find(&kernel, in_dir("bzImage"), dir.path), 0);
	assert_string_equal(kernel.modules, dir.path);
	assert_int_equal(find(&kernel, in_dir("bzImage"), "/nowhere"), -ENOENT);

	write_bytes(in_dir("cut"), image, 1000);
	refused(in_dir("cut"), -EINVAL, "not a Linux kernel image");
	image[0x236] = 0;
	write_bytes(in_dir("i386"), image, sizeof(image));
	refused(in_dir("i386"), -EINVAL, "32-bit");
	memcpy(image, "\177ELF", 4);
	image[0x202] = 0;
	write_bytes(in_dir("vmlinux"), image, sizeof(image));
	refused(in_dir("vmlinux"), -EINVAL, "arch/x86/boot/bzImage");
	memcpy(image, "MZ\0\0", 4);
	memcpy(image + 0x38, "ARM\x64", 4);
	write_bytes(in_dir("Image"), image, sizeof(image));
	refused(in_dir("Image"), -EINVAL, "arm64");
	refused(in_dir("nothing"), -ENOENT, "no such file");
	refused(dir.path, -ENOENT, "build the kernel there first");
}

static void modules_are_found_beside_the_image(void **state)
{
	static uint8_t image[IMAGE_BYTES];
	struct guest_kernel kernel;

	(void)state;
	fake_image(image, "1.2.3");
	assert_int_equal(mkdir(in_dir("boot"), 0755), 0);
	write_bytes(in_dir("boot/vmlinuz-1.2.3"), image, sizeof(image));
	assert_int_equal(mkdir(in_dir("lib"), 0755), 0);
	assert_int_equal(mkdir(in_dir("lib/modules"), 0755), 0);
	assert_int_equal(mkdir(in_dir("lib/modules/1.2.3"), 0755), 0);
	assert_int_equal(find(&kernel, in_dir("boot/vmlinuz-1.2.3"), NULL), 0);
	assert_non_null(strstr(kernel.modules, "lib/modules/1.2.3"));
	assert_int_equal(access(kernel.modules, F_OK), 0);

	/* a build tree is its own directory of modules */
	assert_int_equal(mkdir(in_dir("arch"), 0755), 0);
	assert_int_equal(mkdir(in_dir("arch/x86"), 0755), 0);
	assert_int_equal(mkdir(in_dir("arch/x86/boot"), 0755), 0);
	write_bytes(in_dir("arch/x86/boot/bzImage"), image, sizeof(image));
	assert_int_equal(find(&kernel, dir.path, NULL), 0);
	assert_string_equal(kernel.modules, dir.path);
}

static void put(struct archive *to, const char *name, const void *data,
		size_t size)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_mode(entry, S_IFREG | 0644);
	archive_entry_set_size(entry, size);
	assert_int_equal(archive_write_header(to, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(to, data, size), size);
	archive_entry_free(entry);
}

/* A .deb with one file, and on demand one that leads out of its directory. */
static void make_deb(const char *path, const char *name, const void *data,
		     size_t size, bool evil)
{
	static char tar[4 * IMAGE_BYTES];
	struct archive *to = archive_write_new();
	size_t used;

	archive_write_set_format_ustar(to);
	archive_write_add_filter_gzip(to);
	assert_int_equal(archive_write_open_memory(to, tar, sizeof(tar), &used),
			 ARCHIVE_OK);
	put(to, name, data, size);
	if (evil)
		put(to, "./lib/modules/../../../../escaped", "x", 1);
	assert_int_equal(archive_write_close(to), ARCHIVE_OK);
	archive_write_free(to);

	to = archive_write_new();
	archive_write_set_format_ar_svr4(to);
	assert_int_equal(archive_write_open_filename(to, path), ARCHIVE_OK);
	put(to, "debian-binary", "2.0\n", 4);
	put(to, "control.tar.gz", "", 0);
	put(to, "data.tar.gz", tar, used);
	assert_int_equal(archive_write_close(to), ARCHIVE_OK);
	archive_write_free(to);
}

/* Entries of the cache, of which those in the making are none. */
static size_t entries(void)
{
	char pattern[300];
	size_t count = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/hookcost/.new-*", dir.path);
	if (!glob(pattern, 0, NULL, &found)) {
		globfree(&found);
		fail_msg("something half made is left in the cache");
	}
	snprintf(pattern, sizeof(pattern), "%s/hookcost/*", dir.path);
	if (!glob(pattern, 0, NULL, &found)) {
		count = found.gl_pathc;
		globfree(&found);
	}
	return count;
}

static void packages_are_unpacked_once(void **state)
{
	static uint8_t image[IMAGE_BYTES];
	struct guest_kernel kernel;
	struct stat first, second;

	(void)state;
	log_set_level(LOG_ERROR);
	fake_image(image, "9.9.9");
	make_deb(in_dir("k.deb"), "./boot/vmlinuz-9.9.9", image, sizeof(image),
		 false);
	assert_int_equal(find(&kernel, in_dir("k.deb"), NULL), 0);
	assert_string_equal(kernel.release, "9.9.9");
	assert_int_equal(entries(), 1);
	assert_int_equal(stat(kernel.image, &first), 0);
	assert_int_equal(find(&kernel, in_dir("k.deb"), NULL), 0);
	assert_int_equal(stat(kernel.image, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);
	assert_int_equal(entries(), 1);
	log_set_level(LOG_INFO);
}

static void bad_packages_leave_nothing(void **state)
{
	static uint8_t image[IMAGE_BYTES];

	(void)state;
	log_set_level(LOG_ERROR);
	fake_image(image, "9.9.9");
	make_deb(in_dir("evil.deb"), "./boot/vmlinuz-9.9.9", image,
		 sizeof(image), true);
	refused(in_dir("evil.deb"), -EINVAL, "..");
	assert_int_not_equal(access("/tmp/escaped", F_OK), 0);
	make_deb(in_dir("none.deb"), "./boot/config-9.9.9", image, 10, false);
	refused(in_dir("none.deb"), -EINVAL, "no kernel image");
	write_bytes(in_dir("bad.deb"), "!<arch>\nrubbish", 15);
	refused(in_dir("bad.deb"), -EINVAL, "bad.deb");
	write_bytes(in_dir("bad.rpm"), "rubbish", 7);
	refused(in_dir("bad.rpm"), -EINVAL, "bad.rpm");
	assert_int_equal(entries(), 0);
	log_set_level(LOG_INFO);
}

static void what_a_killed_run_left_goes(void **state)
{
	struct guest_cache cache;
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(guest_cache_open(&cache), 0);
	assert_int_equal(guest_cache_begin(&cache), 0);
	strcpy(path, cache.temp);
	write_bytes(in_dir("x"), "", 0);
	/* as if it had been killed: nothing is undone */
	cache.temp[0] = '\0';
	guest_cache_close(&cache);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(guest_cache_open(&cache), 0);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(guest_cache_begin(&cache), 0);
	assert_int_equal(guest_cache_commit(&cache, "entry", path), 0);
	assert_true(guest_cache_has(&cache, "entry", path));
	guest_cache_close(&cache);
	assert_int_equal(access(path, F_OK), 0);
}

static void without_apt_it_is_said(void **state)
{
	auto_mem char *path = strdup(getenv("PATH"));

	(void)state;
	setenv("PATH", "/nowhere", 1);
	refused("debian:6.12", -EOPNOTSUPP, "apt-cache");
	setenv("PATH", path, 1);
	refused("debian:six", -EINVAL, "like 6.1");
	refused("debian:", -EINVAL, "like 6.1");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static void the_image_is_the_same_again(void **state)
{
	const char *const one[] = { "one", NULL };
	const char *const two[] = { "two", "words", NULL };
	struct guest_modules none = { 0 };
	struct guest_image image;
	static char a[65536], b[65536];
	double start = seconds();
	int fds[3];
	off_t sizes[3], at = 0, changed = 0;
	ssize_t got;

	(void)state;
	assert_int_equal(guest_image_build(&image, &none, NULL), 0);
	assert_true(seconds() - start < 2);
	assert_int_equal(image.bytes % GUEST_IMAGE_STEP, 0);
	fds[0] = guest_image_with_plan(&image, one);
	fds[2] = guest_image_with_plan(&image, two);
	guest_image_free(&image);
	assert_int_equal(guest_image_build(&image, &none, NULL), 0);
	fds[1] = guest_image_with_plan(&image, one);
	guest_image_free(&image);
	for (int i = 0; i < 3; i++) {
		assert_true(fds[i] >= 0);
		sizes[i] = lseek(fds[i], 0, SEEK_END);
	}
	assert_int_equal(sizes[0], sizes[1]);
	assert_int_equal(sizes[0], sizes[2]);
	while ((got = pread(fds[0], a, sizeof(a), at)) > 0) {
		assert_int_equal(pread(fds[1], b, got, at), got);
		assert_memory_equal(a, b, got);
		assert_int_equal(pread(fds[2], b, got, at), got);
		for (ssize_t i = 0; i < got; i++)
			changed += a[i] != b[i];
		at += got;
	}
	/* "one" against "two\0words" */
	assert_in_range(changed, 1, 9);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void the_image_holds_what_init_needs(void **state)
{
	const char *const words[] = { "a", NULL };
	struct guest_modules none = { 0 };
	struct guest_image image;
	struct archive_entry *entry;
	struct archive *in = archive_read_new();
	bool init = false, libc = false;
	int fd;

	(void)state;
	assert_int_equal(guest_image_build(&image, &none, NULL), 0);
	fd = guest_image_with_plan(&image, words);
	assert_true(fd >= 0);
	lseek(fd, 0, SEEK_SET);
	archive_read_support_format_cpio(in);
	assert_int_equal(archive_read_open_fd(in, fd, 65536), ARCHIVE_OK);
	while (archive_read_next_header(in, &entry) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);

		init |= !strcmp(name, GUEST_INIT);
		libc |= !strcmp(name, "lib/libc.so.6");
		assert_int_equal(archive_entry_mtime(entry), 0);
		assert_int_equal(archive_entry_uid(entry), 0);
	}
	assert_true(init);
	assert_true(libc);
	archive_read_free(in);
	close(fd);
	guest_image_free(&image);
}

/* A run's command line as one text, and the cell that it is for. */
static char *words_of(const char *args, size_t cell)
{
	static struct guest_words words;
	char copy[256], *rest = copy, *argv[32] = { "run" };
	struct options options;
	struct plan plan;
	char *text = calloc(1, 8192);
	size_t id;
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", args);
	while ((argv[argc] = strsep(&rest, " ")))
		argc++;
	assert_int_equal(options_parse(&options, argc, argv), 0);
	assert_int_equal(plan_build(&plan, &options), 0);
	assert_int_equal(
		guest_words_cell(&words, &options, &plan.cells[cell], &id), 0);
	for (size_t i = 0; i < words.count; i++) {
		strcat(text, words.words[i]);
		strcat(text, " ");
	}
	plan_free(&plan);
	return text;
}

static void words_know_nothing_of_other_cells(void **state)
{
	auto_mem char *alone = words_of("--filter tc-u32 --rules 10", 2);
	auto_mem char *among = words_of(
		"--out x -t 9 --rules 1,10 -v --filter nft-linear,tc-u32", 5);
	auto_mem char *other = words_of("--filter tc-u32 --rules 11", 2);

	(void)state;
	log_set_level(LOG_INFO);
	assert_string_equal(alone, among);
	assert_string_not_equal(alone, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(images_are_told_apart, begin,
						end),
		cmocka_unit_test_setup_teardown(
			modules_are_found_beside_the_image, begin, end),
		cmocka_unit_test_setup_teardown(packages_are_unpacked_once,
						begin, end),
		cmocka_unit_test_setup_teardown(bad_packages_leave_nothing,
						begin, end),
		cmocka_unit_test_setup_teardown(what_a_killed_run_left_goes,
						begin, end),
		cmocka_unit_test_setup_teardown(without_apt_it_is_said, begin,
						end),
		cmocka_unit_test(the_image_is_the_same_again),
		cmocka_unit_test(the_image_holds_what_init_needs),
		cmocka_unit_test(words_know_nothing_of_other_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

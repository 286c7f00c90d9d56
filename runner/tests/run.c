// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program from end to end: the files of a measured run column by column,
 * and what is left of runs that were interrupted, killed, forbidden or had no
 * room.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <bpf/bpf.h>
#include <jansson.h>

#include "runner/cleanup.h"
#include "runner/memory.h"
#include "runner/registry.h"
#include "runner/tests/scratch.h"
#include "runner/tests/spawn.h"

static struct spawned child;
static char program[4096];
static char dir[64], out[128];

static int begin(void **state)
{
	(void)state;
	if (!realpath(getenv("HOOKCOST") ? getenv("HOOKCOST") : "./hookcost",
		      program))
		return -1;
	snprintf(dir, sizeof(dir), "%s", "/tmp/hookcost-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(out, sizeof(out), "%s/out", dir);
	return 0;
}

static int end(void **state)
{
	char *const argv[] = { "rm", "-rf", dir, NULL };

	(void)state;
	return spawn(&child, argv, NULL);
}

#define MAX_ARGS 32

/* argv for "hookcost ARGS --out <out>" or just "hookcost ARGS". */
static char **command(const char *args, bool with_out)
{
	static char *argv[MAX_ARGS], copy[1024];
	char *rest = copy, *word;
	int argc = 1;

	argv[0] = program;
	snprintf(copy, sizeof(copy), "%s", args);
	while ((word = strsep(&rest, " ")) && argc < MAX_ARGS - 3)
		if (*word)
			argv[argc++] = word;
	if (with_out) {
		argv[argc++] = "--out";
		argv[argc++] = out;
	}
	argv[argc] = NULL;
	return argv;
}

static void need_measuring(void)
{
	spawn(&child, command("run --rounds 1 --filter none", true), NULL);
	if (child.status == 77)
		skip_because("%s", child.err);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	end(NULL);
	begin(NULL);
}

static const char *path(const char *name)
{
	static char buf[256];

	snprintf(buf, sizeof(buf), "%s/%s", out, name);
	return buf;
}

static bool exists(const char *name)
{
	return !access(path(name), F_OK);
}

/* Splits a line of numbers at blanks; gives how many, -1 if one is none. */
static int split(char *line, double *values, int most)
{
	char *word, *rest = line, *stop;
	int count = 0;

	line[strcspn(line, "\n")] = '\0';
	while ((word = strsep(&rest, "\t "))) {
		if (!*word)
			continue;
		if (count == most)
			return -1;
		values[count++] = strtod(word, &stop);
		if (*stop)
			return -1;
	}
	return count;
}

struct totals {
	size_t lines, rounds;
	double sent, dropped, passed;
};

static struct totals read_samples(size_t cells)
{
	FILE *file = fopen(path("samples.tsv"), "r");
	struct totals totals = { 0 };
	char line[512];
	double v[9];

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "# round\tcell\tstart_ns\telapsed_ns\tsent\t"
				  "dropped\tpassed\tinstructions\tfault\n");
	while (fgets(line, sizeof(line), file)) {
		assert_int_equal(split(line, v, 9), 9);
		assert_in_range(v[1], 0, cells - 1);
		assert_true(v[2] > 0 && v[3] > 0 && v[4] > 0);
		assert_true(v[4] == v[5] + v[6]);
		assert_true(v[8] == 0);
		totals.lines++;
		if (v[0] > totals.rounds)
			totals.rounds = v[0];
		totals.sent += v[4];
		totals.dropped += v[5];
		totals.passed += v[6];
	}
	fclose(file);
	return totals;
}

static json_t *read_run(void)
{
	json_error_t error;
	json_t *run = json_load_file(path("run.json"), 0, &error);

	if (!run)
		fail_msg("run.json: %s", error.text);
	return run;
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	if (!value)
		fail_msg("run.json has no %s", key);
	return value;
}

static json_int_t whole(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("run.json has no number %s", key);
	return json_integer_value(value);
}

/* Every measured cell was proved: as many drops as packets sent inside. */
static void check_cells(const json_t *run, size_t expected)
{
	const json_t *cells = json_object_get(run, "cells"), *cell;
	size_t i;

	assert_int_equal(json_array_size(cells), expected);
	json_array_foreach(cells, i, cell) {
		const json_t *proof = json_object_get(cell, "proof");

		assert_int_equal(whole(cell, "id"), i);
		if (strcmp(text(cell, "status"), "measured")) {
			assert_string_not_equal(text(cell, "reason"), "");
			continue;
		}
		assert_true(whole(proof, "outside") > 0);
		assert_int_equal(whole(proof, "inside") > 0,
				 whole(cell, "rules") > 0);
		assert_int_equal(whole(proof, "inside"),
				 whole(proof, "dropped"));
		assert_true(whole(cell, "packets_per_slice") > 0);
	}
}

static void check_pps(const double *v)
{
	assert_true(v[2] <= v[1] && v[1] <= v[3]);
	assert_true(v[5] <= v[4] && v[4] <= v[6]);
	assert_true(v[8] <= v[7] && v[7] <= v[9]);
	assert_true(fabs(v[1] * v[4] / 1e9 - 1) < 0.001);
	assert_true(v[4] > 10 && v[4] < 1e7);
	assert_true(v[10] >= 6);
}

static void check_pps_dat(size_t expected)
{
	FILE *file = fopen(path("pps.dat"), "r");
	char line[512];
	double v[11];
	size_t lines = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		assert_int_equal(split(line, v, 11), 11);
		if (!v[0])
			continue;
		check_pps(v);
		lines++;
	}
	fclose(file);
	assert_int_equal(lines, expected);
}

static size_t count_lines(const char *name)
{
	FILE *file = fopen(path(name), "r");
	size_t lines = 0;
	char line[4096];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		lines += line[0] != '#';
	fclose(file);
	return lines;
}

static void a_run_leaves_its_files(void **state)
{
	struct totals totals;
	json_t *run;

	(void)state;
	need_measuring();
	spawn(&child,
	      command("run --rounds 12 --packets 300 --filter tc-bpf-lpm,tc-u32 "
		      "--rules 1,20",
		      true),
	      NULL);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	assert_non_null(strstr(child.out, "tc-bpf-lpm"));
	assert_non_null(strstr(child.out, "tc-u32"));
	run = read_run();
	assert_string_equal(text(run, "state"), "complete");
	assert_string_not_equal(text(json_object_get(run, "source"), "reason"),
				"");
	assert_string_not_equal(text(json_object_get(run, "machine"), "kernel"),
				"");
	check_cells(run, 6);
	json_decref(run);
	totals = read_samples(6);
	assert_int_equal(totals.rounds, 12);
	assert_int_equal(totals.lines, 13 * 6);
	assert_true(totals.dropped == 0);
	check_pps_dat(4);
	assert_int_equal(count_lines("summary.tsv"), 6);
	assert_int_equal(exists("pps.svg"), exists("added.svg"));
}

/* All packets hit the rule: dropped by every filter on every kind of hook. */
static void matching_traffic_is_dropped(void **state)
{
	struct totals totals;

	(void)state;
	need_measuring();
	spawn(&child,
	      command("run --rounds 6 --packets 200 --no-plots --match last "
		      "--rules 3 --filter tc-bpf-lpm,tc-u32,nft-linear,nft-set,"
		      "ipset,iptables",
		      true),
	      NULL);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	totals = read_samples(10);
	assert_true(totals.dropped > 0 && totals.passed > 0);
	/* four `none` cells let all through, the six filters nothing */
	assert_true(totals.dropped * 4 == totals.passed * 6);
}

/* Said with the estimate, and before a list of that size is generated. */
static void what_does_not_fit_is_skipped(void **state)
{
	(void)state;
	need_measuring();
	if (memory_available() > 80e9)
		skip_because("here 100 million rules fit");
	spawn(&child,
	      command("run --rounds 6 --packets 200 --no-plots "
		      "--rules 3,100000000 --filter nft-linear,iptables",
		      true),
	      NULL);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	assert_true(child.peak_kb < 200000);
	assert_non_null(strstr(child.out, "iptables holds at most"));
	assert_non_null(strstr(child.out, "GiB"));
	assert_int_equal(count_lines("summary.tsv"), 8);
	assert_int_equal(read_samples(8).rounds, 6);
}

static void a_sink_swallows_what_passes(void **state)
{
	struct totals totals;

	(void)state;
	need_measuring();
	spawn(&child,
	      command("run --rounds 6 --packets 200 --no-plots --match 50 "
		      "--fate sink --rules 10 --filter tc-bpf-lpm,iptables",
		      true),
	      NULL);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	totals = read_samples(6);
	assert_true(totals.dropped > 0);
	assert_true(totals.passed > totals.dropped);
}

/* The same with IPv6, on every kind of hook. */
static void ipv6_is_dropped_and_passes(void **state)
{
	struct totals totals;

	(void)state;
	need_measuring();
	spawn(&child,
	      command("run --rounds 6 --packets 200 --no-plots --match last "
		      "--family 6 --rules 3 --filter tc-bpf-lpm,tc-u32,"
		      "nft-linear,nft-set,ipset,iptables,nft-set@input,"
		      "nft-linear@ingress",
		      true),
	      NULL);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	totals = read_samples(16);
	assert_true(totals.dropped > 0);
	/* two `none` cells on each of four hooks, and eight filters */
	assert_true(totals.dropped == totals.passed);
}

static void ipv6_as_syns_into_a_sink(void **state)
{
	struct totals totals;

	(void)state;
	need_measuring();
	spawn(&child,
	      command("run --rounds 6 --packets 200 --no-plots --match 50 "
		      "--family 6 --fate sink --rules 10 --frame imix "
		      "--protocol tcp-syn --sports 7 --source bpf "
		      "--filter tc-bpf-lpm,iptables",
		      true),
	      NULL);
	if (child.status)
		fail_msg("status %d: %s", child.status, child.err);
	totals = read_samples(6);
	assert_true(totals.dropped > 0);
	assert_true(totals.passed > totals.dropped);
}

/* A list that holds where misses usually go; its IPv4 is skipped. */
static void a_wrong_option_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(spawn(&child, command("run --rules ten", true), NULL),
			 2);
	assert_non_null(strstr(child.err, "--rules: 'ten' is not a number"));
	assert_int_equal(spawn(&child, command("run --nosuch", true), NULL), 2);
	assert_int_equal(spawn(&child, command("rum", false), NULL), 2);
	assert_non_null(strstr(child.err, "did you mean 'run'"));
	assert_false(exists(""));
}

static void dry_run_needs_no_right(void **state)
{
	(void)state;
	assert_int_equal(spawn(&child, command("run --dry-run", true), NULL),
			 0);
	assert_non_null(strstr(child.out, "tc-bpf-lpm@egress\t10000"));
	assert_false(exists(""));
}

static void results_are_not_overwritten(void **state)
{
	(void)state;
	need_measuring();
	assert_int_equal(mkdir(out, 0777), 0);
	fclose(fopen(path("precious"), "w"));
	assert_int_equal(spawn(&child, command("run", true), NULL), 1);
	assert_non_null(strstr(child.err, "not empty"));
	assert_true(exists("precious"));
}

static int become_nobody(void)
{
	return chdir("/") || setgid(65534) || setuid(65534);
}

static int become_user_namespace_root(void)
{
	return become_nobody() || unshare(CLONE_NEWUSER);
}

static void check_refusal(spawn_prepare prepare)
{
	assert_int_equal(chmod(dir, 0777), 0);
	spawn(&child, command("run", true), prepare);
	if (child.status == 127 || child.status == 126)
		skip_because("the program cannot be started as another user");
	if (child.status != 77)
		fail_msg("status %d: %s", child.status, child.err);
	assert_non_null(strstr(child.err, "CAP_"));
	assert_ptr_equal(strchr(child.err, '\n'),
			 child.err + strlen(child.err) - 1);
	assert_false(exists(""));
}

static void without_privilege(void **state)
{
	(void)state;
	if (getuid())
		skip_because("only root can become somebody else");
	check_refusal(become_nobody);
}

static void in_a_user_namespace(void **state)
{
	(void)state;
	if (getuid())
		skip_because("only root can become somebody else");
	check_refusal(become_user_namespace_root);
}

#define MAX_PROGRAMS 256

/*
 * The BPF programs that a process holds.  A classifier is held by its
 * namespace as well, so that it goes away only when the namespace does.
 */
struct programs {
	unsigned int ids[MAX_PROGRAMS];
	size_t count;
};

static void read_program(struct programs *programs, const char *file)
{
	FILE *info = fopen(file, "r");
	char line[256];

	while (info && fgets(line, sizeof(line), info))
		if (!strncmp(line, "prog_id:", 8) &&
		    programs->count < MAX_PROGRAMS)
			programs->ids[programs->count++] =
				strtoul(line + 8, NULL, 10);
	if (info)
		fclose(info);
}

static struct programs programs_of(pid_t pid)
{
	struct programs programs = { .count = 0 };
	char file[320];
	struct dirent *entry;
	DIR *list;

	snprintf(file, sizeof(file), "/proc/%d/fdinfo", pid);
	list = opendir(file);
	assert_non_null(list);
	while ((entry = readdir(list))) {
		snprintf(file, sizeof(file), "/proc/%d/fdinfo/%s", pid,
			 entry->d_name);
		read_program(&programs, file);
	}
	closedir(list);
	return programs;
}

static size_t count_alive(const struct programs *programs)
{
	size_t alive = 0;

	for (size_t i = 0; i < programs->count; i++) {
		int fd = bpf_prog_get_fd_by_id(programs->ids[i]);

		if (fd < 0)
			continue;
		close(fd);
		alive++;
	}
	return alive;
}

static void check_nothing_left(const struct programs *programs)
{
	for (int i = 0; count_alive(programs); i++) {
		if (i == 200)
			fail_msg("%zu programs are left",
				 count_alive(programs));
		usleep(100000);
	}
}

static void start_long_run(void)
{
	spawn_start(&child,
		    command("run --time 60 --no-plots --rules 1,10 --filter "
			    "tc-bpf-lpm,tc-u32",
			    true),
		    NULL);
	for (int i = 0; i < 200; i++) {
		if (exists("run.json") && count_lines("samples.tsv") > 50)
			return;
		usleep(50000);
	}
	fail_msg("no samples within ten seconds");
}

/* A file of this namespace, to see that nobody touched it. */
static void snapshot(const char *name, char *buf, size_t size)
{
	FILE *file = fopen(name, "r");

	assert_non_null(file);
	buf[fread(buf, 1, size - 1, file)] = '\0';
	fclose(file);
}

static void kill_leaves_nothing(void **state)
{
	struct programs programs;
	char before[4096], after[4096];
	json_t *run;

	(void)state;
	need_measuring();
	snapshot("/proc/net/dev", before, sizeof(before));
	start_long_run();
	programs = programs_of(child.pid);
	assert_true(programs.count >= 3); /* the source and two cells */
	kill(child.pid, SIGKILL);
	spawn_wait(&child);
	assert_int_equal(child.status, 128 + SIGKILL);
	check_nothing_left(&programs);
	snapshot("/proc/net/dev", after, sizeof(after));
	assert_string_equal(strstr(before, "lo:"), strstr(after, "lo:"));

	/* what was measured can still be read */
	run = read_run();
	assert_string_equal(text(run, "state"), "running");
	json_decref(run);
	assert_int_equal(
		spawn(&child, (char *[]){ program, "report", out, NULL }, NULL),
		0);
	assert_non_null(strstr(child.out, "tc-u32"));
}

static void interrupt_leaves_results(void **state)
{
	struct programs programs;
	json_t *run;

	(void)state;
	need_measuring();
	start_long_run();
	programs = programs_of(child.pid);
	assert_true(programs.count >= 3); /* the source and two cells */
	kill(child.pid, SIGINT);
	spawn_wait(&child);
	assert_int_equal(child.status, 1);
	assert_non_null(strstr(child.err, "interrupted"));
	assert_non_null(strstr(child.out, "tc-u32"));
	run = read_run();
	assert_string_equal(text(run, "state"), "interrupted");
	json_decref(run);
	assert_true(exists("summary.tsv") && exists("pps.dat"));
	check_nothing_left(&programs);
}

static int small_disk(void)
{
	return unshare(CLONE_NEWNS) ||
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", dir, "tmpfs", 0, "size=8k");
}

static void a_full_disk_is_said(void **state)
{
	(void)state;
	need_measuring();
	spawn(&child,
	      command("run --packets 10 --rounds 2000 --no-plots --filter none",
		      true),
	      small_disk);
	if (child.status == 126)
		skip_because("no mount namespace here");
	assert_int_equal(child.status, 1);
	assert_non_null(strstr(child.err, "No space left"));
}

static void list_shows_the_registry(void **state)
{
	(void)state;
	assert_int_equal(spawn(&child, command("list", false), NULL), 0);
	for (size_t i = 0; filters[i]; i++)
		assert_non_null(strstr(child.out, filters[i]->name));
	for (size_t i = 0; sources[i]; i++)
		assert_non_null(strstr(child.out, sources[i]->name));
}

static void check_gives_reasons(void **state)
{
	char *line, *rest = child.out;

	(void)state;
	spawn(&child, command("check", false), NULL);
	assert_true(child.status == 0 || child.status == 77);
	while ((line = strsep(&rest, "\n"))) {
		if (!*line || !strncmp(line, "machine", 7))
			continue;
		if (!strstr(line, " yes") && !strstr(line, " no: "))
			fail_msg("check says: %s", line);
		assert_true(strlen(line) > 30);
	}
}

/* One program that runs from anywhere, and its page. */
static void install_puts_the_files_in_place(void **state)
{
	char destdir[128], installed[256], page[256];
	char *const make[] = { "make",	      "-s",    "install",
			       "PREFIX=/usr", destdir, NULL };
	char *const list[] = { installed, "list", NULL };

	(void)state;
	if (access("Makefile", F_OK))
		skip_because("not in the source directory");
	snprintf(destdir, sizeof(destdir), "DESTDIR=%s", dir);
	snprintf(installed, sizeof(installed), "%s/usr/bin/hookcost", dir);
	snprintf(page, sizeof(page), "%s/usr/share/man/man8/hookcost.8", dir);
	if (spawn(&child, make, NULL))
		fail_msg("make install: %s", child.err);
	assert_int_equal(access(page, R_OK), 0);
	assert_int_equal(spawn(&child, list, NULL), 0);
	assert_non_null(strstr(child.out, filters[1]->name));
}

#define cell_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cell_test(a_run_leaves_its_files),
		cell_test(matching_traffic_is_dropped),
		cell_test(what_does_not_fit_is_skipped),
		cell_test(a_sink_swallows_what_passes),
		cell_test(ipv6_is_dropped_and_passes),
		cell_test(ipv6_as_syns_into_a_sink),
		cell_test(a_wrong_option_changes_nothing),
		cell_test(dry_run_needs_no_right),
		cell_test(results_are_not_overwritten),
		cell_test(without_privilege),
		cell_test(in_a_user_namespace),
		cell_test(kill_leaves_nothing),
		cell_test(interrupt_leaves_results),
		cell_test(a_full_disk_is_said),
		cell_test(list_shows_the_registry),
		cell_test(check_gives_reasons),
		cell_test(install_puts_the_files_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

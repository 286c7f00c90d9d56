// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests that boot, and those that do not.  This program is the init of some
 * of them, with jobs of its own; the others are booted by `hookcost vm`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/guest_init.h"
#include "runner/guest_pool.h"
#include "runner/log.h"
#include "runner/process.h"
#include "runner/results.h"
#include "runner/stats.h"
#include "runner/tests/guest_pktgen.h"
#include "runner/tests/spawn.h"
#include "runner/tests/tempdir.h"

#define OLD_KERNEL "debian:6.1"
#define NEW_KERNEL "debian:6.12"

/* ---- inside the guest ---- */

static int job_lines(int out)
{
	struct utsname uts;
	struct timespec now;

	uname(&uts);
	dprintf(out, "kernel %s\n", uts.release);
	for (int i = 0; i < 3; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		dprintf(out, "at %ld.%09ld\n", now.tv_sec, now.tv_nsec);
	}
	return EXIT_DONE;
}

static int job_modules(int out)
{
	auto_file FILE *in = fopen("/proc/modules", "r");
	char name[80];

	while (in && fscanf(in, "%79s%*[^\n]", name) == 1)
		dprintf(out, "module %s\n", name);
	return EXIT_DONE;
}

static int job_panic(int out)
{
	auto_file FILE *trigger = fopen("/proc/sysrq-trigger", "w");

	dprintf(out, "before\n");
	if (trigger)
		fputs("c", trigger);
	return EXIT_DONE;
}

static int job_hang(int out)
{
	dprintf(out, "before\n");
	for (volatile bool forever = true; forever;)
		;
	return EXIT_DONE;
}

static int job_wait(int out)
{
	dprintf(out, "before\n");
	pause();
	return EXIT_DONE;
}

static int job_fail(int out)
{
	dprintf(out, "before\n");
	log_err(0, "the cause of it");
	return EXIT_FAILED;
}

static int job_cannot(int out)
{
	dprintf(out, "before\n");
	log_err(0, "this kernel lacks it");
	return EXIT_CANNOT;
}

static const struct {
	const char *name;
	int (*job)(int out);
} jobs[] = {
	{ "lines", job_lines },	  { "modules", job_modules },
	{ "panic", job_panic },	  { "hang", job_hang },
	{ "wait", job_wait },	  { "fail", job_fail },
	{ "cannot", job_cannot }, { "pktgen", job_pktgen },
};

static int do_job(int argc, char **argv, int out)
{
	for (size_t i = 0; argc && i < ARRAY_SIZE(jobs); i++)
		if (!strcmp(jobs[i].name, argv[0]))
			return jobs[i].job(out);
	return EXIT_USAGE;
}

/* ---- on the host ---- */

static struct guest_kernel kernel;
static struct guest_modules modules;
static struct guest_image image;
static struct guest_setup setup;
static char cannot[512]; /* why no guest can be booted here */
static const char *program;
static char dir[64];
static struct spawned child;

static int prepare(void **state)
{
	char version[32];
	int err;
	struct log_capture said;

	(void)state;
	program = getenv("HOOKCOST") ? getenv("HOOKCOST") : "./hookcost";
	strcpy(dir, "/tmp/hookcost-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	log_capture_begin(&said);
	err = guest_qemu_version(version, sizeof(version));
	if (!err)
		err = guest_kernel_find(&kernel, NEW_KERNEL, NULL);
	log_capture_end(&said);
	if (err) {
		snprintf(cannot, sizeof(cannot), "%s", said.text);
		return 0;
	}
	if (guest_modules_find(&modules, kernel.modules) ||
	    guest_image_build(&image, &modules, NULL))
		return -1;
	setup = (struct guest_setup){
		.kernel = &kernel,
		.image = &image,
		.memory_mb = 512,
		.patience_s = 120,
	};
	return 0;
}

static int finish(void **state)
{
	char *const argv[] = { "rm", "-rf", dir, NULL };

	(void)state;
	guest_image_free(&image);
	guest_modules_free(&modules);
	return spawn(&child, argv, NULL);
}

static void need_guests(void)
{
	if (!cannot[0])
		return;
	print_message("skipped: %s\n", cannot);
	skip();
}

/* Only some releases offer it. */
static void need_old_kernel(struct guest_kernel *old)
{
	struct log_capture said;
	int err;

	need_guests();
	log_capture_begin(&said);
	err = guest_kernel_find(old, OLD_KERNEL, NULL);
	log_capture_end(&said);
	if (!err)
		return;
	print_message("skipped: %s\n", said.text);
	skip();
}

/* What became of a boot. */
struct outcome {
	char text[8192];
	char reason[768];
	int err;
	int done;
};

static int on_line(void *context, const char *line)
{
	struct outcome *outcome = context;
	size_t len = strlen(outcome->text);

	snprintf(outcome->text + len, sizeof(outcome->text) - len, "%s\n",
		 line);
	return 0;
}

static int on_done(void *context, int err, const char *reason)
{
	struct outcome *outcome = context;

	outcome->err = err;
	outcome->done++;
	snprintf(outcome->reason, sizeof(outcome->reason), "%s", reason);
	return 0;
}

static void saw(const struct outcome *outcome, int err, const char *reason)
{
	assert_int_equal(outcome->done, 1);
	if (outcome->err != err || !strstr(outcome->reason, reason))
		fail_msg("%d '%s', not %d '%s'", outcome->err, outcome->reason,
			 err, reason);
}

/* All at once, so that those that fail have others beside them. */
static void each_end_has_its_reason(void **state)
{
	static const char *const words[][2] = {
		{ "lines" }, { "panic" }, { "fail" },	{ "lines" },
		{ "wait" },  { "hang" },  { "cannot" }, { "modules" },
	};
	static struct outcome outcomes[ARRAY_SIZE(words)];
	struct guest_task tasks[ARRAY_SIZE(words)];
	struct guest_setup hasty = setup;

	(void)state;
	need_guests();
	hasty.patience_s = 25;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		tasks[i] = (struct guest_task){
			.setup = i == 4 || i == 5 ? &hasty : &setup,
			.words = words[i],
			.line = on_line,
			.done = on_done,
			.context = &outcomes[i],
		};
	assert_int_equal(
		guest_pool_run(tasks, ARRAY_SIZE(words), guest_pool_width(512)),
		0);
	saw(&outcomes[0], 0, "");
	assert_non_null(strstr(outcomes[0].text, kernel.release));
	saw(&outcomes[1], -EIO, "Kernel panic");
	saw(&outcomes[2], -EIO, "the cause of it");
	saw(&outcomes[3], 0, "");
	/* also where it only waits: its clock jumps from timer to timer */
	saw(&outcomes[4], -ETIMEDOUT, "hangs");
	saw(&outcomes[5], -ETIMEDOUT, "hangs");
	saw(&outcomes[6], -EOPNOTSUPP, "this kernel lacks it");
	saw(&outcomes[7], 0, "");
	assert_non_null(strstr(outcomes[7].text, "module pktgen\n"));
	assert_non_null(strstr(outcomes[7].text, "module nf_tables\n"));
	for (size_t i = 1; i < 7; i++)
		if (i != 3)
			assert_string_equal(outcomes[i].text, "before\n");
	/* two boots agree in every digit of the clock */
	assert_string_equal(outcomes[0].text, outcomes[3].text);
}

/* Boots one and gives the outcome. */
static void boot(struct outcome *outcome, const struct guest_setup *with)
{
	const char *const words[] = { "lines", NULL };
	const struct guest_task task = {
		.setup = with,
		.words = words,
		.line = on_line,
		.done = on_done,
		.context = outcome,
	};

	assert_int_equal(guest_pool_run(&task, 1, 1), 0);
}

static void a_broken_image_is_given_up(void **state)
{
	static struct outcome outcome;
	static char rubbish[1 << 20];
	struct guest_kernel broken = kernel;
	struct guest_setup with = setup;
	char *const copy[] = { "cp", kernel.image, broken.image, NULL };
	FILE *out;

	(void)state;
	need_guests();
	snprintf(broken.image, sizeof(broken.image), "%s/broken", dir);
	assert_int_equal(spawn(&child, copy, NULL), 0);
	out = fopen(broken.image, "r+");
	assert_non_null(out);
	memset(rubbish, 0x5a, sizeof(rubbish));
	assert_int_equal(fseek(out, 2 << 20, SEEK_SET), 0);
	assert_int_equal(fwrite(rubbish, 1, sizeof(rubbish), out),
			 sizeof(rubbish));
	assert_int_equal(fclose(out), 0);
	with.kernel = &broken;
	with.patience_s = 25;
	boot(&outcome, &with);
	assert_int_equal(outcome.done, 1);
	assert_true(outcome.err < 0);
	if (!strstr(outcome.reason, "console"))
		fail_msg("'%s' does not show the console", outcome.reason);
}

static void a_module_of_another_kernel_ends_the_cell(void **state)
{
	static struct outcome outcome;
	const char *const wanted[] = { "pktgen", NULL };
	struct guest_kernel other;
	struct guest_modules foreign;
	struct guest_image with_foreign;
	struct guest_setup with = setup;

	(void)state;
	need_old_kernel(&other);
	assert_int_equal(
		guest_modules_find_these(&foreign, other.modules, wanted), 0);
	assert_int_equal(guest_image_build(&with_foreign, &foreign, NULL), 0);
	with.image = &with_foreign;
	boot(&outcome, &with);
	saw(&outcome, -EIO, "module pktgen cannot be loaded");
	guest_image_free(&with_foreign);
	guest_modules_free(&foreign);
}

/* ---- the program ---- */

#define MAX_ARGS 40

static struct spawned *start(const char *args, spawn_prepare before)
{
	static char copy[1024];
	char *argv[MAX_ARGS] = { (char *)program, "vm" }, *rest = copy;
	int argc = 2;

	snprintf(copy, sizeof(copy), "%s", args);
	while (argc < MAX_ARGS - 1 && (argv[argc] = strsep(&rest, " ")))
		argc++;
	argv[argc] = NULL;
	spawn_start(&child, argv, before);
	return &child;
}

static int vm(const char *args, spawn_prepare before)
{
	spawn_wait(start(args, before));
	return child.status;
}

static char *with_out(const char *name, const char *args)
{
	static char text[1024];

	snprintf(text, sizeof(text), "--out %s/%s %s", dir, name, args);
	return text;
}

/* The samples of one cell without its number. */
static void samples_of(const char *name, unsigned int cell, char *text,
		       size_t size)
{
	char path[200], line[300];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/samples.tsv", dir, name);
	in = fopen(path, "r");
	if (!in)
		fail_msg("%s cannot be opened", path);
	*text = '\0';
	while (fgets(line, sizeof(line), in)) {
		unsigned int round, id;
		size_t len = strlen(text);
		int at;

		if (sscanf(line, "%u\t%u%n", &round, &id, &at) == 2 &&
		    id == cell)
			snprintf(text + len, size - len, "%u%s", round,
				 line + at);
	}
	fclose(in);
	assert_true(strlen(text) > 100);
}

static void alike(const char *a, unsigned int cell_a, const char *b,
		  unsigned int cell_b)
{
	static char text_a[4096], text_b[4096];

	samples_of(a, cell_a, text_a, sizeof(text_a));
	samples_of(b, cell_b, text_b, sizeof(text_b));
	assert_string_equal(text_a, text_b);
}

static void a_cell_alone_equals_it_among_others(void **state)
{
	struct guest_kernel other;
	char many[200];

	(void)state;
	need_old_kernel(&other);
	assert_int_equal(
		vm(with_out(
			   "many",
			   "--kernel " NEW_KERNEL " --kernel " OLD_KERNEL
			   " -- --filter nft-linear,tc-u32 --rules 1,10 --rounds 2 --no-plots"),
		   NULL),
		EXIT_DONE);
	/* the table: both kernels, and the linear filters' parts */
	assert_non_null(strstr(child.out, kernel.release));
	assert_non_null(strstr(child.out, "source pktgen"));
	assert_non_null(strstr(child.out, "insn"));
	assert_non_null(strstr(child.out, "a rule"));

	snprintf(many, sizeof(many), "many/%s", kernel.release);
	assert_int_equal(
		vm(with_out(
			   "alone",
			   "--kernel " NEW_KERNEL
			   " -- --rounds 2 --filter tc-u32 --rules 10 --no-plots"),
		   NULL),
		EXIT_DONE);
	assert_non_null(strstr(child.out, "emulated"));
	/* cells of many: 2 baselines, nft-linear 1 and 10, tc-u32 1 and 10 */
	alike("alone", 0, many, 0);
	alike("alone", 2, many, 5);
}

#define AGREEMENT 0.02

/* Measures with a source, and loads what it found. */
static void measure_with(const char *source, struct results *results,
			 struct stats *stats)
{
	char args[256], path[128];

	snprintf(args, sizeof(args),
		 "--kernel " NEW_KERNEL
		 " -- --source %s --rules 100 --rounds 2 "
		 "--filter tc-u32,nft-linear,iptables --no-plots",
		 source);
	if (vm(with_out(source, args), NULL))
		fail_msg("%s", child.err);
	snprintf(path, sizeof(path), "%s/%s", dir, source);
	assert_int_equal(results_load(path, results), 0);
	assert_int_equal(stats_compute(results, stats), 0);
}

/* However the packets are made, a filter adds the same to them. */
static void both_sources_agree(void **state)
{
	auto_results struct results pktgen = { 0 }, bpf = { 0 };
	auto_stats struct stats by_pktgen = { 0 }, by_bpf = { 0 };
	size_t compared = 0;

	(void)state;
	need_guests();
	measure_with("pktgen", &pktgen, &by_pktgen);
	measure_with("bpf", &bpf, &by_bpf);
	for (size_t i = 0; i < pktgen.cell_count; i++) {
		double a = by_pktgen.cells[i].added_ns.value;
		double b = by_bpf.cells[i].added_ns.value;

		if (pktgen.cells[i].role != RESULT_FILTER)
			continue;
		if (!(a > 0) || !(fabs(b / a - 1) < AGREEMENT))
			fail_msg("%s: %.2f by pktgen, %.2f by bpf",
				 pktgen.cells[i].filter, a, b);
		compared++;
	}
	assert_int_equal(compared, 3);
}

/* The kernel's own pktgen, for real. */
static void pktgen_works_on_lo(void **state)
{
	static const char *const words[] = { "pktgen", NULL };
	static struct outcome outcome;
	struct guest_task task = { .setup = &setup,
				   .words = words,
				   .line = on_line,
				   .done = on_done,
				   .context = &outcome };

	(void)state;
	need_guests();
	assert_int_equal(guest_pool_run(&task, 1, 1), 0);
	saw(&outcome, 0, "");
	for (size_t i = 0; i < ARRAY_SIZE(pktgen_cases); i++) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "ok %s\n",
			 pktgen_cases[i].name);
		if (!strstr(outcome.text, wanted))
			fail_msg("in the guest: %s", outcome.text);
	}
}

/* Sums of both cells and of their difference: within half a per cent. */
static void check_sums(const char *text)
{
	unsigned int sums = 0;
	double share, sum, timed;

	for (const char *at = text; (at = strstr(at, "  sum, ")); at++) {
		assert_int_equal(sscanf(at, "  sum, %lf %%", &share), 1);
		if (share < 99.5 || share > 100.5)
			fail_msg("the functions sum up to %.2f %%", share);
		sums++;
	}
	assert_int_equal(sums, 2);
	text = strstr(text, "  in all; the source timed ");
	assert_non_null(text);
	assert_int_equal(sscanf(text, " in all; the source timed %lf", &timed),
			 1);
	while (text[-1] != '\n')
		text--;
	assert_int_equal(sscanf(text, "%lf", &sum), 1);
	if (fabs(sum - timed) > fabs(timed) / 200)
		fail_msg("the difference is %.2f, timed %.2f", sum, timed);
}

static void explains_a_rule(void **state)
{
	(void)state;
	need_guests();
	if (vm(with_out(
		       "explained",
		       "--explain --kernel " NEW_KERNEL
		       " -- --filter nft-linear --rules 1 --rounds 2 --no-plots"),
	       NULL))
		fail_msg("%s", child.err);
	assert_non_null(strstr(child.out, "  nft_do_chain\n"));
	assert_non_null(strstr(child.out, "  __dev_queue_xmit\n"));
	check_sums(child.out);
}

/* As one that was built without them: it refuses the option. */
static void without_plugins_the_rest_is_measured(void **state)
{
	char path[128];
	FILE *file;

	(void)state;
	need_guests();
	snprintf(path, sizeof(path), "%s/qemu", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("#!/bin/sh\n"
	      "for word; do [ \"$word\" != -plugin ] || exit 1; done\n"
	      "exec qemu-system-x86_64 \"$@\"\n",
	      file);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	setenv("HOOKCOST_QEMU", path, 1);
	assert_int_equal(vm(with_out("no-plugins",
				     "--explain --kernel " NEW_KERNEL
				     " -- --filter none --rounds 2 --no-plots"),
			    NULL),
			 EXIT_DONE);
	unsetenv("HOOKCOST_QEMU");
	assert_non_null(strstr(child.err, "takes no plugins"));
	assert_non_null(strstr(child.out, "insn/packet"));
	assert_null(strstr(child.out, "by function"));
}

static void without_modules_the_reason_is_named(void **state)
{
	char args[400];

	(void)state;
	need_guests();
	snprintf(args, sizeof(args),
		 "--kernel " NEW_KERNEL " --modules %s --out %s/bare -- "
		 "--filter tc-u32 --rules 1 --source pktgen",
		 dir, dir);
	assert_int_equal(vm(args, NULL), EXIT_CANNOT);
	assert_non_null(strstr(child.err, "pktgen"));
}

static void without_qemu_the_package_is_named(void **state)
{
	(void)state;
	setenv("HOOKCOST_QEMU", "/nowhere/qemu", 1);
	assert_int_equal(vm(with_out("no-qemu", "--kernel host"), NULL),
			 EXIT_CANNOT);
	unsetenv("HOOKCOST_QEMU");
	assert_non_null(strstr(child.err, "qemu-system-x86"));
}

static int with_little_room(void)
{
	return unshare(CLONE_NEWNS) ||
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	       mount("none", dir, "tmpfs", 0, "size=24k");
}

static void a_full_disk_is_said(void **state)
{
	int status;

	(void)state;
	need_guests();
	if (geteuid()) {
		print_message("skipped: needs root to mount a small disk\n");
		skip();
	}
	status = vm(with_out("full", "--kernel " NEW_KERNEL
				     " -- --filter tc-u32 --rules 1"),
		    with_little_room);
	if (status == 126) {
		print_message("skipped: no mount namespace here\n");
		skip();
	}
	assert_int_equal(status, EXIT_FAILED);
	assert_non_null(strstr(child.err, "No space left"));
}

/* Processes that QEMU's name and our parent give away. */
static unsigned int guests_of(pid_t parent)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int count = 0;

	assert_non_null(proc);
	while ((entry = readdir(proc))) {
		char path[300], name[64] = "";
		pid_t its = 0;
		FILE *in;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		in = fopen(path, "r");
		if (!in)
			continue;
		if (fscanf(in, "%*d (%63[^)]) %*c %d", name, &its) == 2 &&
		    its == parent && !strncmp(name, "qemu", 4))
			count++;
		fclose(in);
	}
	closedir(proc);
	return count;
}

static pid_t first_guest_of(pid_t parent)
{
	char path[64];
	FILE *in;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent,
		 parent);
	in = fopen(path, "r");
	if (in && fscanf(in, "%d", &pid) != 1)
		pid = 0;
	if (in)
		fclose(in);
	return pid;
}

static void nap(void)
{
	const struct timespec tenth = { .tv_nsec = 100000000 };

	nanosleep(&tenth, NULL);
}

static size_t count_in_tmp(void)
{
	DIR *tmp = opendir("/tmp");
	size_t count = 0;

	assert_non_null(tmp);
	for (struct dirent *entry; (entry = readdir(tmp));)
		count += strncmp(entry->d_name, "hookcost", 8) == 0 ||
			 strncmp(entry->d_name, "guest", 5) == 0;
	closedir(tmp);
	return count;
}

/* Starts one, sends a signal when a guest runs; nothing may be left. */
static void ended_by(int signal, int status, const char *name)
{
	size_t before = count_in_tmp();
	pid_t guest;

	start(with_out(name,
		       "--kernel " NEW_KERNEL " -- --filter tc-u32 --rules 1"),
	      NULL);
	for (int i = 0; i < 300 && !guests_of(child.pid); i++)
		nap();
	assert_true(guests_of(child.pid) > 0);
	guest = first_guest_of(child.pid);
	nap();
	kill(child.pid, signal);
	spawn_wait(&child);
	assert_int_equal(child.status, status);
	for (int i = 0; i < 20 && guest && !kill(guest, 0); i++)
		nap();
	if (guest) {
		char path[64], what[64] = "";
		FILE *in;

		/* the number may be another's by now, but not QEMU's */
		snprintf(path, sizeof(path), "/proc/%d/comm", guest);
		in = fopen(path, "r");
		if (in && fscanf(in, "%63s", what) != 1)
			what[0] = '\0';
		if (in)
			fclose(in);
		assert_int_not_equal(strncmp(what, "qemu", 4), 0);
	}
	assert_int_equal(count_in_tmp(), before);
}

static void ctrl_c_leaves_nothing(void **state)
{
	(void)state;
	need_guests();
	ended_by(SIGINT, EXIT_FAILED, "int");
	assert_non_null(strstr(child.err, "interrupted"));
}

static void killing_leaves_nothing(void **state)
{
	(void)state;
	need_guests();
	ended_by(SIGKILL, 128 + SIGKILL, "kill");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_has_its_reason),
		cmocka_unit_test(a_broken_image_is_given_up),
		cmocka_unit_test(a_module_of_another_kernel_ends_the_cell),
		cmocka_unit_test(a_cell_alone_equals_it_among_others),
		cmocka_unit_test(pktgen_works_on_lo),
		cmocka_unit_test(both_sources_agree),
		cmocka_unit_test(explains_a_rule),
		cmocka_unit_test(without_plugins_the_rest_is_measured),
		cmocka_unit_test(without_modules_the_reason_is_named),
		cmocka_unit_test(without_qemu_the_package_is_named),
		cmocka_unit_test(a_full_disk_is_said),
		cmocka_unit_test(ctrl_c_leaves_nothing),
		cmocka_unit_test(killing_leaves_nothing),
	};

	if (guest_init_wanted())
		guest_init(do_job);
	return cmocka_run_group_tests(tests, prepare, finish);
}

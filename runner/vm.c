// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "runner/cleanup.h"
#include "runner/explain.h"
#include "runner/guest_collect.h"
#include "runner/guest_kvm.h"
#include "runner/guest_pool.h"
#include "runner/guest_words.h"
#include "runner/log.h"
#include "runner/process.h"
#include "runner/vm.h"
#include "runner/vm_report.h"

/* Enough for all but lists of about a million rules. */
#define MEMORY_MB	512
#define MANY_RULES	300000
#define MANY_RULES_MB	2048
#define CONSOLE_DIR	"console"
#define MAX_PATH_LENGTH 4096

struct vm_kernel {
	struct guest_kernel kernel;
	struct guest_modules modules;
	struct guest_image image;
	struct guest_setup setup;
	struct guest_collect collect;
	char dir[MAX_PATH_LENGTH];
};

/* A boot, and what its pointers point to. */
struct vm_boot {
	struct guest_words words;
	struct guest_part part;
	char log_path[MAX_PATH_LENGTH + 256];
};

struct vm {
	const struct vm_options *options;
	const struct plan *plan;
	struct vm_kernel *kernels;
	size_t kernel_count;
	struct vm_boot *boots;
	struct guest_task *tasks;
	size_t boot_count;
	char qemu[32];
};

static int add_kernel(struct vm *vm, const char *spec)
{
	const struct options *run = vm->plan->options;
	struct guest_file files[3] = { 0 };
	size_t count = 0;
	struct vm_kernel *kernel = &vm->kernels[vm->kernel_count];
	int err =
		guest_kernel_find(&kernel->kernel, spec, vm->options->modules);

	if (err)
		return err;
	vm->kernel_count++;
	if (run->list)
		files[count++] = (struct guest_file){ GUEST_LIST, run->list };
	if (run->pcap)
		files[count++] =
			(struct guest_file){ GUEST_CAPTURE, run->pcap };
	err = guest_modules_find(&kernel->modules, kernel->kernel.modules);
	if (err)
		return err;
	if (kernel->modules.absent[0])
		log_debug("%s does not have: %s", kernel->kernel.release,
			  kernel->modules.absent);
	err = guest_image_build(&kernel->image, &kernel->modules, files);
	kernel->setup = (struct guest_setup){
		.kernel = &kernel->kernel,
		.image = &kernel->image,
		.clock = vm->options->clock,
		.modules_absent = kernel->modules.absent,
		.memory_mb = vm->plan->rules_max > MANY_RULES ? MANY_RULES_MB
							      : MEMORY_MB,
		.patience_s = vm->options->patience_s,
	};
	return err;
}

/* Debian's newest, else its older one; what both lack is the same. */
static int add_default(struct vm *vm)
{
	struct log_capture capture;
	int err;

	log_capture_begin(&capture);
	err = add_kernel(vm, "debian:6.12");
	log_capture_end(&capture);
	if (err == -EOPNOTSUPP)
		err = add_kernel(vm, "debian:6.1");
	else if (err && capture.text[0])
		log_err(err, "%s", capture.text);
	return err;
}

static int add_kernels(struct vm *vm)
{
	const struct vm_options *options = vm->options;
	int err = 0;

	vm->kernels = calloc(options->spec_count + 1, sizeof(*vm->kernels));
	if (!vm->kernels)
		return log_err(-ENOMEM, "out of memory");
	if (!options->spec_count)
		return add_default(vm);
	for (size_t i = 0; !err && i < options->spec_count; i++)
		err = add_kernel(vm, options->specs[i]);
	return err;
}

/* How many of the kernels before this one are of the same release. */
static unsigned int namesakes(const struct vm *vm, size_t at)
{
	unsigned int count = 0;

	for (size_t i = 0; i < at; i++)
		count += !strcmp(vm->kernels[i].kernel.release,
				 vm->kernels[at].kernel.release);
	return count;
}

/* DIR, or with several kernels DIR/RELEASE, DIR/RELEASE-2 and so on. */
static int name_dirs(struct vm *vm)
{
	char base[MAX_PATH_LENGTH / 2];
	time_t now = time(NULL);
	struct tm local;

	if (vm->options->out)
		snprintf(base, sizeof(base), "%s", vm->options->out);
	else
		strftime(base, sizeof(base), "hookcost-%Y%m%d-%H%M%S",
			 localtime_r(&now, &local));
	if (vm->kernel_count > 1 && mkdir(base, 0777) && errno != EEXIST)
		return log_err(-errno, "%s: %s", base, strerror(errno));
	for (size_t i = 0; i < vm->kernel_count; i++) {
		struct vm_kernel *kernel = &vm->kernels[i];
		unsigned int before = namesakes(vm, i);
		char again[16] = "";

		if (before)
			snprintf(again, sizeof(again), "-%u", before + 1);
		if (vm->kernel_count == 1)
			strcpy(kernel->dir, base);
		else
			snprintf(kernel->dir, sizeof(kernel->dir), "%s/%s%s",
				 base, kernel->kernel.release, again);
	}
	return 0;
}

static int open_kernel(struct vm *vm, struct vm_kernel *kernel)
{
	char console[MAX_PATH_LENGTH + 16];
	int err = guest_collect_open(&kernel->collect, kernel->dir, vm->plan,
				     vm->options->argc, vm->options->argv,
				     &kernel->setup, vm->qemu);

	if (err)
		return err;
	snprintf(console, sizeof(console), "%s/" CONSOLE_DIR, kernel->dir);
	return mkdir(console, 0777)
		       ? log_err(-errno, "%s: %s", console, strerror(errno))
		       : 0;
}

/* cell -1: the whole plan in one boot. */
static int add_boot(struct vm *vm, struct vm_kernel *kernel, long cell)
{
	struct vm_boot *boot = &vm->boots[vm->boot_count];
	const struct plan_cell *planned = &vm->plan->cells[cell < 0 ? 0 : cell];
	int err;

	boot->part = (struct guest_part){ .collect = &kernel->collect,
					  .cell = cell };
	if (cell < 0)
		err = guest_words_plan(&boot->words, vm->plan);
	else
		err = guest_words_cell(&boot->words, vm->plan->options, planned,
				       &boot->part.guest_id);
	if (err)
		return err;
	if (cell < 0)
		snprintf(boot->log_path, sizeof(boot->log_path),
			 "%s/" CONSOLE_DIR "/all.log", kernel->dir);
	else
		snprintf(boot->log_path, sizeof(boot->log_path),
			 "%s/" CONSOLE_DIR "/%ld-%s@%s-%zu.log", kernel->dir,
			 cell, planned->filter->name,
			 hook_info(planned->hook)->name, planned->rule_count);
	vm->tasks[vm->boot_count++] = (struct guest_task){
		.setup = &kernel->setup,
		.words = boot->words.words,
		.log_path = boot->log_path,
		.line = guest_collect_line,
		.done = guest_collect_done,
		.context = &boot->part,
	};
	return 0;
}

static int add_boots(struct vm *vm)
{
	bool single = vm->options->clock == GUEST_INSTRUCTIONS;
	size_t each = single ? vm->plan->count : 1;
	size_t most = each * vm->kernel_count;
	int err = 0;

	vm->boots = calloc(most, sizeof(*vm->boots));
	vm->tasks = calloc(most, sizeof(*vm->tasks));
	if (!vm->boots || !vm->tasks)
		return log_err(-ENOMEM, "out of memory");
	/* cell by cell, so that the kernels advance together */
	for (size_t i = 0; !err && i < most; i++)
		err = add_boot(vm, &vm->kernels[i % vm->kernel_count],
			       single ? (long)(i / vm->kernel_count) : -1);
	return err;
}

static unsigned int width(const struct vm *vm)
{
	/* guests beside each other would take each other's time */
	if (vm->options->clock == GUEST_TIME)
		return 1;
	return vm->options->jobs
		       ? vm->options->jobs
		       : guest_pool_width(vm->kernels[0].setup.memory_mb);
}

static int run(struct vm *vm)
{
	int err = 0;

	for (size_t i = 0; !err && i < vm->kernel_count; i++)
		err = open_kernel(vm, &vm->kernels[i]);
	if (!err)
		err = add_boots(vm);
	if (err)
		return err;
	return guest_pool_run(vm->tasks, vm->boot_count, width(vm));
}

/* -EIO if a cell failed, -EOPNOTSUPP if none was measured. */
static int judge(const struct vm *vm)
{
	size_t measured = 0, failed = 0;

	for (size_t k = 0; k < vm->kernel_count; k++)
		for (size_t i = 0; i < vm->plan->count; i++) {
			const struct cell *cell =
				&vm->kernels[k].collect.cells[i];

			measured += cell->status == CELL_MEASURED;
			failed += cell->status == CELL_FAILED;
		}
	if (failed)
		return log_err(-EIO, "%zu of %zu cells failed", failed,
			       vm->plan->count * vm->kernel_count);
	return measured ? 0 : log_err(-EOPNOTSUPP, "no cell could be measured");
}

/* Closes all, and shows what there is. */
static int close_all(struct vm *vm, int how)
{
	const char *dirs[VM_MAX_KERNELS];
	size_t count = 0;
	int err = how ? how : judge(vm), closed;

	for (size_t i = 0; i < vm->kernel_count; i++) {
		struct vm_kernel *kernel = &vm->kernels[i];

		if (!kernel->collect.cells)
			continue;
		closed = guest_collect_close(&kernel->collect, how);
		if (closed)
			err = err ? err : closed;
		else
			dirs[count++] = kernel->dir;
	}
	closed = vm_report(dirs, count, vm->plan->options->plots && !err);
	return err ? err : closed;
}

static int explain(const struct vm *vm)
{
	struct explain_kernel kernels[VM_MAX_KERNELS];

	for (size_t i = 0; i < vm->kernel_count; i++)
		kernels[i] = (struct explain_kernel){ &vm->kernels[i].setup,
						      vm->kernels[i].dir };
	return explain_cells(kernels, vm->kernel_count, vm->plan, width(vm),
			     vm->qemu);
}

static void free_all(struct vm *vm)
{
	for (size_t i = 0; i < vm->kernel_count; i++) {
		guest_modules_free(&vm->kernels[i].modules);
		guest_image_free(&vm->kernels[i].image);
	}
	free(vm->kernels);
	free(vm->boots);
	free(vm->tasks);
}

int vm_measure(const struct vm_options *options, const struct plan *plan)
{
	struct vm vm = { .options = options, .plan = plan };
	int err = guest_qemu_version(vm.qemu, sizeof(vm.qemu));

	if (!err)
		err = add_kernels(&vm);
	for (size_t i = 0;
	     !err && options->clock == GUEST_TIME && i < vm.kernel_count; i++)
		err = guest_kvm_try(&vm.kernels[i].setup);
	if (!err)
		err = name_dirs(&vm);
	if (!err)
		err = close_all(&vm, run(&vm));
	if (!err && options->explain)
		err = explain(&vm);
	free_all(&vm);
	if (err == -EINTR)
		log_info("interrupted; what was measured is kept");
	return err;
}

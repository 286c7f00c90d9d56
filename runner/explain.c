// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/explain.h"
#include "runner/explain_boot.h"
#include "runner/explain_plugin.h"
#include "runner/explain_show.h"
#include "runner/guest_pool.h"
#include "runner/log.h"
#include "runner/process.h"

#define NOTHING ", so nothing is explained; the measurement is complete"

struct explain {
	const struct explain_kernel *kernels;
	size_t kernel_count;
	const struct plan *plan;
	struct explain_boot *boots; /* by kernel, cell, and N or 2N */
	struct guest_task *tasks;
	size_t task_count;
	int plugin;
	size_t failed; /* cells */
};

static struct explain_boot *boot_of(const struct explain *explain,
				    size_t kernel, size_t cell)
{
	return &explain->boots[2 * (kernel * explain->plan->count + cell)];
}

static int add_cell(struct explain *explain, size_t kernel, size_t cell)
{
	struct explain_boot *boot = boot_of(explain, kernel, cell);
	int err = 0;

	if (explain->plan->cells[cell].role == ROLE_CANARY)
		return 0;
	for (unsigned int twice = 0; !err && twice < 2; twice++) {
		err = explain_boot_open(
			&boot[twice], explain->kernels[kernel].setup,
			explain->plan, cell, explain->plugin, twice);
		explain->tasks[explain->task_count++] = boot[twice].task;
	}
	return err;
}

static int boot_all(struct explain *explain, unsigned int width)
{
	size_t most = 2 * explain->kernel_count * explain->plan->count;
	int err = 0;

	explain->boots = calloc(most, sizeof(*explain->boots));
	explain->tasks = calloc(most, sizeof(*explain->tasks));
	if (!explain->boots || !explain->tasks)
		return log_err(-ENOMEM, "out of memory");
	for (size_t k = 0; k < explain->kernel_count; k++)
		for (size_t c = 0; !err && c < explain->plan->count; c++)
			err = add_cell(explain, k, c);
	if (!err)
		err = guest_pool_run(explain->tasks, explain->task_count,
				     width);
	return err;
}

/* One that fails leaves the others as they are; whether it did is counted. */
static void settle_cell(struct explain *explain, size_t kernel, size_t cell)
{
	const struct plan_cell *planned = &explain->plan->cells[cell];
	struct explain_boot *boot = boot_of(explain, kernel, cell);
	struct log_capture capture;
	int err;

	if (planned->role == ROLE_CANARY)
		return;
	log_capture_begin(&capture);
	err = explain_boot_profile(&boot[0], &boot[1]);
	log_capture_end(&capture);
	if (!err)
		return;
	profile_free(&boot->profile);
	explain->failed += err != -EOPNOTSUPP;
	log_warn("--explain: %s@%s, %zu rules, on %s: %s",
		 planned->filter->name, hook_info(planned->hook)->name,
		 planned->rule_count,
		 explain->kernels[kernel].setup->kernel->release, capture.text);
}

static int write_cell(struct explain *explain, size_t kernel, size_t cell)
{
	const struct explain_kernel *of = &explain->kernels[kernel];
	const struct plan_cell *planned = &explain->plan->cells[cell];
	struct explain_boot *boot = boot_of(explain, kernel, cell);

	if (!boot->profile.count)
		return 0;
	explain_show_cell(planned, of->setup->kernel->release, boot);
	return explain_write(of->dir, planned, cell, boot);
}

static int show_pair(const struct plan_cell *planned, const char *before_name,
		     const struct explain_boot *before, const char *after_name,
		     const struct explain_boot *after)
{
	if (!before->profile.count || !after->profile.count)
		return 0;
	return explain_show(planned, before_name, before, after_name, after);
}

/* The kernels against the first, or a filter against its baseline. */
static int show_cell(struct explain *explain, size_t cell)
{
	const struct explain_kernel *kernels = explain->kernels;
	const struct plan_cell *planned = &explain->plan->cells[cell];
	struct explain_boot *first = boot_of(explain, 0, cell);
	int err = 0;

	for (size_t k = 0; !err && k < explain->kernel_count; k++)
		err = write_cell(explain, k, cell);
	for (size_t k = 1; !err && k < explain->kernel_count; k++)
		err = show_pair(planned, kernels[0].setup->kernel->release,
				first, kernels[k].setup->kernel->release,
				boot_of(explain, k, cell));
	if (!err && explain->kernel_count == 1 && planned->role == ROLE_FILTER)
		err = show_pair(planned, "none",
				boot_of(explain, 0, planned->baseline),
				planned->filter->name, first);
	return err;
}

static void free_all(struct explain *explain)
{
	size_t most = 2 * explain->kernel_count * explain->plan->count;

	for (size_t i = 0; explain->boots && i < most; i++)
		explain_boot_close(&explain->boots[i]);
	close(explain->plugin);
	free(explain->boots);
	free(explain->tasks);
}

/* A descriptor, -EOPNOTSUPP after a warning, or another error. */
static int open_plugin(const char *qemu_version)
{
	struct log_capture capture;
	int fd;

	if (!guest_qemu_has_plugins()) {
		if (process_interrupted())
			return -EINTR;
		log_warn(
			"--explain: this QEMU takes no plugins (it was built without --enable-plugins)" NOTHING);
		return -EOPNOTSUPP;
	}
	log_capture_begin(&capture);
	fd = explain_plugin_open(qemu_version);
	log_capture_end(&capture);
	if (fd >= 0)
		return fd;
	if (fd != -EOPNOTSUPP)
		return log_err(fd, "%s", capture.text);
	log_warn("%s" NOTHING, capture.text);
	return fd;
}

int explain_cells(const struct explain_kernel *kernels, size_t count,
		  const struct plan *plan, unsigned int width,
		  const char *qemu_version)
{
	struct explain explain = { .kernels = kernels,
				   .kernel_count = count,
				   .plan = plan,
				   .plugin = open_plugin(qemu_version) };
	int err;

	if (explain.plugin < 0)
		return explain.plugin == -EOPNOTSUPP ? 0 : explain.plugin;
	err = boot_all(&explain, width);
	for (size_t k = 0; !err && k < count; k++)
		for (size_t c = 0; c < plan->count; c++)
			settle_cell(&explain, k, c);
	for (size_t c = 0; !err && c < plan->count; c++)
		err = show_cell(&explain, c);
	if (!err && explain.failed)
		err = log_err(-EIO, "--explain: %zu cells failed",
			      explain.failed);
	free_all(&explain);
	return err;
}

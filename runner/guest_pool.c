// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/guest_pool.h"
#include "runner/log.h"
#include "runner/process.h"

#define NAP_MS 50

/* What QEMU needs beside the guest's memory. */
#define QEMU_MB 200

struct slot {
	const struct guest_task *task; /* NULL: free */
	struct guest guest;
	int log;
	int line_err; /* ends everything */
};

struct pool {
	const struct guest_task *tasks;
	size_t count, next, done;
	struct slot *slots;
	unsigned int width;
};

static unsigned long available_mb(void)
{
	auto_file FILE *in = fopen("/proc/meminfo", "re");
	auto_mem char *line = NULL;
	unsigned long kb = 0;
	size_t size = 0;

	while (in && !kb && getline(&line, &size, in) > 0)
		sscanf(line, "MemAvailable: %lu", &kb);
	return kb / 1024;
}

unsigned int guest_pool_width(unsigned int memory_mb)
{
	unsigned long fit = available_mb() / (memory_mb + QEMU_MB);
	unsigned long cpus = 1;
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		cpus = CPU_COUNT(&set);
	if (fit && fit < cpus)
		return fit;
	return cpus;
}

static int on_line(void *context, const char *line)
{
	struct slot *slot = context;

	slot->line_err = slot->task->line(slot->task->context, line);
	return slot->line_err;
}

static void clear(struct slot *slot)
{
	guest_end(&slot->guest);
	if (slot->log >= 0)
		close(hand_over(slot->log, -1));
	slot->task = NULL;
}

static int begin(struct slot *slot, const struct guest_task *task)
{
	*slot = (struct slot){ .task = task, .log = -1 };
	if (task->log_path) {
		slot->log =
			open(task->log_path,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (slot->log < 0)
			return log_err(-errno, "%s: %s", task->log_path,
				       strerror(errno));
	}
	return guest_boot(&slot->guest, task->setup, task->words, slot->log);
}

/* Takes the next boot into a free slot; an error there ends everything. */
static int fill(struct pool *pool, struct slot *slot)
{
	if (slot->task || pool->next == pool->count)
		return 0;
	return begin(slot, &pool->tasks[pool->next++]);
}

static int look_at(struct pool *pool, struct slot *slot)
{
	int err;

	if (!slot->task)
		return 0;
	err = guest_poll(&slot->guest, on_line, slot);
	if (err == 1)
		return 0;
	if (slot->line_err)
		return slot->line_err;
	if (err == -ENOSPC)
		return log_err(err, "%s: %s", slot->task->log_path,
			       slot->guest.reason);
	err = slot->task->done(slot->task->context, err, slot->guest.reason);
	pool->done++;
	clear(slot);
	return err;
}

static int step(struct pool *pool)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < pool->width; i++) {
		err = look_at(pool, &pool->slots[i]);
		if (!err)
			err = fill(pool, &pool->slots[i]);
	}
	return err;
}

int guest_pool_run(const struct guest_task *tasks, size_t count,
		   unsigned int width)
{
	struct pool pool = { .tasks = tasks, .count = count, .width = width };
	auto_mem struct slot *slots = calloc(width, sizeof(*slots));
	int err = 0;

	if (!slots)
		return log_err(-ENOMEM, "out of memory");
	pool.slots = slots;
	while (!err && pool.done < count) {
		log_progress("%zu of %zu boots done", pool.done, count);
		err = process_interrupted() ? -EINTR : step(&pool);
		if (!err)
			process_nap(NAP_MS);
	}
	for (unsigned int i = 0; i < width; i++)
		if (slots[i].task)
			clear(&slots[i]);
	return err;
}

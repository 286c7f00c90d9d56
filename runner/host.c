// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "runner/host.h"
#include "runner/log.h"

static int last_of(const cpu_set_t *set)
{
	int last = -1;

	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, set))
			last = i;
	return last;
}

int host_pin(int wanted)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return log_err(-errno, "CPU affinity: %s", strerror(errno));
	cpu = wanted < 0 ? last_of(&set) : wanted;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return log_err(-errno, "--cpu %d: %s", cpu, strerror(errno));
	return cpu;
}

void host_raise_limits(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
	setrlimit(RLIMIT_MEMLOCK, &limit);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast a list of a million lines is read, and the memory that takes.
 * Prints a line each: what, the median, the target, the condition.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/list.h"
#include "runner/log.h"
#include "runner/rules_gen.h"

#define RUNS  5
#define LINES 1000000

/* As blocklists are: addresses and networks, a remark here and there. */
static int write_list(const char *path)
{
	struct rules_spec spec = { .seed = 1 };
	FILE *file = fopen(path, "w");
	struct rules rules;

	if (!file || rules_mix_parse("24:0.2,32:0.8", FAMILY_IPV4, &spec.mix) ||
	    rules_generate(&spec, LINES, &rules))
		return -1;
	for (size_t i = 0; i < rules.count; i++) {
		const struct prefix *prefix = &rules.prefixes[i];
		struct in_addr addr = { htonl(addr_v4(prefix->addr)) };

		fprintf(file, "%s/%u%s\n", inet_ntoa(addr), prefix->len,
			i % 10 ? "" : " # reported");
	}
	rules_free(&rules);
	return fclose(file);
}

/* In a process of its own, whose peak is the list's. */
static int read_once(const char *path, double *seconds, double *bytes_each)
{
	const struct list_options options = { .profile = LIST_FULL };
	struct timespec begin, end;
	struct rusage usage;
	struct list list;
	int status;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid = fork();
	if (!pid)
		_exit(list_read(path, &options, &list) ||
		      list.rules.count != LINES);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &end);
	*seconds = (end.tv_sec - begin.tv_sec) +
		   (end.tv_nsec - begin.tv_nsec) / 1e9;
	*bytes_each = usage.ru_maxrss * 1024.0 / LINES;
	return 0;
}

static void say(const char *what, double *values, double target)
{
	gsl_sort(values, 1, RUNS);
	printf("%s\t%.3f\t%.2f\tv < l\n", what,
	       gsl_stats_median_from_sorted_data(values, 1, RUNS), target);
}

int main(void)
{
	char path[] = "/tmp/hookcost-bench-XXXXXX";
	double seconds[RUNS], bytes_each[RUNS];
	int fd = mkstemp(path), err = 0;

	if (fd < 0)
		return 1;
	close(fd);
	/* freed memory of this process would be in the peak of its children */
	if (!fork())
		_exit(write_list(path) != 0);
	wait(&err);
	for (int i = 0; !err && i < RUNS; i++)
		err = read_once(path, &seconds[i], &bytes_each[i]);
	unlink(path);
	if (err)
		return log_err(1, "reading a list failed");
	say("a list of a million lines, seconds", seconds, 0.5);
	say("a list of a million lines, bytes of memory a prefix", bytes_each,
	    64);
	return 0;
}

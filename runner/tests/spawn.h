/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program and keeps what it says.  cmocka's headers come before this
 * one.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPAWN_BYTES 65536

struct spawned {
	pid_t pid;
	int out_fd, err_fd;
	int status;	       /* exit status, or 128 + signal */
	long peak_kb;	       /* largest resident size */
	char out[SPAWN_BYTES]; /* stdout, closed by a zero */
	char err[SPAWN_BYTES]; /* stderr */
};

/* What the child does to itself before it becomes the program. */
typedef int (*spawn_prepare)(void);

static inline int spawn_temp(void)
{
	char name[] = "/tmp/hookcost-test-XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(name);
	return fd;
}

/* Starts argv[0], found by PATH; its output goes to unlinked files. */
static inline void spawn_start(struct spawned *child, char *const *argv,
			       spawn_prepare prepare)
{
	child->out_fd = spawn_temp();
	child->err_fd = spawn_temp();
	child->pid = fork();
	assert_true(child->pid >= 0);
	if (child->pid)
		return;
	dup2(child->out_fd, STDOUT_FILENO);
	dup2(child->err_fd, STDERR_FILENO);
	if (prepare && prepare())
		_exit(126);
	execvp(argv[0], argv);
	_exit(127);
}

static inline void spawn_read(int fd, char *text)
{
	ssize_t len = pread(fd, text, SPAWN_BYTES - 1, 0);

	assert_true(len >= 0);
	text[len] = '\0';
	close(fd);
}

static inline void spawn_wait(struct spawned *child)
{
	struct rusage usage;
	int status;

	assert_int_equal(wait4(child->pid, &status, 0, &usage), child->pid);
	child->peak_kb = usage.ru_maxrss;
	child->status = WIFEXITED(status) ? WEXITSTATUS(status)
					  : 128 + WTERMSIG(status);
	spawn_read(child->out_fd, child->out);
	spawn_read(child->err_fd, child->err);
}

/* Runs to the end; gives the exit status (127: no such program). */
static inline int spawn(struct spawned *child, char *const *argv,
			spawn_prepare prepare)
{
	spawn_start(child, argv, prepare);
	spawn_wait(child);
	return child->status;
}

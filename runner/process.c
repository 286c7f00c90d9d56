// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "runner/cleanup.h"
#include "runner/process.h"

#define NAP_MS	      100
#define EXEC_FAILED   127
#define SIGNAL_STATUS 128

static void stop_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void process_block_signals(void)
{
	sigset_t set;

	stop_signals(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

bool process_interrupted(void)
{
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	return sigismember(&pending, SIGINT) ||
	       sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP);
}

void process_nap(unsigned int milliseconds)
{
	const struct timespec limit = {
		.tv_sec = milliseconds / 1000,
		.tv_nsec = milliseconds % 1000 * 1000000L,
	};
	sigset_t set;

	/* a stop signal stays pending for all who ask: no nap then */
	if (process_interrupted())
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &limit);
}

static void place(int fd, int at, int flags)
{
	if (fd < 0)
		fd = open("/dev/null", flags);
	if (fd != at)
		dup2(fd, at);
	else
		fcntl(fd, F_SETFD, 0);
}

/* In the child: only calls that are safe after fork(). */
static void become(const struct process *process, pid_t parent, int report)
{
	sigset_t none;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXEC_FAILED);
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!process->dir || !chdir(process->dir)) {
		place(process->in, STDIN_FILENO, O_RDONLY);
		place(process->out, STDOUT_FILENO, O_WRONLY);
		place(process->err, STDERR_FILENO, O_WRONLY);
		for (size_t i = 0; i < process->keep_count; i++)
			fcntl(process->keep[i], F_SETFD, 0);
		execvp(process->argv[0], (char *const *)process->argv);
	}
	err = errno;
	if (write(report, &err, sizeof(err)) < 0)
		err = 0;
	_exit(EXEC_FAILED);
}

/*
 * fork() and not posix_spawn(), which cannot ask for the signal at the
 * parent's death: without it a killed hookcost would leave a guest running.
 */
pid_t process_start(const struct process *process)
{
	pid_t parent = getpid(), pid;
	int report[2], err = 0;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		become(process, parent, report[1]);
	close(report[1]);
	if (pid < 0)
		err = errno;
	else if (read(report[0], &err, sizeof(err)) <= 0)
		err = 0;
	close(report[0]);
	if (!err)
		return pid;
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return -err;
}

int process_run(const struct process *process, int *status)
{
	pid_t pid = process_start(process), got;
	int raw;

	if (pid < 0)
		return pid;
	while (!(got = waitpid(pid, &raw, WNOHANG))) {
		if (process_interrupted()) {
			process_kill(pid);
			return -EINTR;
		}
		process_nap(NAP_MS);
	}
	if (got < 0)
		return -errno;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw)
				 : SIGNAL_STATUS + WTERMSIG(raw);
	return 0;
}

void process_kill(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

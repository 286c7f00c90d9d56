// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "runner/cleanup.h"
#include "runner/gnuplot.h"

extern char **environ;

/*
 * The environment, but for what makes gnuplot read or write numbers with a
 * comma, or open a window.  Only the array is new; the caller frees it.
 */
static char **plain_environment(void)
{
	static char locale[] = "LC_ALL=C";
	size_t count = 0, kept = 0;
	char **plain;

	while (environ[count])
		count++;
	plain = calloc(count + 2, sizeof(*plain));
	if (!plain)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LC_ALL=", strlen("LC_ALL=")) &&
		    strncmp(environ[i], "GNUTERM=", strlen("GNUTERM=")))
			plain[kept++] = environ[i];
	plain[kept] = locale;
	return plain;
}

/* The fd becomes the child's stdin or stdout; -1 leaves it as it is. */
static int spawn(char *const *argv, int stdin_fd, int stdout_fd, pid_t *pid)
{
	auto_mem char **env = plain_environment();
	posix_spawn_file_actions_t actions;
	int err;

	if (!env || posix_spawn_file_actions_init(&actions))
		return -ENOMEM;
	err = posix_spawn_file_actions_adddup2(&actions, stdin_fd,
					       STDIN_FILENO);
	if (!err && stdout_fd >= 0)
		err = posix_spawn_file_actions_adddup2(&actions, stdout_fd,
						       STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(pid, argv[0], &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	return -err;
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* Up to the end of the pipe; that a write failed shows in the stream. */
static void copy(int from, FILE *to)
{
	char buffer[16384];
	ssize_t len;

	while ((len = read(from, buffer, sizeof(buffer))) != 0) {
		if (len > 0)
			fwrite(buffer, 1, len, to);
		else if (errno != EINTR)
			break;
	}
}

static int run(char *const *argv, int stdin_fd, FILE *out)
{
	auto_fd int from = -1;
	auto_fd int to = -1;
	int ends[2], err;
	pid_t pid;

	fflush(stdout);
	if (out) {
		if (pipe2(ends, O_CLOEXEC))
			return -errno;
		from = ends[0];
		to = ends[1];
	}
	err = spawn(argv, stdin_fd, to, &pid);
	if (err)
		return err;
	if (out) {
		close(hand_over(to, -1));
		copy(from, out);
	}
	return reap(pid);
}

int gnuplot_run(int script_fd, FILE *out)
{
	/* By this name it ends at the first error; as "-" it goes on. */
	static char *const argv[] = { "gnuplot", "-d", "/dev/stdin", NULL };

	if (lseek(script_fd, 0, SEEK_SET) < 0)
		return -errno;
	return run(argv, script_fd, out);
}

int gnuplot_has(const char *terminal)
{
	static char *const argv[] = { "gnuplot", "-d", "-e",
				      "set print '-'; print GPVAL_TERMINALS",
				      NULL };
	auto_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	auto_mem char *text = NULL;
	auto_mem char *word = NULL;
	size_t size = 0;
	FILE *out;
	int err;

	if (null < 0)
		return -errno;
	out = open_memstream(&text, &size);
	if (!out)
		return -errno;
	err = run(argv, null, out);
	if (fclose(out) && !err)
		err = -errno;
	if (err)
		return err;
	/* " canvas cgm dumb svg " */
	if (asprintf(&word, " %s ", terminal) < 0) {
		word = NULL;
		return -ENOMEM;
	}
	return strstr(text, word) != NULL;
}

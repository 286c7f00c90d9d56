// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/guest_init.h"
#include "runner/guest_watch.h"

#define NS_PER_S UINT64_C(1000000000)

/*
 * A QEMU that waits for something that never comes uses no CPU time; it is
 * given up when it has idled nearly all of this long.  (A guest that waits
 * under the instruction counter does use it: its clock jumps on to the next
 * timer.)
 */
#define IDLE_LIMIT_NS (20 * NS_PER_S)

/* Lines of the console that are shown with a reason. */
#define SHOWN_LINES 3

#define MAX_LINE (16 << 20)

static uint64_t read_clock(clockid_t id)
{
	struct timespec now;

	if (clock_gettime(id, &now))
		return 0;
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static uint64_t cpu_ns(const struct guest *guest)
{
	clockid_t id;

	return clock_getcpuclockid(guest->pid, &id) ? 0 : read_clock(id);
}

void guest_watch_begin(struct guest *guest)
{
	guest->word_wall_ns = read_clock(CLOCK_MONOTONIC);
	guest->word_cpu_ns = cpu_ns(guest);
}

static void keep_tail(struct guest *guest, const char *text, size_t bytes)
{
	size_t room = sizeof(guest->tail) - 1, kept;

	if (bytes > room) {
		text += bytes - room;
		bytes = room;
	}
	kept = guest->tail_bytes + bytes > room ? room - bytes
						: guest->tail_bytes;
	memmove(guest->tail, guest->tail + guest->tail_bytes - kept, kept);
	memcpy(guest->tail + kept, text, bytes);
	guest->tail_bytes = kept + bytes;
	guest->tail[guest->tail_bytes] = '\0';
}

static int because(struct guest *guest, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int because(struct guest *guest, int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(guest->reason, sizeof(guest->reason), fmt, args);
	va_end(args);
	return err;
}

static int read_console(struct guest *guest)
{
	char text[4096];
	ssize_t got;

	while ((got = pread(guest->console, text, sizeof(text),
			    guest->console_at)) > 0) {
		guest->console_at += got;
		keep_tail(guest, text, got);
		if (guest->log >= 0 && write(guest->log, text, got) != got)
			return because(guest, -ENOSPC,
				       "the console log cannot be written: %s",
				       strerror(errno));
	}
	return 0;
}

static int take_line(struct guest *guest, guest_line *line, void *context)
{
	const char *text = guest->line;

	if (!strncmp(text, GUEST_SAYS_END, strlen(GUEST_SAYS_END))) {
		guest->ended = true;
		guest->status = atoi(text + strlen(GUEST_SAYS_END));
		return 0;
	}
	if (!strncmp(text, GUEST_SAYS_LOG, strlen(GUEST_SAYS_LOG)))
		return because(guest, 0, "%s", text + strlen(GUEST_SAYS_LOG));
	if (!strncmp(text, GUEST_SAYS_STAGE, strlen(GUEST_SAYS_STAGE)))
		return 0;
	return line(context, text);
}

static int take_byte(struct guest *guest, char byte, guest_line *line,
		     void *context)
{
	if (guest->line_bytes == guest->line_room) {
		size_t room = guest->line_room ? 2 * guest->line_room : 512;
		char *larger =
			room <= MAX_LINE ? realloc(guest->line, room) : NULL;

		if (!larger)
			return because(guest, -ENOMEM,
				       "the guest sends a line without an end");
		guest->line = larger;
		guest->line_room = room;
	}
	guest->line[guest->line_bytes++] = byte == '\n' ? '\0' : byte;
	if (byte != '\n')
		return 0;
	guest->line_bytes = 0;
	return take_line(guest, line, context);
}

int guest_watch_read(struct guest *guest, guest_line *line, void *context)
{
	off_t before = guest->console_at + guest->port_at;
	char text[4096];
	ssize_t got;
	int err = read_console(guest);

	while (!err && (got = pread(guest->port, text, sizeof(text),
				    guest->port_at)) > 0) {
		guest->port_at += got;
		for (ssize_t i = 0; !err && i < got; i++)
			err = take_byte(guest, text[i], line, context);
	}
	if (guest->console_at + guest->port_at != before)
		guest_watch_begin(guest);
	return err;
}

/* The last lines of the console, in one. */
static void add_tail(struct guest *guest)
{
	size_t len = strlen(guest->reason);
	char *at = guest->tail + guest->tail_bytes;
	int lines = 0;

	while (at > guest->tail && (at[-1] == '\n' || at[-1] == '\r'))
		*--at = '\0';
	while (at > guest->tail && (at[-1] != '\n' || ++lines < SHOWN_LINES))
		at--;
	if (!*at) {
		snprintf(guest->reason + len, sizeof(guest->reason) - len,
			 "; the console is empty");
		return;
	}
	snprintf(guest->reason + len, sizeof(guest->reason) - len,
		 "; the console ends: %s", at);
	for (at = guest->reason + len; *at; at++)
		if (*at == '\n')
			*at = '|';
		else if ((unsigned char)*at < ' ')
			*at = ' ';
}

int guest_watch_patience(struct guest *guest)
{
	uint64_t wall = read_clock(CLOCK_MONOTONIC) - guest->word_wall_ns;
	uint64_t cpu = cpu_ns(guest) - guest->word_cpu_ns;

	if (cpu > guest->setup->patience_s * NS_PER_S)
		because(guest, -ETIMEDOUT,
			"the guest hangs: not a word in %u s of CPU time",
			guest->setup->patience_s);
	else if (wall > IDLE_LIMIT_NS && cpu < wall / 50)
		because(guest, -ETIMEDOUT,
			"the guest stands still: it waits for something that does not come");
	else
		return 1;
	add_tail(guest);
	return -ETIMEDOUT;
}

/* In all of the console: a trace of any length may follow. */
static bool find_panic(struct guest *guest)
{
	auto_mem char *text = calloc(1, guest->console_at + 1);
	const char *at = NULL;

	if (text && pread(guest->console, text, guest->console_at, 0) > 0)
		at = strstr(text, "Kernel panic");
	if (!at)
		return false;
	because(guest, -EIO, "the guest's kernel panicked: %.*s",
		(int)strcspn(at, "\r\n"), at);
	return true;
}

int guest_watch_verdict(struct guest *guest, int raw)
{
	if (guest->ended) {
		if (guest->status && !guest->reason[0])
			because(guest, 0,
				"the guest's job ended with status %d",
				guest->status);
		if (guest->status == EXIT_CANNOT)
			return -EOPNOTSUPP;
		return guest->status ? -EIO : 0;
	}
	if (find_panic(guest))
		return -EIO;
	if (WIFSIGNALED(raw))
		because(guest, -EIO, "QEMU was ended by signal %d",
			WTERMSIG(raw));
	else if (WEXITSTATUS(raw))
		because(guest, -EIO, "QEMU failed with status %d",
			WEXITSTATUS(raw));
	else
		because(guest, -EIO, "the guest stopped before it was done");
	add_tail(guest);
	return -EIO;
}

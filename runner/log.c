// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "runner/log.h"

static enum log_level shown = LOG_INFO;
static struct log_capture *innermost;
static bool progress_line;

void log_set_level(enum log_level level)
{
	shown = level;
}

bool log_shows(enum log_level level)
{
	return level <= shown;
}

static void wipe_progress(void)
{
	if (progress_line)
		fputs("\r\033[K", stderr);
	progress_line = false;
}

static void say(enum log_level level, const char *prefix, const char *fmt,
		va_list args)
{
	if (!log_shows(level))
		return;
	wipe_progress();
	fputs(prefix, stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

int log_err(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (!innermost)
		say(LOG_ERROR, "hookcost: ", fmt, args);
	else if (!innermost->text[0])
		vsnprintf(innermost->text, sizeof(innermost->text), fmt, args);
	va_end(args);
	return err;
}

void log_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(LOG_WARNING, "hookcost: warning: ", fmt, args);
	va_end(args);
}

void log_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(LOG_INFO, "", fmt, args);
	va_end(args);
}

void log_debug(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(LOG_DEBUG, "debug: ", fmt, args);
	va_end(args);
}

void log_capture_begin(struct log_capture *capture)
{
	capture->text[0] = '\0';
	capture->outer = innermost;
	innermost = capture;
}

void log_capture_end(struct log_capture *capture)
{
	innermost = capture->outer;
}

void log_progress(const char *fmt, ...)
{
	va_list args;

	if (!log_shows(LOG_INFO) || !isatty(STDERR_FILENO))
		return;
	wipe_progress();
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
	progress_line = true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Talk, on stderr.  An error is said once, by the function that knows the
 * cause, with what the user can do; callers only pass the number on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum log_level {
	LOG_ERROR,
	LOG_WARNING,
	LOG_INFO,
	LOG_DEBUG,
};

/* Messages above this level are not shown; LOG_INFO to start with. */
void log_set_level(enum log_level level);
bool log_shows(enum log_level level);

/*
 * Says why and returns err, so that one statement does both:
 *     return log_err(-errno, "nft-set: commit: %s", strerror(errno));
 */
int log_err(int err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * While a capture is open, errors are kept in it instead of being shown: the
 * reason why a cell was skipped goes into the results.  Captures nest; the
 * first message of the innermost one is kept (it is the cause).
 */
struct log_capture {
	char text[512];
	struct log_capture *outer;
};

void log_capture_begin(struct log_capture *capture);
void log_capture_end(struct log_capture *capture);

/* A line of progress that the next message overwrites; only on a terminal. */
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

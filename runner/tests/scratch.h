/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests that need root have in common: a throw-away namespace, or a
 * skip that says why.  cmocka's headers come before this one.
 */
#pragma once

#include <net/if.h>
#include <stdio.h>

#include "runner/log.h"
#include "runner/netns.h"

/* Skips the test with a printed reason. */
#define skip_because(...)                        \
	do {                                     \
		printf("skipped: " __VA_ARGS__); \
		printf("\n");                    \
		skip();                          \
	} while (0)

/* Enters a new namespace with lo up; the descriptor, or -1 without right. */
static inline int scratch_namespace(void)
{
	struct log_capture capture;
	int fd = -1, err;

	log_capture_begin(&capture);
	err = netns_new(&fd);
	log_capture_end(&capture);
	if (err)
		printf("skipped: %s\n", capture.text);
	return err ? -1 : fd;
}

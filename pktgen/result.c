// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The format is that of net/core/pktgen.c: pktgen_if_show(), show_results()
 * and pktgen_thread_show(), the same from Linux 5.7 to 6.12,
 * and what patches/0002-* adds to it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pktgen/result.h"

/* The text after a label that begins a line, blanks before it aside. */
static const char *after(const char *text, const char *label)
{
	size_t length = strlen(label);
	const char *at = text;

	while ((at = strstr(at, label))) {
		const char *line = at;

		while (line > text && line[-1] == ' ')
			line--;
		if (line == text || line[-1] == '\n')
			return at + length;
		at += length;
	}
	return NULL;
}

int result_answer(const char *text, char *answer, size_t size)
{
	const char *from = after(text, "Result: ");
	size_t length = from ? strcspn(from, "\n") : 0;

	if (!from || length >= size)
		return -EPROTO;
	memcpy(answer, from, length);
	answer[length] = '\0';
	return 0;
}

bool result_thread_is_free(const char *text)
{
	const char *running = after(text, "Running:");
	const char *stopped = after(text, "Stopped:");

	return running && stopped && running[strspn(running, " ")] == '\n' &&
	       stopped[strspn(stopped, " ")] == '\n';
}

/* "errors: 0", or with the patch "errors: 0 dropped: 0", blanks aside. */
static int parse_errors(const char *text, struct result *result)
{
	int fields = sscanf(text, " errors: %" SCNu64 " dropped: %" SCNu64,
			    &result->errors, &result->dropped);

	result->counts_drops = fields == 2;
	return fields >= 1 ? 0 : -EPROTO;
}

/* The numbers of a finished run, checked against the counters above them. */
static int parse_run(const char *line, struct result *result)
{
	struct result again = { 0 };
	uint64_t busy_us;
	const char *rate = strchr(line, '\n');
	const char *tail = rate ? strstr(rate, "errors: ") : NULL;

	if (sscanf(line,
		   "OK: %" SCNu64 "(c%" SCNu64 "+d%" SCNu64 ") usec, %" SCNu64,
		   &result->elapsed_us, &busy_us, &result->idle_us,
		   &again.sofar) != 4 ||
	    !tail || parse_errors(tail, &again))
		return -EPROTO;

	/* Each of the three is rounded down. */
	if (busy_us + result->idle_us > result->elapsed_us ||
	    busy_us + result->idle_us + 1 < result->elapsed_us)
		return -EPROTO;
	if (again.sofar != result->sofar || again.errors != result->errors ||
	    again.counts_drops != result->counts_drops ||
	    again.dropped != result->dropped)
		return -EPROTO;
	return 0;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

int result_parse(const char *text, struct result *result)
{
	const char *counts = after(text, "pkts-sofar: ");
	const char *times = after(text, "started: ");
	const char *mode = after(text, "xmit_mode: ");
	const char *line = after(text, "Result: ");
	size_t length = strlen(text);

	*result = (struct result){ 0 };
	if (!length || text[length - 1] != '\n' || !line || !counts || !times ||
	    !begins(text, "Params: ") ||
	    sscanf(counts, "%" SCNu64, &result->sofar) != 1 ||
	    parse_errors(counts + strspn(counts, "0123456789"), result) ||
	    sscanf(times, "%" SCNu64 "us stopped: %" SCNu64 "us",
		   &result->started_us, &result->stopped_us) != 2)
		return -EPROTO;

	/* Written as queue_xmit, shown as xmit_queue. */
	result->queue_xmit = mode && begins(mode, "xmit_queue\n");

	/* A packet that could not be allocated does not end a run. */
	if (begins(line, "Starting\n") || begins(line, "No memory\n"))
		result->state = RESULT_RUNNING;
	else if (begins(line, "Error starting"))
		result->state = RESULT_FAILED;
	else if (strstr(line, " usec, ") && begins(line, "OK: ")) {
		result->state = RESULT_DONE;
		return parse_run(line, result);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of pktgen say.  Pure: text in, numbers out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum result_state {
	RESULT_ANSWER,	/* no run since the last command was written */
	RESULT_RUNNING, /* counters move */
	RESULT_DONE,	/* all fields hold */
	RESULT_FAILED,	/* pktgen could not start */
};

/* A device file. */
struct result {
	enum result_state state;
	bool queue_xmit; /* in the mode that passes the egress hooks */
	uint64_t sofar;	 /* accepted by dev_queue_xmit() */
	uint64_t errors; /* not accepted, for whatever reason */

	/*
	 * A kernel with the patch that counts drops apart: its errors are none
	 * of them, and its count of packets includes them.
	 */
	bool counts_drops;
	uint64_t dropped;

	/* CLOCK_MONOTONIC; the second is the time of reading during a run. */
	uint64_t started_us;
	uint64_t stopped_us;

	uint64_t elapsed_us; /* of the whole run */
	uint64_t idle_us;    /* of these, the sending thread was off the CPU */
};

/* Packets that were made and handed over. */
static inline uint64_t result_total(const struct result *result)
{
	return result->sofar + result->errors + result->dropped;
}

/* Those that a hook or a queue dropped, as far as this kernel can tell. */
static inline uint64_t result_refused(const struct result *result)
{
	return result->counts_drops ? result->dropped : result->errors;
}

/* 0, or -EPROTO if the text is not a whole device file; says nothing. */
int result_parse(const char *text, struct result *result);

/*
 * Copies the first line after "Result: " of a device or thread file.  0, or
 * -EPROTO if there is none or it does not fit; says nothing.
 */
int result_answer(const char *text, char *answer, size_t size);

/* Whether a thread file lists no device, neither running nor stopped. */
bool result_thread_is_free(const char *text);

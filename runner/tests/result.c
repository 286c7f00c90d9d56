// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of pktgen as Debian's kernels 6.1.0-57 and 6.12.117 wrote them, also
 * with the patch that counts drops, the parser on broken ones, and the file
 * access under it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "pktgen/procfs.h"
#include "pktgen/result.h"
#include "runner/cleanup.h"

#define DATA "runner/tests/data/pktgen"

static void captured(const char *file, char *text)
{
	auto_fd int dir = procfs_open(DATA);

	if (dir < 0)
		fail_msg("run me where %s is", DATA);
	assert_int_equal(procfs_read(dir, file, text, PROCFS_TEXT_BYTES), 0);
}

static void test_captured(void **unused)
{
	static const struct {
		const char *file;
		struct result want;
	} rows[] = {
		{ "idle-6.1", { .state = RESULT_ANSWER, .queue_xmit = true } },
		{ "idle-6.12", { .state = RESULT_ANSWER, .queue_xmit = true } },
		{ "flag-6.1", { .state = RESULT_ANSWER, .queue_xmit = true } },
		{ "flag-6.12", { .state = RESULT_ANSWER, .queue_xmit = true } },
		{ "mode-6.1", { .state = RESULT_ANSWER, .queue_xmit = true } },
		{ "mode-6.12", { .state = RESULT_ANSWER, .queue_xmit = true } },
		{ "running-6.1",
		  { .state = RESULT_RUNNING,
		    .queue_xmit = true,
		    .sofar = 166345,
		    .errors = 0,
		    .started_us = 12028010,
		    .stopped_us = 12508387 } },
		{ "running-6.12",
		  { .state = RESULT_RUNNING,
		    .queue_xmit = true,
		    .sofar = 163101,
		    .errors = 0,
		    .started_us = 12328021,
		    .stopped_us = 12796392 } },
		{ "done-6.1",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 20000,
		    .errors = 0,
		    .started_us = 2296006,
		    .stopped_us = 2353097,
		    .elapsed_us = 57091,
		    .idle_us = 11 } },
		{ "done-6.12",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 20000,
		    .errors = 0,
		    .started_us = 3084007,
		    .stopped_us = 3140326,
		    .elapsed_us = 56319,
		    .idle_us = 0 } },
		{ "dropped-6.1",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 0,
		    .errors = 20506,
		    .started_us = 4872012,
		    .stopped_us = 4920806,
		    .elapsed_us = 48793,
		    .idle_us = 183 } },
		{ "dropped-6.12",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 0,
		    .errors = 20125,
		    .started_us = 5540014,
		    .stopped_us = 5584449,
		    .elapsed_us = 44435,
		    .idle_us = 184 } },
		{ "link-down-6.1",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 103039,
		    .errors = 0,
		    .started_us = 10144010,
		    .stopped_us = 10441582,
		    .elapsed_us = 297572,
		    .idle_us = 243 } },
		{ "link-down-6.12",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 105053,
		    .errors = 0,
		    .started_us = 10556011,
		    .stopped_us = 10857684,
		    .elapsed_us = 301672,
		    .idle_us = 194 } },
		{ "patched-dropped-6.1",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 0,
		    .errors = 0,
		    .counts_drops = true,
		    .dropped = 20000,
		    .started_us = 3136006,
		    .stopped_us = 3181873,
		    .elapsed_us = 45867,
		    .idle_us = 0 } },
		{ "patched-done-6.12",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 20000,
		    .errors = 0,
		    .counts_drops = true,
		    .dropped = 0,
		    .started_us = 3040006,
		    .stopped_us = 3096363,
		    .elapsed_us = 56356,
		    .idle_us = 13 } },
		{ "patched-dropped-6.12",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 0,
		    .errors = 0,
		    .counts_drops = true,
		    .dropped = 20000,
		    .started_us = 3864007,
		    .stopped_us = 3906435,
		    .elapsed_us = 42427,
		    .idle_us = 0 } },
		{ "patched-half-6.12",
		  { .state = RESULT_DONE,
		    .queue_xmit = true,
		    .sofar = 10000,
		    .errors = 0,
		    .counts_drops = true,
		    .dropped = 10000,
		    .started_us = 5420006,
		    .stopped_us = 5473098,
		    .elapsed_us = 53091,
		    .idle_us = 4 } },
	};
	char text[PROCFS_TEXT_BYTES];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct result *want = &rows[i].want;
		struct result got;

		print_message("%s\n", rows[i].file);
		captured(rows[i].file, text);
		assert_int_equal(result_parse(text, &got), 0);
		assert_int_equal(got.state, want->state);
		assert_int_equal(got.queue_xmit, want->queue_xmit);
		assert_int_equal(got.sofar, want->sofar);
		assert_int_equal(got.errors, want->errors);
		assert_int_equal(got.counts_drops, want->counts_drops);
		assert_int_equal(got.dropped, want->dropped);
		assert_int_equal(got.started_us, want->started_us);
		assert_int_equal(got.stopped_us, want->stopped_us);
		assert_int_equal(got.elapsed_us, want->elapsed_us);
		assert_int_equal(got.idle_us, want->idle_us);
	}
}

static void test_answers(void **unused)
{
	static const struct {
		const char *file, *answer;
		bool is_free;
	} rows[] = {
		{ "idle-6.1", "OK: udp_dst_max=9", false },
		{ "flag-6.12", "Flag -:NOSUCH:- unknown", false },
		{ "mode-6.1", "xmit_mode -:nosuch:- unknown", false },
		{ "running-6.12", "Starting", false },
		{ "idle-thread-6.1", "OK: add_device=lo@0", false },
		{ "running-thread-6.12", "OK: add_device=lo@0", false },
		{ "closed-thread-6.1", "OK: rem_device_all", true },
		{ "closed-thread-6.12", "OK: rem_device_all", true },
		{ "error-thread-6.12", "ERROR: can not add device nosuch@0",
		  false },
	};
	char text[PROCFS_TEXT_BYTES];
	char answer[64], tiny[4];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		captured(rows[i].file, text);
		assert_int_equal(result_answer(text, answer, sizeof(answer)),
				 0);
		assert_string_equal(answer, rows[i].answer);
		assert_int_equal(result_answer(text, tiny, sizeof(tiny)),
				 -EPROTO);
		assert_int_equal(result_thread_is_free(text), rows[i].is_free);
	}
	assert_int_equal(
		result_answer("Running: \nStopped: \n", answer, sizeof(answer)),
		-EPROTO);
	assert_false(result_thread_is_free("Running: \n"));
	assert_false(result_thread_is_free(""));
}

/* Wherever a file is cut, it is refused. */
static void test_cut(void **unused)
{
	char text[PROCFS_TEXT_BYTES];
	struct result result;
	size_t length;

	(void)unused;
	captured("done-6.12", text);
	length = strlen(text);
	assert_in_range(length, 800, 1000);
	for (size_t cut = 0; cut < length; cut++) {
		char *part = strndup(text, cut);

		assert_non_null(part);
		assert_int_equal(result_parse(part, &result), -EPROTO);
		free(part);
	}
}

/* A finished run whose numbers contradict each other is none. */
static void test_contradictions(void **unused)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "pkts-sofar: 2", "pkts-sofar: 3" },
		{ "errors: 0\n     started", "errors: 1\n     started" },
		{ "bps) errors: 0", "bps) errors: 7" },
		{ "(c5", "(c6" },
		{ "+d", "-d" },
		{ "Params: ", "Barams: " },
		{ "started: ", "started? " },
		{ "pkts-sofar: 2", "pkts-sofar: x" },
	};
	static const char *const drops[][2] = {
		{ "  dropped: 1", "  dropped: 2" },
		{ "  dropped: 1", "  drapped: 1" },
		{ "0 dropped: 1", "0 dropped: 3" },
		{ "0 dropped: 1", "0 drapped: 1" },
	};
	char text[PROCFS_TEXT_BYTES];
	struct result result;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *at;

		captured("done-6.1", text);
		assert_int_equal(result_parse(text, &result), 0);
		at = strstr(text, rows[i].from);
		if (!at)
			fail_msg("no \"%s\" in the file", rows[i].from);
		memcpy(at, rows[i].to, strlen(rows[i].to));
		assert_int_equal(result_parse(text, &result), -EPROTO);
	}
	for (size_t i = 0; i < ARRAY_SIZE(drops); i++) {
		char *at;

		captured("patched-half-6.12", text);
		assert_int_equal(result_parse(text, &result), 0);
		assert_int_equal(result_total(&result), 20000);
		assert_int_equal(result_refused(&result), 10000);
		at = strstr(text, drops[i][0]);
		assert_non_null(at);
		memcpy(at, drops[i][1], strlen(drops[i][1]));
		assert_int_equal(result_parse(text, &result), -EPROTO);
	}
}

static void test_mode(void **unused)
{
	char text[PROCFS_TEXT_BYTES];
	struct result result;
	char *at;

	(void)unused;
	captured("idle-6.1", text);
	at = strstr(text, "xmit_queue");
	assert_non_null(at);
	memcpy(at, "start_xmit", 10);
	assert_int_equal(result_parse(text, &result), 0);
	assert_false(result.queue_xmit);
}

static void test_no_memory(void **unused)
{
	char text[PROCFS_TEXT_BYTES];
	struct result result;

	(void)unused;
	captured("running-6.1", text);
	strcpy(strstr(text, "Starting"), "No memory\n");
	assert_int_equal(result_parse(text, &result), 0);
	assert_int_equal(result.state, RESULT_RUNNING);

	captured("running-6.1", text);
	strcpy(strstr(text, "Starting"), "Error starting\n");
	assert_int_equal(result_parse(text, &result), 0);
	assert_int_equal(result.state, RESULT_FAILED);
}

static void test_files(void **unused)
{
	char root[] = "/tmp/hookcost-test-XXXXXX";
	char text[PROCFS_TEXT_BYTES], small[4], path[64];
	auto_fd int dir = -1;

	(void)unused;
	assert_int_equal(procfs_open("/nonexistent/pktgen"), -ENOENT);
	assert_non_null(mkdtemp(root));
	dir = procfs_open(root);
	assert_true(dir >= 0);
	snprintf(path, sizeof(path), "%s/lo@0", root);

	/* A file that is not there is not made. */
	assert_int_equal(procfs_write(dir, "lo@0", "count 1"), -ENOENT);
	assert_int_equal(procfs_read(dir, "lo@0", text, sizeof(text)), -ENOENT);

	assert_int_equal(mknod(path, S_IFREG | 0600, 0), 0);
	assert_int_equal(procfs_write(dir, "lo@0", "count 1"), 0);
	assert_int_equal(procfs_read(dir, "lo@0", text, sizeof(text)), 0);
	assert_string_equal(text, "count 1\n");
	assert_int_equal(procfs_read(dir, "lo@0", small, sizeof(small)),
			 -EFBIG);

	memset(text, 'x', 200);
	text[200] = '\0';
	assert_int_equal(procfs_write(dir, "lo@0", text), -EMSGSIZE);
	unlink(path);
	rmdir(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_mode),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source pktgen against a model of pktgen's files.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>

#include "pktgen/command.h"
#include "pktgen/flight.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"
#include "runner/tests/pktgen_model.h"

extern const struct source source_pktgen;

static const struct target miss[] = { { 0xc6120001, false } };
static const struct target hit[] = { { 0xc6120001, true } };
static const struct traffic to_miss = {
	.frame_bytes = 60,
	.targets = miss,
	.target_count = 1,
};
static const struct traffic to_hit = {
	.frame_bytes = 60,
	.targets = hit,
	.target_count = 1,
};
static const struct site egress = { .ifindex = 1, .hook = HOOK_EGRESS };

/* What the last call said; kept away from stderr. */
static struct log_capture said;

static void *run, *state;

static int set_up(void **unused)
{
	const struct source_setup setup = { .targets_total = 1, .cpu = 0 };

	(void)unused;
	model_new();
	run = calloc(1, source_pktgen.run_size);
	state = calloc(1, source_pktgen.state_size);
	log_capture_begin(&said);
	return source_pktgen.start(run, &setup);
}

static int tear_down(void **unused)
{
	(void)unused;
	source_pktgen.close(state);
	source_pktgen.close(state);
	source_pktgen.stop(run);
	free(state);
	free(run);
	log_capture_end(&said);
	return model.listed && !model.never_lets_go;
}

static int fire(uint64_t packets, uint64_t matching, struct shot *shot)
{
	const struct burst burst = { 0, packets, matching };

	*shot = (struct shot){ 0 };
	said.text[0] = '\0';
	return source_pktgen.fire(state, &burst, shot);
}

static int open_cell(const struct traffic *traffic)
{
	said.text[0] = '\0';
	return source_pktgen.open(state, run, &egress, traffic);
}

static void assert_said(const char *words)
{
	if (!strstr(said.text, words))
		fail_msg("\"%s\" is not in \"%s\"", words, said.text);
}

static void test_settings(void **unused)
{
	static const struct target range[] = { { 0xc61200fe, false },
					       { 0xc61200ff, false },
					       { 0xc6120100, false } };
	const struct traffic traffic = {
		.frame_bytes = 1514,
		.to_host = true,
		.targets = range,
		.target_count = 3,
		.sports = 100,
	};

	(void)unused;
	assert_int_equal(open_cell(&to_miss), 0);
	assert_int_equal(model.pkt_size, 60);
	assert_string_equal(model.xmit_mode, "queue_xmit");
	assert_string_equal(model.dst_mac, "02:00:00:00:00:01");
	assert_string_equal(model.src_mac, "00:00:00:00:00:00");
	assert_string_equal(model.dst_min, "198.18.0.1");
	assert_string_equal(model.dst_max, "198.18.0.1");
	assert_string_equal(model.src_min, "192.0.2.1");
	assert_string_equal(model.src_max, "192.0.2.1");
	for (int i = 0; i < 4; i++)
		assert_int_equal(model.ports[i], 9);
	assert_int_equal(model.burst, 1);
	assert_true(model.no_timestamp);
	/* The thread had nothing on it, so nothing was removed. */
	assert_int_equal(model.removals, 0);
	source_pktgen.close(state);
	assert_false(model.listed);

	assert_int_equal(open_cell(&traffic), 0);
	assert_int_equal(model.pkt_size, 1514);
	assert_string_equal(model.dst_mac, "00:00:00:00:00:00");
	assert_string_equal(model.dst_min, "198.18.0.254");
	assert_string_equal(model.dst_max, "198.18.1.0");
	/* The last port of a range is exclusive. */
	assert_int_equal(model.ports[0], 1024);
	assert_int_equal(model.ports[1], 1124);
}

/* What pktgen cannot make is refused before anything is set up. */
static void test_shapes(void **unused)
{
	static const uint16_t sizes[] = { 60, 1514 };
	static const struct capture capture = { .count = 1 };
	static const struct {
		struct traffic traffic;
		const char *says;
	} rows[] = {
		{ { .capture = &capture }, "cannot replay a capture" },
		{ { .protocol = PROTOCOL_TCP_SYN }, "UDP alone" },
		{ { .sizes = sizes, .size_count = 2 }, "frames of one length" },
		{ { .sports = TRAFFIC_SPORTS_MAX }, "one port less" },
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct traffic traffic = rows[i].traffic;

		traffic.frame_bytes = 60;
		traffic.targets = miss;
		traffic.target_count = 1;
		assert_int_equal(open_cell(&traffic), -EOPNOTSUPP);
		assert_said(rows[i].says);
		assert_said("--source bpf");
		assert_false(model.listed);
	}
}

static void test_targets(void **unused)
{
	static const struct {
		struct target targets[4];
		size_t count;
		int rc;
	} rows[] = {
		{ { { 1, false }, { 2, false }, { 3, false } }, 3, 0 },
		{ { { 1, true }, { 2, true } }, 2, 0 },
		{ { { 0 } }, 0, -EINVAL },
		{ { { 1, false }, { 3, false } }, 2, -EOPNOTSUPP },
		{ { { 2, false }, { 1, false } }, 2, -EOPNOTSUPP },
		{ { { 1, false }, { 1, false } }, 2, -EOPNOTSUPP },
		{ { { 1, false }, { 2, true } }, 2, -EOPNOTSUPP },
		{ { { 1, true }, { 2, false } }, 2, -EOPNOTSUPP },
		{ { { 0xffffffff, false }, { 0, false } }, 2, -EOPNOTSUPP },
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct traffic traffic = {
			.frame_bytes = 60,
			.targets = rows[i].targets,
			.target_count = rows[i].count,
		};

		assert_int_equal(open_cell(&traffic), rows[i].rc);
		assert_int_equal(model.listed, !rows[i].rc);
		if (rows[i].rc == -EOPNOTSUPP)
			assert_said("--source bpf");
		source_pktgen.close(state);
	}
}

static void test_counted(void **unused)
{
	struct shot shot;

	(void)unused;
	assert_int_equal(open_cell(&to_miss), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fire(10000, 0, &shot), 0);
		assert_int_equal(shot.sent, 10000);
		assert_int_equal(shot.refused, 0);
		assert_in_range(shot.elapsed_ns, 10000000, 10002000);
	}
	assert_int_equal(model.starts, 3);
	assert_int_equal(model.stops, 0);

	assert_int_equal(fire(0, 0, &shot), -EINVAL);
	assert_int_equal(fire(1, 2, &shot), -EINVAL);
	assert_int_equal(fire(10000000000, 0, &shot), -EINVAL);
	assert_said("9999999999");
	assert_int_equal(model.starts, 3);
}

/* S-06 */
static void test_all_dropped(void **unused)
{
	static const uint64_t sizes[] = { 20000, 20000, 500, 5000 };
	struct shot shot;

	(void)unused;
	model.drops = true;
	assert_int_equal(open_cell(&to_hit), 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		assert_int_equal(fire(sizes[i], sizes[i], &shot), 0);
		assert_in_range(shot.sent, sizes[i], 50 * sizes[i]);
		assert_int_equal(shot.refused, shot.sent);
		assert_true(shot.elapsed_ns >= shot.sent * 999);
		assert_false(model.running);
	}
}

/* A kernel that counts drops apart ends such a run by itself. */
static void test_drops_counted(void **unused)
{
	struct shot shot;

	(void)unused;
	model.counts_drops = true;
	model.drops = true;
	assert_int_equal(open_cell(&to_hit), 0);
	assert_int_equal(fire(1000, 1000, &shot), 0);
	assert_int_equal(shot.sent, 1000);
	assert_int_equal(shot.refused, 1000);
	assert_int_equal(model.stops, 0);
	assert_int_equal(model.count, 1000);

	/* Drops that no rule asked for are still an error ... */
	assert_int_equal(fire(1000, 0, &shot), -EIO);
	assert_said("no rule matches");

	/* ... and so is all that is no drop. */
	model.fails = true;
	assert_int_equal(fire(1000, 1000, &shot), -EIO);
	model.fails = false;

	model.drops = false;
	assert_int_equal(fire(1000, 0, &shot), 0);
	assert_int_equal(shot.sent, 1000);
	assert_int_equal(shot.refused, 0);
}

static void test_unexpected_drops(void **unused)
{
	struct shot shot;

	(void)unused;
	model.drops = true;
	assert_int_equal(open_cell(&to_miss), 0);
	assert_int_equal(fire(1000, 0, &shot), -EIO);
	assert_said("no rule matches");
	assert_false(model.running);
	assert_int_equal(shot.sent, 0);

	/* And it can go on. */
	model.drops = false;
	assert_int_equal(fire(1000, 0, &shot), 0);
}

/* On ingress a drop is a packet sent: such a run can be counted. */
static void test_ingress(void **unused)
{
	const struct site ingress = { .ifindex = 1, .hook = HOOK_INGRESS };
	struct shot shot;

	(void)unused;
	assert_int_equal(source_pktgen.open(state, run, &ingress, &to_hit), 0);
	assert_int_equal(fire(1000, 1000, &shot), 0);
	assert_int_equal(shot.sent, 1000);
	assert_int_equal(shot.refused, 0);
	assert_int_equal(model.stops, 0);
}

/* S-02 */
static void test_link_down(void **unused)
{
	struct shot shot;

	(void)unused;
	model.lo_down = true;
	assert_int_equal(open_cell(&to_miss), -ENETDOWN);
	assert_said("lo is down");

	model.lo_down = false;
	assert_int_equal(open_cell(&to_miss), 0);
	model.link_down_after = 600;
	assert_int_equal(fire(1000, 0, &shot), -EIO);
	assert_said("600 of 1000");
	assert_int_equal(shot.sent, 0);

	model.drops = true;
	assert_int_equal(fire(1000, 1000, &shot), -EIO);
	assert_said("600 of 1000");
}

/* S-01, S-03, S-05, S-07, S-08 */
static void test_refused(void **unused)
{
	struct utsname kernel;
	static const struct {
		bool *knob;
		int rc;
		const char *words;
	} rows[] = {
		{ &model.absent, -EOPNOTSUPP, "CONFIG_NET_PKTGEN" },
		{ &model.forbidden, -EOPNOTSUPP, "CAP_NET_ADMIN" },
		{ &model.no_loopback, -EOPNOTSUPP, "1e09e5818b3a" },
		{ &model.no_lo, -ENODEV, "net:[" },
		{ &model.held_elsewhere, -EBUSY, "another thread" },
		{ &model.no_queue_xmit, -EOPNOTSUPP, "xmit_mode queue_xmit" },
	};

	(void)unused;
	uname(&kernel);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		*rows[i].knob = true;
		assert_int_equal(open_cell(&to_miss), rows[i].rc);
		assert_said(rows[i].words);
		assert_false(model.listed);
		*rows[i].knob = false;
	}
	model.absent = true;
	said.text[0] = '\0';
	assert_int_equal(
		source_pktgen.start(run, &(struct source_setup){ .cpu = 0 }),
		-EOPNOTSUPP);
	assert_said(kernel.release);
	model.absent = false;

	/* No thread for a CPU that was offline. */
	assert_int_equal(
		source_pktgen.start(run, &(struct source_setup){ .cpu = 77 }),
		0);
	assert_int_equal(open_cell(&to_miss), -EOPNOTSUPP);
	assert_said("kpktgend_77");
}

/* S-05: a success that means nothing. */
static void test_deaf(void **unused)
{
	static const char *const names[] = { "pkt_size", "udp_src_min", "burst",
					     "xmit_mode" };

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		model.deaf_to = names[i];
		assert_int_equal(open_cell(&to_miss), -EOPNOTSUPP);
		assert_said(strcmp(names[i], "xmit_mode") ? names[i]
							  : "queue_xmit");
		assert_false(model.listed);
	}
}

/* S-08: a device is left on the thread, another thread is somebody's. */
static void test_leftover(void **unused)
{
	struct shot shot;

	(void)unused;
	model.listed = model.running = true;
	model.started_us = model_now_us();
	model.other_listed = true;
	assert_int_equal(open_cell(&to_miss), 0);
	assert_int_equal(model.removals, 1);
	assert_true(model.other_listed);
	assert_int_equal(fire(1000, 0, &shot), 0);
	source_pktgen.close(state);
	assert_true(model.other_listed);

	model.listed = model.never_lets_go = true;
	assert_int_equal(open_cell(&to_miss), -EBUSY);
	assert_said("does not let go");
}

/* S-04, S-05: what is not even written, and what the kernel refuses. */
static void test_commands(void **unused)
{
	static const struct {
		const char *name, *value;
		int rc;
		bool written;
		const char *words;
	} rows[] = {
		{ "pkt_size", "60", 0, true, "" },
		{ "pkt_size", "59", -EINVAL, false, "60 to 1514" },
		{ "pkt_size", "1515", -EINVAL, false, "60 to 1514" },
		{ "pkt_size", "60x", -EINVAL, false, "60 to 1514" },
		{ "pkt_size", "", -EINVAL, false, "60 to 1514" },
		{ "pkt_size", "-1", -EINVAL, false, "60 to 1514" },
		{ "count", "9999999999", 0, true, "" },
		{ "count", "10000000000", -EINVAL, false, "cut" },
		{ "count", "00000000001", -EINVAL, false, "cut" },
		{ "clone_skb", "0", 0, true, "" },
		{ "clone_skb", "1", -EINVAL, false, "share" },
		{ "burst", "2", -EINVAL, false, "burst" },
		{ "delay", "1", -EINVAL, false, "gaps" },
		{ "udp_dst_max", "65536", -EINVAL, false, "65535" },
		{ "flag", "IPDST_RND", -EINVAL, false, "for ever" },
		{ "flag", "NO_TIMESTAMP", 0, true, "" },
		{ "flag", "NOSUCH", -EOPNOTSUPP, true, "flag NOSUCH" },
		{ "xmit_mode", "nosuch", -EOPNOTSUPP, true,
		  "xmit_mode nosuch" },
		{ "nosuch", "1", -EOPNOTSUPP, true, "nosuch 1" },
	};

	(void)unused;
	assert_int_equal(open_cell(&to_miss), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		said.text[0] = model.last_write[0] = '\0';
		assert_int_equal(command_send(MODEL_DIR, "lo@0", rows[i].name,
					      rows[i].value),
				 rows[i].rc);
		assert_said(rows[i].words);
		assert_int_equal(model.last_write[0] != '\0', rows[i].written);
	}
	said.text[0] = '\0';
	assert_int_equal(command_send(MODEL_DIR, "lo@1", "delay", "0"),
			 -ENOENT);
	assert_said("lo@1 has gone");
}

static void on_alarm(int signal)
{
	(void)signal;
}

/*
 * Again every 20 ms, as a user presses Ctrl-C again: on a busy machine the
 * first can come when nothing waits.  0 for no more of them.
 */
static void alarm_in_us(long us)
{
	const struct sigaction action = { .sa_handler = on_alarm,
					  .sa_flags = SA_RESTART };
	const struct itimerval timer = {
		.it_value = { .tv_usec = us },
		.it_interval = { .tv_usec = us ? 20000 : 0 },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Before the thread wakes, when it runs, and when "start" is over. */
static void test_signals(void **unused)
{
	static const long after_us[] = { 2000, 15000, 60000 };
	struct shot shot;

	(void)unused;
	for (int drops = 0; drops < 2; drops++) {
		model_new();
		model.drops = drops;
		model.wake_us = 10000;
		assert_int_equal(open_cell(drops ? &to_hit : &to_miss), 0);
		for (size_t i = 0; i < ARRAY_SIZE(after_us); i++) {
			uint64_t many = 100000000;

			alarm_in_us(after_us[i]);
			assert_int_equal(fire(many, drops ? many : 0, &shot),
					 -EINTR);
			alarm_in_us(0);
			assert_false(model.running);
			assert_false(model.pending);
			assert_int_equal(shot.sent, 0);
		}
		assert_int_equal(fire(1000, drops ? 1000 : 0, &shot), 0);
		source_pktgen.close(state);
	}
}

/* "start" is over before the thread has woken: no result is not a result. */
static void test_late(void **unused)
{
	struct shot shot;

	(void)unused;
	model.wake_us = 3 * MODEL_PROPAGATE_US;
	assert_int_equal(open_cell(&to_miss), 0);
	assert_int_equal(fire(5000, 0, &shot), 0);
	assert_int_equal(shot.sent, 5000);
	assert_int_equal(model.stops, 0);

	/* Even when nobody waits for it any more. */
	alarm_in_us(MODEL_PROPAGATE_US + 10000);
	assert_int_equal(fire(100000000, 0, &shot), -EINTR);
	alarm_in_us(0);
	assert_false(model.running);
	assert_false(model.pending);
}

static void test_stuck(void **unused)
{
	struct flight flight = { .dir = MODEL_DIR,
				 .device = "lo@0",
				 .packets = 1000,
				 .patience_ns = 1000000000 };
	struct result result;

	(void)unused;
	model.gets_stuck = true;
	assert_int_equal(open_cell(&to_hit), 0);
	assert_int_equal(command_send(MODEL_DIR, "lo@0", "count", "0"), 0);
	assert_int_equal(flight_run(&flight, &result), -ETIMEDOUT);
	assert_said("got stuck");
	assert_false(model.running);

	model.gets_stuck = false;
	model.never_starts = true;
	flight.patience_ns = 100000000;
	said.text[0] = '\0';
	assert_int_equal(command_send(MODEL_DIR, "lo@0", "count", "0"), 0);
	assert_int_equal(flight_run(&flight, &result), -ETIMEDOUT);
	assert_said("did not start");
}

/* S-03: "start" would go to the wrong namespace. */
static void test_namespace(void **unused)
{
	struct shot shot;

	(void)unused;
	assert_int_equal(open_cell(&to_miss), 0);
	if (unshare(CLONE_NEWNET)) {
		print_message("skipped: unshare: %s\n", strerror(errno));
		skip();
	}
	assert_int_equal(fire(1000, 0, &shot), -ENODEV);
	assert_said("is in namespace net:[");
	assert_int_equal(model.starts, 0);
	/* Closing works from anywhere: see tear_down(). */
}

#define with_model(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_model(test_settings),
		with_model(test_targets),
		with_model(test_shapes),
		with_model(test_counted),
		with_model(test_all_dropped),
		with_model(test_drops_counted),
		with_model(test_unexpected_drops),
		with_model(test_ingress),
		with_model(test_link_down),
		with_model(test_refused),
		with_model(test_deaf),
		with_model(test_leftover),
		with_model(test_commands),
		with_model(test_signals),
		with_model(test_late),
		with_model(test_stuck),
		with_model(test_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

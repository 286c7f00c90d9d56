/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of pktgen's files in one namespace, in place of procfs_open(),
 * procfs_write() and procfs_read() (linked with --wrap).  It behaves as
 * net/core/pktgen.c does: it takes unknown values with a success, cuts numbers,
 * wakes late, loses a "stop" that comes early, and does not count what was
 * dropped.  Times are shorter than the kernel's.
 */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MODEL_DIR	     777777 /* no real descriptor, close() just fails */
#define MODEL_PROPAGATE_US   20000  /* the kernel's 125 ms */
#define MODEL_POLL_US	     5000   /* the kernel's 100 ms */
#define MODEL_ERROR_ENOTSUPP 524

struct model {
	/* What this kernel is like. */
	bool absent, forbidden, no_loopback, lo_down, no_lo, no_queue_xmit;
	bool held_elsewhere, never_lets_go, never_starts, gets_stuck;
	int not_shared;		  /* errno for clone_skb and burst */
	const char *deaf_to;	  /* a parameter that it takes and forgets */
	uint64_t packet_ns;	  /* per packet */
	uint64_t wake_us;	  /* until the thread takes up an order */
	uint64_t link_down_after; /* packets, 0 for never */
	bool drops;		  /* all packets are dropped on egress */
	bool fails;		  /* none is sent, for another reason */
	bool counts_drops;	  /* the kernel is patched to */

	/* State. */
	bool listed;	   /* the device, on the thread of CPU 0 */
	bool other_listed; /* somebody's, on the thread of CPU 1 */
	bool pending, running;
	uint64_t pending_us, started_us, stopped_us;
	uint64_t sofar, errors, dropped;
	char result[512], thread_result[128];

	uint64_t count, pkt_size, delay, clone_skb, burst, ports[4];
	char xmit_mode[32], dst_mac[32], src_mac[32];
	char dst_min[32], dst_max[32], src_min[32], src_max[32];
	bool no_timestamp;

	/* What was asked of it. */
	unsigned int starts, stops, removals;
	char last_write[128];
};

static struct model model;
static pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t model_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void model_new(void)
{
	model = (struct model){ .packet_ns = 1000,
				.wake_us = 3000,
				.not_shared = MODEL_ERROR_ENOTSUPP,
				.xmit_mode = "start_xmit" };
	strcpy(model.thread_result, "NA");
}

static const char *model_drops(const char *blanks)
{
	static char text[48];

	snprintf(text, sizeof(text), "%sdropped: %" PRIu64, blanks,
		 model.dropped);
	return model.counts_drops ? text : "";
}

static void model_finish(uint64_t at_us)
{
	uint64_t elapsed = at_us - model.started_us;

	model.running = false;
	model.stopped_us = at_us;
	snprintf(model.result, sizeof(model.result),
		 "OK: %" PRIu64 "(c%" PRIu64 "+d3) usec, %" PRIu64
		 " (60byte,0frags)\n  1pps 0Mb/sec (480bps) errors: %" PRIu64
		 "%s",
		 elapsed, elapsed > 3 ? elapsed - 3 : 0, model.sofar,
		 model.errors, model_drops(" "));
}

/* Brings the state up to now; every access begins with it. */
static void model_advance(void)
{
	uint64_t now = model_now_us(), total, *moves;

	if (model.pending && now >= model.pending_us && !model.never_starts) {
		model.pending = false;
		model.running = true;
		model.started_us = model.pending_us;
		model.sofar = model.errors = model.dropped = 0;
		strcpy(model.result, "Starting");
	}
	if (!model.running)
		return;
	total = (now - model.started_us) * 1000 / model.packet_ns;
	if (model.gets_stuck && total > 10)
		total = 10;
	moves = model.fails	     ? &model.errors
		: !model.drops	     ? &model.sofar
		: model.counts_drops ? &model.dropped
				     : &model.errors;
	*moves = total;
	if (model.link_down_after && total >= model.link_down_after) {
		*moves = model.link_down_after;
		model_finish(now);
	} else if (model.count && moves != &model.errors &&
		   total >= model.count) {
		*moves = model.count;
		model_finish(model.started_us +
			     model.count * model.packet_ns / 1000 + 1);
	}
}

static int model_control(const char *line)
{
	if (!strcmp(line, "stop")) {
		model.stops++;
		/* One that comes before the thread woke is lost. */
		if (model.running)
			model_finish(model_now_us());
		return 0;
	}
	if (strcmp(line, "start"))
		return -EINVAL;

	model.starts++;
	model.pending = model.listed;
	model.pending_us = model_now_us() + model.wake_us;
	pthread_mutex_unlock(&model_lock);
	usleep(MODEL_PROPAGATE_US);
	for (;;) {
		bool running;

		pthread_mutex_lock(&model_lock);
		model_advance();
		running = model.running;
		if (!running)
			return 0;
		pthread_mutex_unlock(&model_lock);
		usleep(MODEL_POLL_US);
	}
}

static int model_add(const char *name)
{
	int err = model.no_loopback			 ? -EINVAL
		  : model.no_lo				 ? -ENODEV
		  : model.lo_down			 ? -ENETDOWN
		  : model.listed || model.held_elsewhere ? -EBUSY
							 : 0;

	snprintf(model.thread_result, sizeof(model.thread_result),
		 err ? "ERROR: can not add device %s" : "OK: add_device=%s",
		 name);
	if (err)
		return err;
	model.listed = true;
	model.result[0] = '\0';
	model.no_timestamp = false;
	model.pkt_size = model.burst = 0;
	strcpy(model.xmit_mode, "start_xmit");
	memset(model.ports, 0, sizeof(model.ports));
	return 0;
}

static int model_thread(const char *line)
{
	if (!strncmp(line, "add_device ", 11))
		return model_add(line + 11);
	if (strcmp(line, "rem_device_all"))
		return -EINVAL;
	model.removals++;
	if (!model.never_lets_go)
		model.listed = model.running = model.pending = false;
	strcpy(model.thread_result, "OK: rem_device_all");
	return 0;
}

static int model_answer(const char *name, const char *value)
{
	snprintf(model.result, sizeof(model.result), "OK: %s=%s", name, value);
	return 0;
}

/* Up to ten digits, whatever follows. */
static uint64_t model_number(const char *value)
{
	char digits[11];

	snprintf(digits, sizeof(digits), "%.10s", value);
	return strtoull(digits, NULL, 10);
}

static int model_set_number(const char *name, const char *value, int *err)
{
	const struct {
		const char *name;
		uint64_t *at;
	} numbers[] = {
		{ "count", &model.count },
		{ "pkt_size", &model.pkt_size },
		{ "delay", &model.delay },
		{ "clone_skb", &model.clone_skb },
		{ "burst", &model.burst },
		{ "udp_src_min", &model.ports[0] },
		{ "udp_src_max", &model.ports[1] },
		{ "udp_dst_min", &model.ports[2] },
		{ "udp_dst_max", &model.ports[3] },
	};
	uint64_t number = model_number(value);
	char text[24];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(numbers[i].name, name))
			continue;
		if ((!strcmp(name, "clone_skb") && number > 0) ||
		    (!strcmp(name, "burst") && number > 1)) {
			*err = -model.not_shared;
			return true;
		}
		if (!strcmp(name, "pkt_size") && number < 42)
			number = 42;
		if (!model.deaf_to || strcmp(model.deaf_to, name))
			*numbers[i].at = number;
		snprintf(text, sizeof(text), "%" PRIu64, *numbers[i].at);
		*err = model_answer(name, text);
		return true;
	}
	return false;
}

static int model_set_text(const char *name, const char *value, int *err)
{
	const struct {
		const char *name;
		char *at;
		const char *answer;
	} texts[] = {
		{ "dst_min", model.dst_min, "OK: dst_min=%s" },
		{ "dst_max", model.dst_max, "OK: dst_max=%s" },
		{ "src_min", model.src_min, "OK: src_min=%s" },
		{ "src_max", model.src_max, "OK: src_max=%s" },
		{ "dst_mac", model.dst_mac, "OK: dstmac %s" },
		{ "src_mac", model.src_mac, "OK: srcmac %s" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (strcmp(texts[i].name, name))
			continue;
		snprintf(texts[i].at, 32, "%s", value);
		snprintf(model.result, sizeof(model.result), texts[i].answer,
			 value);
		*err = 0;
		return true;
	}
	return false;
}

static int model_set_mode(const char *value)
{
	if (strcmp(value, "start_xmit") && strcmp(value, "netif_receive") &&
	    (strcmp(value, "queue_xmit") || model.no_queue_xmit)) {
		snprintf(model.result, sizeof(model.result),
			 "xmit_mode -:%s:- unknown\nAvailable modes: "
			 "start_xmit, netif_receive\n",
			 value);
		return 0;
	}
	if (!model.deaf_to || strcmp(model.deaf_to, "xmit_mode"))
		snprintf(model.xmit_mode, sizeof(model.xmit_mode), "%s", value);
	return model_answer("xmit_mode", value);
}

static int model_device(const char *line)
{
	char name[16] = "", value[32] = "";
	int err;

	sscanf(line, "%15s %31s", name, value);
	if (!strcmp(name, "xmit_mode"))
		return model_set_mode(value);
	if (!strcmp(name, "flag")) {
		model.no_timestamp = !strcmp(value, "NO_TIMESTAMP");
		if (model.no_timestamp)
			strcpy(model.result, "OK: flags=0x40080");
		else
			snprintf(model.result, sizeof(model.result),
				 "Flag -:%s:- unknown\nAvailable flags, "
				 "(prepend ! to un-set flag):\nIPV6",
				 value);
		return 0;
	}
	if (model_set_number(name, value, &err) ||
	    model_set_text(name, value, &err))
		return err;
	snprintf(model.result, sizeof(model.result), "No such parameter \"%s\"",
		 name);
	return -EINVAL;
}

static int model_write(const char *file, const char *line)
{
	snprintf(model.last_write, sizeof(model.last_write), "%s", line);
	if (!strcmp(file, "pgctrl"))
		return model_control(line);
	if (!strcmp(file, "kpktgend_0"))
		return model_thread(line);
	if (!strcmp(file, "lo@0") && model.listed)
		return model_device(line);
	if (!strcmp(file, "kpktgend_1"))
		model.other_listed = false;
	return -ENOENT;
}

static int model_read(const char *file, char *text, size_t size)
{
	if (!strcmp(file, "kpktgend_0"))
		return snprintf(text, size,
				"Running: %s\nStopped: %s\nResult: %s\n",
				model.running ? "lo@0 " : "",
				model.listed && !model.running ? "lo@0 " : "",
				model.thread_result);
	if (strcmp(file, "lo@0") || !model.listed)
		return -ENOENT;
	return snprintf(text, size,
			"Params: count %" PRIu64 "  min_pkt_size: %" PRIu64
			"  max_pkt_size: %" PRIu64 "\n%s"
			"     Flags: %s\nCurrent:\n"
			"     pkts-sofar: %" PRIu64 "  errors: %" PRIu64 "%s\n"
			"     started: %" PRIu64 "us  stopped: %" PRIu64
			"us idle: 3us\n"
			"     flows: 0\nResult: %s\n",
			model.count, model.pkt_size, model.pkt_size,
			strcmp(model.xmit_mode, "queue_xmit")
				? ""
				: "     xmit_mode: xmit_queue\n",
			model.no_timestamp ? "NO_TIMESTAMP  " : "", model.sofar,
			model.errors, model_drops("  "), model.started_us,
			model.running ? model_now_us() : model.stopped_us,
			model.result[0] ? model.result : "Idle");
}

int __wrap_procfs_open(const char *root);
int __wrap_procfs_write(int dir, const char *file, const char *line);
int __wrap_procfs_read(int dir, const char *file, char *text, size_t size);

int __wrap_procfs_open(const char *root)
{
	if (strcmp(root, "/proc/thread-self/net/pktgen"))
		return -ENOENT;
	return model.absent ? -ENOENT : model.forbidden ? -EACCES : MODEL_DIR;
}

int __wrap_procfs_write(int dir, const char *file, const char *line)
{
	int err;

	if (dir != MODEL_DIR)
		return -EBADF;
	pthread_mutex_lock(&model_lock);
	model_advance();
	err = model_write(file, line);
	pthread_mutex_unlock(&model_lock);
	return err;
}

int __wrap_procfs_read(int dir, const char *file, char *text, size_t size)
{
	int length;

	if (dir != MODEL_DIR)
		return -EBADF;
	pthread_mutex_lock(&model_lock);
	model_advance();
	length = model_read(file, text, size);
	pthread_mutex_unlock(&model_lock);
	return length < 0 ? length : length < (int)size ? 0 : -EFBIG;
}

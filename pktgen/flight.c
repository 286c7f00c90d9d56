// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The thread of pktgen looks for orders every 100 ms when it is at rest, and
 * after every packet when it runs (net/core/pktgen.c:pktgen_thread_worker()).
 * A "stop" that comes before it has taken up "start" is lost.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "pktgen/flight.h"
#include "pktgen/procfs.h"
#include "runner/cleanup.h"
#include "runner/log.h"

#define NSEC_PER_SEC  UINT64_C(1000000000)
#define NSEC_PER_MSEC UINT64_C(1000000)
#define NSEC_PER_USEC UINT64_C(1000)

#define POLL_NS (1 * NSEC_PER_MSEC)

/* Outlives the flight if the kernel does not let go of its thread. */
struct starter {
	pthread_t thread;
	int dir;
	int over; /* eventfd, readable once err is set */
	int err;
};

/* Where the watch stands. */
struct watch {
	uint64_t late_ns; /* how late an order may be taken up */
	struct flight *flight;
	struct starter *starter;
	struct result *result;
	uint64_t moved_ns; /* when a counter or the state last changed */
	bool over;	   /* the write of "start" has returned */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

static void *start_and_wait(void *arg)
{
	struct starter *starter = arg;

	starter->err = procfs_write(starter->dir, "pgctrl", "start");
	eventfd_write(starter->over, 1);
	return NULL;
}

static void starter_free(struct starter *starter)
{
	close(starter->over);
	free(starter);
}

/* The thread is in the caller's namespace, and takes no signal from it. */
static struct starter *starter_new(int dir)
{
	struct starter *starter = calloc(1, sizeof(*starter));
	sigset_t all, before;
	int err;

	if (!starter)
		return NULL;
	starter->dir = dir;
	starter->over = eventfd(0, EFD_CLOEXEC);
	if (starter->over < 0) {
		free(starter);
		return NULL;
	}

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&starter->thread, NULL, start_and_wait, starter);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		starter_free(starter);
		errno = err;
		return NULL;
	}
	return starter;
}

/* Until the run is over, or so long.  0 or -EINTR. */
static int wait_over(struct watch *watch, uint64_t pause_ns)
{
	struct timespec pause = { .tv_sec = (time_t)(pause_ns / NSEC_PER_SEC),
				  .tv_nsec = (long)(pause_ns % NSEC_PER_SEC) };
	struct pollfd over = { .fd = watch->starter->over, .events = POLLIN };
	int ready;

	/* Over and yet not done: the device has not even begun. */
	if (watch->over)
		return nanosleep(&pause, NULL) ? -errno : 0;
	ready = ppoll(&over, 1, &pause, NULL);
	if (ready < 0)
		return -errno;
	watch->over = ready > 0;
	return 0;
}

static int look(struct watch *watch)
{
	struct result before = *watch->result;
	char text[PROCFS_TEXT_BYTES];
	int err = -EPROTO;

	/* pktgen does not lock out readers while it writes its result. */
	for (int i = 0; i < 3 && err == -EPROTO; i++) {
		err = procfs_read(watch->flight->dir, watch->flight->device,
				  text, sizeof(text));
		if (err)
			return log_err(err, "pktgen: read %s: %s",
				       watch->flight->device, strerror(-err));
		err = result_parse(text, watch->result);
	}
	if (err)
		return log_err(err, "pktgen: cannot make sense of %s: \"%s\"",
			       watch->flight->device, text);

	if (watch->result->state != before.state ||
	    watch->result->sofar != before.sofar ||
	    result_total(watch->result) != result_total(&before))
		watch->moved_ns = now_ns();
	return 0;
}

/* What to sleep until the packets are likely to be out. */
static uint64_t time_left(const struct watch *watch)
{
	const struct flight *flight = watch->flight;
	const struct result *result = watch->result;
	uint64_t elapsed_us = result->stopped_us - result->started_us;
	uint64_t total = result_total(result);
	double packet_ns = (double)flight->packet_ns;
	double left_ns;

	if (flight->counted)
		return watch->over ? 10 * NSEC_PER_MSEC : watch->late_ns;
	if (result->state != RESULT_RUNNING)
		return POLL_NS;

	/* A rate taken over less than that says little. */
	if (total && (elapsed_us >= 1000 || !flight->packet_ns))
		packet_ns = (double)elapsed_us * NSEC_PER_USEC / (double)total;
	left_ns = packet_ns * (double)(flight->packets - total) * 1.002;
	if (left_ns < POLL_NS / 10)
		return POLL_NS / 10;
	return left_ns < NSEC_PER_SEC ? (uint64_t)left_ns : NSEC_PER_SEC;
}

static int say_stalled(const struct watch *watch)
{
	const struct flight *flight = watch->flight;

	if (watch->result->state != RESULT_RUNNING)
		return log_err(
			-ETIMEDOUT,
			"pktgen: %s did not start; is its CPU taken by a "
			"real-time task?",
			flight->device);
	return log_err(-ETIMEDOUT, "pktgen: %s got stuck, stopped",
		       flight->device);
}

/* Returns 0 when the device has ended or should be stopped. */
static int watch_run(struct watch *watch)
{
	const struct flight *flight = watch->flight;
	const struct result *result = watch->result;
	uint64_t pause_ns = flight->counted ? watch->late_ns : POLL_NS;
	uint64_t total;
	int err;

	for (;;) {
		err = wait_over(watch, pause_ns);
		if (!err)
			err = look(watch);
		if (err)
			return err;

		if (watch->over && watch->starter->err)
			return log_err(watch->starter->err, "pktgen: start: %s",
				       strerror(-watch->starter->err));
		if (result->state == RESULT_FAILED)
			return log_err(-EIO, "pktgen: %s could not start",
				       flight->device);
		if (result->state == RESULT_DONE)
			return 0;

		/* Until a run begins, the counters are those of the last. */
		total = result_total(result);
		if (result->state == RESULT_RUNNING && !flight->counted &&
		    total >= flight->packets)
			return 0;
		if (result->state == RESULT_RUNNING && flight->counted &&
		    total > flight->packets)
			return log_err(
				-EIO,
				"pktgen: packets were dropped that no "
				"rule matches: %llu of %llu; run stopped",
				(unsigned long long)(total - result->sofar),
				(unsigned long long)total);
		if (now_ns() - watch->moved_ns > flight->patience_ns)
			return say_stalled(watch);
		pause_ns = time_left(watch);
	}
}

/*
 * A run that was not there when the write of "start" returned may yet begin:
 * its thread was late to take up the order.
 */
static bool at_rest(const struct watch *watch)
{
	switch (watch->result->state) {
	case RESULT_RUNNING:
		return false;
	case RESULT_ANSWER:
		return watch->over &&
		       (watch->starter->err ||
			now_ns() - watch->moved_ns > watch->late_ns);
	default:
		return watch->over;
	}
}

/* Stops what still runs and waits for it, signals or not. */
static int come_to_rest(struct watch *watch)
{
	uint64_t give_up_ns =
		now_ns() + watch->late_ns + watch->flight->patience_ns;
	int err;

	while (now_ns() < give_up_ns) {
		err = look(watch);
		if (err && watch->over)
			return err;
		if (!err && at_rest(watch))
			return 0;
		if (!err && watch->result->state == RESULT_RUNNING)
			procfs_write(watch->flight->dir, "pgctrl", "stop");
		wait_over(watch, POLL_NS);
	}
	return log_err(-ETIMEDOUT, "pktgen: %s cannot be stopped",
		       watch->flight->device);
}

int flight_run(struct flight *flight, struct result *result)
{
	struct watch watch = { .flight = flight,
			       .result = result,
			       .late_ns = flight->patience_ns / 10 };
	int err, rest_err;

	*result = (struct result){ 0 };
	watch.starter = starter_new(flight->dir);
	if (!watch.starter)
		return log_err(-errno, "pktgen: start a thread: %s",
			       strerror(errno));
	watch.moved_ns = now_ns();

	err = watch_run(&watch);
	rest_err = come_to_rest(&watch);
	if (watch.over) {
		pthread_join(watch.starter->thread, NULL);
		starter_free(watch.starter);
	} else {
		/* It holds its memory until the kernel lets it go. */
		pthread_detach(watch.starter->thread);
	}
	if (err || rest_err)
		return err ? err : rest_err;

	if (result_total(result))
		flight->packet_ns = result->elapsed_us * NSEC_PER_USEC /
				    result_total(result);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pktgen/command.h"
#include "pktgen/frame.h"
#include "pktgen/procfs.h"
#include "pktgen/result.h"
#include "runner/cleanup.h"
#include "runner/log.h"

#define COUNT_MAX UINT64_C(9999999999) /* pktgen reads ten digits */
#define PORT_MAX  65535

/* The kernel's own ENOTSUPP, which escapes to user space and has no text. */
#define KERNEL_ENOTSUPP 524

static const struct limit {
	const char *name;
	uint64_t min;
	uint64_t max;
	const char *reason;
} limits[] = {
	{ "count", 0, COUNT_MAX, "longer numbers are cut" },
	{ "pkt_size", TRAFFIC_FRAME_MIN_BYTES, FRAME_MAX_BYTES,
	  "it is the frame without its checksum" },
	{ "delay", 0, 0, "the gaps would be measured" },
	{ "clone_skb", 0, 0, "lo does not share packet buffers" },
	{ "burst", 1, 1, "the queue_xmit mode has no bursts" },
	{ "udp_src_min", 0, PORT_MAX, "it is a port" },
	{ "udp_src_max", 0, PORT_MAX, "it is a port" },
	{ "udp_dst_min", 0, PORT_MAX, "it is a port" },
	{ "udp_dst_max", 0, PORT_MAX, "it is a port" },
};

static int vet_number(const struct limit *limit, const char *value)
{
	size_t digits = strspn(value, "0123456789");
	uint64_t number = strtoull(value, NULL, 10);

	if (digits && digits <= 10 && !value[digits] && number >= limit->min &&
	    number <= limit->max)
		return 0;
	return log_err(
		-EINVAL, "pktgen: %s %s: only %" PRIu64 " to %" PRIu64 ": %s",
		limit->name, value, limit->min, limit->max, limit->reason);
}

static int vet(const char *name, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (!strcmp(limits[i].name, name))
			return vet_number(&limits[i], value);

	/*
	 * What is loopback, multicast and the like is drawn again: a range
	 * wholly inside these never ends, in a thread that cannot be stopped.
	 */
	if (!strcmp(name, "flag") && !strcmp(value, "IPDST_RND"))
		return log_err(
			-EINVAL,
			"pktgen: flag IPDST_RND: random destinations can "
			"loop in the kernel for ever; give a range");
	return 0;
}

static int say_refused(int err, const char *file, const char *command)
{
	switch (-err) {
	case KERNEL_ENOTSUPP:
	case EOPNOTSUPP:
		return log_err(-EOPNOTSUPP,
			       "pktgen: \"%s\": lo does not support it",
			       command);
	case EINVAL:
		return log_err(-EOPNOTSUPP,
			       "pktgen: \"%s\": this kernel's pktgen does not "
			       "know it",
			       command);
	case ENOENT:
		return log_err(
			err,
			"pktgen: %s has gone: was the device removed, or "
			"the module?",
			file);
	}
	return log_err(err, "pktgen: \"%s\" to %s: %s", command, file,
		       strerror(-err));
}

/* The answer begins so, or with nothing more if whole. */
static int confirm(int dir, const char *file, const char *command,
		   const char *answer, bool whole)
{
	char text[PROCFS_TEXT_BYTES];
	char got[512];
	int err;

	err = procfs_read(dir, file, text, sizeof(text));
	if (err)
		return log_err(err, "pktgen: read %s: %s", file,
			       strerror(-err));
	err = result_answer(text, got, sizeof(got));
	if (err)
		return log_err(err, "pktgen: %s has no result line", file);
	if (whole ? !strcmp(got, answer)
		  : !strncmp(got, answer, strlen(answer)))
		return 0;
	return log_err(-EOPNOTSUPP,
		       "pktgen: \"%s\" was taken but not followed: %s answers "
		       "\"%s\" for \"%s\"",
		       command, file, got, answer);
}

int command_confirm(int dir, const char *file, const char *command,
		    const char *answer)
{
	return confirm(dir, file, command, answer, true);
}

/*
 * How pktgen repeats a command.  Addresses have a spelling of their own; a flag
 * is answered with the sum of all flags, which differs between kernels.
 */
static void echo_of(const char *name, const char *value, char *answer,
		    size_t size)
{
	if (!strcmp(name, "dst_mac"))
		snprintf(answer, size, "OK: dstmac %s", value);
	else if (!strcmp(name, "src_mac"))
		snprintf(answer, size, "OK: srcmac %s", value);
	else if (!strcmp(name, "flag"))
		snprintf(answer, size, "OK: flags=0x");
	else
		snprintf(answer, size, "OK: %s=%s", name, value);
}

int command_send(int dir, const char *file, const char *name, const char *value)
{
	char command[96], answer[96];
	int err;

	err = vet(name, value);
	if (err)
		return err;
	snprintf(command, sizeof(command), "%s %s", name, value);
	echo_of(name, value, answer, sizeof(answer));

	err = procfs_write(dir, file, command);
	if (err)
		return say_refused(err, file, command);
	return confirm(dir, file, command, answer, strcmp(name, "flag"));
}

int command_send_number(int dir, const char *file, const char *name,
			unsigned long long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	return command_send(dir, file, name, text);
}

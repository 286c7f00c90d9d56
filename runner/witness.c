// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runner/log.h"
#include "runner/witness.h"

#define DEV_FILE   "/proc/thread-self/net/dev"
#define SNMP_FILE  "/proc/thread-self/net/snmp"
#define SNMP6_FILE "/proc/thread-self/net/snmp6"

int witness_open(struct witness *witness, const struct site *site)
{
	const struct hook_info *info = hook_info(site->hook);
	bool is_v6 = site->family == FAMILY_IPV6;
	const char *file = DEV_FILE;

	if (info->to_host)
		file = is_v6 ? SNMP6_FILE : SNMP_FILE;
	witness->family = site->family;

	witness->to_host = info->to_host;
	witness->fd = open(file, O_RDONLY | O_CLOEXEC);
	if (witness->fd < 0)
		return log_err(-errno, "%s: %s (is /proc mounted?)", file,
			       strerror(errno));
	return 0;
}

void witness_close(struct witness *witness)
{
	if (witness->fd >= 0)
		close(witness->fd);
	witness->fd = -1;
}

/* Value number n of a line, counted from the one after the name. */
static int value(const char *line, int n, uint64_t *out)
{
	const char *at = strchr(line, ':');
	char *end;

	for (int i = 0; at && i <= n; i++) {
		at += strcspn(at, " \n");
		at += strspn(at, " ");
		if (*at < '0' || *at > '9')
			return -EINVAL;
		if (i == n) {
			*out = strtoull(at, &end, 10);
			return 0;
		}
	}
	return -EINVAL;
}

/* packets sent: the second value after the eight of what came in */
static int lo_sent(const char *text, uint64_t *passed)
{
	const char *line = strstr(text, "lo:");
	char copy[512];

	if (!line)
		return -EINVAL;
	/* "lo:12" on old kernels has no blank behind the colon */
	snprintf(copy, sizeof(copy), "lo: %s", line + strlen("lo:"));
	return value(copy, 9, passed);
}

/* The names are in one "Ip:" line, the values in the next. */
static int ip_delivered(const char *text, uint64_t *passed)
{
	static const char wanted[] = "InDelivers";
	const char *names = strstr(text, "Ip:");
	const char *values = names ? strstr(names + 3, "\nIp:") : NULL;
	const char *at = names;
	int n = 0;

	if (!values)
		return -EINVAL;
	for (at += strlen("Ip: "); at < values; n++) {
		if (!strncmp(at, wanted, strlen(wanted)))
			return value(values, n, passed);
		at += strcspn(at, " \n");
		at += strspn(at, " ");
	}
	return -EINVAL;
}

/* A name and a value a line. */
static int ip6_delivered(const char *text, uint64_t *passed)
{
	static const char wanted[] = "Ip6InDelivers";
	const char *line = strstr(text, wanted);

	if (!line)
		return -EINVAL;
	*passed = strtoull(line + strlen(wanted), NULL, 10);
	return 0;
}

int witness_read(const struct witness *witness, uint64_t *passed)
{
	char text[4096];
	ssize_t len = pread(witness->fd, text, sizeof(text) - 1, 0);
	int err;

	if (len < 0)
		return log_err(-errno, "reading the namespace's counters: %s",
			       strerror(errno));
	text[len] = '\0';
	if (!witness->to_host)
		err = lo_sent(text, passed);
	else if (witness->family == FAMILY_IPV6)
		err = ip6_delivered(text, passed);
	else
		err = ip_delivered(text, passed);
	return err ? log_err(err, "the namespace's counters have a new form")
		   : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * That /dev/kvm can be opened says little: on a machine without hardware
 * virtualization it may be there, make a CPU, and then hang.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "runner/cleanup.h"
#include "runner/guest_init.h"
#include "runner/guest_kvm.h"
#include "runner/log.h"
#include "runner/process.h"

#define DEVICE	"/dev/kvm"
#define LIMIT_S 30
#define NAP_MS	50

#define REMEDY "--clock instructions works without it"

static int no_lines(void *context, const char *line)
{
	(void)context;
	(void)line;
	return 0;
}

static int wait_for(struct guest *guest)
{
	struct timespec start, now;
	int err;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while ((err = guest_poll(guest, no_lines, NULL)) == 1) {
		if (process_interrupted())
			return -EINTR;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec - start.tv_sec > LIMIT_S)
			return log_err(
				-EOPNOTSUPP,
				"--clock time: KVM is there, but a guest did not boot in %d s; " REMEDY,
				LIMIT_S);
		process_nap(NAP_MS);
	}
	if (err)
		return log_err(-EOPNOTSUPP,
			       "--clock time: KVM does not work: %s; " REMEDY,
			       guest->reason);
	return 0;
}

int guest_kvm_try(const struct guest_setup *setup)
{
	static const char *const words[] = { GUEST_PROBE, NULL };
	auto_fd int device = open(DEVICE, O_RDWR | O_CLOEXEC);
	struct guest guest;
	int err;

	if (device < 0)
		return log_err(-EOPNOTSUPP,
			       "--clock time needs KVM: " DEVICE
			       ": %s; " REMEDY,
			       strerror(errno));
	log_progress("trying KVM");
	err = guest_boot(&guest, setup, words, -1);
	if (err)
		return err;
	err = wait_for(&guest);
	guest_end(&guest);
	return err;
}

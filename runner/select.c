// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/netns.h"
#include "runner/registry.h"
#include "runner/select.h"

#define TRIAL_PACKETS 10

static int send_some(const struct source *source, enum family family, int cpu,
		     void *run, void *state)
{
	const struct target target = { .daddr = traffic_miss_net(family) };
	const struct traffic traffic = {
		.family = family,
		.frame_bytes = traffic_frame_min_bytes(family),
		.targets = &target,
		.target_count = 1,
	};
	const struct source_setup setup = { .targets_total = 1,
					    .family = family,
					    .cpu = cpu };
	const struct site site = {
		.ifindex = if_nametoindex("lo"),
		.hook = HOOK_EGRESS,
		.family = family,
	};
	const struct burst burst = { .packets = TRIAL_PACKETS };
	struct shot shot = { 0 };
	int err = source->start(run, &setup);

	if (err)
		return err;
	err = source->open(state, run, &site, &traffic);
	if (!err) {
		err = source->fire(state, &burst, &shot);
		if (!err && shot.sent != TRIAL_PACKETS)
			err = log_err(-EIO, "%s: sent %lu packets of %d",
				      source->name, shot.sent, TRIAL_PACKETS);
		source->close(state);
	}
	source->stop(run);
	return err;
}

int select_try(const struct source *source, enum family family, int cpu,
	       char *reason, size_t reason_bytes)
{
	auto_mem void *run = calloc(1, source->run_size + 1);
	auto_mem void *state = calloc(1, source->state_size + 1);
	struct log_capture capture;
	auto_fd int ns = -1;
	int err;

	if (!run || !state)
		return log_err(-ENOMEM, "out of memory");
	log_capture_begin(&capture);
	err = netns_new(&ns);
	if (!err)
		err = send_some(source, family, cpu, run, state);
	log_capture_end(&capture);
	if (err)
		snprintf(reason, reason_bytes, "%s",
			 capture.text[0] ? capture.text : strerror(-err));
	return err;
}

const struct source *select_source(const struct source *wanted,
				   enum family family, int cpu, char *reason,
				   size_t reason_bytes)
{
	char why[512], others[SELECT_REASON_BYTES] = "";

	for (size_t i = 0; sources[i]; i++) {
		size_t len = strlen(others);

		if (wanted && wanted != sources[i])
			continue;
		if (!select_try(sources[i], family, cpu, why, sizeof(why))) {
			snprintf(reason, reason_bytes, "%s%s",
				 wanted ? "asked for"
				 : len	? "works here; "
					: "the first choice, works here",
				 others);
			return sources[i];
		}
		snprintf(others + len, sizeof(others) - len, "%s%s",
			 len ? "; " : "", why);
	}
	log_err(-EOPNOTSUPP, "no packet source works here: %s", others);
	return NULL;
}

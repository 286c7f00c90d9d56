/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --pcap: the capture whose packets a run sends.
 */
#pragma once

#include <jansson.h>

#include "runner/plan.h"

/*
 * Reads options->pcap, says what of it is taken and what is skipped, and sets
 * plan->capture; without the option it does nothing.  options->flows and
 * frame_bytes become what the capture has: destinations, mean frame length
 * (that of the proving frames, which cannot be shorter than made ones).
 * 0, or a negative errno, said: -EINVAL if the file is broken or has no packet
 * that can be sent.
 */
int capture_read(struct capture *capture, struct options *options,
		 struct plan *plan);

/* For run.json: the file, the packets, and the skipped ones by reason. */
json_t *capture_pack(const struct capture *capture, const char *file);

/* Harmless on zeroed memory. */
void capture_free(struct capture *capture);

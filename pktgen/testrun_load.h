/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs and maps of the bpf source, loaded once for all cells of a run.
 */
#pragma once

#include "pktgen/testrun.h"
#include "pktgen/testrun.skel.h"
#include "runner/source.h"

struct testrun_run {
	struct testrun_bpf *skel;
	enum family family; /* and with it which one of these */
	struct testrun_target *targets;
	struct testrun_target6 *targets6;
	size_t size, used;
	bool has_capture;
};

/*
 * start() and stop() of the source: loads what a run of this family, with or
 * without a capture, needs.  0; -EOPNOTSUPP if the kernel cannot; another
 * negative errno; said.
 */
int testrun_start(void *state, const struct source_setup *setup);
void testrun_stop(void *state);

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink of the egress hook: the last classifier on clsact, which runs after
 * nf_tables there.
 * TC_ACT_STOLEN makes the sender see success (net/core/dev.c:
 * sch_handle_egress), so that what it counts as refused is what the filter
 * dropped.
 */
#include <errno.h>
#include <string.h>

#include "bpf/clsact.h"
#include "bpf/load.h"
#include "bpf/tc_sink.skel.h"
#include "runner/cleanup.h"
#include "runner/log.h"

DEFINE_AUTO(sink, struct tc_sink_bpf *, tc_sink_bpf__destroy)
#define auto_sink __attribute__((cleanup(drop_sink)))

struct tc_sink_state {
	struct tc_sink_bpf *skel;
	struct clsact_bpf classifier;
};

static int tc_sink_attach(void *state, const struct site *site,
			  const struct rules *rules)
{
	auto_sink struct tc_sink_bpf *skel = tc_sink_bpf__open();
	struct tc_sink_state *st = state;
	int err;

	(void)rules;
	if (!skel)
		return log_err(-errno, "tc sink: open: %s", strerror(errno));
	err = tc_sink_bpf__load(skel);
	if (err)
		return load_explain(err, "tc sink");
	err = clsact_bpf_attach(&st->classifier, site,
				bpf_program__fd(skel->progs.swallow),
				CLSACT_PRIO_SINK, "tc sink");
	if (err)
		return err;
	st->skel = hand_over(skel, NULL);
	return 0;
}

static int tc_sink_read(void *state, uint64_t *swallowed)
{
	struct tc_sink_state *st = state;

	return load_read_counter(bpf_map__fd(st->skel->maps.dropped),
				 swallowed);
}

static void tc_sink_detach(void *state)
{
	struct tc_sink_state *st = state;

	if (!st->skel)
		return;
	clsact_bpf_detach(&st->classifier);
	tc_sink_bpf__destroy(hand_over(st->skel, NULL));
}

const struct filter sink_tc_sink = {
	.name = "tc-sink",
	.about = "last classifier on clsact, swallows and counts",
	.judge = "cls_bpf_classify",
	.hook = HOOK_EGRESS,
	.ipv6 = true,
	.hooks = HOOK_BIT(HOOK_EGRESS),
	.state_size = sizeof(struct tc_sink_state),
	.attach = tc_sink_attach,
	.read = tc_sink_read,
	.detach = tc_sink_detach,
};

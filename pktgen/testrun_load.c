// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "pktgen/replay.h"
#include "pktgen/testrun_load.h"
#include "runner/cleanup.h"
#include "runner/log.h"

DEFINE_AUTO(testrun, struct testrun_bpf *, testrun_bpf__destroy)
#define auto_testrun __attribute__((cleanup(drop_testrun)))

static int explain_load_error(int err)
{
	if (err == -EPERM)
		return log_err(
			-EOPNOTSUPP,
			"bpf source: bpf() is not permitted: needs CAP_BPF and CAP_NET_ADMIN in the first user namespace, and a seccomp profile that allows it");
	if (err == -ENOSYS)
		return log_err(
			-EOPNOTSUPP,
			"bpf source: no bpf() in this kernel (CONFIG_BPF_SYSCALL)");
	return log_err(err, "bpf source: loading the program: %s",
		       strerror(-err));
}

/* What is not needed is not loaded: an old kernel may refuse it. */
static void choose(struct testrun_bpf *skel, size_t targets, enum family family,
		   const struct capture *capture)
{
	bool is_v6 = family == FAMILY_IPV6;

	bpf_map__set_max_entries(skel->maps.targets, targets);
	bpf_map__set_max_entries(skel->maps.targets6, targets);
	bpf_map__set_autocreate(skel->maps.targets, !is_v6);
	bpf_map__set_autocreate(skel->maps.targets6, is_v6);
	bpf_program__set_autoload(skel->progs.send_next, !is_v6);
	bpf_program__set_autoload(skel->progs.send_varied, !is_v6);
	bpf_program__set_autoload(skel->progs.send_next6, is_v6);
	bpf_program__set_autoload(skel->progs.send_varied6, is_v6);
	bpf_program__set_autoload(skel->progs.send_bare, false);
	bpf_program__set_autoload(skel->progs.send_captured, capture != NULL);
	bpf_map__set_autocreate(skel->maps.packets, capture != NULL);
	bpf_map__set_autocreate(skel->maps.chunks, capture != NULL);
	if (capture)
		replay_size(skel->maps.packets, skel->maps.chunks, capture);
}

static size_t targets_bytes(const struct testrun_run *run)
{
	return run->size * (run->family == FAMILY_IPV6 ? sizeof(*run->targets6)
						       : sizeof(*run->targets));
}

int testrun_start(void *state, const struct source_setup *setup)
{
	auto_testrun struct testrun_bpf *skel = testrun_bpf__open();
	struct testrun_run *run = state;
	size_t size = setup->targets_total ? setup->targets_total : 1;
	void *targets;
	int err;

	if (!skel)
		return log_err(-errno, "bpf source: open: %s", strerror(errno));
	if (size > UINT_MAX)
		return log_err(
			-E2BIG,
			"bpf source: %zu destinations are more than a map can hold",
			size);
	choose(skel, size, setup->family, setup->capture);
	err = testrun_bpf__load(skel);
	if (err)
		return explain_load_error(err);
	if (setup->capture) {
		err = replay_fill(skel->maps.packets, skel->maps.chunks,
				  setup->capture);
		if (err)
			return err;
	}
	run->family = setup->family;
	run->size = size;
	targets = mmap(
		NULL, targets_bytes(run), PROT_READ | PROT_WRITE, MAP_SHARED,
		bpf_map__fd(run->family == FAMILY_IPV6 ? skel->maps.targets6
						       : skel->maps.targets),
		0);
	if (targets == MAP_FAILED)
		return log_err(-errno, "bpf source: mapping destinations: %s",
			       strerror(errno));
	if (run->family == FAMILY_IPV6)
		run->targets6 = targets;
	else
		run->targets = targets;
	run->used = 0;
	run->has_capture = setup->capture;
	run->skel = hand_over(skel, NULL);
	return 0;
}

void testrun_stop(void *state)
{
	struct testrun_run *run = state;

	if (!run->skel)
		return;
	if (run->targets)
		munmap(hand_over(run->targets, NULL), targets_bytes(run));
	if (run->targets6)
		munmap(hand_over(run->targets6, NULL), targets_bytes(run));
	testrun_bpf__destroy(hand_over(run->skel, NULL));
}

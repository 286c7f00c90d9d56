/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own pktgen, inside a guest: each case says "ok NAME" or what
 * went wrong.
 */
#pragma once

#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>

#include "pktgen/command.h"
#include "runner/netns.h"
#include "runner/registry.h"
#include "runner/witness.h"

#define PKTGEN_DIR   "/proc/thread-self/net/pktgen"
#define PKTGEN_COUNT 2000

/* A namespace with the source ready on its lo. */
struct pktgen_cell {
	void *run, *state;
	struct witness witness;
	struct site site;
	int ns;
};

static const struct target pktgen_targets[] = {
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET) },
	{ .daddr = ADDR_V4(TRAFFIC_MISS_NET + 1) },
};

static int pktgen_open_on(struct pktgen_cell *cell, int cpu)
{
	const struct source *source = registry_source("pktgen");
	const struct source_setup setup = { .targets_total = 2, .cpu = cpu };
	static const struct traffic traffic = {
		.frame_bytes = 60,
		.targets = pktgen_targets,
		.target_count = 2,
	};
	int err;

	cell->run = calloc(1, source->run_size + 1);
	cell->state = calloc(1, source->state_size + 1);
	cell->site = (struct site){ if_nametoindex("lo"), HOOK_EGRESS, 0 };
	err = source->start(cell->run, &setup);
	return err ? err
		   : source->open(cell->state, cell->run, &cell->site,
				  &traffic);
}

static int pktgen_open(struct pktgen_cell *cell)
{
	int err = netns_new(&cell->ns);

	if (!err)
		err = pktgen_open_on(cell, 0);
	if (!err)
		err = witness_open(&cell->witness, &cell->site);
	return err;
}

static int pktgen_fire(struct pktgen_cell *cell, uint64_t matching,
		       struct shot *shot)
{
	const struct burst burst = { 0, PKTGEN_COUNT, matching };

	return registry_source("pktgen")->fire(cell->state, &burst, shot);
}

static uint64_t pktgen_passed(struct pktgen_cell *cell)
{
	uint64_t passed = 0;

	witness_read(&cell->witness, &passed);
	return passed;
}

static const char *pktgen_delivers(struct pktgen_cell *cell)
{
	uint64_t before = pktgen_passed(cell);
	struct shot shot;

	if (pktgen_fire(cell, 0, &shot))
		return "fire failed";
	if (shot.sent != PKTGEN_COUNT || shot.refused || !shot.elapsed_ns)
		return "not as many as asked";
	if (pktgen_passed(cell) - before != PKTGEN_COUNT)
		return "lo counts others";
	return NULL;
}

/* Everything is dropped: a count never ends, so the run is timed. */
static const char *pktgen_drops(struct pktgen_cell *cell)
{
	static struct prefix all = { ADDR_V4(TRAFFIC_MISS_NET),
				     TRAFFIC_MISS_LEN };
	const struct rules rules = { .prefixes = &all, .count = 1 };
	const struct filter *filter = registry_filter("nft-linear");
	void *state = calloc(1, filter->state_size);
	uint64_t before = pktgen_passed(cell), counted = 0;
	const char *wrong = NULL;
	struct shot shot;

	if (filter->attach(state, &cell->site, &rules))
		return "no filter";
	if (pktgen_fire(cell, PKTGEN_COUNT, &shot))
		wrong = "fire failed";
	else if (!shot.sent || shot.refused != shot.sent)
		wrong = "not all were refused";
	else if (filter->read(state, &counted) || counted != shot.sent)
		wrong = "the filter counts others";
	else if (pktgen_passed(cell) != before)
		wrong = "some passed";
	filter->detach(state);
	free(state);
	return wrong ? wrong : pktgen_delivers(cell);
}

static const char *pktgen_takes_turns(struct pktgen_cell *cell)
{
	struct pktgen_cell other;
	const char *wrong;

	if (pktgen_open(&other))
		return "no second namespace";
	wrong = pktgen_delivers(&other);
	for (int i = 0; !wrong && i < 2; i++) {
		if (netns_enter(cell->ns))
			return "cannot go back";
		wrong = pktgen_delivers(cell);
		if (!wrong && netns_enter(other.ns))
			return "cannot go there";
		if (!wrong)
			wrong = pktgen_delivers(&other);
	}
	netns_enter(cell->ns);
	return wrong;
}

/* The kernel answers with an error, or takes it and says so in Result. */
static const char *pktgen_refuses(struct pktgen_cell *cell)
{
	static const char *const wrong[][2] = {
		{ "clone_skb", "100" },	    { "burst", "8" },
		{ "flag", "NOSUCH" },	    { "xmit_mode", "nosuch" },
		{ "count", "12345678901" }, { "pkt_size", "20" },
	};
	struct log_capture said;
	int dir = open(PKTGEN_DIR, O_RDONLY | O_DIRECTORY);
	int taken = -1;

	log_capture_begin(&said);
	for (size_t i = 0; taken < 0 && i < ARRAY_SIZE(wrong); i++)
		if (!command_send(dir, "lo@0", wrong[i][0], wrong[i][1]))
			taken = i;
	log_capture_end(&said);
	close(dir);
	return taken >= 0 ? wrong[taken][0] : pktgen_delivers(cell);
}

/* As after kill -9: the device is still listed when the next run comes. */
static const char *pktgen_cleans_up(struct pktgen_cell *cell)
{
	struct pktgen_cell next = *cell;

	if (pktgen_open_on(&next, 0))
		return "the leftover is in the way";
	return pktgen_delivers(&next);
}

static const char *pktgen_needs_a_thread(struct pktgen_cell *cell)
{
	struct pktgen_cell elsewhere = *cell;
	struct log_capture said;
	int err;

	log_capture_begin(&said);
	err = pktgen_open_on(&elsewhere, 5);
	log_capture_end(&said);
	return err == -EOPNOTSUPP && said.text[0] ? NULL : "CPU 5 was taken";
}

static const struct {
	const char *name;
	const char *(*run)(struct pktgen_cell *cell);
} pktgen_cases[] = {
	{ "delivers", pktgen_delivers },
	{ "drops", pktgen_drops },
	{ "takes turns", pktgen_takes_turns },
	{ "refuses", pktgen_refuses },
	{ "cleans up", pktgen_cleans_up },
	{ "needs a thread", pktgen_needs_a_thread },
};

static int job_pktgen(int out)
{
	struct pktgen_cell cell;
	int err = pktgen_open(&cell);

	if (err)
		return EXIT_FAILED;
	for (size_t i = 0; i < ARRAY_SIZE(pktgen_cases); i++) {
		const char *wrong = pktgen_cases[i].run(&cell);

		dprintf(out, "%s %s%s%s\n", wrong ? "wrong" : "ok",
			pktgen_cases[i].name, wrong ? ": " : "",
			wrong ? wrong : "");
	}
	return EXIT_DONE;
}

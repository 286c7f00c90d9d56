// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list that does not fit into one nf_tables transaction.  How much fits is
 * bounded by the socket's send buffer, which only the owner of the machine may
 * force: so the filter works in a user namespace here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <errno.h>
#include <sched.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/registry.h"
#include "runner/tests/scratch.h"

/* What the child says by its exit status. */
enum { SPLIT_GOOD, SPLIT_BAD, SPLIT_SKIP };

struct load {
	const char *filter;
	uint32_t count; /* more than the buffer takes (net.core.wmem_max) */
};

/* Every second /24, so that what lies between them must pass. */
#define FIRST 0x0a000000u
#define STEP  512u

static bool send_one(void *prover, addr_t daddr, bool drop)
{
	bool refused;

	return !registry_prover->one(prover, daddr, &refused) &&
	       refused == drop;
}

/* On egress the sender sees each verdict. */
static bool judges_right(const struct site *site, const struct rules *rules)
{
	static const struct target target = { .daddr = ADDR_V4(
						      TRAFFIC_MISS_NET) };
	const struct traffic traffic = {
		.frame_bytes = 60,
		.targets = &target,
		.target_count = 1,
	};
	auto_mem void *prover = calloc(1, registry_prover->state_size);
	bool right = !registry_prover->open(prover, site, &traffic);

	for (size_t i = 0; right && i < rules->count; i += 97)
		right = send_one(prover, rules->prefixes[i].addr, true) &&
			send_one(prover, rules->prefixes[i].addr - ADDR_V4(1),
				 false) &&
			send_one(prover, rules->prefixes[i].addr + ADDR_V4(256),
				 false);
	registry_prover->close(prover);
	return right;
}

static int load(const struct load *load)
{
	auto_mem struct prefix *list = calloc(load->count, sizeof(*list));
	const struct filter *filter = registry_filter(load->filter);
	const struct rules rules = { list, load->count, FAMILY_IPV4 };
	auto_mem void *state = calloc(1, filter->state_size);
	struct site site = { .hook = HOOK_EGRESS };
	int ns = -1, err;
	bool right;

	for (uint32_t i = 0; i < load->count; i++)
		list[i] = (struct prefix){ ADDR_V4(FIRST + i * STEP), 24 };
	if (unshare(CLONE_NEWUSER) || netns_new(&ns))
		return SPLIT_SKIP;
	site.ifindex = if_nametoindex("lo");
	err = filter->attach(state, &site, &rules);
	if (err)
		return err == -EOPNOTSUPP ? SPLIT_SKIP : SPLIT_BAD;
	right = judges_right(&site, &rules);
	filter->detach(state);
	close(ns);
	return right ? SPLIT_GOOD : SPLIT_BAD;
}

static void splits(void **arg)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(load(*arg));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SPLIT_SKIP)
		skip_because("no user namespace, or no nf_tables in it");
	assert_int_equal(WEXITSTATUS(status), SPLIT_GOOD);
}

int main(void)
{
	static struct load set = { "nft-set", 250000 };
	static struct load linear = { "nft-linear", 2500 };
	static const struct CMUnitTest tests[] = {
		{ "nft-set", splits, NULL, NULL, &set },
		{ "nft-linear", splits, NULL, NULL, &linear },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same test for every filter of the registry on each of its hooks, each
 * in a namespace of its own, so that a leaky one cannot fail the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "runner/cleanup.h"
#include "runner/registry.h"
#include "runner/witness.h"
#include "runner/tests/scratch.h"

/* Odd lengths, neighbours, a hole, and the top of what is not special. */
static struct prefix list[] = {
	{ ADDR_V4(0xcb007100), 24 }, /* 203.0.113.0/24 */
	{ ADDR_V4(0xc6336440), 26 }, /* 198.51.100.64/26 */
	{ ADDR_V4(0x0a000000), 9 },  /* 10.0.0.0/9 */
	{ ADDR_V4(0xac100001), 32 }, /* 172.16.0.1/32 */
	{ ADDR_V4(0xdffffffe), 31 }, /* 223.255.255.254/31 */
	{ ADDR_V4(0x64400000), 10 }, /* 100.64.0.0/10 */
};

struct packet {
	addr_t daddr;
	bool drop;
};

static const struct packet packets[] = {
	{ ADDR_V4(0xcb007100), true },	{ ADDR_V4(0xcb0071ff), true },
	{ ADDR_V4(0xcb007200), false }, { ADDR_V4(0xcb0070ff), false },
	{ ADDR_V4(0xc6336440), true },	{ ADDR_V4(0xc633647f), true },
	{ ADDR_V4(0xc6336480), false }, { ADDR_V4(0xc633643f), false },
	{ ADDR_V4(0x0a7fffff), true },	{ ADDR_V4(0x0a800000), false },
	{ ADDR_V4(0xac100001), true },	{ ADDR_V4(0xac100000), false },
	{ ADDR_V4(0xac100002), false }, { ADDR_V4(0xdfffffff), true },
	{ ADDR_V4(0xdffffffd), false }, { ADDR_V4(0x647fffff), true },
	{ ADDR_V4(0x64800000), false }, { ADDR_V4(0x017100cb), false },
};

/* The same, with lengths that end in each of the four words of an address. */
static struct prefix list6[] = {
	{ ADDR_V6(0x20010db800010000, 0x0), 48 }, /* 2001:db8:1::/48 */
	{ ADDR_V6(0x2001067c00000000, 0x0), 37 }, /* 2001:67c::/37 */
	{ ADDR_V6(0x2a00000000000000, 0x0), 9 },  /* 2a00::/9 */
	{ ADDR_V6(0x20010db800020003, 0x4000500060007),
	  128 },				  /* 2001:db8:2:3:4:5:6:7 */
	{ ADDR_V6(0xfdfffffffffffffe, 0x0), 63 }, /* fdff:ffff:ffff:fffe::/63 */
	{ ADDR_V6(0x2001067d00000000, 0x80000000),
	  97 },					  /* 2001:67d::8000:0/97 */
	{ ADDR_V6(0x3ffe000000000000, 0x0), 64 }, /* 3ffe::/64 */
};

static const struct packet packets6[] = {
	{ ADDR_V6(0x20010db800010000, 0x0), true },
	{ ADDR_V6(0x20010db80001ffff, 0xffffffffffffffff), true },
	{ ADDR_V6(0x20010db800020000, 0x0), false },
	{ ADDR_V6(0x20010db80000ffff, 0xffffffffffffffff), false },
	{ ADDR_V6(0x2001067c07ffffff, 0xffffffffffffffff), true },
	{ ADDR_V6(0x2001067c08000000, 0x0), false },
	{ ADDR_V6(0x2001067bffffffff, 0xffffffffffffffff), false },
	{ ADDR_V6(0x2a7fffffffffffff, 0xffffffffffffffff), true },
	{ ADDR_V6(0x2a80000000000000, 0x0), false },
	{ ADDR_V6(0x29ffffffffffffff, 0xffffffffffffffff), false },
	{ ADDR_V6(0x20010db800020003, 0x4000500060007), true },
	{ ADDR_V6(0x20010db800020003, 0x4000500060006), false },
	{ ADDR_V6(0x20010db800020003, 0x4000500060008), false },
	{ ADDR_V6(0xfdffffffffffffff, 0xffffffffffffffff), true },
	{ ADDR_V6(0xfdfffffffffffffd, 0xffffffffffffffff), false },
	{ ADDR_V6(0x2001067d00000000, 0x80000000), true },
	{ ADDR_V6(0x2001067d00000000, 0xffffffff), true },
	{ ADDR_V6(0x2001067d00000000, 0x7fffffff), false },
	{ ADDR_V6(0x2001067d00000000, 0x100000000), false },
	{ ADDR_V6(0x3ffe000000000000, 0xffffffffffffffff), true },
	{ ADDR_V6(0x3ffe000000000001, 0x0), false },
	{ ADDR_V6(0x3ffdffffffffffff, 0xffffffffffffffff), false },
};

static const struct task {
	struct rules rules;
	const struct packet *packets;
	size_t count;
} tasks[] = {
	[FAMILY_IPV4] = { { list, ARRAY_SIZE(list), FAMILY_IPV4 },
			  packets,
			  ARRAY_SIZE(packets) },
	[FAMILY_IPV6] = { { list6, ARRAY_SIZE(list6), FAMILY_IPV6 },
			  packets6,
			  ARRAY_SIZE(packets6) },
};

struct bench {
	const struct filter *filter;
	const struct filter *sink; /* NULL: let the stack have it */
	enum hook hook;
	enum family family;
	void *state, *sink_state, *prover;
	struct witness witness;
	int ns, discard;
};

static uint64_t passed(struct bench *bench)
{
	uint64_t count = 0;

	if (bench->sink)
		assert_int_equal(bench->sink->read(bench->sink_state, &count),
				 0);
	else
		assert_int_equal(witness_read(&bench->witness, &count), 0);
	return count;
}

static uint64_t dropped(struct bench *bench)
{
	uint64_t count = 0;

	assert_int_equal(bench->filter->read(bench->state, &count), 0);
	return count;
}

/* Sends one packet; gives whether it passed, checks who saw the drop. */
static bool passes(struct bench *bench, addr_t daddr)
{
	uint64_t before = passed(bench), after;
	bool refused = false;

	assert_int_equal(registry_prover->one(bench->prover, daddr, &refused),
			 0);
	after = passed(bench);
	assert_in_range(after - before, 0, 1);
	if (hook_info(bench->hook)->sender_sees_drop)
		assert_int_equal(refused, after == before);
	else
		assert_false(refused);
	return after != before;
}

static void judge_packets(struct bench *bench)
{
	const struct task *task = &tasks[bench->family];
	bool can_drop = strcmp(bench->filter->name, "none");

	for (size_t i = 0; i < task->count; i++) {
		uint64_t before = dropped(bench);
		bool drop = task->packets[i].drop && can_drop;

		assert_int_equal(passes(bench, task->packets[i].daddr), !drop);
		assert_int_equal(dropped(bench) - before, drop);
	}
}

/* 198.18.0.128/25 and 2001:2::8000/113 */
static struct prefix extra4 = { ADDR_V4(0xc6120080), 25 };
static struct prefix extra6 = { TRAFFIC_MISS_NET6 + 0x8000, 113 };

static const struct prefix *extra_of(const struct bench *bench)
{
	return bench->family == FAMILY_IPV6 ? &extra6 : &extra4;
}

/* One rule more drops its own packets and changes nothing for the others. */
static void add_one(struct bench *bench)
{
	const struct prefix *extra = extra_of(bench);
	const addr_t one = addr_step(bench->family, 1);
	uint64_t before = dropped(bench);

	if (bench->filter == filters[0]) /* has no rules */
		return;
	assert_non_null(bench->filter->add);
	assert_true(passes(bench, extra->addr));
	assert_int_equal(bench->filter->add(bench->state, extra), 0);
	assert_int_equal(dropped(bench), before);
	assert_false(passes(bench, extra->addr));
	assert_false(passes(bench, prefix_last(extra)));
	assert_true(passes(bench, extra->addr - one));
	assert_true(passes(bench, prefix_last(extra) + one));
	assert_int_equal(dropped(bench), before + 2);
	judge_packets(bench);
}

/* The mechanism's own figure: something, and not beyond reason. */
static void weigh(struct bench *bench)
{
	uint64_t bytes = 0;

	if (!bench->filter->memory)
		return;
	assert_int_equal(bench->filter->memory(bench->state, &bytes), 0);
	assert_in_range(bytes, tasks[bench->family].rules.count * 16, 1 << 22);
}

static void open_bench(struct bench *bench, struct site *site)
{
	const struct target target = { .daddr = traffic_miss_net(
					       bench->family) };
	const struct traffic traffic = {
		.family = bench->family,
		.frame_bytes = traffic_frame_min_bytes(bench->family),
		.to_host = hook_info(bench->hook)->to_host,
		.targets = &target,
		.target_count = 1,
	};

	*site = (struct site){ if_nametoindex("lo"), bench->hook,
			       bench->family };
	bench->discard = -1;
	bench->state = calloc(1, bench->filter->state_size + 1);
	bench->prover = calloc(1, registry_prover->state_size);
	if (bench->sink)
		bench->sink_state = calloc(1, bench->sink->state_size);
	if (traffic.to_host) {
		assert_int_equal(netns_route_to_host(bench->family), 0);
		bench->discard = netns_discard_socket(bench->family);
		assert_true(bench->discard >= 0);
	}
	assert_int_equal(witness_open(&bench->witness, site), 0);
	assert_int_equal(registry_prover->open(bench->prover, site, &traffic),
			 0);
}

static void close_bench(struct bench *bench)
{
	registry_prover->close(bench->prover);
	witness_close(&bench->witness);
	free(bench->state);
	free(bench->sink_state);
	free(bench->prover);
	if (bench->discard >= 0)
		close(bench->discard);
	close(bench->ns);
}

/* 0, or skips when this kernel lacks it. */
static int attach(const struct filter *filter, void *state,
		  const struct site *site, const struct rules *rules)
{
	struct log_capture capture;
	int err;

	log_capture_begin(&capture);
	err = filter->attach(state, site, rules);
	log_capture_end(&capture);
	if (err)
		printf("skipped: %s: %s\n", filter->name, capture.text);
	assert_true(!err || err == -EOPNOTSUPP);
	return err;
}

/* All or nothing: what is in the way stays, and works as before. */
static void refuses_a_second(const struct filter *filter,
			     const struct site *site, const struct rules *rules)
{
	auto_mem void *state = calloc(1, filter->state_size + 1);
	struct log_capture capture;
	int err;

	log_capture_begin(&capture);
	err = filter->attach(state, site, rules);
	log_capture_end(&capture);
	if (filter != filters[0]) {
		assert_true(err < 0);
		assert_string_not_equal(capture.text, "");
	}
	filter->detach(state);
}

static void conform(void **arg)
{
	struct bench bench = *(struct bench *)*arg;
	const struct task *task = &tasks[bench.family];
	const struct rules rules = task->rules;
	struct site site;

	bench.ns = scratch_namespace();
	if (bench.ns < 0)
		skip();
	open_bench(&bench, &site);
	bench.filter->detach(bench.state); /* harmless on zeroed state */
	if (attach(bench.filter, bench.state, &site, &rules) ||
	    (bench.sink && attach(bench.sink, bench.sink_state, &site, NULL))) {
		close_bench(&bench);
		skip();
	}
	judge_packets(&bench);
	refuses_a_second(bench.filter, &site, &rules);
	judge_packets(&bench);
	weigh(&bench);
	add_one(&bench);
	if (bench.sink)
		bench.sink->detach(bench.sink_state);
	bench.filter->detach(bench.state);
	bench.filter->detach(bench.state);
	bench.sink = NULL;
	for (size_t i = 0; i < task->count; i++)
		assert_true(passes(&bench, task->packets[i].daddr));
	assert_true(passes(&bench, extra_of(&bench)->addr));

	/* what detach left behind would now be in the way */
	assert_int_equal(attach(bench.filter, bench.state, &site, &rules), 0);
	judge_packets(&bench);
	bench.filter->detach(bench.state);
	close_bench(&bench);
}

#define MAX_TESTS 256

int main(void)
{
	static struct CMUnitTest tests[MAX_TESTS];
	static struct bench benches[MAX_TESTS];
	static char names[MAX_TESTS][96];
	size_t count = 0;

	for (size_t i = 0; filters[i]; i++) {
		for (unsigned int h = 0; h < 4 * hook_count(); h++) {
			enum hook hook = h / 4;
			enum family family = h / 2 % 2;
			const struct filter *sink =
				h % 2 ? registry_sink(hook) : NULL;

			if (!(filters[i]->hooks & HOOK_BIT(hook)) ||
			    (family == FAMILY_IPV6 && !filters[i]->ipv6) ||
			    (h % 2 && !sink) || count == MAX_TESTS)
				continue;
			benches[count] = (struct bench){
				.filter = filters[i],
				.sink = sink,
				.hook = hook,
				.family = family,
			};
			snprintf(names[count], sizeof(names[count]),
				 "%s@%s, IPv%s, %s", filters[i]->name,
				 hook_info(hook)->name,
				 family == FAMILY_IPV6 ? "6" : "4",
				 sink ? "sink" : "stack");
			tests[count] = (struct CMUnitTest){
				.name = names[count],
				.test_func = conform,
				.initial_state = &benches[count],
			};
			count++;
		}
	}
	return _cmocka_run_group_tests("conformance", tests, count, NULL, NULL);
}

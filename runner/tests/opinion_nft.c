// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second opinion on nf_tables: the program nft must see exactly the chains,
 * rules, elements and counts that are wanted, and would itself have made the
 * same expressions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <jansson.h>

#include <cmocka.h>

#include "runner/tests/opinion.h"

static struct prefix list[] = OPINION_LIST;
static const struct rules rules = { list, ARRAY_SIZE(list), FAMILY_IPV4 };

/* Those of the list that lie in no other one: what the set keeps. */
static const size_t outer[] = { 1, 2, 4, 5, 6, 7, 8 };

static const struct {
	const char *family;
	int priority;
} places[] = {
	[HOOK_EGRESS] = { "netdev", 0 },
	[HOOK_INGRESS] = { "netdev", 0 },
	[HOOK_PREROUTING] = { "ip", -300 },
	[HOOK_INPUT] = { "ip", 0 },
};

DEFINE_AUTO(json, json_t *, json_decref)
#define auto_json __attribute__((cleanup(drop_json)))

/* The array of what there is in this namespace. */
static json_t *ask_nft(void)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));
	auto_json json_t *answer = NULL;

	opinion_ask(child, "nft -j list ruleset");
	answer = json_loads(child->out, 0, NULL);
	assert_non_null(answer);
	return json_incref(json_object_get(answer, "nftables"));
}

/* The nth object of a kind ("chain", "rule", ...), NULL if there is none. */
static json_t *nth(json_t *all, const char *kind, size_t n)
{
	json_t *entry, *found;
	size_t i;

	json_array_foreach(all, i, entry) {
		found = json_object_get(entry, kind);
		if (found && !n--)
			return found;
	}
	return NULL;
}

static void check_chain(json_t *all, enum hook hook, int after)
{
	const char *family, *type, *where, *policy, *dev = NULL;
	json_t *chain = nth(all, "chain", 0);
	int priority;

	assert_non_null(chain);
	assert_null(nth(all, "chain", 1));
	assert_null(nth(all, "table", 1));
	assert_int_equal(json_unpack(chain, "{ss ss ss si ss s?s}", "family",
				     &family, "type", &type, "hook", &where,
				     "prio", &priority, "policy", &policy,
				     "dev", &dev),
			 0);
	assert_string_equal(family, places[hook].family);
	assert_string_equal(type, "filter");
	assert_string_equal(where, hook_info(hook)->name);
	assert_int_equal(priority, places[hook].priority + after);
	assert_string_equal(policy, "accept");
	/* nft 1.0.6 does not name the device here. */
	if (dev)
		assert_string_equal(dev, "lo");
}

/* How nft shows a prefix. */
static json_t *shown(const struct prefix *prefix)
{
	struct prefix host = { prefix->addr, 32 };
	const char *addr = opinion_text(&host, false);

	if (prefix->len == 32)
		return json_string(addr);
	return json_pack("{s{ss si}}", "prefix", "addr", addr, "len",
			 prefix->len);
}

/*
 * Rule n says `ip daddr RIGHT counter drop` (without a match for right NULL);
 * takes right, gives what it counted.
 */
static uint64_t check_rule(json_t *all, size_t n, json_t *right)
{
	auto_json json_t *match =
		right ? json_pack("{s{ss s{s{ss ss}} so}}", "match", "op",
				  "==", "left", "payload", "protocol", "ip",
				  "field", "daddr", "right", right)
		      : NULL;
	json_t *expr = json_object_get(nth(all, "rule", n), "expr");
	size_t at = right ? 1 : 0;
	json_int_t packets;

	assert_int_equal(json_array_size(expr), at + 2);
	if (right)
		assert_true(json_equal(json_array_get(expr, 0), match));
	assert_int_equal(json_unpack(json_array_get(expr, at), "{s{sI}}",
				     "counter", "packets", &packets),
			 0);
	assert_non_null(json_object_get(json_array_get(expr, at + 1), "drop"));
	return packets;
}

static void check_gone(struct opinion *opinion)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));

	opinion->filter->detach(opinion->state);
	opinion_ask(child, "nft list ruleset");
	assert_string_equal(child->out, "");
}

/* On input the frames to 255.255.255.255 and past it take other ways. */
static struct rules below_top(enum hook hook)
{
	return (struct rules){ list, rules.count - (hook == HOOK_INPUT),
			       FAMILY_IPV4 };
}

static void linear_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	const struct rules sent = below_top(hook);
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	auto_json json_t *all = NULL;
	struct opinion opinion;

	if (!opinion_has("nft") ||
	    !opinion_open(&opinion, "nft-linear", hook) ||
	    !opinion_attached(&opinion, &rules))
		skip();
	opinion_traffic(&opinion, &sent, hits);
	all = ask_nft();
	check_chain(all, hook, 0);
	for (size_t i = 0; i < rules.count; i++)
		assert_int_equal(check_rule(all, i, shown(&list[i])), hits[i]);
	assert_null(nth(all, "rule", rules.count));
	check_gone(&opinion);
	opinion_close(&opinion);
}

static void check_elements(json_t *set)
{
	json_t *elements = json_object_get(set, "elem"), *element;
	size_t found = 0, i;

	assert_int_equal(json_array_size(elements), ARRAY_SIZE(outer));
	for (size_t n = 0; n < ARRAY_SIZE(outer); n++) {
		auto_json json_t *wanted = shown(&list[outer[n]]);

		json_array_foreach(elements, i, element)
			found += json_equal(element, wanted);
	}
	assert_int_equal(found, ARRAY_SIZE(outer));
}

static void set_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	const struct rules sent = below_top(hook);
	uint64_t hits[ARRAY_SIZE(list)] = { 0 }, sum = 0;
	auto_json json_t *all = NULL;
	struct opinion opinion;
	const char *name;
	char right[64];
	json_t *set;

	if (!opinion_has("nft") || !opinion_open(&opinion, "nft-set", hook) ||
	    !opinion_attached(&opinion, &rules))
		skip();
	opinion_traffic(&opinion, &sent, hits);
	for (size_t i = 0; i < rules.count; i++)
		sum += hits[i];
	all = ask_nft();
	check_chain(all, hook, 0);
	set = nth(all, "set", 0);
	assert_int_equal(json_unpack(set, "{ss}", "name", &name), 0);
	assert_null(json_object_get(set, "size"));
	check_elements(set);
	snprintf(right, sizeof(right), "@%s", name);
	assert_int_equal(check_rule(all, 0, json_string(right)), sum);
	assert_null(nth(all, "rule", 1));
	check_gone(&opinion);
	opinion_close(&opinion);
}

/* What nft shows, loaded by nft, gives the same expressions and elements. */
static void same_as_nft(const char *filter, enum hook hook)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));
	char file[] = "/tmp/hookcost-test-XXXXXX", command[128];
	auto_fd int fd = mkstemp(file);
	auto_mem char *ours = NULL;
	struct opinion opinion;
	int other;

	if (!opinion_open(&opinion, filter, hook) ||
	    !opinion_attached(&opinion, &rules)) {
		unlink(file);
		skip();
	}
	opinion_ask(child, "nft list ruleset");
	assert_int_equal(write(fd, child->out, strlen(child->out)),
			 strlen(child->out));
	opinion_ask(child, "nft --debug=netlink list ruleset");
	ours = strdup(child->out);
	assert_non_null(strstr(ours, "[ counter "));
	if (!strcmp(places[hook].family, "netdev"))
		assert_non_null(strstr(ours, " device \"lo\" "));

	other = scratch_namespace();
	assert_true(other >= 0);
	snprintf(command, sizeof(command),
		 "nft -f %s && nft --debug=netlink list ruleset", file);
	opinion_ask(child, command);
	unlink(file);
	assert_string_equal(child->out, ours);
	close(other);
	opinion_close(&opinion);
}

static void linear_is_like_nft(void **arg)
{
	if (!opinion_has("nft"))
		skip();
	same_as_nft("nft-linear", (uintptr_t)*arg);
}

static void set_is_like_nft(void **arg)
{
	if (!opinion_has("nft"))
		skip();
	same_as_nft("nft-set", (uintptr_t)*arg);
}

/* More than one message. */
static void set_holds_many(void **arg)
{
	enum { MANY = 120000 };
	auto_mem struct prefix *many = calloc(MANY, sizeof(*many));
	const struct rules all = { many, MANY, FAMILY_IPV4 };
	auto_mem struct spawned *child = malloc(sizeof(*child));
	struct opinion opinion;

	(void)arg;
	for (uint32_t i = 0; i < MANY; i++)
		many[i] = (struct prefix){ ADDR_V4(0x0a000000 + i * 512), 24 };
	if (!opinion_has("nft") ||
	    !opinion_open(&opinion, "nft-set", HOOK_EGRESS) ||
	    !opinion_attached(&opinion, &all))
		skip();
	opinion_ask(child, "nft list ruleset | grep -o /24 | wc -l");
	assert_int_equal(atoi(child->out), MANY);
	opinion_send(&opinion, many[MANY - 1].addr + ADDR_V4(255));
	opinion_send(&opinion, many[MANY - 1].addr + ADDR_V4(256));
	opinion_send(&opinion, many[MANY - 1].addr - ADDR_V4(1));
	assert_int_equal(opinion_dropped(&opinion), 1);
	check_gone(&opinion);
	opinion_close(&opinion);
}

/* A table of somebody else is left alone, and said to be in the way. */
static void refuses_table(void **arg)
{
	const char *const *names = *arg;
	auto_mem struct spawned *child = malloc(sizeof(*child));
	struct log_capture said;
	struct opinion opinion;
	char command[64];

	if (!opinion_has("nft") ||
	    !opinion_open(&opinion, names[0], HOOK_INGRESS))
		skip();
	snprintf(command, sizeof(command), "nft add table netdev %s", names[1]);
	opinion_ask(child, command);
	assert_int_equal(opinion_attach(&opinion, &rules, &said), -EEXIST);
	assert_non_null(strstr(said.text, names[1]));
	opinion.filter->detach(opinion.state);
	opinion_ask(child, "nft list ruleset");
	snprintf(command, sizeof(command), "table netdev %s {\n}\n", names[1]);
	assert_string_equal(child->out, command);
	opinion_close(&opinion);
}

/* The sink comes after the filter and counts what it let pass. */
static void sink_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	const struct filter *sink = registry_sink(hook);
	auto_mem void *state = calloc(1, sink->state_size);
	auto_json json_t *all = NULL;
	struct opinion opinion;
	uint64_t swallowed;

	if (!opinion_has("nft") || !opinion_open(&opinion, "none", hook))
		skip();
	if (sink->attach(state, &opinion.site, NULL) == -EOPNOTSUPP)
		skip_because("no nf_tables");
	opinion_send(&opinion, list[0].addr);
	opinion_send(&opinion, list[1].addr);
	assert_int_equal(sink->read(state, &swallowed), 0);
	assert_int_equal(swallowed, 2);
	all = ask_nft();
	check_chain(all, hook, 1);
	assert_int_equal(check_rule(all, 0, NULL), 2);
	sink->detach(state);
	check_gone(&opinion);
	opinion_close(&opinion);
}

#define ON(test, hook)                                       \
	{                                                    \
		.name = #test ", " #hook, .test_func = test, \
		.initial_state = (void *)(uintptr_t)hook     \
	}
#define ON_ALL(test)                                   \
	ON(test, HOOK_EGRESS), ON(test, HOOK_INGRESS), \
		ON(test, HOOK_PREROUTING), ON(test, HOOK_INPUT)

int main(void)
{
	static const char *linear[] = { "nft-linear", "hookcost_linear" };
	static const char *set[] = { "nft-set", "hookcost_set" };
	static const struct CMUnitTest tests[] = {
		ON_ALL(linear_agrees),
		ON_ALL(set_agrees),
		ON_ALL(linear_is_like_nft),
		ON_ALL(set_is_like_nft),
		cmocka_unit_test(set_holds_many),
		ON(sink_agrees, HOOK_PREROUTING),
		ON(sink_agrees, HOOK_INPUT),
		{ "refuses_table, nft-linear", refuses_table, NULL, NULL,
		  linear },
		{ "refuses_table, nft-set", refuses_table, NULL, NULL, set },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

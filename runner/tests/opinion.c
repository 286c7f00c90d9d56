// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second opinion on iptables and ipset: the programs iptables-legacy-save
 * and ipset must see exactly the rules and the counts that are wanted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "runner/tests/opinion.h"

static struct prefix list[] = OPINION_LIST;
static const struct rules rules = { list, ARRAY_SIZE(list), FAMILY_IPV4 };

/* Which chain of which table a hook means. */
static const char *const chains[] = {
	[HOOK_PREROUTING] = "PREROUTING",
	[HOOK_INPUT] = "INPUT",
};

#define SAVE_RULES "iptables-legacy-save -c | grep -e ' -A ' || true"

/* On input the frame to 255.255.255.255 and past it takes other ways. */
static struct rules below_top(enum hook hook)
{
	return (struct rules){ list, rules.count - (hook == HOOK_INPUT),
			       FAMILY_IPV4 };
}

static void iptables_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	const struct rules sent = below_top(hook);
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	char wanted[4096] = "", line[128];
	struct opinion opinion;

	if (!opinion_has("iptables-legacy-save") ||
	    !opinion_open(&opinion, "iptables", hook) ||
	    !opinion_attached(&opinion, &rules))
		skip();
	opinion_traffic(&opinion, &sent, hits);
	for (size_t i = 0; i < rules.count; i++) {
		snprintf(line, sizeof(line),
			 "[%llu:%llu] -A %s -d %s -j DROP\n",
			 (unsigned long long)hits[i],
			 (unsigned long long)hits[i] * 46, chains[hook],
			 opinion_text(&list[i], true));
		strcat(wanted, line);
	}
	opinion_ask(child, SAVE_RULES);
	assert_string_equal(child->out, wanted);

	opinion.filter->detach(opinion.state);
	opinion_ask(child, SAVE_RULES);
	assert_string_equal(child->out, "");
	opinion_close(&opinion);
}

/* ipset lists in the order of its hash. */
static void check_elements(const char *save)
{
	char line[128];
	size_t lines = 0;

	for (const char *at = strstr(save, "add "); at;
	     at = strstr(at + 1, "\nadd "))
		lines++;
	assert_int_equal(lines, rules.count);
	for (size_t i = 0; i < rules.count; i++) {
		snprintf(line, sizeof(line), " %s\n",
			 opinion_text(&list[i], false));
		assert_non_null(strstr(save, line));
	}
}

static void ipset_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	const struct rules sent = below_top(hook);
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 }, sum = 0;
	char wanted[128], name[64];
	struct opinion opinion;

	if (!opinion_has("ipset") || !opinion_has("iptables-legacy-save") ||
	    !opinion_open(&opinion, "ipset", hook) ||
	    !opinion_attached(&opinion, &rules))
		skip();
	opinion_ask(child, "ipset save");
	assert_int_equal(sscanf(child->out, "create %63s hash:net ", name), 1);
	check_elements(child->out);

	opinion_traffic(&opinion, &sent, hits);
	for (size_t i = 0; i < rules.count; i++)
		sum += hits[i];
	snprintf(wanted, sizeof(wanted),
		 "[%llu:%llu] -A %s -m set --match-set %s dst -j DROP\n",
		 (unsigned long long)sum, (unsigned long long)sum * 46,
		 chains[hook], name);
	opinion_ask(child, SAVE_RULES);
	assert_string_equal(child->out, wanted);

	opinion.filter->detach(opinion.state);
	opinion_ask(child, SAVE_RULES "; ipset list -n");
	assert_string_equal(child->out, "");
	opinion_close(&opinion);
}

/* More than one message, more than the 65,536 that a set has by default. */
static void ipset_holds_many(void **arg)
{
	enum { MANY = 70000 };
	auto_mem struct prefix *many = calloc(MANY + 1, sizeof(*many));
	const struct rules doubled = { many, MANY + 1, FAMILY_IPV4 };
	auto_mem struct spawned *child = malloc(sizeof(*child));
	struct opinion opinion;

	(void)arg;
	for (uint32_t i = 0; i < MANY; i++)
		many[i] = (struct prefix){ ADDR_V4(0x0a000000 + i * 512), 24 };
	many[MANY] = many[0]; /* a duplicate must not end the load */
	if (!opinion_has("ipset") ||
	    !opinion_open(&opinion, "ipset", HOOK_PREROUTING) ||
	    !opinion_attached(&opinion, &doubled))
		skip();
	opinion_ask(child, "ipset list -t");
	assert_non_null(strstr(child->out, "Number of entries: 70000\n"));
	opinion_send(&opinion, many[MANY - 1].addr);
	opinion_send(&opinion, many[MANY - 1].addr + ADDR_V4(256));
	assert_int_equal(opinion_dropped(&opinion), 1);
	opinion_close(&opinion);
}

/* Rules of somebody else are left alone, and said to be in the way. */
static void refuses_company(const char *filter, const char *command,
			    const char *reason, const char *list_command)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));
	auto_mem char *before = NULL;
	struct log_capture said;
	struct opinion opinion;

	if (!opinion_open(&opinion, filter, HOOK_PREROUTING))
		skip();
	opinion_ask(child, command);
	opinion_ask(child, list_command);
	before = strdup(child->out);
	assert_int_equal(opinion_attach(&opinion, &rules, &said), -EBUSY);
	assert_non_null(strstr(said.text, reason));
	opinion.filter->detach(opinion.state);
	opinion_ask(child, list_command);
	assert_string_equal(child->out, before);
	opinion_close(&opinion);
}

static void refuses_rules(void **arg)
{
	if (!opinion_has("iptables-legacy"))
		skip();
	refuses_company(
		*arg,
		"iptables-legacy -t raw -A PREROUTING -d 192.0.2.1 -j ACCEPT",
		"already has rules", SAVE_RULES "; ipset list -n");
}

static void refuses_policy(void **arg)
{
	if (!opinion_has("iptables-legacy"))
		skip();
	refuses_company(*arg, "iptables-legacy -t raw -P OUTPUT DROP",
			"a policy", "iptables-legacy-save | grep -v '^#'");
}

static void refuses_nft_back_end(void **arg)
{
	if (!opinion_has("nft"))
		skip();
	refuses_company(*arg, "nft add table ip raw",
			"the nft back end of iptables", "nft list ruleset");
}

#define ON(test, hook)                                       \
	{                                                    \
		.name = #test ", " #hook, .test_func = test, \
		.initial_state = (void *)(uintptr_t)hook     \
	}
#define WITH(test, filter)                                    \
	{                                                     \
		.name = #test ", " filter, .test_func = test, \
		.initial_state = filter                       \
	}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		ON(iptables_agrees, HOOK_PREROUTING),
		ON(iptables_agrees, HOOK_INPUT),
		ON(ipset_agrees, HOOK_PREROUTING),
		ON(ipset_agrees, HOOK_INPUT),
		cmocka_unit_test(ipset_holds_many),
		WITH(refuses_rules, "iptables"),
		WITH(refuses_rules, "ipset"),
		WITH(refuses_policy, "iptables"),
		WITH(refuses_nft_back_end, "iptables"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

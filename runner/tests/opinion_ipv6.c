// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second opinion on the mechanisms with IPv6: ip6tables-legacy-save, ipset,
 * nft, tc and bpftool must see the rules and the counts that are wanted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "runner/tests/opinion.h"

/*
 * Lengths that end in each word of an address, on and off its bytes; one
 * inside another, before and after it; neighbours; a single address.
 */
static struct prefix list[] = {
	{ ADDR_V6(0x20010db800010000, 0), 50 },
	{ ADDR_V6(0x20010db800000000, 0), 32 },
	{ ADDR_V6(0x2a00123400000000, 0), 46 },
	{ ADDR_V6(0x2a00123400010000, 0), 48 },
	{ ADDR_V6(0x2400000000000000, 0xabcd000000000000), 83 },
	{ ADDR_V6(0x2400000000000000, 0xabcd200000000000), 83 },
	{ ADDR_V6(0x2600000000000001, 0x0002000300040005), 128 },
	{ ADDR_V6(0x3000000000000000, 0), 5 },
	{ ADDR_V6(0xfdffffffffffff00, 0), 56 },
};

static const struct rules rules = { list, ARRAY_SIZE(list), FAMILY_IPV6 };

/* Those that lie in no other one: what an interval set keeps. */
static const size_t outer[] = { 1, 2, 4, 5, 6, 7, 8 };

#define IP_BYTES 64

/* As the tools write it; a single address with or without its length. */
static const char *text_of(const struct prefix *prefix, bool host_len)
{
	static char text[ADDR_TEXT_BYTES + 4];
	size_t used;

	addr_text(FAMILY_IPV6, prefix->addr, text);
	used = strlen(text);
	if (prefix->len < 128 || host_len)
		snprintf(text + used, sizeof(text) - used, "/%u", prefix->len);
	return text;
}

static void need(struct opinion *opinion, const char *filter, enum hook hook)
{
	if (!opinion_open_for(opinion, FAMILY_IPV6, filter, hook) ||
	    !opinion_attached(opinion, &rules))
		skip();
}

static void need_tool(const char *tool)
{
	if (!opinion_has(tool))
		skip();
}

static uint64_t sum_of(const uint64_t *hits)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rules.count; i++)
		sum += hits[i];
	return sum;
}

static const char *const chains[] = {
	[HOOK_PREROUTING] = "PREROUTING",
	[HOOK_INPUT] = "INPUT",
};

#define SAVE_RULES "ip6tables-legacy-save -c | grep -e ' -A ' || true"

static void iptables_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	char wanted[4096] = "", line[192];
	struct opinion opinion;

	need_tool("ip6tables-legacy-save");
	need(&opinion, "iptables", hook);
	opinion_traffic(&opinion, &rules, hits);
	for (size_t i = 0; i < rules.count; i++) {
		snprintf(line, sizeof(line), "[%lu:%lu] -A %s -d %s -j DROP\n",
			 hits[i], hits[i] * IP_BYTES, chains[hook],
			 text_of(&list[i], true));
		strcat(wanted, line);
	}
	opinion_ask(child, SAVE_RULES);
	assert_string_equal(child->out, wanted);
	opinion.filter->detach(opinion.state);
	opinion_ask(child, SAVE_RULES);
	assert_string_equal(child->out, "");
	opinion_close(&opinion);
}

static void ipset_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 }, sum;
	char wanted[192], name[64];
	struct opinion opinion;
	size_t lines = 0;

	need_tool("ipset");
	need_tool("ip6tables-legacy-save");
	need(&opinion, "ipset", hook);
	opinion_ask(child, "ipset save");
	assert_int_equal(
		sscanf(child->out, "create %63s hash:net family inet6 ", name),
		1);
	for (const char *at = child->out; (at = strstr(at, "\nadd ")); at++)
		lines++;
	assert_int_equal(lines, rules.count);
	for (size_t i = 0; i < rules.count; i++) {
		snprintf(wanted, sizeof(wanted), " %s\n",
			 text_of(&list[i], false));
		assert_non_null(strstr(child->out, wanted));
	}

	opinion_traffic(&opinion, &rules, hits);
	sum = sum_of(hits);
	snprintf(wanted, sizeof(wanted),
		 "[%lu:%lu] -A %s -m set --match-set %s dst -j DROP\n", sum,
		 sum * IP_BYTES, chains[hook], name);
	opinion_ask(child, SAVE_RULES);
	assert_string_equal(child->out, wanted);
	opinion.filter->detach(opinion.state);
	opinion_ask(child, SAVE_RULES "; ipset list -n");
	assert_string_equal(child->out, "");
	opinion_close(&opinion);
}

/* What nft shows, loaded by nft, gives the same expressions and elements. */
static void same_as_nft(const char *shown)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));
	char file[] = "/tmp/hookcost-test-XXXXXX", command[128];
	auto_fd int fd = mkstemp(file);
	auto_mem char *ours = NULL;
	int other;

	assert_int_equal(write(fd, shown, strlen(shown)), strlen(shown));
	opinion_ask(child, "nft --debug=netlink list ruleset");
	ours = strdup(child->out);
	assert_non_null(strstr(ours, "[ counter "));
	other = scratch_namespace();
	assert_true(other >= 0);
	snprintf(command, sizeof(command),
		 "nft -f %s && nft --debug=netlink list ruleset", file);
	opinion_ask(child, command);
	unlink(file);
	assert_string_equal(child->out, ours);
	close(other);
}

static void check_table(const char *shown, enum hook hook)
{
	bool is_netdev = hook == HOOK_EGRESS || hook == HOOK_INGRESS;

	assert_non_null(strstr(shown, is_netdev ? "table netdev hookcost_"
						: "table ip6 hookcost_"));
}

static void check_gone(struct opinion *opinion)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));

	assert_int_equal(netns_enter(opinion->ns), 0);
	opinion->filter->detach(opinion->state);
	opinion_ask(child, "nft list ruleset");
	assert_string_equal(child->out, "");
	opinion_close(opinion);
}

static void linear_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	struct opinion opinion;
	const char *at;
	char line[192];

	need_tool("nft");
	need(&opinion, "nft-linear", hook);
	opinion_traffic(&opinion, &rules, hits);
	opinion_ask(child, "nft list ruleset");
	check_table(child->out, hook);
	at = child->out;
	for (size_t i = 0; i < rules.count; i++) {
		snprintf(line, sizeof(line),
			 "\t\tip6 daddr %s counter packets %lu bytes ",
			 text_of(&list[i], false), hits[i]);
		at = strstr(at, line); /* in this order */
		if (!at)
			fail_msg("no \"%s\" in %s", line, child->out);
	}
	same_as_nft(child->out);
	check_gone(&opinion);
}

static void set_agrees(void **arg)
{
	const enum hook hook = (uintptr_t)*arg;
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	struct opinion opinion;
	size_t elements = 1;
	char line[192];

	need_tool("nft");
	need(&opinion, "nft-set", hook);
	opinion_traffic(&opinion, &rules, hits);
	opinion_ask(child, "nft list ruleset");
	check_table(child->out, hook);
	assert_non_null(strstr(child->out, "type ipv6_addr\n"));
	for (size_t i = 0; i < ARRAY_SIZE(outer); i++)
		if (!strstr(child->out, text_of(&list[outer[i]], false)))
			fail_msg("no %s in %s", text_of(&list[outer[i]], false),
				 child->out);
	for (const char *c = strstr(child->out, "elements"); *c != '}'; c++)
		elements += *c == ',';
	assert_int_equal(elements, ARRAY_SIZE(outer));
	snprintf(line, sizeof(line),
		 "ip6 daddr @prefixes counter packets %lu bytes ",
		 sum_of(hits));
	assert_non_null(strstr(child->out, line));
	same_as_nft(child->out);
	check_gone(&opinion);
}

/* tc shows the 32-bit keys of a rule as value/mask, at their offsets. */
static void u32_agrees(void **arg)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	struct opinion opinion;
	const char *at;
	char key[64];

	(void)arg;
	need_tool("tc");
	need(&opinion, "tc-u32", HOOK_EGRESS);
	opinion_traffic(&opinion, &rules, hits);
	opinion_ask(child, "tc -s filter show dev lo egress");
	at = child->out;
	for (size_t i = 0; i < rules.count; i++) {
		for (int word = 0; word * 32 < list[i].len; word++) {
			int shift = 96 - word * 32;

			snprintf(key, sizeof(key), "match %08x/%08x at %d",
				 (uint32_t)(list[i].addr >> shift),
				 (uint32_t)(prefix_mask(list[i].len) >> shift),
				 24 + word * 4);
			at = strstr(at, key);
			if (!at)
				fail_msg("no %s in %s", key, child->out);
		}
		snprintf(key, sizeof(key), " %lu pkt ", hits[i]);
		at = strstr(at, key);
		if (!at)
			fail_msg("rule %zu: no %s", i, key);
	}
	assert_non_null(strstr(child->out, "protocol ipv6"));
	opinion.filter->detach(opinion.state);
	opinion_ask(child, "tc filter show dev lo egress");
	assert_string_equal(child->out, "");
	opinion_close(&opinion);
}

/* The id of the one trie that this process holds; 0 if there is none. */
static unsigned int trie_id(void)
{
	struct bpf_map_info info;
	__u32 bytes = sizeof(info);

	for (int fd = 3; fd < 64; fd++) {
		memset(&info, 0, sizeof(info));
		if (!bpf_obj_get_info_by_fd(fd, &info, &bytes) &&
		    info.type == BPF_MAP_TYPE_LPM_TRIE)
			return info.id;
	}
	return 0;
}

/* The trie, read by bpftool: length, then the address in network order. */
static void trie_agrees(void **arg)
{
	auto_mem struct spawned *child = malloc(sizeof(*child));
	uint64_t hits[ARRAY_SIZE(list)] = { 0 };
	char command[64], key[128];
	struct opinion opinion;
	size_t keys = 0;

	(void)arg;
	need_tool("bpftool");
	need(&opinion, "tc-bpf-lpm", HOOK_EGRESS);
	opinion_traffic(&opinion, &rules, hits);
	snprintf(command, sizeof(command),
		 "bpftool -j map dump id %u | tr -d '\", '", trie_id());
	opinion_ask(child, command);
	for (const char *at = child->out; (at = strstr(at, "key:[")); at++)
		keys++;
	assert_int_equal(keys, rules.count);
	for (size_t i = 0; i < rules.count; i++) {
		int used = snprintf(key, sizeof(key), "key:[0x%02x0x000x000x00",
				    list[i].len);

		for (int shift = 120; shift >= 0; shift -= 8)
			used += snprintf(key + used, sizeof(key) - used,
					 "0x%02x",
					 (uint8_t)(list[i].addr >> shift));
		if (!strstr(child->out, key))
			fail_msg("no %s in %s", key, child->out);
	}
	opinion_close(&opinion);
}

/* More than one message to each of them. */
static void holds_many(void **arg)
{
	enum { MANY = 70000 };
	auto_mem struct prefix *many = calloc(MANY, sizeof(*many));
	const struct rules all = { many, MANY, FAMILY_IPV6 };
	const struct filter *filter = registry_filter(*arg);
	struct opinion opinion;

	for (uint64_t i = 0; i < MANY; i++)
		many[i] = (struct prefix){
			ADDR_V6(0x2a00000000000000, 0) + ((addr_t)i << 65), 64
		};
	if (!opinion_open_for(&opinion, FAMILY_IPV6, *arg, filter->hook) ||
	    !opinion_attached(&opinion, &all))
		skip();
	opinion_send(&opinion, prefix_last(&many[MANY - 1]));
	opinion_send(&opinion, prefix_last(&many[MANY - 1]) + 1);
	opinion_send(&opinion, many[1000].addr);
	opinion_send(&opinion, many[1000].addr - 1);
	assert_int_equal(opinion_dropped(&opinion), 2);
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
		ON_ALL(linear_agrees),
		ON_ALL(set_agrees),
		cmocka_unit_test(u32_agrees),
		cmocka_unit_test(trie_agrees),
		WITH(holds_many, "ipset"),
		WITH(holds_many, "nft-set"),
		WITH(holds_many, "tc-bpf-lpm"),
		WITH(holds_many, "iptables"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

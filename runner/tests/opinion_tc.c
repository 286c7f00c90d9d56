// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second opinion on the filters of the tc layer: what tc and bpftool see of
 * them, and what they count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <cmocka.h>
#include <jansson.h>

#include "runner/cleanup.h"
#include "runner/registry.h"
#include "runner/tests/scratch.h"
#include "runner/tests/spawn.h"

static struct prefix list[] = {
	{ ADDR_V4(0xcb007100), 24 }, /* 203.0.113.0/24 */
	{ ADDR_V4(0x0a000000), 9 },  /* 10.0.0.0/9 */
	{ ADDR_V4(0xac100001), 32 }, /* 172.16.0.1/32 */
};

static struct spawned child;

/* Attaches in a new namespace, or skips. */
static int attach(const struct filter *filter, void *state)
{
	const struct rules rules = { list, ARRAY_SIZE(list), FAMILY_IPV4 };
	struct log_capture capture;
	int ns = scratch_namespace(), err;
	struct site site = { .hook = HOOK_EGRESS };

	if (ns < 0)
		skip();
	site.ifindex = if_nametoindex("lo");
	log_capture_begin(&capture);
	err = filter->attach(state, &site, &rules);
	log_capture_end(&capture);
	if (err == -EOPNOTSUPP)
		skip_because("%s", capture.text);
	assert_int_equal(err, 0);
	return ns;
}

/* Sends one packet to each of the addresses. */
static void send_to(const uint32_t *daddrs, size_t count)
{
	static const struct target target = { .daddr = ADDR_V4(
						      TRAFFIC_MISS_NET) };
	const struct traffic traffic = { .frame_bytes = 60,
					 .targets = &target,
					 .target_count = 1 };
	const struct site site = { if_nametoindex("lo"), HOOK_EGRESS,
				   FAMILY_IPV4 };
	void *prover = calloc(1, registry_prover->state_size);
	bool refused;

	assert_int_equal(registry_prover->open(prover, &site, &traffic), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(registry_prover->one(
					 prover, ADDR_V4(daddrs[i]), &refused),
				 0);
	registry_prover->close(prover);
	free(prover);
}

static void run_tool(char *const *argv)
{
	if (spawn(&child, argv, NULL) == 127)
		skip_because("no %s here", argv[0]);
	if (child.status)
		fail_msg("%s: %s", argv[0], child.err);
}

static size_t occurrences(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

/* tc shows a key as value/mask in hexadecimal, at its offset. */
static void tc_sees_u32_rules(void **state)
{
	static const uint32_t daddrs[] = { 0xcb007101, 0x0a000001, 0x0a000002,
					   0x0b000000 };
	const struct filter *filter = registry_filter("tc-u32");
	auto_mem void *filter_state = calloc(1, filter->state_size);
	char *const argv[] = { "tc",  "-s", "filter", "show",
			       "dev", "lo", "egress", NULL };
	int ns = attach(filter, filter_state);
	char key[64];

	(void)state;
	send_to(daddrs, ARRAY_SIZE(daddrs));
	run_tool(argv);
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		snprintf(key, sizeof(key), "match %08x/%08x at 16",
			 addr_v4(list[i].addr),
			 addr_v4(prefix_mask(list[i].len)));
		if (!strstr(child.out, key))
			fail_msg("tc does not show %s:\n%s", key, child.out);
	}
	assert_int_equal(occurrences(child.out, "match "), ARRAY_SIZE(list));
	assert_int_equal(occurrences(child.out, " 1 pkt "), 1);
	assert_int_equal(occurrences(child.out, " 2 pkt "), 1);
	assert_int_equal(occurrences(child.out, " 0 pkt "), 1);
	filter->detach(filter_state);
	run_tool(argv);
	assert_string_equal(child.out, "");
	close(ns);
}

static void tc_sees_the_bpf_classifier(void **state)
{
	const struct filter *filter = registry_filter("tc-bpf-lpm");
	auto_mem void *filter_state = calloc(1, filter->state_size);
	char *const argv[] = { "tc", "filter", "show", "dev",
			       "lo", "egress", NULL };
	int ns = attach(filter, filter_state);

	(void)state;
	run_tool(argv);
	assert_non_null(strstr(child.out, "bpf"));
	assert_non_null(strstr(child.out, "judge"));
	assert_non_null(strstr(child.out, "direct-action"));
	assert_non_null(strstr(child.out, "jited"));
	filter->detach(filter_state);
	run_tool(argv);
	assert_string_equal(child.out, "");
	close(ns);
}

/* Takes "0x.." bytes of a key as bpftool prints them. */
static void key_bytes(const json_t *key, uint8_t *bytes)
{
	assert_int_equal(json_array_size(key), 8);
	for (size_t i = 0; i < 8; i++)
		bytes[i] = strtoul(json_string_value(json_array_get(key, i)),
				   NULL, 16);
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

/* The trie, read by bpftool: the same prefixes, address in network order. */
static void bpftool_sees_the_trie(void **state)
{
	const struct filter *filter = registry_filter("tc-bpf-lpm");
	auto_mem void *filter_state = calloc(1, filter->state_size);
	char id[16];
	char *const argv[] = { "bpftool", "-j", "map", "dump", "id", id, NULL };
	int ns = attach(filter, filter_state);
	json_t *dump, *entry;
	size_t i, found = 0;

	(void)state;
	snprintf(id, sizeof(id), "%u", trie_id());
	run_tool(argv);
	dump = json_loads(child.out, 0, NULL);
	assert_non_null(dump);
	json_array_foreach(dump, i, entry) {
		uint8_t bytes[8];
		uint32_t addr;

		key_bytes(json_object_get(entry, "key"), bytes);
		addr = (uint32_t)bytes[4] << 24 | bytes[5] << 16 |
		       bytes[6] << 8 | bytes[7];
		for (size_t j = 0; j < ARRAY_SIZE(list); j++)
			found += list[j].addr == ADDR_V4(addr) &&
				 list[j].len == bytes[0];
	}
	assert_int_equal(i, ARRAY_SIZE(list));
	assert_int_equal(found, ARRAY_SIZE(list));
	json_decref(dump);
	filter->detach(filter_state);
	close(ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tc_sees_u32_rules),
		cmocka_unit_test(tc_sees_the_bpf_classifier),
		cmocka_unit_test(bpftool_sees_the_trie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

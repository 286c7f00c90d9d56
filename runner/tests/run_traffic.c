// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program from end to end with other packets than the plain ones: in every
 * slice of every cell, what was sent is what was dropped and what passed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "runner/tests/measured.h"
#include "runner/tests/packets.h"

#define FILTERS "tc-bpf-lpm,nft-set,ipset,iptables"
#define CELLS	8 /* two hooks with a baseline and a canary, four filters */

static void mixed_syns(void **state)
{
	struct totals totals;
	json_t *json;

	(void)state;
	run_well("--rounds 6 --packets 500 --no-plots --match 40 --rules 20 "
		 "--frame imix --protocol tcp-syn --sports 30 --flows 100 "
		 "--filter " FILTERS);
	assert_non_null(strstr(
		child.out, "imix tcp-syn frames, 100 flows, 30 source ports"));
	json = read_run();
	assert_int_equal(whole(json_object_get(json, "options"), "sports"), 30);
	totals = add_slices();
	assert_int_equal(totals.slices % 7, 0);
	/* of a hundred destinations forty match, in every cell with a filter */
	assert_int_equal(totals.dropped,
			 (count_measured(json) - 4) * 7 * 500 * 40 / 100);
	json_decref(json);
}

/*
 * All kinds that the host answers: UDP and TCP without a socket, echo
 * requests, and sources that are not local.
 */
static void write_capture(bool with_others)
{
	static const uint8_t protocols[] = { 17, 6, 1 };
	struct tape tape = tape_open(input, DLT_EN10MB);

	for (size_t i = 0; i < 90; i++) {
		struct packet ip = packet_udp(i, 28 + i * 16), whole;

		ip.bytes[9] = protocols[i % 3];
		ip.bytes[12] = 10 + i % 50;
		memset(ip.bytes + 20, 0, 8);
		if (i % 3 == 2) { /* an echo request, checksum right */
			memset(ip.bytes + 20, 0, ip.length - 20);
			ip.bytes[20] = 8;
			ip.bytes[22] = 0xf7;
			ip.bytes[23] = 0xff;
		}
		whole = packet_ethernet(&ip);
		tape_put(&tape, &whole, whole.length);
		if (!with_others || i % 30)
			continue;
		tape_put(&tape, &whole, whole.length - 1); /* truncated */
		whole.bytes[13] = 6;			   /* ARP */
		tape_put(&tape, &whole, whole.length);
	}
	tape_close(&tape);
}

/* The same of IPv6, without checksums. */
static void write_capture6(void)
{
	static const uint8_t protocols[] = { 17, 6, 58 };
	struct tape tape = tape_open(input, DLT_RAW);

	for (size_t i = 0; i < 90; i++) {
		struct packet ip = packet_udp6(i, 48 + i * 16);

		ip.bytes[6] = protocols[i % 3];
		ip.bytes[13] = i % 50;
		memset(ip.bytes + 40, 0, 8);
		ip.bytes[40] = i % 3 == 2 ? 128 : 0; /* an echo request */
		tape_put(&tape, &ip, ip.length);
	}
	tape_close(&tape);
}

static json_int_t skipped(const json_t *json, const char *why)
{
	const json_t *options = json_object_get(json, "options");
	const json_t *pcap = json_object_get(options, "pcap");

	assert_int_equal(whole(pcap, "packets"), 90);
	return whole(json_object_get(pcap, "skipped"), why);
}

/* A list with some of the destinations: known drops, on all hooks. */
static void captures_are_run(void **state)
{
	char args[512], list[96];
	struct totals totals;
	json_t *json;
	FILE *rules;

	(void)state;
	write_capture(true);
	snprintf(list, sizeof(list), "%s/list", dir);
	rules = fopen(list, "w");
	assert_non_null(rules);
	fputs("10.1.2.0/28\n10.1.2.33\n203.0.113.0/24\n", rules);
	fclose(rules);
	snprintf(args, sizeof(args),
		 "--rounds 6 --packets 180 --no-plots --pcap %s --list %s "
		 "--filter " FILTERS,
		 input, list);
	run_well(args);
	assert_non_null(strstr(child.err, "90 packets; skipped, 3 truncated, "
					  "3 not_ip"));
	assert_non_null(strstr(child.out, "90 captured packets, 90 flows"));
	json = read_run();
	assert_int_equal(skipped(json, "truncated"), 3);
	assert_int_equal(skipped(json, "not_ip"), 3);
	assert_int_equal(skipped(json, "oversized"), 0);
	totals = add_slices();
	/* two turns a slice; 17 of the 90 are on the list */
	assert_int_equal(totals.dropped,
			 (count_measured(json) - 4) * 7 * 2 * 17);
	json_decref(json);
}

static void ipv6_captures_are_run(void **state)
{
	char args[512], list[96];
	json_t *json;
	FILE *rules;

	(void)state;
	write_capture6();
	snprintf(list, sizeof(list), "%s/list", dir);
	rules = fopen(list, "w");
	assert_non_null(rules);
	fputs("2400:1::/124\n2400:1::21\n2a00:1::/32\n", rules);
	fclose(rules);
	snprintf(args, sizeof(args),
		 "--family 6 --rounds 6 --packets 180 --no-plots --pcap %s "
		 "--list %s --filter " FILTERS,
		 input, list);
	run_well(args);
	json = read_run();
	assert_int_equal(skipped(json, "ipv4"), 0);
	assert_int_equal(add_slices().dropped,
			 (count_measured(json) - 4) * 7 * 2 * 17);
	json_decref(json);
}

static void captures_end_in_a_sink(void **state)
{
	char args[256];

	(void)state;
	write_capture(false);
	snprintf(args, sizeof(args),
		 "--rounds 6 --packets 100 --no-plots --fate sink --rules 5 "
		 "--pcap %s --filter tc-bpf-lpm,iptables",
		 input);
	run_well(args);
	assert_int_equal(add_slices().sent, 6 * 7 * 100);
}

static void a_broken_capture_changes_nothing(void **state)
{
	char args[256];

	(void)state;
	write_capture(false);
	assert_int_equal(truncate(input, 1000), 0);
	snprintf(args, sizeof(args), "--pcap %s", input);
	assert_int_equal(run(args), 2);
	assert_non_null(strstr(child.err, "broken after"));
	assert_int_equal(access(out, F_OK), -1);
	assert_int_equal(run("--pcap /nonexistent/file"), 2);
	assert_non_null(strstr(child.err, "No such file"));
	assert_int_equal(run("--dry-run --pcap /nonexistent/file"), 2);
}

/* A file a cell; those of egress lack what was dropped there. */
static size_t count_proof(const char *name)
{
	char path[192], message[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const uint8_t *bytes;
	size_t count = 0;
	pcap_t *pcap;

	snprintf(path, sizeof(path), "%s/proof/%s.pcap", dir, name);
	pcap = pcap_open_offline(path, message);
	if (!pcap)
		fail_msg("%s", message);
	while (pcap_next_ex(pcap, &header, &bytes) == 1) {
		assert_int_equal(header->caplen, header->len);
		assert_int_equal(packet_sum(bytes + 14, 20), 0xffff);
		count++;
	}
	pcap_close(pcap);
	return count;
}

static void proofs_are_kept(void **state)
{
	static const char *const names[] = {
		"none@egress-0-baseline",     "none@egress-0-canary",
		"none@prerouting-0-baseline", "none@prerouting-0-canary",
		"tc-bpf-lpm@egress-10",	      "ipset@prerouting-10",
	};
	const json_t *cells, *cell;
	char args[256];
	json_t *json;
	size_t i;

	(void)state;
	snprintf(args, sizeof(args),
		 "--rounds 6 --packets 50 --no-plots --rules 10 --proof "
		 "%s/proof --filter tc-bpf-lpm,ipset",
		 dir);
	run_well(args);
	json = read_run();
	cells = json_object_get(json, "cells");
	assert_int_equal(json_array_size(cells), ARRAY_SIZE(names));
	if (count_measured(json) < ARRAY_SIZE(names))
		skip_because("a filter is missing here");
	json_array_foreach(cells, i, cell) {
		const json_t *proof = json_object_get(cell, "proof");
		const char *filter =
			json_string_value(json_object_get(cell, "filter"));
		size_t want = whole(proof, "outside"), n;

		if (strstr(filter, "prerouting"))
			want += whole(proof, "inside");
		for (n = 0; n < 6; n++)
			if (!strncmp(names[n], filter, strlen(filter)) &&
			    (whole(cell, "rules") || n % 2 == i % 2))
				break;
		assert_true(n < 6);
		assert_int_equal(count_proof(names[n]), want);
	}
	json_decref(json);
	assert_int_equal(run(args), 1); /* it is not empty */
	assert_non_null(strstr(child.err, "--proof"));
}

#define whole_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		whole_test(mixed_syns),
		whole_test(captures_are_run),
		whole_test(ipv6_captures_are_run),
		whole_test(captures_end_in_a_sink),
		whole_test(a_broken_capture_changes_nothing),
		whole_test(proofs_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

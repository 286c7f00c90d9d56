// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader of captures: link types, what is taken, what is counted and left
 * out, and broken files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "runner/log.h"
#include "runner/registry.h"
#include "runner/tests/packets.h"
#include "runner/tests/tempdir.h"

static struct tempdir dir;
static char file[96];
static struct capture capture;
static struct log_capture said;

static int begin(void **state)
{
	(void)state;
	tempdir_make(&dir);
	snprintf(file, sizeof(file), "%s/test.pcap", dir.path);
	return 0;
}

static int end(void **state)
{
	(void)state;
	registry_capture_reader->release(&capture);
	registry_capture_reader->release(&capture);
	tempdir_remove(&dir);
	return 0;
}

static int read_family(enum family family, bool to_host)
{
	int err;

	log_capture_begin(&said);
	err = registry_capture_reader->read(file, family, to_host, &capture);
	log_capture_end(&said);
	return err;
}

static int read_it(bool to_host)
{
	return read_family(FAMILY_IPV4, to_host);
}

/* Whether taken packet i is that one, its header checksum made right. */
static void check_packet(size_t i, const struct packet *want)
{
	const struct capture_packet *got = &capture.packets[i];
	const uint8_t *bytes = capture.bytes + got->at;
	size_t length = want->length < 46 ? 46 : want->length;

	assert_int_equal(got->length, length);
	assert_true(got->daddr == ADDR_V4(0x0a010200 + want->bytes[19]));
	assert_memory_equal(bytes, want->bytes, 10);
	assert_memory_equal(bytes + 12, want->bytes + 12, want->length - 12);
	assert_int_equal(packet_sum(bytes, 20), 0xffff);
	for (size_t j = want->length; j < length; j++)
		assert_int_equal(bytes[j], 0);
}

static void every_link_type(void **state)
{
	static const uint8_t ethernet[14] = { 1, 2, 3,	4,  5,	6, 7,
					      8, 9, 10, 11, 12, 8, 0 };
	static const uint8_t vlan[18] = { 1,  2,  3,  4,    5, 6, 7, 8, 9,
					  10, 11, 12, 0x81, 0, 0, 5, 8, 0 };
	static const uint8_t cooked[16] = { 0, 4, 3, 4, 0, 6, 0, 0,
					    0, 0, 0, 0, 0, 0, 8, 0 };
	static const uint8_t cooked2[20] = {
		8, 0, 0, 0, 0, 0, 0, 1, 3, 4, 4, 6
	};
	static const struct {
		int type;
		const uint8_t *header;
		size_t bytes;
	} rows[] = {
		{ DLT_EN10MB, ethernet, 14 },  { DLT_EN10MB, vlan, 18 },
		{ DLT_LINUX_SLL, cooked, 16 }, { DLT_LINUX_SLL2, cooked2, 20 },
		{ DLT_RAW, ethernet, 0 },      { DLT_IPV4, ethernet, 0 },
	};
	static const uint16_t lengths[] = { 28, 45, 46, 600, 1500 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct tape tape = tape_open(file, rows[i].type);

		for (size_t j = 0; j < ARRAY_SIZE(lengths); j++) {
			struct packet ip = packet_udp(j + 1, lengths[j]);
			struct packet whole = packet_behind(rows[i].header,
							    rows[i].bytes, &ip);

			tape_put(&tape, &whole, whole.length);
		}
		tape_close(&tape);
		assert_int_equal(read_it(false), 0);
		assert_int_equal(capture.count, ARRAY_SIZE(lengths));
		for (size_t j = 0; j < ARRAY_SIZE(lengths); j++) {
			struct packet ip = packet_udp(j + 1, lengths[j]);

			check_packet(j, &ip);
		}
		for (size_t j = 0; j < CAPTURE_SKIPS; j++)
			assert_int_equal(capture.skipped[j], 0);
		registry_capture_reader->release(&capture);
	}
}

/* Ethernet's padding behind the IP packet is not part of it. */
static void padding_is_left_out(void **state)
{
	struct tape tape = tape_open(file, DLT_EN10MB);
	struct packet ip = packet_udp(7, 100), whole;

	(void)state;
	whole = packet_ethernet(&ip);
	memset(whole.bytes + whole.length, 0xee, 20);
	whole.length += 20;
	tape_put(&tape, &whole, whole.length);
	tape_close(&tape);
	assert_int_equal(read_it(false), 0);
	assert_int_equal(capture.count, 1);
	check_packet(0, &ip);
}

/* One packet as it is, changed at up to two places of the frame. */
static void put_changed(struct tape *tape, uint16_t length, size_t captured,
			int at, uint8_t value, int at2, uint8_t value2)
{
	struct packet ip = packet_udp(9, length);
	struct packet whole = packet_ethernet(&ip);

	whole.bytes[at] = value;
	whole.bytes[at2] = value2;
	tape_put(tape, &whole, captured ? captured : whole.length);
}

static void others_are_counted(void **state)
{
	static const struct {
		uint16_t length;
		size_t captured;
		int at;
		uint8_t value;
		int at2;
		uint8_t value2;
		enum capture_skip why;
	} rows[] = {
		{ 100, 113, 0, 2, 0, 2, CAPTURE_TRUNCATED },
		{ 100, 33, 0, 2, 0, 2, CAPTURE_TRUNCATED },
		{ 100, 13, 0, 2, 0, 2, CAPTURE_TRUNCATED },
		{ 100, 16, 12, 0x81, 13, 0, CAPTURE_TRUNCATED },
		{ 100, 0, 12, 8, 13, 6, CAPTURE_NOT_IP }, /* ARP */
		{ 100, 0, 12, 0x86, 13, 0xdd, CAPTURE_OTHER_FAMILY },
		{ 1501, 0, 0, 2, 0, 2, CAPTURE_OVERSIZED },
		{ 2000, 96, 0, 2, 0, 2, CAPTURE_OVERSIZED },
		{ 2000, 0, 16, 0, 17, 0, CAPTURE_OVERSIZED }, /* no total */
		{ 100, 0, 14, 0x44, 0, 2, CAPTURE_MALFORMED },
		{ 100, 0, 14, 0x65, 0, 2, CAPTURE_MALFORMED },
		{ 100, 0, 16, 0, 17, 19, CAPTURE_MALFORMED },
	};
	uint64_t want[CAPTURE_SKIPS] = { 0 };
	struct tape tape = tape_open(file, DLT_EN10MB);
	struct packet ip = packet_udp(1, 60), whole = packet_ethernet(&ip);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_changed(&tape, rows[i].length, rows[i].captured, rows[i].at,
			    rows[i].value, rows[i].at2, rows[i].value2);
		want[rows[i].why]++;
	}
	tape_put(&tape, &whole, whole.length);
	tape_close(&tape);
	assert_int_equal(read_it(false), 0);
	assert_int_equal(capture.count, 1);
	check_packet(0, &ip);
	for (size_t i = 0; i < CAPTURE_SKIPS; i++)
		assert_int_equal(capture.skipped[i], want[i]);
}

/* What the receive path would not deliver goes only where it need not. */
static void undeliverable_ones_stay_out_of_the_host(void **state)
{
	static const struct {
		int at;
		uint8_t value;
	} rows[] = {
		{ 20, 0x20 },			      /* more fragments */
		{ 21, 1 },			      /* a later fragment */
		{ 14, 0x46 },			      /* an option */
		{ 23, 47 },			      /* GRE */
		{ 26, 127 },  { 26, 0 }, { 26, 224 }, /* source */
		{ 30, 127 },  { 30, 0 }, { 30, 239 }, /* destination */
	};
	struct tape tape = tape_open(file, DLT_EN10MB);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		put_changed(&tape, 60, 0, rows[i].at, rows[i].value, 0, 2);
	put_changed(&tape, 60, 0, 20, 0x40, 23, 6); /* TCP, not to be split */
	put_changed(&tape, 60, 0, 0, 2, 23, 1);
	tape_close(&tape);
	assert_int_equal(read_it(true), 0);
	assert_int_equal(capture.count, 2);
	assert_int_equal(capture.skipped[CAPTURE_UNDELIVERABLE],
			 ARRAY_SIZE(rows));
	registry_capture_reader->release(&capture);
	assert_int_equal(read_it(false), 0);
	assert_int_equal(capture.count, ARRAY_SIZE(rows) + 2);
}

/* Whether taken packet i is that one; its header has no checksum. */
static void check_packet6(size_t i, const struct packet *want)
{
	const struct capture_packet *got = &capture.packets[i];
	const uint8_t *bytes = capture.bytes + got->at;
	size_t length = want->length < 46 ? 46 : want->length;

	assert_int_equal(got->length, length);
	assert_true(got->daddr ==
		    ADDR_V6(0x2400000100000000, 0) + want->bytes[39]);
	assert_memory_equal(bytes, want->bytes, want->length);
	for (size_t j = want->length; j < length; j++)
		assert_int_equal(bytes[j], 0);
}

/* The captured length, 0 for all, and one changed byte of the packet. */
static void put_changed6(struct tape *tape, uint16_t length, size_t captured,
			 int at, uint8_t value)
{
	struct packet ip = packet_udp6(9, length);

	ip.bytes[at] = value;
	tape_put(tape, &ip, captured ? captured : ip.length);
}

static void ipv6_is_taken_where_it_is_sent(void **state)
{
	static const uint16_t lengths[] = { 40, 45, 46, 48, 600, 1500 };
	static const int types[] = { DLT_EN10MB, DLT_RAW };
	struct packet other = packet_udp(1, 100);

	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
		struct tape tape = tape_open(file, types[t]);

		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
			struct packet ip = packet_udp6(i + 1, lengths[i]);
			struct packet whole = packet_ethernet(&ip);

			tape_put(&tape, t ? &ip : &whole,
				 t ? ip.length : whole.length);
		}
		if (t)
			tape_put(&tape, &other, other.length);
		tape_close(&tape);
		assert_int_equal(read_family(FAMILY_IPV6, true), 0);
		assert_int_equal(capture.count, ARRAY_SIZE(lengths));
		assert_int_equal(capture.skipped[CAPTURE_OTHER_FAMILY], t);
		for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
			struct packet ip = packet_udp6(i + 1, lengths[i]);

			check_packet6(i, &ip);
		}
		registry_capture_reader->release(&capture);
	}
}

static void ipv6_others_are_counted(void **state)
{
	static const struct {
		uint16_t length;
		uint16_t captured;
		int at;
		uint8_t value;
		enum capture_skip why;
	} rows[] = {
		{ 100, 99, 7, 64, CAPTURE_TRUNCATED },
		{ 100, 39, 7, 64, CAPTURE_TRUNCATED },
		{ 1501, 0, 7, 64, CAPTURE_OVERSIZED },
		{ 2000, 96, 7, 64, CAPTURE_OVERSIZED },
		{ 100, 0, 6, 44, CAPTURE_UNDELIVERABLE }, /* a fragment */
		{ 100, 0, 6, 0, CAPTURE_UNDELIVERABLE },  /* hop by hop */
		{ 100, 0, 8, 0xff, CAPTURE_UNDELIVERABLE },
		{ 100, 0, 24, 0xff, CAPTURE_UNDELIVERABLE },
		{ 100, 0, 24, 0, CAPTURE_UNDELIVERABLE },
	};
	uint64_t want[CAPTURE_SKIPS] = { 0 };
	struct tape tape = tape_open(file, DLT_IPV6);
	struct packet ip = packet_udp6(3, 60);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_changed6(&tape, rows[i].length, rows[i].captured,
			     rows[i].at, rows[i].value);
		want[rows[i].why]++;
	}
	tape_put(&tape, &ip, ip.length);
	tape_close(&tape);
	assert_int_equal(read_family(FAMILY_IPV6, true), 0);
	assert_int_equal(capture.count, 1);
	check_packet6(0, &ip);
	for (size_t i = 0; i < CAPTURE_SKIPS; i++)
		assert_int_equal(capture.skipped[i], want[i]);
	registry_capture_reader->release(&capture);
	assert_int_equal(read_family(FAMILY_IPV6, false), 0);
	assert_int_equal(capture.count, 1 + want[CAPTURE_UNDELIVERABLE]);
}

static void check_broken(const char *words)
{
	assert_int_equal(read_it(false), -EINVAL);
	assert_null(capture.packets);
	assert_non_null(strstr(said.text, file));
	if (!strstr(said.text, words))
		fail_msg("'%s' is not in '%s'", words, said.text);
}

static void broken_files_are_errors(void **state)
{
	struct packet ip = packet_udp(1, 60), whole = packet_ethernet(&ip);
	struct tape tape;

	(void)state;
	check_broken("No such file");
	tempdir_write(&dir, "test.pcap", "");
	check_broken("truncated");
	tempdir_write(&dir, "test.pcap", "this is no capture but some text\n");
	check_broken("unknown file format");

	tape = tape_open(file, DLT_EN10MB);
	for (int i = 0; i < 3; i++)
		tape_put(&tape, &whole, whole.length);
	tape_close(&tape);
	assert_int_equal(truncate(file, 24 + 2 * (16 + 74) + 30), 0);
	check_broken("broken after 2 usable packets");

	tape = tape_open(file, DLT_IEEE802_11);
	tape_close(&tape);
	check_broken("link type IEEE802_11");
}

/* The reader stops at its limit and says so. */
static void a_long_file_is_cut(void **state)
{
	struct packet ip = packet_udp(3, 28);
	struct tape tape = tape_open(file, DLT_RAW);

	(void)state;
	for (int i = 0; i < 1000000; i++)
		tape_put(&tape, &ip, ip.length);
	tape_close(&tape);
	assert_int_equal(read_it(true), 0);
	assert_int_equal(capture.count, 1000000);
	assert_false(capture.cut);
	registry_capture_reader->release(&capture);

	tape = tape_open(file, DLT_RAW);
	for (int i = 0; i < 1000001; i++)
		tape_put(&tape, &ip, ip.length);
	tape_close(&tape);
	assert_int_equal(read_it(true), 0);
	assert_int_equal(capture.count, 1000000);
	assert_true(capture.cut);
	check_packet(999999, &ip);
}

#define file_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		file_test(every_link_type),
		file_test(padding_is_left_out),
		file_test(others_are_counted),
		file_test(undeliverable_ones_stay_out_of_the_host),
		file_test(ipv6_is_taken_where_it_is_sent),
		file_test(ipv6_others_are_counted),
		file_test(broken_files_are_errors),
		file_test(a_long_file_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a capture file, and as frames of every link type: no crash, and
 * what is taken is a whole packet of the family.  Build with clang
 * -fsanitize=fuzzer (make fuzz).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pcap/dlt.h>

#include "pktgen/template.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static uint32_t header_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < (ip[0] & 15) * 4; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static void check(const struct capture *capture)
{
	size_t at = 0;

	for (size_t i = 0; i < capture->count; i++) {
		const struct capture_packet *packet = &capture->packets[i];
		const uint8_t *ip = capture->bytes + packet->at;
		bool is_v6 = capture->family == FAMILY_IPV6;
		uint32_t total =
			is_v6 ? 40 + (ip[4] << 8 | ip[5]) : ip[2] << 8 | ip[3];

		require(packet->at == at, "packets lie side by side");
		require(packet->length >= 46 && packet->length <= 1500,
			"length of a frame");
		require(total <= packet->length, "a whole packet");
		require(ip[0] >> 4 == (is_v6 ? 6 : 4), "the family");
		if (!is_v6) {
			require((ip[0] & 15) >= 5, "an IPv4 header");
			require(header_sum(ip) == 0xffff, "its checksum");
		}
		at += packet->length;
	}
	require(at == capture->size && at <= capture->room, "the sizes");
}

/* Returns how many packets were taken. */
static size_t read_file(const char *file, enum family family, bool to_host)
{
	struct capture capture;
	size_t count = 0;

	if (!registry_capture_reader->read(file, family, to_host, &capture)) {
		check(&capture);
		count = capture.count;
	}
	registry_capture_reader->release(&capture);
	return count;
}

static void as_file(const uint8_t *data, size_t size)
{
	auto_fd int fd = memfd_create("capture", MFD_CLOEXEC);
	char file[32];

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file");
	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	for (enum family f = FAMILY_IPV4; f <= FAMILY_IPV6; f++)
		require(read_file(file, f, true) <= read_file(file, f, false),
			"the host takes no more than the wire");
}

/* The first two bytes are how much longer the frame was than its capture. */
static void as_frames(enum family family, const uint8_t *data, size_t size)
{
	static const int types[] = { DLT_EN10MB,     DLT_RAW,  DLT_LINUX_SLL,
				     DLT_LINUX_SLL2, DLT_IPV4, DLT_IPV6 };
	struct capture capture = { .family = family };
	uint64_t skipped = 0;

	if (size < 2)
		return;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(types); i++) {
		/* a copy of just that size, for the sanitizer to guard */
		auto_mem uint8_t *bytes = malloc(size - 2 + !(size - 2));
		struct captured frame = { bytes, size - 2,
					  size - 2 + data[0] + (data[1] << 8) };

		require(bytes != NULL, "memory");
		for (size_t j = 2; j < size; j++)
			bytes[j - 2] = data[j];
		require(!template_add(&capture, types[i / 2], i & 1, &frame),
			"taken or counted");
	}
	check(&capture);
	for (size_t i = 0; i < CAPTURE_SKIPS; i++)
		skipped += capture.skipped[i];
	require(capture.count + skipped == 2 * ARRAY_SIZE(types),
		"every frame is counted once");
	registry_capture_reader->release(&capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_capture quiet;

	log_capture_begin(&quiet);
	as_file(data, size);
	as_frames(FAMILY_IPV4, data, size);
	as_frames(FAMILY_IPV6, data, size);
	log_capture_end(&quiet);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/capture.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/registry.h"

#define ETHERNET_BYTES 14

static const char *const skip_names[CAPTURE_SKIPS] = {
	[CAPTURE_TRUNCATED] = "truncated",
	[CAPTURE_NOT_IP] = "not_ip",
	[CAPTURE_OVERSIZED] = "oversized",
	[CAPTURE_MALFORMED] = "malformed",
	[CAPTURE_UNDELIVERABLE] = "undeliverable",
};

static const char *skip_name(const struct capture *capture, size_t why)
{
	if (why == CAPTURE_OTHER_FAMILY)
		return capture->family == FAMILY_IPV6 ? "ipv4" : "ipv6";
	return skip_names[why];
}

static int compare(const void *a, const void *b)
{
	const addr_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int count_destinations(const struct capture *capture, uint32_t *count)
{
	auto_mem addr_t *daddrs = calloc(capture->count, sizeof(*daddrs));

	if (!daddrs)
		return log_err(-ENOMEM, "out of memory for %zu destinations",
			       capture->count);
	for (size_t i = 0; i < capture->count; i++)
		daddrs[i] = capture->packets[i].daddr;
	qsort(daddrs, capture->count, sizeof(*daddrs), compare);
	*count = 1;
	for (size_t i = 1; i < capture->count; i++)
		*count += daddrs[i] != daddrs[i - 1];
	return 0;
}

/* ", 3 not_ip, 1 truncated" */
static void skipped_text(const struct capture *capture, char *buf, size_t size)
{
	size_t len = 0;

	snprintf(buf, size, ", none");
	for (size_t i = 0; i < CAPTURE_SKIPS; i++)
		if (capture->skipped[i] && len < size)
			len += snprintf(buf + len, size - len, ", %lu %s",
					capture->skipped[i],
					skip_name(capture, i));
}

static bool goes_to_host(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (hook_info(plan->cells[i].hook)->to_host)
			return true;
	return false;
}

static int describe(const struct capture *capture, struct options *options)
{
	const char *file = options->pcap;
	char skipped[256];

	skipped_text(capture, skipped, sizeof(skipped));
	if (!capture->count)
		return log_err(-EINVAL, "%s: no packet to send; skipped%s",
			       file, skipped);
	log_info("%s: %zu packets; skipped%s", file, capture->count, skipped);
	if (capture->cut)
		log_warn(
			"%s: only the first %zu packets are taken, more do not fit (editcap cuts files)",
			file, capture->count);
	options->frame_bytes = capture->size / capture->count + ETHERNET_BYTES;
	if (options->frame_bytes < traffic_frame_min_bytes(options->family))
		options->frame_bytes = traffic_frame_min_bytes(options->family);
	return count_destinations(capture, &options->flows);
}

int capture_read(struct capture *capture, struct options *options,
		 struct plan *plan)
{
	int err;

	*capture = (struct capture){ 0 };
	if (!options->pcap)
		return 0;
	err = registry_capture_reader->read(options->pcap, options->family,
					    goes_to_host(plan), capture);
	if (!err)
		err = describe(capture, options);
	if (err)
		capture_free(capture);
	else
		plan->capture = capture;
	return err;
}

json_t *capture_pack(const struct capture *capture, const char *file)
{
	json_t *skipped = json_object();

	for (size_t i = 0; i < CAPTURE_SKIPS; i++)
		json_object_set_new(skipped, skip_name(capture, i),
				    json_integer(capture->skipped[i]));
	return json_pack("{s:s, s:I, s:b, s:o}", "file", file, "packets",
			 (json_int_t)capture->count, "cut", capture->cut,
			 "skipped", skipped);
}

void capture_free(struct capture *capture)
{
	registry_capture_reader->release(capture);
}

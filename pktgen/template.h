/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of captures as templates: what a link-layer header has behind it.
 * Pure, apart from the memory that a capture grows by.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/traffic.h"

/* What a capture may take at most; the rest of the file is left out. */
#define TEMPLATE_MAX_PACKETS 1000000u
#define TEMPLATE_MAX_BYTES   (256u << 20)

/* A frame as captured: bytes has `captured` bytes of `length`. */
struct captured {
	const uint8_t *bytes;
	size_t captured, length;
};

/* Whether packets of this link type (DLT_ of libpcap) can be read. */
bool template_knows(int link_type);

/*
 * Appends the packet of a frame to the capture, if it is of the capture's
 * family, the checksum of an IPv4 header set right; or counts why not.  0,
 * -ENOMEM, or -ENOSPC when the capture is full; says nothing.
 */
int template_add(struct capture *capture, int link_type, bool to_host,
		 const struct captured *frame);

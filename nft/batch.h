/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nf_tables transactions: messages that the kernel takes all or none of.
 * A batch is filled, committed, and filled again; the buffer is reused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/netlink.h"

struct batch {
	struct mnl_socket *nl; /* borrowed */
	char *buf;	       /* owned, or the caller's */
	bool owns_buf;
	size_t size; /* of buf: what one transaction may have */
	size_t used;
	size_t last; /* where the latest message begins */
	uint32_t seq;
	uint16_t failed_type; /* message that the kernel refused */
};

/*
 * A netlink socket of netfilter with buffers large enough for a transaction
 * and its answers.  NULL with errno set; says nothing.
 */
struct mnl_socket *batch_socket(void);

/*
 * For many messages: allocates the buffer, to be freed by batch_free().
 * 0 or -ENOMEM; says nothing.
 */
int batch_init(struct batch *batch, struct mnl_socket *nl);

/* For few messages, in a buffer of the caller; cannot fail. */
void batch_init_in(struct batch *batch, struct mnl_socket *nl, void *buf,
		   size_t size);

/* Harmless on a zeroed batch. */
void batch_free(struct batch *batch);

#define auto_batch __attribute__((cleanup(batch_free)))

/*
 * Begins a message (NFT_MSG_...) of at most BATCH_MESSAGE_MAX bytes; the
 * caller adds the attributes and calls batch_end().  batch_full() is to be
 * asked before.
 */
#define BATCH_MESSAGE_MAX 65536
struct nlmsghdr *batch_begin(struct batch *batch, uint16_t type,
			     uint16_t family, uint16_t flags);
void batch_end(struct batch *batch, const struct nlmsghdr *nlh);

/* Whether the transaction is to be committed before the next message. */
bool batch_full(const struct batch *batch);

/*
 * Sends what was collected as one transaction and reads the answers.  0; the
 * kernel's negative errno, with the type of the message that it refused in
 * failed_type; -ENOBUFS when the answer was lost, so that only reading back
 * tells whether the change was made.  Says nothing.
 */
int batch_commit(struct batch *batch);

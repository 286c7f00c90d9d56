/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a deny-list: a text file with a prefix, range or row of a known block
 * list format a line.
 *
 * Lines end at LF, with CRs before it dropped, and may have any length.  Empty
 * lines and those that start with '#', ';' or "//" are ignored, as is the rest
 * of a line from '#' or ';' on.  A line that is not understood in full is
 * rejected, never half read.  The family that is not wanted is skipped and
 * counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/list_line.h"
#include "runner/rules.h"

/* Physical lines, counted from 1. */
struct list_lines {
	uint32_t *at;
	size_t count;
	size_t room;
};

struct list_reject {
	uint32_t line;
	uint8_t reason; /* enum list_reason */
};

struct list_rejects {
	struct list_reject *at;
	size_t count;
	size_t room;
};

/* Why a file is refused as a whole. */
enum list_refusal {
	LIST_USABLE,
	LIST_NO_PREFIX, /* nothing in it for the rules */
	LIST_UTF16,	/* begins with a UTF-16 byte order mark */
	LIST_GZIP,	/* is compressed */
	LIST_NUL_BYTE,	/* holds a NUL, so it is no text */
	LIST_STRICT,	/* has a rejected line, and strict was asked for */
};

struct list {
	struct rules rules; /* in the order of the file, repeats included */
	size_t room;	    /* of the rules' array */
	enum list_refusal refusal;
	size_t lines;
	size_t ignored_lines;
	size_t accepted_lines;
	struct list_rejects rejected;
	struct list_lines masked;	  /* had host bits, now cleared */
	struct list_lines skipped_family; /* well-formed, of the other family */
	struct list_lines skipped_allow;  /* allowed by an eMule DAT level */
};

struct list_options {
	enum list_profile profile;
	enum family family; /* that is wanted */
	bool strict;	    /* any rejected line makes the file unusable */
};

/*
 * Reads the file ("-" is standard input).  0 with the list; -EINVAL after
 * saying why the file is refused, with out->refusal set and the counts as far
 * as they are known; another errno after saying why it cannot be read, with
 * an empty list.  Free with list_free() in any case.
 */
int list_read(const char *path, const struct list_options *options,
	      struct list *out);

/* The same for text in memory; name is for messages. */
int list_read_text(const char *name, const char *text, size_t bytes,
		   const struct list_options *options, struct list *out);

void list_free(struct list *list);

/* What skipped_family holds in a list of this family: "IPv4" or "IPv6". */
const char *list_other_family(enum family family);

/* The word for a verdict: "ok" or "fail:...". */
const char *list_verdict(enum list_refusal refusal);

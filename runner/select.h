/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which source this machine can use, found by sending a packet.
 */
#pragma once

#include "runner/source.h"

#define SELECT_REASON_BYTES 1200

/*
 * Tries a source with packets of the family in a namespace of its own, which
 * the caller is in afterwards.  0, or a negative errno with the cause in
 * reason.
 */
int select_try(const struct source *source, enum family family, int cpu,
	       char *reason, size_t reason_bytes);

/*
 * wanted, or the first source of the registry that works where it is NULL.
 * reason says why that one.  NULL after saying what each source lacks.
 */
const struct source *select_source(const struct source *wanted,
				   enum family family, int cpu, char *reason,
				   size_t reason_bytes);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forms of an entry, for a line without blanks around it and remark.
 */
#pragma once

#include "runner/list_address.h"

/*
 * Every form but PeerGuardian.  REASON_NONE with out->kind, which is set by
 * the caller, turned to LINE_SKIPPED_ALLOW if the list allows the range; or
 * why it is rejected.  is_plain: it is "A" or "A/LEN", maybe with columns.
 */
enum list_reason form_parse(struct span span, bool *is_plain, struct line *out);

/*
 * "NAME:A-B".  False if the line has not that form; otherwise *reason says
 * what became of it.
 */
bool form_parse_peerguardian(struct span span, enum list_reason *reason,
			     struct line *out);

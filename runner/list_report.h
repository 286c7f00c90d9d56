/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `hookcost rules` says about a list.
 */
#pragma once

#include <stdio.h>

#include "runner/list.h"
#include "runner/list_stats.h"

/* For people; long enumerations of lines are cut. */
void list_report_text(const char *name, const struct list *list,
		      const struct list_stats *stats, FILE *out);

/*
 * A header and one line.  Line numbers are complete; reasons are given in the
 * full profile only, where they are part of the reading rules.  An empty
 * enumeration is "-".
 */
void list_report_tsv(const struct list *list, const struct list_stats *stats,
		     enum list_profile profile, FILE *out);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sentences around the table of a report, as text or as Markdown.
 */
#pragma once

#include <stdbool.h>

#include "runner/report.h"

/* Above the table: what was measured, where and how. */
void notes_heading(const struct page *page, bool markdown);

/*
 * Below it: the cost of a rule, the noise, the cells without a number; in
 * Markdown, which is read without stderr beside it, the warnings too.
 */
void notes_write(const struct page *page, bool markdown);

/*
 * The cells without a number, and why; `where` follows the word "skipped".
 */
void notes_unmeasured(FILE *out, bool markdown, const struct results *results,
		      const char *where);

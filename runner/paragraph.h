/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences around tables, as text or as Markdown.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/*
 * A line of the text, broken at blanks with its further lines indented; or a
 * point of a Markdown list.
 */
void paragraph(FILE *out, bool markdown, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

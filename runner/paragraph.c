// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/paragraph.h"

#define LINE_COLUMNS 96

static void write_wrapped(FILE *out, const char *text)
{
	static const char indent[] = "    ";
	size_t column = 0;

	while (*text) {
		size_t blanks = strspn(text, " \t\r\n");
		size_t word = strcspn(text + blanks, " \t\r\n");

		if (column && column + 1 + word > LINE_COLUMNS) {
			fprintf(out, "\n%s", indent);
			column = strlen(indent);
		} else if (column && word) {
			fputc(' ', out);
			column++;
		}
		fprintf(out, "%.*s", (int)word, text + blanks);
		column += word;
		text += blanks + word;
	}
	fputc('\n', out);
}

void paragraph(FILE *out, bool markdown, const char *fmt, ...)
{
	auto_mem char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		text = NULL; /* not defined then */
	else if (markdown)
		fprintf(out, "* %s\n", text);
	else
		write_wrapped(out, text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table that is written when all of it is known: columns are as wide as
 * their widest cell, and those without any text are left out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct table_column {
	const char *head;
	bool right; /* aligned: numbers */
};

struct table {
	const struct table_column *columns;
	size_t column_count;
	char **cells; /* by row */
	size_t cell_count;
};

/* Appends the next cell of the current row.  0 or -ENOMEM. */
int table_add(struct table *table, const char *text);

/* Two spaces between columns. */
void table_text(const struct table *table, FILE *out);

void table_markdown(const struct table *table, FILE *out);

/* Harmless on zeroed memory. */
void table_free(struct table *table);

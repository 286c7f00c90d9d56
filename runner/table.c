// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runner/log.h"
#include "runner/table.h"

int table_add(struct table *table, const char *text)
{
	char **larger = reallocarray(table->cells, table->cell_count + 1,
				     sizeof(*larger));

	if (larger) {
		table->cells = larger;
		larger[table->cell_count] = strdup(text);
	}
	if (!larger || !larger[table->cell_count])
		return log_err(-ENOMEM, "no memory for a table");
	table->cell_count++;
	return 0;
}

/* 0 for a column that is left out. */
static int width_of(const struct table *table, size_t column)
{
	size_t width = 0, head = strlen(table->columns[column].head);

	for (size_t i = column; i < table->cell_count; i += table->column_count)
		if (strlen(table->cells[i]) > width)
			width = strlen(table->cells[i]);
	return width && width < head ? head : width;
}

struct style {
	const char *before; /* the first column */
	const char *between;
	const char *after; /* the last column */
	bool trim;	   /* no blanks at the end of a line */
};

/* Row 0 is the head. */
static const char *text_of(const struct table *table, size_t row, size_t column)
{
	if (!row)
		return table->columns[column].head;
	return table->cells[(row - 1) * table->column_count + column];
}

static void write_row(const struct table *table, size_t row,
		      const struct style *style, FILE *out)
{
	const char *gap = style->before;
	size_t columns = table->column_count;

	while (style->trim && columns && !*text_of(table, row, columns - 1))
		columns--;
	for (size_t i = 0; i < columns; i++) {
		const struct table_column *column = &table->columns[i];
		int width = width_of(table, i);

		if (!width)
			continue;
		if (!column->right)
			width = -width;
		if (style->trim && !column->right && i + 1 == columns)
			width = 0;
		fprintf(out, "%s%*s", gap, width, text_of(table, row, i));
		gap = style->between;
	}
	fprintf(out, "%s\n", style->after);
}

static const struct style plain = { "", "  ", "", true };
static const struct style piped = { "| ", " | ", " |", false };

static size_t row_count(const struct table *table)
{
	return 1 + table->cell_count / table->column_count;
}

void table_text(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < row_count(table); i++)
		write_row(table, i, &plain, out);
}

void table_markdown(const struct table *table, FILE *out)
{
	write_row(table, 0, &piped, out);
	for (size_t i = 0; i < table->column_count; i++)
		if (width_of(table, i))
			fputs(table->columns[i].right ? "| ---: " : "| --- ",
			      out);
	fputs("|\n", out);
	for (size_t i = 1; i < row_count(table); i++)
		write_row(table, i, &piped, out);
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->cell_count = 0;
}

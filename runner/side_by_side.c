// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/number.h"
#include "runner/report.h"
#include "runner/side_by_side.h"
#include "runner/table.h"

/* Hundredths of ns or instructions, and of a per cent. */
#define PLACE 0.01

#define NAMED 3 /* columns before the values */
#define EACH  3 /* value, difference, per cent */

struct side {
	struct results results;
	struct stats stats;
	char head[160]; /* of its column */
};

struct sides {
	struct side *list;
	size_t count;
};

static void free_sides(struct sides *sides)
{
	for (size_t i = 0; sides->list && i < sides->count; i++) {
		stats_free(&sides->list[i].stats);
		results_free(&sides->list[i].results);
	}
	free(sides->list);
}

/* The kernel's release; its number as well where two are the same. */
static void name_side(struct sides *sides, size_t at)
{
	struct side *side = &sides->list[at];
	const char *kernel = results_fact(&side->results, "kernel");
	unsigned int alike = 1;

	if (!kernel)
		kernel = "unknown";
	for (size_t i = 0; i < at; i++) {
		const char *other =
			results_fact(&sides->list[i].results, "kernel");

		alike += other && !strcmp(other, kernel);
	}
	if (alike > 1)
		snprintf(side->head, sizeof(side->head), "%.120s (%u)", kernel,
			 alike);
	else
		snprintf(side->head, sizeof(side->head), "%.120s", kernel);
}

static int load(struct sides *sides, const char *const *dirs)
{
	for (size_t i = 0; i < sides->count; i++) {
		struct side *side = &sides->list[i];
		int err = results_load(dirs[i], &side->results);

		if (!err)
			err = stats_compute(&side->results, &side->stats);
		if (err)
			return err;
		name_side(sides, i);
		if (side->results.counts_instructions !=
		    sides->list[0].results.counts_instructions)
			return log_err(
				-EINVAL,
				"%s counts instructions, %s does not: they cannot be compared",
				dirs[i ? 0 : i], dirs[i]);
	}
	return 0;
}

/* The same filter and number of rules; NULL if there is no number for it. */
static const struct cell_stats *find_cell(const struct side *side,
					  const struct result_cell *like)
{
	for (size_t i = 0; i < side->results.cell_count; i++) {
		const struct result_cell *cell = &side->results.cells[i];

		if (cell->status == RESULT_MEASURED &&
		    cell->role == like->role && cell->rules == like->rules &&
		    !strcmp(cell->filter, like->filter))
			return &side->stats.cells[i];
	}
	return NULL;
}

static const struct slope *find_slope(const struct side *side,
				      const char *filter)
{
	for (size_t i = 0; i < side->stats.slope_count; i++)
		if (!strcmp(side->stats.slopes[i].filter, filter))
			return &side->stats.slopes[i];
	return NULL;
}

static int add_signed(struct table *table, double value)
{
	char text[64];

	if (isnan(value))
		return table_add(table, "-");
	/* "-0.00" and "+0.00" are no difference */
	if (fabs(value) < PLACE / 2)
		return table_add(table, "0");
	snprintf(text, sizeof(text), "%s%s", value < 0 ? "" : "+",
		 number_rounded(value, PLACE).text);
	return table_add(table, text);
}

/* values[0], then for each of the others three columns. */
static int add_values(struct table *table, const double *values, size_t count)
{
	int err = table_add(table, number_rounded(values[0], PLACE).text);

	for (size_t i = 1; !err && i < count; i++) {
		double diff = values[i] - values[0];

		err = table_add(table, number_rounded(values[i], PLACE).text);
		if (!err)
			err = add_signed(table, diff);
		if (!err)
			err = add_signed(table, 100 * diff / values[0]);
	}
	return err;
}

static int add_row(struct table *table, const char *filter, const char *what,
		   const double *values, size_t count)
{
	int err = table_add(table, filter);

	if (!err)
		err = table_add(table, what);
	return err ? err : add_values(table, values, count);
}

static int add_cells(struct table *table, const struct sides *sides,
		     double *values)
{
	const struct results *first = &sides->list[0].results;
	int err = 0;

	for (size_t i = 0; !err && i < first->cell_count; i++) {
		const struct result_cell *cell = &first->cells[i];
		bool known = false;

		if (cell->role == RESULT_CANARY)
			continue;
		for (size_t k = 0; k < sides->count; k++) {
			const struct cell_stats *stats =
				find_cell(&sides->list[k], cell);

			values[k] = stats ? stats->ns.value : NAN;
			known |= stats != NULL;
		}
		if (known)
			err = add_row(table, cell->filter,
				      cell->role == RESULT_BASELINE
					      ? "-"
					      : number_whole(cell->rules).text,
				      values, sides->count);
	}
	return err;
}

static int add_slopes(struct table *table, const struct sides *sides,
		      double *values)
{
	const struct stats *first = &sides->list[0].stats;
	int err = 0;

	for (size_t i = 0; !err && i < 2 * first->slope_count; i++) {
		const char *filter = first->slopes[i / 2].filter;
		bool rule = i % 2;

		for (size_t k = 0; k < sides->count; k++) {
			const struct slope *slope =
				find_slope(&sides->list[k], filter);

			values[k] = !slope ? NAN
				    : rule ? slope->rule_ns.value
					   : slope->fixed_ns.value;
		}
		err = add_row(table, filter, rule ? "each rule" : "without one",
			      values, sides->count);
	}
	return err;
}

/* One of the two tables: its head, its rows, and onto the stream. */
static int write_table(const struct sides *sides, const char *what,
		       int (*add)(struct table *, const struct sides *,
				  double *),
		       FILE *out)
{
	size_t columns = NAMED + EACH * (sides->count - 1);
	auto_mem struct table_column *heads = calloc(columns, sizeof(*heads));
	auto_mem double *values = calloc(sides->count, sizeof(*values));
	struct table table = { .columns = heads, .column_count = columns };
	int err;

	if (!heads || !values)
		return log_err(-ENOMEM, "no memory for the table");
	heads[0] = (struct table_column){ "filter", false };
	heads[1] = (struct table_column){ what, true };
	heads[2] = (struct table_column){ sides->list[0].head, true };
	for (size_t i = 1; i < sides->count; i++) {
		struct table_column *at = &heads[NAMED + EACH * (i - 1)];

		at[0] = (struct table_column){ sides->list[i].head, true };
		at[1] = (struct table_column){ "difference", true };
		at[2] = (struct table_column){ "%", true };
	}
	err = add(&table, sides, values);
	if (!err && table.cell_count)
		table_text(&table, out);
	table_free(&table);
	return err;
}

static int write_all(const struct sides *sides, FILE *out)
{
	const struct results *first = &sides->list[0].results;
	const char *unit = report_unit(first);
	int err;

	fprintf(out,
		"%s per packet%s, source %s, match %s, %lu-byte frames\n\n",
		unit,
		first->counts_instructions ? " (emulated: instructions)" : "",
		first->source, first->match, first->frame_bytes);
	err = write_table(sides, "rules", add_cells, out);
	if (err || !sides->list[0].stats.slope_count)
		return err;
	fprintf(out, "\n%s of linear filters\n\n", unit);
	return write_table(sides, "part", add_slopes, out);
}

int side_by_side(const char *const *dirs, size_t count, FILE *out)
{
	struct sides sides = { .count = count };
	int err;

	sides.list = calloc(count, sizeof(*sides.list));
	if (!sides.list)
		return log_err(-ENOMEM, "no memory for the table");
	err = load(&sides, dirs);
	if (!err)
		err = write_all(&sides, out);
	free_sides(&sides);
	if (!err && (fflush(out) || ferror(out)))
		err = log_err(-EIO, "the table cannot be written");
	return err;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/explain_show.h"
#include "runner/log.h"

#define SHOWN_ROWS 20

static int close_file(FILE *file, const char *path)
{
	int failed = ferror(file);

	if (fclose(file) || failed)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	return 0;
}

static int write_file(const char *dir, const struct plan_cell *planned,
		      size_t cell, const char *ending, const char *heading,
		      const char *format, double least,
		      const struct profile *profile)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/explain-%zu-%s@%s-%zu.%s", dir, cell,
		 planned->filter->name, hook_info(planned->hook)->name,
		 planned->rule_count, ending);
	file = fopen(path, "we");
	if (!file)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	fputs(heading, file);
	for (size_t i = 0; i < profile->count; i++)
		if (profile->rows[i].insn >= least)
			fprintf(file, format, profile->rows[i].name,
				profile->rows[i].insn);
	return close_file(file, path);
}

int explain_write(const char *dir, const struct plan_cell *planned, size_t cell,
		  struct explain_boot *boot)
{
	int err;

	profile_rank(&boot->profile);
	err = write_file(dir, planned, cell, "tsv",
			 "# function\tinsn_per_packet\n", "%s\t%.3f\n",
			 -INFINITY, &boot->profile);
	/* a flame graph has no use for what rounds to nothing */
	return err ? err
		   : write_file(dir, planned, cell, "folded", "", "%s %.0f\n",
				0.5, &boot->profile);
}

/* The largest ones; the rest in one line, so that they add up. */
static void show_rows(const struct profile *profile, const char *format)
{
	double rest = 0;
	char others[32];

	for (size_t i = 0; i < profile->count; i++) {
		if (i < SHOWN_ROWS)
			printf(format, profile->rows[i].insn,
			       profile->rows[i].name);
		else
			rest += profile->rows[i].insn;
	}
	if (profile->count <= SHOWN_ROWS)
		return;
	snprintf(others, sizeof(others), "%zu others",
		 profile->count - SHOWN_ROWS);
	printf(format, rest, others);
}

static void show_heading(const struct plan_cell *planned)
{
	printf("\n%s@%s, %zu rules: insn per packet by function, ",
	       planned->filter->name, hook_info(planned->hook)->name,
	       planned->rule_count);
}

void explain_show_cell(const struct plan_cell *planned, const char *kernel,
		       struct explain_boot *boot)
{
	double share = boot->measured
			       ? 100 * boot->profile.total / boot->measured
			       : NAN;

	profile_rank(&boot->profile);
	show_heading(planned);
	printf("%s\n", kernel);
	show_rows(&boot->profile, "%12.2f  %s\n");
	printf("%12.2f  sum, %.2f %% of the %.2f that the source timed\n",
	       boot->profile.total, share, boot->measured);
}

int explain_show(const struct plan_cell *planned, const char *before_name,
		 const struct explain_boot *before, const char *after_name,
		 const struct explain_boot *after)
{
	double timed = after->measured - before->measured;
	struct profile difference;
	int err = profile_difference(&before->profile, &after->profile,
				     &difference);

	if (err)
		return log_err(err, "out of memory");
	show_heading(planned);
	printf("%s less %s\n", after_name, before_name);
	show_rows(&difference, "%+12.2f  %s\n");
	printf("%+12.2f  in all; the source timed %+.2f\n", difference.total,
	       timed);
	profile_free(&difference);
	return 0;
}

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
		      const char *format, const struct profile *profile)
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
			 &boot->profile);
	return err ? err
		   : write_file(dir, planned, cell, "folded", "", "%s %.0f\n",
				&boot->profile);
}

static void show_sum(const char *name, const struct explain_boot *boot)
{
	double share = boot->measured
			       ? 100 * boot->profile.total / boot->measured
			       : NAN;

	printf("%12.2f  sum of %s, %.2f %% of the %.2f that the source timed\n",
	       boot->profile.total, name, share, boot->measured);
}

int explain_show(const struct plan_cell *planned, const char *before_name,
		 const struct explain_boot *before, const char *after_name,
		 const struct explain_boot *after)
{
	struct profile difference;
	double rest = 0;
	int err = profile_difference(&before->profile, &after->profile,
				     &difference);

	if (err)
		return log_err(err, "out of memory");
	printf("\n%s@%s, %zu rules: insn per packet by function, %s less %s\n",
	       planned->filter->name, hook_info(planned->hook)->name,
	       planned->rule_count, after_name, before_name);
	for (size_t i = 0; i < difference.count; i++) {
		if (i < SHOWN_ROWS)
			printf("%+12.2f  %s\n", difference.rows[i].insn,
			       difference.rows[i].name);
		else
			rest += difference.rows[i].insn;
	}
	if (difference.count > SHOWN_ROWS)
		printf("%+12.2f  %zu others\n", rest,
		       difference.count - SHOWN_ROWS);
	printf("%+12.2f  in all\n", difference.total);
	show_sum(before_name, before);
	show_sum(after_name, after);
	profile_free(&difference);
	return 0;
}

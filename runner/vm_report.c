// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/compare.h"
#include "runner/log.h"
#include "runner/plot.h"
#include "runner/report.h"
#include "runner/vm_report.h"

static int write_one(const char *dir, bool plots)
{
	int err = report_write_files(dir);

	if (!err && plots)
		plot_render(dir, PLOT_SVG);
	log_info("results: %s", dir);
	return err;
}

int vm_report(const char *const *dirs, size_t count, bool plots)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++)
		err = write_one(dirs[i], plots);
	if (err || !count)
		return err;
	if (count == 1)
		return report_show(dirs[0], &report_text);
	/* that kernels differ is no failure of this command */
	err = compare_show(dirs, count, NULL, COMPARE_THRESHOLD_PERCENT);
	return err < 0 ? err : 0;
}

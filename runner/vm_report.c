// SPDX-License-Identifier: GPL-2.0-or-later
#include "runner/log.h"
#include "runner/plot.h"
#include "runner/report.h"
#include "runner/side_by_side.h"
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
	return count == 1 ? report_show(dirs[0], &report_text)
			  : side_by_side(dirs, count, stdout);
}

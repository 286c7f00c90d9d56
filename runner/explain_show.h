/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "runner/explain_boot.h"

/*
 * Writes DIR/explain-CELL.tsv (function, instructions per packet, the largest
 * first) and DIR/explain-CELL.folded for flame graphs.  0 or a negative errno,
 * said.
 */
int explain_write(const char *dir, const struct plan_cell *planned, size_t cell,
		  struct explain_boot *boot);

/*
 * Shows the functions that a cell spends most in, their sum, and its share of
 * what the source timed.
 */
void explain_show_cell(const struct plan_cell *planned, const char *kernel,
		       struct explain_boot *boot);

/*
 * Shows what `after` spends more or less than `before`, by function, and
 * the sum of it.  0 or -ENOMEM, said.
 */
int explain_show(const struct plan_cell *planned, const char *before_name,
		 const struct explain_boot *before, const char *after_name,
		 const struct explain_boot *after);

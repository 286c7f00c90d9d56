/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "runner/compare.h"

/* Gives the changes their verdicts, and the comparison the worst of them. */
void compare_judge(struct comparison *comparison);

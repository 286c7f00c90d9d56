/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --proof: the proof of a cell, with a capture of what lo carried meanwhile.
 */
#pragma once

#include "runner/cell.h"

/*
 * Proves the cell (see prove.h); with options->proof the capture is kept there
 * as MECHANISM@HOOK-RULES.pcap, the two `none` of a hook also by their role,
 * and also when the proof fails.
 */
int keep_proof(struct cell *cell, const struct options *options);

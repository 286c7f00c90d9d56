/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iptables has two back ends that cannot see each other's rules, though both
 * act on the packets: x_tables (legacy) and nf_tables.
 */
#pragma once

#include <stdbool.h>

#include "runner/rules.h"

/*
 * Whether the nf_tables back end has made a table of this name in the current
 * namespace.  false also where the kernel has no nf_tables; says nothing.
 */
bool backend_nft_has(enum family family, const char *table);

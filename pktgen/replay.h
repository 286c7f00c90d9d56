/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture in the maps of the bpf source.
 */
#pragma once

#include <bpf/libbpf.h>

#include "runner/traffic.h"

/* Before the maps are made: as large as the capture. */
void replay_size(struct bpf_map *packets, struct bpf_map *chunks,
		 const struct capture *capture);

/* Afterwards.  0, or a negative errno, said. */
int replay_fill(const struct bpf_map *packets, const struct bpf_map *chunks,
		const struct capture *capture);

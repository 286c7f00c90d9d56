/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What there is: the arrays made of registry.def, each closed by NULL.
 */
#pragma once

#include "runner/filter.h"
#include "runner/source.h"

extern const struct filter *const filters[];
extern const struct filter *const sinks[];
extern const struct source *const sources[];
extern const struct prover *const registry_prover;
extern const struct capture_reader *const registry_capture_reader;
extern const struct recorder *const registry_recorder;

/* NULL if there is none of that name; says nothing. */
const struct filter *registry_filter(const char *name);
const struct source *registry_source(const char *name);

/* The sink for a hook, NULL if there is none. */
const struct filter *registry_sink(enum hook hook);

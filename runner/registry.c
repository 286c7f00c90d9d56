// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "runner/registry.h"

#define FILTER(id) extern const struct filter filter_##id;
#define SOURCE(id) extern const struct source source_##id;
#define SINK(id)   extern const struct filter sink_##id;
#define PROVER(id) extern const struct prover prover_##id;
#define CAPTURE_READER(id) \
	extern const struct capture_reader capture_reader_##id;
#define RECORDER(id) extern const struct recorder recorder_##id;
#include "runner/registry.def"

const struct filter *const filters[] = {
#define FILTER(id) &filter_##id,
#include "runner/registry.def"
	NULL,
};

const struct filter *const sinks[] = {
#define SINK(id) &sink_##id,
#include "runner/registry.def"
	NULL,
};

const struct source *const sources[] = {
#define SOURCE(id) &source_##id,
#include "runner/registry.def"
	NULL,
};

const struct prover *const registry_prover =
#define PROVER(id) &prover_##id
#include "runner/registry.def"
	;

const struct capture_reader *const registry_capture_reader =
#define CAPTURE_READER(id) &capture_reader_##id
#include "runner/registry.def"
	;

const struct recorder *const registry_recorder =
#define RECORDER(id) &recorder_##id
#include "runner/registry.def"
	;

const struct filter *registry_filter(const char *name)
{
	for (size_t i = 0; filters[i]; i++)
		if (!strcmp(filters[i]->name, name))
			return filters[i];
	return NULL;
}

const struct source *registry_source(const char *name)
{
	for (size_t i = 0; sources[i]; i++)
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	return NULL;
}

const struct filter *registry_sink(enum hook hook)
{
	for (size_t i = 0; sinks[i]; i++)
		if (sinks[i]->hooks & HOOK_BIT(hook))
			return sinks[i];
	return NULL;
}

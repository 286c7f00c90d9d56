// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "runner/cleanup.h"
#include "runner/keep.h"
#include "runner/log.h"
#include "runner/prove.h"
#include "runner/registry.h"

/* With an axis besides the rules, its value as well. */
static int name_file(const struct cell *cell, const char *dir, char **file)
{
	const struct plan_cell *plan = cell->plan;
	char which[32] = "";

	if (plan->role != ROLE_FILTER)
		snprintf(which, sizeof(which), "-%s",
			 plan_role_name(plan->role));
	else if (cell->axis_value != plan->rule_count)
		snprintf(which, sizeof(which), "-%zu", cell->axis_value);
	if (asprintf(file, "%s/%s@%s-%zu%s.pcap", dir, plan->filter->name,
		     hook_info(plan->hook)->name, plan->rule_count, which) >= 0)
		return 0;
	*file = NULL;
	return log_err(-ENOMEM, "--proof: out of memory");
}

int keep_proof(struct cell *cell, const struct options *options)
{
	auto_mem void *state = NULL;
	auto_mem char *file = NULL;
	int err, closed;

	if (!options->proof)
		return prove_cell(cell, options->seed);
	state = calloc(1, registry_recorder->state_size);
	if (!state)
		return log_err(-ENOMEM, "--proof: out of memory");
	err = name_file(cell, options->proof, &file);
	if (!err)
		err = registry_recorder->open(state, file);
	if (err)
		return err;
	err = prove_cell(cell, options->seed);
	closed = registry_recorder->close(state);
	return err ? err : closed;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/fields.h"
#include "runner/log.h"
#include "runner/results.h"

#define SCHEMA 1

/* Old runs, and mechanisms without a figure, are silent on it. */
static int64_t known(const struct node *node, const char *key)
{
	const json_t *item = json_object_get(node->object, key);
	int64_t value = json_is_integer(item) ? json_integer_value(item) : -1;

	return value < 0 ? RESULT_UNKNOWN : value;
}

static void read_setup(const struct node *node, struct result_setup *setup)
{
	const json_t *from = json_object_get(node->object, "kernel_bytes_from");

	setup->install_ns = known(node, "setup_ns");
	setup->add_ns = known(node, "add_ns");
	setup->remove_ns = known(node, "remove_ns");
	setup->kernel_bytes = known(node, "kernel_bytes");
	setup->grown_bytes = known(node, "grown_bytes");
	setup->bytes_from = "";
	if (setup->kernel_bytes != RESULT_UNKNOWN && json_is_string(from))
		setup->bytes_from = json_string_value(from);
}

static int read_cell(const struct node *node, size_t index,
		     enum result_axis axis, struct result_cell *cell)
{
	static const char *const roles[] = { "baseline", "canary", "filter",
					     NULL };
	static const char *const states[] = { "measured", "skipped", "failed",
					      NULL };
	uint64_t id, baseline;
	unsigned int role, status;
	int err;

	if ((err = field_count(node, "id", &id)) ||
	    (err = field_string(node, "filter", &cell->filter)) ||
	    (err = field_string(node, "mechanism", &cell->mechanism)) ||
	    (err = field_string(node, "hook", &cell->hook)) ||
	    (err = field_count(node, "rules", &cell->rules)) ||
	    (err = field_word(node, "role", roles, &role)) ||
	    (err = field_count(node, "baseline", &baseline)) ||
	    (err = field_bool(node, "linear", &cell->linear)) ||
	    (err = field_word(node, "status", states, &status)))
		return err;
	if (id != index)
		return log_err(-EINVAL, "%s: %sid is not its place in the list",
			       node->file, node->path);
	cell->role = role;
	cell->status = status;
	cell->baseline = baseline;
	cell->reason = "";
	if (cell->status != RESULT_MEASURED)
		err = field_string(node, "reason", &cell->reason);
	read_setup(node, &cell->setup);
	cell->x = cell->rules;
	if (!err && axis != RESULT_OVER_RULES && cell->role == RESULT_FILTER)
		err = field_count(node, "axis_value", &cell->x);
	return err;
}

static int read_cells(const struct node *root, struct results *results)
{
	const json_t *array;
	int err = field_array(root, "cells", &array);

	if (err)
		return err;
	results->cell_count = json_array_size(array);
	results->cells =
		calloc(results->cell_count + 1, sizeof(*results->cells));
	if (!results->cells)
		return log_err(-ENOMEM, "%s: no memory", root->file);
	for (size_t i = 0; i < results->cell_count && !err; i++) {
		struct node node;

		err = field_element(root, "cells", array, i, &node);
		if (!err)
			err = read_cell(&node, i, results->axis,
					&results->cells[i]);
	}
	for (size_t i = 0; i < results->cell_count && !err; i++) {
		size_t base = results->cells[i].baseline;

		if (base >= results->cell_count ||
		    results->cells[base].role != RESULT_BASELINE)
			err = log_err(-EINVAL,
				      "%s: cells[%zu].baseline is not the id "
				      "of a baseline",
				      root->file, i);
	}
	return err;
}

static int read_warnings(const struct node *root, struct results *results)
{
	const json_t *array;
	int err = field_array(root, "warnings", &array);

	if (err)
		return err;
	results->warning_count = json_array_size(array);
	results->warnings =
		calloc(results->warning_count + 1, sizeof(*results->warnings));
	if (!results->warnings)
		return log_err(-ENOMEM, "%s: no memory", root->file);
	for (size_t i = 0; i < results->warning_count && !err; i++) {
		struct result_warning *warning = &results->warnings[i];
		struct node node;

		if ((err = field_element(root, "warnings", array, i, &node)) ||
		    (err = field_string(&node, "text", &warning->text)) ||
		    (err = field_string(&node, "remedy", &warning->remedy)))
			break;
	}
	return err;
}

static int read_axis(const struct node *options, struct results *results)
{
	static const char *const axes[] = { "rules", "prefix-lengths", NULL };
	unsigned int axis = RESULT_OVER_RULES;
	int err = 0;

	if (json_object_get(options->object, "axis"))
		err = field_word(options, "axis", axes, &axis);
	results->axis = axis;
	return err;
}

static int read_run(const struct node *root, struct results *results)
{
	static const char *const states[] = { "running", "complete",
					      "interrupted", "failed", NULL };
	static const char *const clocks[] = { "ns", "instructions", NULL };
	struct node source, options, machine;
	unsigned int state, clock;
	uint64_t schema;
	int err;

	if ((err = field_count(root, "schema", &schema)))
		return err;
	if (schema != SCHEMA)
		return log_err(-EINVAL,
			       "%s: schema %llu, this version reads %d; use "
			       "the hookcost that wrote it",
			       root->file, (unsigned long long)schema, SCHEMA);
	if ((err = field_string(root, "tool", &results->tool)) ||
	    (err = field_word(root, "state", states, &state)) ||
	    (err = field_string(root, "started", &results->started)) ||
	    (err = field_word(root, "clock", clocks, &clock)) ||
	    (err = field_node(root, "source", &source)) ||
	    (err = field_string(&source, "name", &results->source)) ||
	    (err = field_string(&source, "reason", &results->source_reason)) ||
	    (err = field_node(root, "options", &options)) ||
	    (err = field_string(&options, "fate", &results->fate)) ||
	    (err = field_string(&options, "match", &results->match)) ||
	    (err = field_count(&options, "frame_bytes",
			       &results->frame_bytes)) ||
	    (err = field_count(&options, "flows", &results->flows)) ||
	    (err = read_axis(&options, results)) ||
	    (err = field_node(root, "machine", &machine)) ||
	    (err = read_cells(root, results)))
		return err;
	results->state = state;
	results->counts_instructions = clock;
	return read_warnings(root, results);
}

static int read_samples(const char *dir, struct results *results)
{
	auto_mem char *path = NULL;
	int err;

	if (asprintf(&path, "%s/samples.tsv", dir) < 0)
		return log_err(-ENOMEM, "%s: no memory", dir);
	err = samples_load(path, results->cell_count, &results->samples,
			   &results->sample_count);
	if (err)
		return err;
	for (size_t i = 0; i < results->sample_count; i++) {
		struct sample *sample = &results->samples[i];
		struct result_cell *cell = &results->cells[sample->cell];

		if (!cell->sample_count++)
			cell->samples = sample;
	}
	return 0;
}

int results_load(const char *dir, struct results *results)
{
	auto_mem char *path = NULL;
	auto_results struct results loading = { 0 };
	struct node root = { 0 };
	json_error_t parse;
	int err;

	if (asprintf(&path, "%s/run.json", dir) < 0)
		return log_err(-ENOMEM, "%s: no memory", dir);
	if (access(path, R_OK))
		return log_err(-errno, "%s: %s; is %s a results directory?",
			       path, strerror(errno), dir);
	loading.run = json_load_file(path, JSON_REJECT_DUPLICATES, &parse);
	if (!loading.run)
		return log_err(-EINVAL, "%s:%d: %s", path, parse.line,
			       parse.text);
	if (!json_is_object(loading.run))
		return log_err(-EINVAL, "%s: not an object", path);
	root.file = path;
	root.object = loading.run;
	err = read_run(&root, &loading);
	if (!err)
		err = read_samples(dir, &loading);
	if (!err)
		*results = hand_over(loading, (struct results){ 0 });
	return err;
}

void results_free(struct results *results)
{
	free(results->cells);
	free(results->samples);
	free(results->warnings);
	json_decref(results->run);
	*results = (struct results){ 0 };
}

const char *results_fact(const struct results *results, const char *key)
{
	const json_t *machine = json_object_get(results->run, "machine");

	return json_string_value(json_object_get(machine, key));
}

const char *results_option(const struct results *results, const char *key)
{
	const json_t *options = json_object_get(results->run, "options");

	return json_string_value(json_object_get(options, key));
}

double results_number(const struct results *results, const char *key)
{
	const json_t *machine = json_object_get(results->run, "machine");
	const json_t *item = json_object_get(machine, key);

	return json_is_number(item) ? json_number_value(item) : NAN;
}

static int by_round(const void *key, const void *element)
{
	const struct sample *sample = element;
	uint32_t round = *(const uint32_t *)key;

	return round < sample->round ? -1 : round > sample->round;
}

const struct sample *results_sample(const struct result_cell *cell,
				    uint32_t round)
{
	const struct sample *sample = NULL;

	if (cell->status == RESULT_MEASURED && cell->sample_count)
		sample = bsearch(&round, cell->samples, cell->sample_count,
				 sizeof(*sample), by_round);
	return sample && sample_counts(sample) ? sample : NULL;
}

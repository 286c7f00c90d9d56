/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A results directory, read back: what run.json says of the run and its cells,
 * and the samples.  All that comes after a run works from this alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/sample.h"

enum run_state {
	RUN_RUNNING, /* or killed: nobody was left to say how it ended */
	RUN_COMPLETE,
	RUN_INTERRUPTED,
	RUN_FAILED,
};

enum result_role {
	RESULT_BASELINE, /* `none` on the same path */
	RESULT_CANARY,	 /* a second `none`: what the noise is worth */
	RESULT_FILTER,
};

enum result_status {
	RESULT_MEASURED,
	RESULT_SKIPPED, /* the machine cannot */
	RESULT_FAILED,	/* the proof, or the set-up, went wrong */
};

/* What the cells of a filter differ by. */
enum result_axis {
	RESULT_OVER_RULES,
	RESULT_OVER_LENGTHS, /* how many different ones the rules have */
};

/* Where a number of ns or bytes was not measured. */
#define RESULT_UNKNOWN (-1)

/* How a filter comes and goes, and what it takes meanwhile. */
struct result_setup {
	int64_t install_ns; /* all rules */
	int64_t add_ns;	    /* one more */
	int64_t remove_ns;  /* all of them */
	int64_t kernel_bytes;
	const char *bytes_from; /* who says so: "mechanism", "kernel", or "" */
	int64_t grown_bytes;	/* by the kernel's counters, in any case */
};

struct result_cell {
	const char *filter;    /* MECHANISM@HOOK */
	const char *mechanism; /* the part before the @ */
	const char *hook;      /* the part after it */
	uint64_t rules;
	uint64_t x; /* its place on the axis: rules, or prefix lengths */
	enum result_role role;
	size_t baseline; /* index of the cell to compare with */
	bool linear;
	enum result_status status;
	const char *reason; /* why it was not measured, or "" */
	struct result_setup setup;
	struct sample *samples; /* by round */
	size_t sample_count;
};

struct result_warning {
	const char *text;
	const char *remedy;
};

struct results {
	const char *tool;
	const char *started;
	enum run_state state;
	bool counts_instructions; /* the clock; elapsed_ns holds instructions */
	const char *source;
	const char *source_reason;
	const char *fate;
	const char *match;
	uint64_t frame_bytes;
	uint64_t flows;
	enum result_axis axis;
	struct result_cell *cells; /* cells[i] has the id i */
	size_t cell_count;
	struct sample *samples; /* by cell and round */
	size_t sample_count;
	struct result_warning *warnings;
	size_t warning_count;
	struct json_t *run; /* run.json, which owns the strings */
};

/*
 * Reads run.json and samples.tsv in dir.  0, or a negative errno after saying
 * which key or line is wrong; then there is nothing to free.
 */
int results_load(const char *dir, struct results *results);

/* Harmless on zeroed memory. */
void results_free(struct results *results);

/* What run.json says of the machine; NULL where it is silent, or no string. */
const char *results_fact(const struct results *results, const char *key);

/* The same of the options that the run was started with. */
const char *results_option(const struct results *results, const char *key);

/* What run.json says of the machine as a number; NaN where it says none. */
double results_number(const struct results *results, const char *key);

/*
 * The cell's sample of a round.  NULL if there is none that counts: the cell
 * was not measured, or the slice is missing or a fault.
 */
const struct sample *results_sample(const struct result_cell *cell,
				    uint32_t round);

#define auto_results __attribute__((cleanup(results_free)))

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a results directory while the run goes on: run.json says what was
 * done, samples.tsv gets a line a slice.  A killed run keeps what it measured.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "runner/cell.h"
#include "runner/plan.h"
#include "runner/sample.h"

struct journal {
	char dir[4096];
	FILE *samples;
	json_t *run;
	bool saved; /* there is a run.json, so the directory says something */
	bool streamed;
};

/*
 * Makes the directory (dir NULL: hookcost-DATE in the current one); one that
 * is there already must be empty.  0 or a negative errno, said.
 */
int journal_open(struct journal *journal, const char *dir);

/*
 * Writes lines to a descriptor instead, for another process to make the
 * directory of: JOURNAL_SAMPLE and a line of samples.tsv, or JOURNAL_RUN and
 * run.json in one line.  The descriptor is taken over.
 */
int journal_open_stream(struct journal *journal, int fd);

#define JOURNAL_SAMPLE "sample "
#define JOURNAL_RUN    "run "

/* What is known before the first slice.  machine is taken over. */
int journal_describe(struct journal *journal, const struct plan *plan, int argc,
		     char **argv, json_t *machine);

int journal_source(struct journal *journal, const char *name,
		   const char *reason);

/* Adds a warning with its remedy. */
int journal_warn(struct journal *journal, const char *text, const char *remedy);

/* Writes run.json anew, with the cells as they are; atomic. */
int journal_save(struct journal *journal, const char *state,
		 const struct cell *cells, size_t count);

int journal_sample(struct journal *journal, const struct sample *sample);

/* Removes the directory of a run that could not begin. */
void journal_discard(struct journal *journal);

/* 0, or the error that closing samples.tsv brought to light, said. */
int journal_close(struct journal *journal);

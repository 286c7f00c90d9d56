/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The raw integers of one slice, and samples.tsv, which holds a line of them
 * a slice.  Nothing is divided before stats.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* instructions: the machine or the guest did not count them. */
#define SAMPLE_NOT_COUNTED UINT64_MAX

struct sample {
	uint32_t round; /* 0 is the warm-up, which is never counted */
	uint32_t cell;
	uint64_t start_ns;
	uint64_t elapsed_ns; /* instructions, where these are the clock */
	uint64_t sent;
	uint64_t dropped;
	uint64_t passed;
	uint64_t instructions; /* or SAMPLE_NOT_COUNTED */
	bool fault; /* sent is not dropped + passed, or a wrong verdict */
};

/* Whether it says something of the cell. */
static inline bool sample_counts(const struct sample *sample)
{
	return sample->round && !sample->fault;
}

/* First line of samples.tsv, without its newline. */
#define SAMPLE_COLUMNS                          \
	"# round\tcell\tstart_ns\telapsed_ns\t" \
	"sent\tdropped\tpassed\tinstructions\t" \
	"fault"

/* Writes one line; 0 or -errno, and says nothing. */
int sample_write(FILE *out, const struct sample *sample);

/*
 * Reads a samples.tsv.  A last line without its newline is what a killed run
 * leaves, and is ignored; any other line that is not a sample is -EINVAL, with
 * its number.  A sample that gives no number (nothing sent, no time passed,
 * sent is not dropped + passed) is marked as a fault.  The array, which the
 * caller frees, is sorted by cell and round; a second sample of one cell in
 * one round is -EINVAL.
 */
int samples_load(const char *path, uint32_t cell_count, struct sample **samples,
		 size_t *count);

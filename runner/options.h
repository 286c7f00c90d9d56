/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user asked of `hookcost run`, every value checked.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "runner/filter.h"
#include "runner/source.h"
#include "runner/traffic.h"

/* What varies from cell to cell, beside the filter. */
enum axis {
	AXIS_RULES,   /* how many rules */
	AXIS_LENGTHS, /* how many different prefix lengths they have */
};

enum fate {
	FATE_STACK, /* goes on into the kernel */
	FATE_SINK,  /* is swallowed right after the hook */
};

enum match {
	MATCH_MISS,
	MATCH_FIRST,
	MATCH_MIDDLE,
	MATCH_LAST,
	MATCH_RANDOM,
	MATCH_PERCENT, /* match_percent of the packets hit a random rule */
};

struct filter_choice {
	const struct filter *filter;
	enum hook hook;
};

#define OPTIONS_MAX_FILTERS 64
#define OPTIONS_MAX_SIZES   64

struct options {
	struct filter_choice filters[OPTIONS_MAX_FILTERS];
	size_t filter_count;
	size_t sizes[OPTIONS_MAX_SIZES]; /* numbers of rules, ascending */
	size_t size_count;
	bool sizes_given;	     /* otherwise linear filters stop early */
	const struct source *source; /* NULL: take the first that works */
	enum family family;
	enum fate fate;
	enum match match;
	uint32_t match_percent;
	uint32_t frame_bytes; /* the mean of a mix */
	bool imix;	      /* frames of several lengths */
	uint32_t flows;	      /* different destinations */
	uint32_t sports;      /* different source ports */
	enum protocol protocol;
	const char *pcap;    /* capture to replay, NULL: none */
	const char *made_by; /* an option that shapes made packets, or NULL */
	const char *proof;   /* directory for captures of the proof, or NULL */
	const char *prefix_mix;
	const char *list; /* file with the rules, NULL: generate them */
	bool strict;	  /* a rejected line of the list is an error */
	bool nested;	  /* generated prefixes may lie inside others */
	enum axis axis;
	size_t lengths[OPTIONS_MAX_SIZES]; /* of prefixes, ascending */
	size_t length_count;		   /* 0: as prefix_mix says */
	int cpu; /* -1: the last one that we may use */
	uint64_t seed;
	double time_s;	   /* of measuring, in all */
	uint32_t rounds;   /* 0: as many as fit into time_s */
	uint64_t packets;  /* per slice, 0: as calibrated */
	uint32_t slice_us; /* its length, 0: what suits the source */
	const char *out;   /* directory, NULL: a new one by date */
	long only_cell;	   /* -1: all; otherwise the index in the plan */
	bool symbols;	   /* stream the kernel's functions before the slices */
	bool dry_run;
	const char *report; /* "cost" or "setup" */
	bool plots;
};

/*
 * Fills options from the command line of a command; argv[0] is its name.
 * 0, -EINVAL after saying what is wrong with which value, or -ECANCELED
 * after printing the help.
 */
int options_parse(struct options *options, int argc, char **argv);

/* The names as on the command line. */
const char *options_axis_name(const struct options *options);
const char *options_family_name(const struct options *options);
const char *options_fate_name(const struct options *options);
const char *options_protocol_name(const struct options *options);
/* Writes to buf, which is returned. */
const char *options_match_name(const struct options *options, char *buf,
			       size_t size);

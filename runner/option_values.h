/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser of each option of `hookcost run`.  All take the whole text of the
 * value (NULL for options without one) and the name of the option for the
 * message; 0, or -EINVAL after saying what is wrong with which value.
 */
#pragma once

#include "runner/options.h"

int opt_filter(struct options *options, const char *name, const char *value);
int opt_rules(struct options *options, const char *name, const char *value);
int opt_source(struct options *options, const char *name, const char *value);
int opt_fate(struct options *options, const char *name, const char *value);
int opt_match(struct options *options, const char *name, const char *value);
int opt_frame(struct options *options, const char *name, const char *value);
int opt_sports(struct options *options, const char *name, const char *value);
int opt_protocol(struct options *options, const char *name, const char *value);
int opt_pcap(struct options *options, const char *name, const char *value);
int opt_proof(struct options *options, const char *name, const char *value);
int opt_flows(struct options *options, const char *name, const char *value);
int opt_family(struct options *options, const char *name, const char *value);
int opt_list(struct options *options, const char *name, const char *value);
int opt_strict(struct options *options, const char *name, const char *value);
int opt_nested(struct options *options, const char *name, const char *value);
int opt_lengths(struct options *options, const char *name, const char *value);
int opt_axis(struct options *options, const char *name, const char *value);
int opt_mix(struct options *options, const char *name, const char *value);
int opt_cpu(struct options *options, const char *name, const char *value);
int opt_seed(struct options *options, const char *name, const char *value);
int opt_time(struct options *options, const char *name, const char *value);
int opt_rounds(struct options *options, const char *name, const char *value);
int opt_packets(struct options *options, const char *name, const char *value);
int opt_slice(struct options *options, const char *name, const char *value);
int opt_out(struct options *options, const char *name, const char *value);
int opt_dry_run(struct options *options, const char *name, const char *value);
int opt_no_plots(struct options *options, const char *name, const char *value);
int opt_verbose(struct options *options, const char *name, const char *value);
int opt_quiet(struct options *options, const char *name, const char *value);
int opt_cell(struct options *options, const char *name, const char *value);
int opt_report(struct options *options, const char *name, const char *value);
int opt_symbols(struct options *options, const char *name, const char *value);

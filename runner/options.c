// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One table of rows gives the parser and the help of `hookcost run`.
 */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/log.h"
#include "runner/option_values.h"
#include "runner/options.h"
#include "runner/registry.h"
#include "runner/rules_gen.h"

static const struct options defaults = {
	.sizes = { 1, 10, 100, 1000, 10000 },
	.size_count = 5,
	.fate = FATE_STACK,
	.match = MATCH_MISS,
	.flows = 256,
	.sports = 1,
	.cpu = -1,
	.only_cell = -1,
	.seed = 1,
	.time_s = 40,
	.report = "cost",
	.plots = true,
};

struct row {
	const char *name;
	int key;
	const char *metavar;
	const char *help;
	int (*parse)(struct options *options, const char *name,
		     const char *value);
};

static const struct row rows[] = {
	{ "filter", 'f', "LIST",
	  "filters as MECHANISM or MECHANISM@HOOK (default: all, each on its own hook)",
	  opt_filter },
	{ "rules", 'n', "LIST",
	  "numbers of rules, k and M allowed (default: 1,10,100,1k,10k; linear filters stop at 1k)",
	  opt_rules },
	{ "source", 's', "NAME", "auto, pktgen or bpf (default: auto)",
	  opt_source },
	{ "fate", 0, "FATE",
	  "what becomes of a packet that passes: stack or sink (default: stack)",
	  opt_fate },
	{ "match", 'm', "WHICH",
	  "which rule the packets hit: miss, first, middle, last, random, or a per cent of random hits (default: miss)",
	  opt_match },
	{ "frame", 0, "BYTES",
	  "length of the Ethernet frame without FCS, 60 to 1514, or imix: 7 of 60, 4 of 590, 1 of 1514 bytes (default: 60; with IPv6 78 for 60)",
	  opt_frame },
	{ "flows", 0, "N", "how many different destinations (default: 256)",
	  opt_flows },
	{ "sports", 0, "N", "how many different source ports (default: 1)",
	  opt_sports },
	{ "protocol", 0, "NAME", "udp or tcp-syn (default: udp)",
	  opt_protocol },
	{ "pcap", 0, "FILE",
	  "send the packets of this capture, in order, instead of made ones",
	  opt_pcap },
	{ "proof", 0, "DIR",
	  "keep a capture of each cell's proving packets in this new directory",
	  opt_proof },
	{ "family", 0, "FAMILY", "of rules and packets, 4 or 6 (default: 4)",
	  opt_family },
	{ "list", 'l', "FILE",
	  "take the rules from a deny-list, - for standard input (default: generate them)",
	  opt_list },
	{ "strict", 0, NULL, "a list line that cannot be read is an error",
	  opt_strict },
	{ "prefix-lengths", 0, "LIST",
	  "how many different lengths the generated prefixes have, 1 to 31",
	  opt_lengths },
	{ "axis", 0, "NAME",
	  "what varies: rules, or prefix-lengths with the number of rules fixed (default: rules)",
	  opt_axis },
	{ "nested", 0, NULL, "generated prefixes may lie inside others",
	  opt_nested },
	{ "prefix-mix", 0, "MIX",
	  "lengths of the generated prefixes (default: 24:0.9,16:0.1, or 48:0.5,64:0.5 with IPv6)",
	  opt_mix },
	{ "cpu", 'c', "N", "CPU that sends (default: the last one)", opt_cpu },
	{ "seed", 0, "N",
	  "of the rules, the proof and the order of the slices (default: 1)",
	  opt_seed },
	{ "time", 't', "SECONDS", "of measuring, in all (default: 40)",
	  opt_time },
	{ "rounds", 'r', "N", "end after so many rounds", opt_rounds },
	{ "packets", 0, "N",
	  "packets in each slice (default: as many as fit into 15 ms)",
	  opt_packets },
	{ "slice", 0, "MICROSECONDS",
	  "length of a slice, where --packets is not given (default: what suits the source)",
	  opt_slice },
	{ "out", 'o', "DIR",
	  "results directory, a new one (default: hookcost-DATE)", opt_out },
	{ "cell", 0, "N",
	  "measure only this cell of the plan (as --dry-run numbers them)",
	  opt_cell },
	{ "symbols", 0, NULL,
	  "in a guest: tell the host where the kernel's functions are",
	  opt_symbols },
	{ "dry-run", 0, NULL,
	  "print the plan and touch nothing (needs no root)", opt_dry_run },
	{ "report", 0, "WHAT",
	  "the table at the end: cost, or setup for what the rules took to install (default: cost)",
	  opt_report },
	{ "no-plots", 0, NULL, "do not draw the plots", opt_no_plots },
	{ "verbose", 'v', NULL, "say more", opt_verbose },
	{ "quiet", 'q', NULL, "say errors only", opt_quiet },
};

/* Options without a short name have keys that are no characters. */
static int key_of(const struct row *row)
{
	return row->key ? row->key : 0x100 + (int)(row - rows);
}

static error_t parse_key(int key, char *value, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		return -log_err(-EINVAL, "run takes no argument, there is '%s'",
				value);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (key_of(&rows[i]) == key)
			return -rows[i].parse(state->input, rows[i].name,
					      value);
	return ARGP_ERR_UNKNOWN;
}

/* filters[0] is `none`, which is in every plan. */
static void add_all_filters(struct options *options)
{
	for (size_t i = 1; filters[i] && i <= OPTIONS_MAX_FILTERS; i++)
		options->filters[options->filter_count++] =
			(struct filter_choice){ filters[i], filters[i]->hook };
}

/* With the axis of lengths, one number of rules is enough. */
static int settle_axis(struct options *options)
{
	static const size_t usual[] = { 1, 2, 4, 8, 16, 31 };

	if (options->list && (options->length_count || options->nested))
		return log_err(
			-EINVAL,
			"--list: its prefixes are what they are, without --prefix-lengths and --nested");
	if (options->axis == AXIS_RULES) {
		if (options->length_count > 1)
			return log_err(
				-EINVAL,
				"--prefix-lengths: several values need --axis prefix-lengths");
		return 0;
	}
	if (options->list)
		return log_err(-EINVAL,
			       "--axis prefix-lengths: not with --list");
	if (!options->sizes_given) {
		options->sizes[0] = 1000;
		options->size_count = 1;
	}
	if (options->size_count > 1)
		return log_err(-EINVAL,
			       "--axis prefix-lengths: one number of --rules");
	if (!options->length_count) {
		memcpy(options->lengths, usual, sizeof(usual));
		options->length_count = ARRAY_SIZE(usual);
	}
	return 0;
}

/* What depends on the family: what the packets and prefixes are at least. */
static int settle_family(struct options *options)
{
	uint32_t least = traffic_frame_min_bytes(options->family);
	struct prefix_mix mix;

	if (options->imix)
		options->frame_bytes = options->family == FAMILY_IPV6
					       ? TRAFFIC_IMIX6_MEAN_BYTES
					       : TRAFFIC_IMIX_MEAN_BYTES;
	if (!options->frame_bytes)
		options->frame_bytes = least;
	if (options->frame_bytes < least)
		return log_err(
			-EINVAL,
			"--frame: '%u' is out of range, IPv6 takes %u to 1514, or imix",
			options->frame_bytes, least);
	if (!options->prefix_mix)
		options->prefix_mix = rules_mix_default(options->family);
	return rules_mix_parse(options->prefix_mix, options->family, &mix);
}

static int check_together(const struct options *options)
{
	if (options->pcap && options->made_by)
		return log_err(-EINVAL,
			       "--pcap brings its own packets: leave out --%s",
			       options->made_by);
	return 0;
}

int options_parse(struct options *options, int argc, char **argv)
{
	struct argp_option table[ARRAY_SIZE(rows) + 1] = { 0 };
	const struct argp argp = {
		.options = table,
		.parser = parse_key,
		.doc = "Measure what packet filters cost on this machine; leaves a results directory.",
	};
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		table[i] =
			(struct argp_option){ rows[i].name,    key_of(&rows[i]),
					      rows[i].metavar, 0,
					      rows[i].help,    0 };
	*options = defaults;
	err = cli_parse(&argp, argc, argv, options);
	if (!err)
		err = check_together(options);
	if (!err)
		err = settle_family(options);
	if (err)
		return err;
	if (!options->filter_count)
		add_all_filters(options);
	return settle_axis(options);
}

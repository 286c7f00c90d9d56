// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runner/guest_image.h"
#include "runner/guest_words.h"
#include "runner/log.h"

/*
 * With the instruction counter a slice has 75 ms, which is 20,000 packets
 * without a filter: the tick of the kernel's timer, a few thousand
 * instructions, then moves the result by less than a hundredth of a per cent.
 */
#define INSTRUCTION_SLICE_US 75000

/* The fewest that give a distribution-free 95 % interval. */
#define INSTRUCTION_ROUNDS 6

static void put(struct guest_words *words, const char *name, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));

static void put(struct guest_words *words, const char *name, const char *fmt,
		...)
{
	char *text = words->text + words->used;
	size_t room = sizeof(words->text) - words->used;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, room, fmt, args);
	va_end(args);
	if (len < 0 || (size_t)len >= room ||
	    words->count + 3 > GUEST_WORDS_MAX) {
		words->used = sizeof(words->text);
		return;
	}
	words->used += len + 1;
	words->words[words->count++] = name;
	words->words[words->count++] = text;
}

static void put_flag(struct guest_words *words, const char *name)
{
	if (words->count + 2 > GUEST_WORDS_MAX)
		words->used = sizeof(words->text);
	else
		words->words[words->count++] = name;
}

static void put_traffic(struct guest_words *words, const struct options *o)
{
	char match[16];

	if (o->pcap) {
		put(words, "--pcap", "/" GUEST_CAPTURE);
		return;
	}
	put(words, "--match", "%s",
	    options_match_name(o, match, sizeof(match)));
	if (o->imix)
		put(words, "--frame", "imix");
	else
		put(words, "--frame", "%" PRIu32, o->frame_bytes);
	put(words, "--protocol", "%s", options_protocol_name(o));
	put(words, "--sports", "%" PRIu32, o->sports);
	put(words, "--flows", "%" PRIu32, o->flows);
}

static void put_rules(struct guest_words *words, const struct options *o)
{
	if (o->list) {
		put(words, "--list", "/" GUEST_LIST);
		if (o->strict)
			put_flag(words, "--strict");
		return;
	}
	put(words, "--prefix-mix", "%s", o->prefix_mix);
	if (o->nested)
		put_flag(words, "--nested");
}

static void put_common(struct guest_words *words, const struct options *o)
{
	put(words, "--source", "%s", o->source ? o->source->name : "auto");
	put(words, "--family", "%s", options_family_name(o));
	put(words, "--fate", "%s", options_fate_name(o));
	put(words, "--seed", "%" PRIu64, o->seed);
	if (o->packets)
		put(words, "--packets", "%" PRIu64, o->packets);
	/* a console that still prints would disturb the slices */
	put_flag(words, "--quiet");
	if (o->symbols)
		put_flag(words, "--symbols");
	put_traffic(words, o);
	put_rules(words, o);
}

static int finish(struct guest_words *words)
{
	if (words->used == sizeof(words->text))
		return log_err(-E2BIG, "the options are too long for a guest");
	words->words[words->count] = NULL;
	return 0;
}

int guest_words_cell(struct guest_words *words, const struct options *options,
		     const struct plan_cell *cell, size_t *id)
{
	/* the plan of a single filter: baseline, canary, filter */
	*id = cell->role;
	*words = (struct guest_words){ .words = { "run" }, .count = 1 };
	put(words, "--filter", "%s@%s", cell->filter->name,
	    hook_info(cell->hook)->name);
	if (cell->rule_count)
		put(words, "--rules", "%zu", cell->rule_count);
	/* a single number of lengths is no axis any more */
	if (cell->rule_count && options->length_count)
		put(words, "--prefix-lengths", "%zu",
		    options->lengths[options->axis == AXIS_LENGTHS
					     ? cell->axis_index
					     : 0]);
	put(words, "--cell", "%zu", *id);
	put(words, "--rounds", "%" PRIu32,
	    options->rounds ? options->rounds : INSTRUCTION_ROUNDS);
	put(words, "--slice", "%" PRIu32,
	    options->slice_us ? options->slice_us : INSTRUCTION_SLICE_US);
	put_common(words, options);
	return finish(words);
}

int guest_words_plan(struct guest_words *words, const struct plan *plan)
{
	const struct options *o = plan->options;

	*words = (struct guest_words){ .words = { "run" }, .count = 1 };
	for (size_t i = 0; i < o->filter_count; i++)
		put(words, "--filter", "%s@%s", o->filters[i].filter->name,
		    hook_info(o->filters[i].hook)->name);
	for (size_t i = 0; o->sizes_given && i < o->size_count; i++)
		put(words, "--rules", "%zu", o->sizes[i]);
	put(words, "--axis", "%s", options_axis_name(o));
	for (size_t i = 0; i < o->length_count; i++)
		put(words, "--prefix-lengths", "%zu", o->lengths[i]);
	if (o->rounds)
		put(words, "--rounds", "%" PRIu32, o->rounds);
	if (o->slice_us)
		put(words, "--slice", "%" PRIu32, o->slice_us);
	put(words, "--time", "%g", o->time_s);
	put_common(words, o);
	return finish(words);
}

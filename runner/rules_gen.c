// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/rules_gen.h"
#include "runner/rules_space.h"

/* Attempts to put a prefix into an earlier one before it goes anywhere. */
#define NEST_TRIES 8

/* Weights are scaled to integers, so that drawing is the same everywhere. */
#define TICKETS (1 << 30)

struct drawing {
	struct space space;
	struct prng prng;
	uint64_t tickets[LENS];	   /* share of each length */
	size_t taken[LENS];	   /* prefixes of each length */
	size_t replaced[LENS];	   /* times that it had none left */
	const struct rules *drawn; /* so far */
};

static void drop_drawing(struct drawing *drawing)
{
	space_free(&drawing->space);
}

static int scale_weights(const struct prefix_mix *mix, uint64_t tickets[LENS])
{
	double sum = 0;

	for (int len = 1; len < LENS; len++)
		sum += mix->weight[len];
	if (!(sum > 0) || !isfinite(sum))
		return log_err(-EINVAL, "the prefix mix has no length");

	for (int len = 1; len < LENS; len++) {
		double share = mix->weight[len] / sum;

		tickets[len] = lrint(share * TICKETS);
		if (mix->weight[len] > 0 && !tickets[len])
			tickets[len] = 1;
	}
	return 0;
}

static addr_t all_free(const struct space *space)
{
	addr_t sum = 0;

	for (int len = 1; len < LENS; len++)
		sum += space->level[len].free;
	return sum;
}

/* A length by weight; 0 when none has a ticket and, if asked, a free one. */
static int draw_among(struct drawing *drawing, bool only_free)
{
	uint64_t sum = 0, ticket;
	uint64_t share[LENS];

	for (int len = 1; len < LENS; len++) {
		share[len] = drawing->tickets[len];
		if (only_free && !drawing->space.level[len].free)
			share[len] = 0;
		sum += share[len];
	}
	if (!sum)
		return 0;

	ticket = prng_below(&drawing->prng, sum);
	for (int len = 1; len < LENS; len++) {
		if (ticket < share[len])
			return len;
		ticket -= share[len];
	}
	return 0;
}

static int draw_len(struct drawing *drawing)
{
	int len = draw_among(drawing, false);

	if (drawing->space.level[len].free)
		return len;
	drawing->replaced[len]++;
	return draw_among(drawing, true);
}

/* The next length of the opening that has one prefix of each, or 0. */
static int opening_len(const struct drawing *drawing)
{
	size_t nth = drawing->drawn->count;

	for (int len = 1; len < LENS; len++)
		if (drawing->tickets[len] && !nth--)
			return drawing->space.level[len].free ? len : 0;
	return 0;
}

/* A free node inside an earlier, shorter prefix. */
static bool draw_inside(struct drawing *drawing, int len, addr_t *node)
{
	const struct rules *drawn = drawing->drawn;

	for (int i = 0; i < NEST_TRIES && drawn->count; i++) {
		const struct prefix *outer = &drawn->prefixes[prng_below(
			&drawing->prng, drawn->count)];
		int below = len - outer->len;

		if (below <= 0)
			continue;
		*node = outer->addr >> (ADDR_BITS - len);
		*node += prng_below_wide(&drawing->prng, (addr_t)1 << below);
		if (space_is_free(&drawing->space, len, *node))
			return true;
	}
	return false;
}

static int draw_prefix(struct drawing *drawing, int len, struct prefix *out)
{
	struct space *space = &drawing->space;
	addr_t node = 0;
	int err;

	if (!space->nested || !prng_below(&drawing->prng, 2) ||
	    !draw_inside(drawing, len, &node)) {
		err = space_draw(space, len, &drawing->prng, &node);
		if (err)
			return err;
	}
	space_take(space, len, node);
	*out = (struct prefix){ .addr = node << (ADDR_BITS - len), .len = len };
	return 0;
}

static int no_space(const struct rules_spec *spec, size_t count, size_t most)
{
	return log_err(
		-ENOSPC,
		"%zu %sprefixes were asked for, but with this prefix mix and seed the address space ends after at most %zu: ask for fewer, or add longer prefixes to the mix",
		count, spec->nested ? "" : "disjoint ", most);
}

static void report_replaced(const struct drawing *drawing, bool each_first)
{
	char text[LENS * sizeof(", 18446744073709551615 /128")] = "";
	size_t chars = 0;

	for (int len = 1; len < LENS; len++)
		if (drawing->replaced[len])
			chars += snprintf(text + chars, sizeof(text) - chars,
					  "%s%zu /%d", chars ? ", " : "",
					  drawing->taken[len], len);
	if (!chars)
		return;

	/* With equal parts of many lengths this is only to be expected. */
	(each_first ? log_debug : log_warn)(
		"the address space has room for only %s prefixes of the mix; other lengths take their place",
		text);
}

/* Fills the list, whose array has room for count. */
static int draw_list(struct drawing *drawing, const struct rules_spec *spec,
		     size_t count, struct rules *list)
{
	while (list->count < count) {
		int len = spec->mix.each_first ? opening_len(drawing) : 0;
		int err;

		if (!len)
			len = draw_len(drawing);
		if (!len)
			return no_space(spec, count, list->count);
		err = draw_prefix(drawing, len, &list->prefixes[list->count]);
		if (err)
			return err;
		drawing->taken[len]++;
		list->count++;
	}
	return 0;
}

int rules_generate(const struct rules_spec *spec, size_t count,
		   struct rules *out)
{
	__attribute__((cleanup(drop_drawing))) struct drawing drawing = { 0 };
	struct rules list = { .family = spec->family };
	bool use[LENS] = { false };
	int err;

	*out = list;
	err = scale_weights(&spec->mix, drawing.tickets);
	if (err)
		return err;
	for (int len = 1; len < LENS; len++)
		use[len] = drawing.tickets[len];
	err = space_init(&drawing.space, spec->family, use, spec->nested,
			 count);
	if (err)
		return err;
	if (count > all_free(&drawing.space))
		return no_space(spec, count, all_free(&drawing.space));

	list.prefixes = malloc((count ? count : 1) * sizeof(*list.prefixes));
	if (!list.prefixes)
		return log_err(-ENOMEM, "no memory for %zu prefixes", count);

	prng_seed(&drawing.prng, spec->seed);
	drawing.drawn = &list;
	err = draw_list(&drawing, spec, count, &list);
	if (err) {
		rules_free(&list);
		return err;
	}
	report_replaced(&drawing, spec->mix.each_first);
	*out = list;
	return 0;
}

void rules_free(struct rules *rules)
{
	free(rules->prefixes);
	*rules = (struct rules){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/profile.h"

/* Less than this is what is left of equal counts. */
#define NOTHING 0.0005

static int push(struct profile *profile, const char *name, double insn)
{
	if (profile->count == profile->room) {
		size_t room = profile->room ? 2 * profile->room : 4096;
		struct profile_row *grown =
			reallocarray(profile->rows, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		profile->rows = grown;
		profile->room = room;
	}
	profile->rows[profile->count++] = (struct profile_row){ name, insn };
	return 0;
}

int profile_add(struct profile *profile, const struct symbols *symbols,
		FILE *counts, double factor)
{
	uint64_t addr, count;
	int err = 0, fields;

	while (!err && (fields = fscanf(counts, "%" SCNx64 " %" SCNu64, &addr,
					&count)) == 2)
		err = push(profile, symbols_name(symbols, addr),
			   count * factor);
	if (!err && (fields != EOF || !feof(counts)))
		err = -EINVAL;
	return err;
}

static int by_name(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_size(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;
	double difference = fabs(y->insn) - fabs(x->insn);

	if (difference)
		return difference > 0 ? 1 : -1;
	return by_name(a, b);
}

void profile_settle(struct profile *profile)
{
	size_t kept = 0;

	profile->total = 0;
	if (profile->count)
		qsort(profile->rows, profile->count, sizeof(*profile->rows),
		      by_name);
	for (size_t i = 0; i < profile->count;) {
		struct profile_row row = profile->rows[i++];

		while (i < profile->count &&
		       !strcmp(profile->rows[i].name, row.name))
			row.insn += profile->rows[i++].insn;
		profile->total += row.insn;
		if (fabs(row.insn) >= NOTHING)
			profile->rows[kept++] = row;
	}
	profile->count = kept;
}

int profile_difference(const struct profile *before,
		       const struct profile *after, struct profile *out)
{
	int err = 0;

	*out = (struct profile){ 0 };
	for (size_t i = 0; !err && i < after->count; i++)
		err = push(out, after->rows[i].name, after->rows[i].insn);
	for (size_t i = 0; !err && i < before->count; i++)
		err = push(out, before->rows[i].name, -before->rows[i].insn);
	if (err)
		profile_free(out);
	else
		profile_settle(out);
	profile_rank(out);
	return err;
}

void profile_rank(struct profile *profile)
{
	if (profile->count)
		qsort(profile->rows, profile->count, sizeof(*profile->rows),
		      by_size);
}

void profile_free(struct profile *profile)
{
	free(hand_over(profile->rows, NULL));
	profile->count = profile->room = 0;
}

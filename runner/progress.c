// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/progress.h"
#include "runner/stats.h"

static void add(struct progress *progress, double difference_ns)
{
	if (progress->count == progress->room) {
		size_t room = progress->room ? 2 * progress->room : 64;
		double *grown = reallocarray(progress->differences_ns, room,
					     sizeof(*grown));

		if (!grown)
			return; /* only the display misses it */
		progress->differences_ns = grown;
		progress->room = room;
	}
	progress->differences_ns[progress->count++] = difference_ns;
}

void progress_note(struct progress *progress, const struct sample *sample)
{
	if (!sample_counts(sample) || !sample->sent)
		return;
	if (sample->cell == progress->baseline)
		progress->baseline_ns = stats_ns(sample);
	else if (sample->cell == progress->canary)
		progress->canary_ns = stats_ns(sample);
	if (!progress->baseline_ns || !progress->canary_ns)
		return;
	add(progress, progress->canary_ns - progress->baseline_ns);
	progress->baseline_ns = progress->canary_ns = 0;
}

/* stats_median() sorts, which does no harm to what is only collected. */
static void noise(struct progress *progress, char *text, size_t bytes)
{
	struct interval canary =
		stats_median(progress->differences_ns, progress->count, false);

	text[0] = '\0';
	if (progress->count && !isnan(canary.lo))
		snprintf(text, bytes, ", noise +-%.1f ns a packet",
			 interval_half(&canary));
}

void progress_show(struct progress *progress, uint32_t round, uint32_t rounds,
		   double left_s)
{
	char text[64];

	noise(progress, text, sizeof(text));
	if (rounds)
		log_progress("round %u of %u%s", round, rounds, text);
	else
		log_progress("round %u, %.0f s left%s", round, left_s, text);
}

void progress_free(struct progress *progress)
{
	free(hand_over(progress->differences_ns, NULL));
}

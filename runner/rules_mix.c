// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runner/log.h"
#include "runner/rules_gen.h"

/*
 * strtod() alone would take blanks, signs, hexadecimal, "inf" and, by
 * locale, a decimal comma.
 */
static bool parse_weight(const char *text, size_t chars, double *weight)
{
	double value = 0, scale = 1;
	bool digits = false, point = false;

	for (size_t i = 0; i < chars; i++) {
		if (text[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return false;
		digits = true;
		value = value * 10 + (text[i] - '0');
		if (point)
			scale *= 10;
	}
	*weight = value / scale;
	return digits && isfinite(*weight) && *weight > 0;
}

static int parse_len(const char *text, size_t chars, int most)
{
	int len = 0;

	if (!chars || chars > 3 || (chars > 1 && *text == '0'))
		return 0;
	for (size_t i = 0; i < chars; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		len = len * 10 + (text[i] - '0');
	}
	return len <= most ? len : 0;
}

int rules_mix_parse(const char *text, enum family family,
		    struct prefix_mix *mix)
{
	const int most = family_bits(family);
	struct prefix_mix parsed = { 0 };
	const char *part = text;

	for (;;) {
		size_t chars = strcspn(part, ",");
		const char *colon = memchr(part, ':', chars);
		size_t len_chars = colon ? (size_t)(colon - part) : chars;
		int len = parse_len(part, len_chars, most);
		double weight = 1;

		if (!len)
			return log_err(
				-EINVAL,
				"prefix mix '%s': '%.*s' is no prefix length from 1 to %d; write LENGTH:WEIGHT,... as in '%s'",
				text, (int)len_chars, part, most,
				rules_mix_default(family));
		if (colon &&
		    !parse_weight(colon + 1, chars - len_chars - 1, &weight))
			return log_err(
				-EINVAL,
				"prefix mix '%s': '%.*s' is no weight above 0; write a number such as 0.9",
				text, (int)(chars - len_chars - 1), colon + 1);
		if (parsed.weight[len] > 0)
			return log_err(
				-EINVAL,
				"prefix mix '%s': length %d is there twice",
				text, len);
		parsed.weight[len] = weight;
		if (!part[chars])
			break;
		part += chars + 1;
	}
	*mix = parsed;
	return 0;
}

int rules_mix_lengths(size_t lengths, enum family family,
		      struct prefix_mix *mix)
{
	const int centre = family == FAMILY_IPV6 ? 64 : 24;
	size_t chosen = 0;

	if (!lengths || lengths > PREFIX_LENGTHS_MAX)
		return log_err(
			-EINVAL,
			"%zu different prefix lengths: 1 to %d are possible, since the shortest cover special ranges",
			lengths, PREFIX_LENGTHS_MAX);

	/* 24, 25, 23, 26, 22, ..., or the same around 64 */
	*mix = (struct prefix_mix){ .each_first = true };
	for (int step = 0; chosen < lengths; step++) {
		int distance = (step + 1) / 2;
		int len = centre + (step % 2 ? distance : -distance);

		if (len < 2 || len > family_bits(family))
			continue;
		mix->weight[len] = 1;
		chosen++;
	}
	return 0;
}

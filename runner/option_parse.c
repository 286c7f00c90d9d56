// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/log.h"
#include "runner/option_parse.h"
#include "runner/text.h"

int option_bad_name(const char *option, const char *value, const char *what,
		    const char *const *known)
{
	const char *nearest = text_nearest(value, known);

	if (nearest)
		return log_err(-EINVAL,
			       "--%s: there is no %s '%s', did you mean '%s'?",
			       option, what, value, nearest);
	return log_err(-EINVAL,
		       "--%s: there is no %s '%s' (`hookcost list` has them)",
		       option, what, value);
}

int option_bad_number(const char *option, const char *value, int err,
		      const char *range)
{
	return log_err(-EINVAL, "--%s: '%s' is %s, it takes %s", option, value,
		       err == -ERANGE ? "out of range" : "not a number", range);
}

int option_number(const char *option, const char *value, uint64_t min,
		  uint64_t max, int suffixes, uint64_t *out)
{
	char range[64];
	int err = text_number(value, min, max, suffixes, out);

	if (!err)
		return 0;
	snprintf(range, sizeof(range), "%lu to %lu", min, max);
	return option_bad_number(option, value, err, range);
}

int option_name(const char *option, const char *value, const char *what,
		const char *const *known, unsigned int *index)
{
	for (*index = 0; known[*index]; (*index)++)
		if (!strcmp(value, known[*index]))
			return 0;
	return option_bad_name(option, value, what, known);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A difference that a mitigation or another traffic makes must not pass for
 * one that the kernel's code makes.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/compare_facts.h"
#include "runner/log.h"
#include "runner/number.h"
#include "runner/report.h"

static int warn(struct comparison *comparison, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int warn(struct comparison *comparison, const char *fmt, ...)
{
	char **larger =
		reallocarray(comparison->warnings,
			     comparison->warning_count + 1, sizeof(*larger));
	va_list args;
	int len = -1;

	if (larger) {
		comparison->warnings = larger;
		va_start(args, fmt);
		len = vasprintf(&larger[comparison->warning_count], fmt, args);
		va_end(args);
	}
	if (len < 0)
		return log_err(-ENOMEM, "no memory for the comparison");
	comparison->warning_count++;
	return 0;
}

static int check_text(struct comparison *comparison, const char *what,
		      const char *before, const char *after)
{
	if (!before || !after || !strcmp(before, after))
		return 0;
	return warn(comparison, "%s differ: %s in %s, %s in %s", what, before,
		    comparison->before->label, after, comparison->after->label);
}

static int check_packets(struct comparison *comparison)
{
	auto_mem char *before = report_packets(&comparison->before->results);
	auto_mem char *after = report_packets(&comparison->after->results);

	if (!before || !after)
		return log_err(-ENOMEM, "no memory for the comparison");
	return check_text(comparison, "packets", before, after);
}

static int check_option(struct comparison *comparison, const char *what,
			const char *key)
{
	const char *before = results_option(&comparison->before->results, key);
	const char *after = results_option(&comparison->after->results, key);

	if (!before && !after)
		return 0;
	return check_text(comparison, what, before ? before : "none",
			  after ? after : "none");
}

static bool has_word(const char *text, const char *word, size_t len)
{
	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == ' ') &&
		    (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

/*
 * The words of `text` that `other` does not have.  Which file was booted is
 * another for every kernel, and costs a packet nothing.
 */
static char *words_only_in(const char *text, const char *other)
{
	char *found = calloc(1, strlen(text) + 2);
	auto_mem char *copy = strdup(text);
	char *rest = copy, *word;

	while (found && copy && (word = strsep(&rest, " "))) {
		if (!*word || !strncmp(word, "BOOT_IMAGE=", 11) ||
		    !strncmp(word, "initrd=", 7) ||
		    has_word(other, word, strlen(word)))
			continue;
		if (*found)
			strcat(found, " ");
		strcat(found, word);
	}
	return found;
}

static int check_cmdline(struct comparison *comparison)
{
	const struct side *a = comparison->before, *b = comparison->after;
	const char *before = results_fact(&a->results, "cmdline");
	const char *after = results_fact(&b->results, "cmdline");
	auto_mem char *dropped = NULL;
	auto_mem char *added = NULL;

	if (!before || !after)
		return 0;
	dropped = words_only_in(before, after);
	added = words_only_in(after, before);
	if (!dropped || !added)
		return log_err(-ENOMEM, "no memory for the comparison");
	if (!*dropped && !*added)
		return 0;
	return warn(comparison,
		    "kernel command lines differ: only %s has \"%s\", only %s "
		    "has \"%s\"",
		    a->label, dropped, b->label, added);
}

static int check_machine(struct comparison *comparison)
{
	static const struct {
		const char *key, *what;
	} facts[] = {
		{ "vulnerable", "unmitigated vulnerabilities" },
		{ "mitigations", "CPU mitigations" },
		{ "cpu", "CPUs" },
		{ "virtual", "virtual machines" },
		{ "governor", "frequency governors" },
		{ "turbo", "turbo modes" },
		{ "smt", "SMT states" },
		{ "jit", "states of the BPF JIT" },
	};
	const struct results *a = &comparison->before->results;
	const struct results *b = &comparison->after->results;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(facts) && !err; i++)
		err = check_text(comparison, facts[i].what,
				 results_fact(a, facts[i].key),
				 results_fact(b, facts[i].key));
	return err;
}

static int check_state(struct comparison *comparison, const struct side *side)
{
	if (side->results.state == RUN_COMPLETE)
		return 0;
	return warn(comparison, "the run in %s did not end by itself",
		    side->label);
}

/* Exact ones get a verdict. */
static int check_baselines(struct comparison *comparison)
{
	int err = 0;

	if (comparison->before->results.counts_instructions)
		return 0;
	for (size_t i = 0; i < comparison->count && !err; i++) {
		const struct change *change = &comparison->changes[i];

		if (change->quantity != QUANTITY_LEVEL ||
		    change->cell->role != RESULT_BASELINE ||
		    !(fabs(change->percent) > comparison->threshold_percent))
			continue;
		err = warn(comparison,
			   "without a filter a packet on %s costs %s %% in %s: "
			   "the machine was in another state, or it is another "
			   "path; repeat both runs, or count instructions",
			   change->cell->hook,
			   number_signed(change->percent, 0.1).text,
			   comparison->after->label);
	}
	return err;
}

int compare_facts(struct comparison *comparison)
{
	const struct results *a = &comparison->before->results;
	const struct results *b = &comparison->after->results;
	int err;

	if ((err = check_state(comparison, comparison->before)) ||
	    (err = check_state(comparison, comparison->after)) ||
	    (err = check_text(comparison, "sources", a->source, b->source)) ||
	    (err = check_text(comparison, "fates", a->fate, b->fate)) ||
	    (err = check_text(comparison, "matches", a->match, b->match)) ||
	    (err = check_packets(comparison)) ||
	    (err = check_option(comparison, "lists of rules", "list")) ||
	    (err = check_option(comparison, "prefix mixes", "prefix_mix")) ||
	    (err = check_machine(comparison)) ||
	    (err = check_baselines(comparison)))
		return err;
	return check_cmdline(comparison);
}

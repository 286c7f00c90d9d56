// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "runner/list_report.h"

/* Line numbers shown to people for each class. */
#define SHOWN_MAX 20

static void put_count(const char *label, size_t count, FILE *out)
{
	fprintf(out, "  %-28s %11zu\n", label, count);
}

static void put_lines(const char *label, const struct list_lines *lines,
		      FILE *out)
{
	fprintf(out, "  %-28s %11zu", label, lines->count);
	for (size_t i = 0; i < lines->count && i < SHOWN_MAX; i++)
		fprintf(out, "%s%u", i ? ", " : "   lines ", lines->at[i]);
	if (lines->count > SHOWN_MAX)
		fprintf(out, " and %zu more", lines->count - SHOWN_MAX);
	fputc('\n', out);
}

static void put_rejects(const struct list_rejects *rejects, FILE *out)
{
	put_count("  rejected", rejects->count, out);
	for (size_t i = 0; i < rejects->count && i < SHOWN_MAX; i++)
		fprintf(out, "      line %u: %s\n", rejects->at[i].line,
			list_reason_name(rejects->at[i].reason));
	if (rejects->count > SHOWN_MAX)
		fprintf(out, "      and %zu more (--format tsv has all)\n",
			rejects->count - SHOWN_MAX);
}

void list_report_text(const char *name, const struct list *list,
		      const struct list_stats *stats, FILE *out)
{
	fprintf(out, "%s: %s\n", name, list_verdict(list->refusal));
	put_count("lines", list->lines, out);
	put_count("  ignored", list->ignored_lines, out);
	put_count("  accepted", list->accepted_lines, out);
	put_lines("  IPv6, skipped", &list->skipped_v6, out);
	put_lines("  allowed by level, skipped", &list->skipped_allow, out);
	put_rejects(&list->rejected, out);

	put_count("prefixes", stats->prefixes, out);
	put_lines("  host bits cleared", &list->masked, out);
	put_count("  repeats", stats->prefixes - stats->unique, out);
	put_count("  different", stats->unique, out);
	put_count("    inside others", stats->unique - stats->maximal, out);
	put_count("    in special ranges", stats->special, out);
	put_count("    not inside others", stats->maximal, out);
	put_count("fewest prefixes", stats->collapsed, out);
	put_count("intervals", stats->intervals, out);
	fprintf(out, "  %-28s %11" PRIu64 "\n", "addresses", stats->addresses);
	for (int len = 1; len <= 32; len++)
		if (stats->by_len[len])
			fprintf(out, "  different /%-17d %11zu\n", len,
				stats->by_len[len]);
}

static void put_line_column(const struct list_lines *lines, FILE *out)
{
	for (size_t i = 0; i < lines->count; i++)
		fprintf(out, "%s%u", i ? "," : "", lines->at[i]);
	fputs(lines->count ? "\t" : "-\t", out);
}

static void put_reject_column(const struct list_rejects *rejects,
			      enum list_profile profile, FILE *out)
{
	for (size_t i = 0; i < rejects->count; i++) {
		fprintf(out, "%s%u", i ? ";" : "", rejects->at[i].line);
		if (profile == LIST_FULL)
			fprintf(out, ":%s",
				list_reason_name(rejects->at[i].reason));
	}
	fputs(rejects->count ? "\t" : "-\t", out);
}

void list_report_tsv(const struct list *list, const struct list_stats *stats,
		     enum list_profile profile, FILE *out)
{
	fputs("profile\tverdict\tlines\tignored_lines\taccepted_lines\t"
	      "prefixes\tunique\tmaximal\tcollapsed\tintervals\taddresses\t"
	      "dup_prefixes\tmasked_lines\tskipped_v6_lines\t"
	      "skipped_allow_lines\trejected\trejected_lines\tspecial\n",
	      out);
	fprintf(out, "%s\t%s\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t",
		profile == LIST_PLAIN ? "plain" : "full",
		list_verdict(list->refusal), list->lines, list->ignored_lines,
		list->accepted_lines, stats->prefixes, stats->unique,
		stats->maximal, stats->collapsed, stats->intervals);
	fprintf(out, "%" PRIu64 "\t%zu\t", stats->addresses,
		stats->prefixes - stats->unique);
	put_line_column(&list->masked, out);
	put_line_column(&list->skipped_v6, out);
	put_line_column(&list->skipped_allow, out);
	fprintf(out, "%zu\t", list->rejected.count);
	put_reject_column(&list->rejected, profile, out);
	fprintf(out, "%zu\n", stats->special);
}

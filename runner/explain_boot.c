// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/explain_boot.h"
#include "runner/journal.h"
#include "runner/log.h"
#include "runner/symbols_send.h"

/* In a slice of the shorter boot; fewer where a packet takes long. */
#define PACKETS	    5000
#define FEW_PACKETS 500
#define MANY_RULES  300

static int take_sample(struct explain_boot *boot, const char *line)
{
	uint64_t round, elapsed_ns, sent;

	if (sscanf(line, "%" SCNu64 " %*s %*s %" SCNu64 " %" SCNu64, &round,
		   &elapsed_ns, &sent) != 3)
		return log_err(-EPROTO, "the guest sent no sample: %s", line);
	boot->sent += sent;
	if (round) {
		boot->round_sent += sent;
		boot->round_ns += elapsed_ns;
	}
	return 0;
}

static int take_line(void *context, const char *line)
{
	struct explain_boot *boot = context;

	if (!strncmp(line, SYMBOLS_LINE, strlen(SYMBOLS_LINE)))
		return symbols_add(&boot->symbols, line + strlen(SYMBOLS_LINE));
	if (!strncmp(line, JOURNAL_SAMPLE, strlen(JOURNAL_SAMPLE)))
		return take_sample(boot, line + strlen(JOURNAL_SAMPLE));
	return 0;
}

static int take_end(void *context, int err, const char *reason)
{
	struct explain_boot *boot = context;

	boot->err = err;
	if (err)
		snprintf(boot->reason, sizeof(boot->reason), "%s",
			 reason && *reason ? reason : strerror(-err));
	return 0;
}

int explain_boot_open(struct explain_boot *boot,
		      const struct guest_setup *setup, const struct plan *plan,
		      size_t cell, int plugin_fd, bool twice)
{
	const struct plan_cell *planned = &plan->cells[cell];
	size_t id;
	int err;

	boot->options = *plan->options;
	boot->options.packets =
		planned->filter->linear && planned->rule_count > MANY_RULES
			? FEW_PACKETS
			: PACKETS;
	boot->options.packets <<= twice;
	boot->options.rounds = 1;
	boot->options.symbols = true;
	err = guest_words_cell(&boot->words, &boot->options, planned, &id);
	if (err)
		return err;
	boot->counts = memfd_create("explain-counts", MFD_CLOEXEC);
	if (boot->counts < 0)
		return log_err(-errno, "memfd: %s", strerror(errno));
	snprintf(boot->plugin, sizeof(boot->plugin),
		 "/dev/fd/%d,out=/dev/fd/%d", plugin_fd, boot->counts);
	boot->setup = *setup;
	boot->setup.plugin = boot->plugin;
	boot->setup.plugin_fds[0] = plugin_fd;
	boot->setup.plugin_fds[1] = boot->counts;
	boot->task = (struct guest_task){
		.setup = &boot->setup,
		.words = boot->words.words,
		.line = take_line,
		.done = take_end,
		.context = boot,
	};
	return 0;
}

static int add_counts(struct profile *profile, const struct symbols *symbols,
		      int fd, double factor)
{
	auto_file FILE *file = NULL;
	int copy = dup(fd);

	if (copy < 0 || lseek(copy, 0, SEEK_SET) < 0 ||
	    !(file = fdopen(copy, "r")))
		return -errno;
	return profile_add(profile, symbols, file, factor);
}

int explain_boot_profile(struct explain_boot *once, struct explain_boot *twice)
{
	uint64_t extra = twice->sent - once->sent;
	const struct explain_boot *failed = once->err ? once : twice;
	int err;

	if (failed->err)
		return log_err(failed->err, "%s", failed->reason);
	if (!once->sent || twice->sent <= once->sent)
		return log_err(-EIO,
			       "%" PRIu64 " and %" PRIu64
			       " packets were sent, which tells nothing",
			       once->sent, twice->sent);
	symbols_sort(&once->symbols);
	err = add_counts(&once->profile, &once->symbols, twice->counts,
			 1.0 / extra);
	if (!err)
		err = add_counts(&once->profile, &once->symbols, once->counts,
				 -1.0 / extra);
	if (!err && !once->profile.count)
		return log_err(-EIO, "QEMU's plugin counted nothing");
	if (err)
		return log_err(err, "reading the counts: %s", strerror(-err));
	profile_settle(&once->profile);
	once->measured = twice->round_sent
				 ? (double)twice->round_ns / twice->round_sent
				 : 0;
	return 0;
}

void explain_boot_close(struct explain_boot *boot)
{
	if (boot->counts > 0)
		close(hand_over(boot->counts, -1));
	symbols_free(&boot->symbols);
	profile_free(&boot->profile);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast rules are installed, against the mechanisms' own programs, taking
 * turns in one run: the same prefixes, for us as a list in memory, for the
 * program in a file of its own syntax.  Prints a line each: what, the median
 * ratio, the target, the condition.  `install MECHANISM COUNT` instead prints
 * the time and the memory of one installation.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/memory.h"
#include "runner/netns.h"
#include "runner/registry.h"
#include "runner/rules_gen.h"
#include "runner/rules_sorted.h"

#define PAIRS	  5
#define SEED	  1
#define TRIE_STEP 65536

struct cost {
	double seconds;
	double kernel_bytes; /* while the rules are there */
	double peak_bytes;   /* resident, of the process */
};

struct rival {
	const char *mechanism;
	const char *program;
	size_t count;
	void (*write)(FILE *file, const struct rules *rules);
	char *const *argv; /* "FILE" stands for the file; else it is stdin */
	double faster;	   /* target */
	double smaller;	   /* target of the peak memory, or 0 */
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static const char *text_of(const struct prefix *prefix, char text[32])
{
	const struct in_addr addr = { htonl(addr_v4(prefix->addr)) };

	snprintf(text, 32, "%s/%u", inet_ntoa(addr), prefix->len);
	return text;
}

static void write_nft(FILE *file, const struct rules *rules)
{
	char text[32];

	fputs("table netdev t {\n\tset s {\n\t\ttype ipv4_addr\n"
	      "\t\tflags interval\n\t\telements = {\n",
	      file);
	for (size_t i = 0; i < rules->count; i++)
		fprintf(file, "\t\t\t%s,\n",
			text_of(&rules->prefixes[i], text));
	fputs("\t\t}\n\t}\n\tchain c {\n"
	      "\t\ttype filter hook egress device lo priority 0\n"
	      "\t\tip daddr @s counter drop\n\t}\n}\n",
	      file);
}

/* With the sizes that we give too, so that no side has to grow the table. */
static void write_ipset(FILE *file, const struct rules *rules)
{
	uint32_t hashsize = 1024;
	char text[32];

	while (hashsize < rules->count)
		hashsize *= 2;
	fprintf(file, "create s hash:net hashsize %u maxelem %zu\n", hashsize,
		2 * rules->count);
	for (size_t i = 0; i < rules->count; i++)
		fprintf(file, "add s %s\n", text_of(&rules->prefixes[i], text));
}

static void write_iptables(FILE *file, const struct rules *rules)
{
	char text[32];

	fputs("*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n", file);
	for (size_t i = 0; i < rules->count; i++)
		fprintf(file, "-A PREROUTING -d %s -j DROP\n",
			text_of(&rules->prefixes[i], text));
	fputs("COMMIT\n", file);
}

/* In a process and a namespace of their own; 0 or 1. */
static int install_here(const struct filter *filter, const struct rules *rules,
			int out_fd)
{
	auto_mem void *state = calloc(1, filter->state_size + 1);
	struct site site = { .hook = filter->hook };
	auto_fd int ns = -1;
	struct cost cost = { 0 };
	double start_s, before;

	if (!state || netns_new(&ns))
		return 1;
	site.ifindex = if_nametoindex("lo");
	before = memory_of_kernel();
	start_s = now_s();
	if (filter->attach(state, &site, rules))
		return 1;
	cost.seconds = now_s() - start_s;
	cost.kernel_bytes = memory_of_kernel() - before;
	filter->detach(state);
	return write(out_fd, &cost, sizeof(cost)) != sizeof(cost);
}

static int reap(pid_t pid, struct cost *cost)
{
	struct rusage usage;
	int status;

	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	cost->peak_bytes = usage.ru_maxrss * 1024.0;
	return 0;
}

static int install_ours(const struct filter *filter, const struct rules *rules,
			struct cost *cost)
{
	int pipe_fds[2], err;
	pid_t pid;

	if (pipe(pipe_fds))
		return -1;
	pid = fork();
	if (!pid)
		_exit(install_here(filter, rules, pipe_fds[1]));
	close(pipe_fds[1]);
	err = read(pipe_fds[0], cost, sizeof(*cost)) != sizeof(*cost);
	close(pipe_fds[0]);
	return reap(pid, cost) || err ? -1 : 0;
}

/* The namespace is made before the time runs. */
static int install_theirs(const struct rival *rival, const char *path,
			  struct cost *cost)
{
	auto_fd int ns = -1, file = open(path, O_RDONLY | O_CLOEXEC);
	double start_s;
	pid_t pid;
	int err;

	if (file < 0 || netns_new(&ns))
		return -1;
	start_s = now_s();
	pid = fork();
	if (!pid) {
		dup2(file, STDIN_FILENO);
		execvp(rival->program, rival->argv);
		_exit(127);
	}
	err = reap(pid, cost);
	cost->seconds = now_s() - start_s;
	return err;
}

static double median(double *values, size_t count)
{
	gsl_sort(values, 1, count);
	return gsl_stats_median_from_sorted_data(values, 1, count);
}

static void say(const char *what, double ratio, double target,
		const char *condition)
{
	printf("%s\t%.2f\t%.2f\t%s\n", what, ratio, target, condition);
	fflush(stdout);
}

static void report(const struct rival *rival, const struct cost *ours,
		   const struct cost *theirs)
{
	double faster[PAIRS], share[PAIRS];
	char what[128];

	for (int i = 0; i < PAIRS; i++) {
		faster[i] = theirs[i].seconds / ours[i].seconds;
		share[i] = ours[i].peak_bytes / theirs[i].peak_bytes;
		log_info("%s: %.2f s and %.0f MB, %s: %.2f s and %.0f MB",
			 rival->mechanism, ours[i].seconds,
			 ours[i].peak_bytes / 1e6, rival->program,
			 theirs[i].seconds, theirs[i].peak_bytes / 1e6);
	}
	snprintf(what, sizeof(what), "%s, %zu rules, times faster than %s",
		 rival->mechanism, rival->count, rival->program);
	say(what, median(faster, PAIRS), rival->faster, "v >= l");
	if (!rival->smaller)
		return;
	snprintf(what, sizeof(what), "%s, %zu rules, part of %s's memory",
		 rival->mechanism, rival->count, rival->program);
	say(what, median(share, PAIRS), rival->smaller, "v < l");
}

static int compare(const struct rival *rival, const struct rules *all)
{
	const struct filter *filter = registry_filter(rival->mechanism);
	const struct rules rules = { all->prefixes, rival->count, FAMILY_IPV4 };
	char path[] = "/tmp/hookcost-bench-XXXXXX";
	struct cost ours[PAIRS], theirs[PAIRS];
	int fd = mkstemp(path), err = 0;
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file || !filter)
		return -1;
	rival->write(file, &rules);
	fclose(file);
	for (int i = 0; !err && i < PAIRS; i++) {
		err = install_ours(filter, &rules, &ours[i]);
		if (!err)
			err = install_theirs(rival, path, &theirs[i]);
	}
	unlink(path);
	if (err)
		return log_err(-1, "%s against %s failed", rival->mechanism,
			       rival->program);
	report(rival, ours, theirs);
	return 0;
}

struct trie_key {
	uint32_t len, addr;
};

/* The kernel frees a trie behind our back, and would do it on our time. */
static void wait_for_frees(void)
{
	double now = memory_available(), before;

	do {
		before = now;
		usleep(200000);
		now = memory_available();
	} while (now - before > 1 << 20);
}

/* Seconds to fill a trie by batches, or one call an element. */
static double fill_trie(const struct trie_key *keys, const uint8_t *values,
			size_t count, bool batches)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	auto_fd int fd = bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "bench",
					sizeof(*keys), 1, count, &opts);
	int err = fd < 0 ? fd : 0;
	double start_s;

	wait_for_frees();
	start_s = now_s();

	for (size_t i = 0; !err && i < count;) {
		uint32_t n = batches ? TRIE_STEP : 1;

		if (n > count - i)
			n = count - i;
		err = batches ? bpf_map_update_batch(fd, &keys[i], values, &n,
						     NULL)
			      : bpf_map_update_elem(fd, &keys[i], values,
						    BPF_ANY);
		i += n;
	}
	return err ? -1 : now_s() - start_s;
}

/*
 * What as many system calls cost that look up the first key again and again,
 * in a trie that holds only this: nearly all that batches can save.
 */
static double call_seconds(const struct trie_key *keys, size_t count)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	auto_fd int fd = bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, "bench",
					sizeof(*keys), 1, 1, &opts);
	uint8_t value = 1;
	double start_s;

	bpf_map_update_elem(fd, keys, &value, BPF_ANY);
	start_s = now_s();
	for (size_t i = 0; i < count; i++)
		bpf_map_lookup_elem(fd, keys, &value);
	return now_s() - start_s;
}

static int compare_fills(const struct rules *rules)
{
	auto_mem struct trie_key *keys = calloc(rules->count, sizeof(*keys));
	auto_mem uint8_t *values = calloc(TRIE_STEP, 1);
	double ratio[PAIRS], share[PAIRS], single, batch;
	char what[128];

	if (!keys || !values)
		return log_err(-1, "out of memory");
	for (size_t i = 0; i < rules->count; i++)
		keys[i] = (struct trie_key){
			rules->prefixes[i].len,
			htonl(addr_v4(rules->prefixes[i].addr))
		};
	for (int i = 0; i < PAIRS; i++) {
		single = fill_trie(keys, values, rules->count, false);
		batch = fill_trie(keys, values, rules->count, true);
		if (single < 0 || batch < 0)
			return log_err(-1, "filling a trie failed");
		ratio[i] = single / batch;
		share[i] = call_seconds(keys, rules->count) / single;
		log_info(
			"trie: batches %.2f s, one call an element %.2f s, the calls alone %.0f %% of it",
			batch, single, share[i] * 100);
	}
	snprintf(
		what, sizeof(what),
		"LPM trie, times faster by batches (calls are %.0f %% of the time)",
		median(share, PAIRS) * 100);
	say(what, median(ratio, PAIRS), 1.2, "v >= l");
	return 0;
}

/*
 * In the order of addresses, as the mechanism does it, the calls are a third of
 * the time (Linux 6.18).  In random order the kernel's walk through nodes that
 * are not in the cache takes three times as long, trie_update_elem() alone is
 * 77 % of the profile, and batches are 0.95 to 1.17 times as fast.
 */
static int compare_trie(const struct rules *list)
{
	struct rules sorted = { 0 };
	int err = rules_sorted_copy(list, &sorted);

	if (!err)
		err = compare_fills(&sorted);
	free(sorted.prefixes);
	return err;
}

static char *const nft_argv[] = { "nft", "-f", "-", NULL };
static char *const ipset_argv[] = { "ipset", "restore", NULL };
static char *const iptables_argv[] = { "iptables-legacy-restore", NULL };

static const struct rival rivals[] = {
	{ "nft-set", "nft", 1000000, write_nft, nft_argv, 5, 1 / 3.0 },
	{ "ipset", "ipset", 1000000, write_ipset, ipset_argv, 1.5, 0 },
	{ "iptables", "iptables-legacy-restore", 100000, write_iptables,
	  iptables_argv, 1.5, 0 },
};

static int weigh(const char *mechanism, const struct rules *rules)
{
	const struct filter *filter = registry_filter(mechanism);
	struct cost cost;

	if (!filter)
		return log_err(1, "no such mechanism: %s", mechanism);
	if (install_ours(filter, rules, &cost))
		return 1;
	printf("%s: %zu rules in %.2f s, %.0f bytes of kernel memory each, peak of the process %.0f MB\n",
	       mechanism, rules->count, cost.seconds,
	       cost.kernel_bytes / rules->count, cost.peak_bytes / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	struct rules_spec spec = { .seed = SEED };
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
	struct rules rules;
	int failed = 0;

	if (rules_mix_parse(PREFIX_MIX_DEFAULT, FAMILY_IPV4, &spec.mix) ||
	    rules_generate(&spec, count, &rules))
		return 1;
	if (argc == 2 && !strcmp(argv[1], "trie")) {
		failed = compare_trie(&rules) != 0;
	} else if (argc > 2) {
		failed = weigh(argv[1], &rules);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(rivals); i++)
			failed |= compare(&rivals[i], &rules) != 0;
		failed |= compare_trie(&rules) != 0;
	}
	rules_free(&rules);
	return failed;
}

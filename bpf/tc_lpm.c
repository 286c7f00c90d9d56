// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tc-bpf-lpm: a BPF classifier in direct-action mode on clsact, whose rules
 * are one longest-prefix-match trie (kernel/bpf/lpm_trie.c:trie_lookup_elem).
 * The cost should grow with the depth of the trie, so with the logarithm of
 * the number of prefixes, and with cache misses once the trie is large.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "bpf/clsact.h"
#include "bpf/load.h"
#include "bpf/tc_lpm.h"
#include "bpf/tc_lpm.skel.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/rules_sorted.h"

#define WHO   "tc-bpf-lpm"
#define BATCH 65536

DEFINE_AUTO(lpm, struct tc_lpm_bpf *, tc_lpm_bpf__destroy)
#define auto_lpm __attribute__((cleanup(drop_lpm)))

/* Room for a key of either family. */
#define KEY_BYTES_MAX sizeof(struct tc_lpm_key6)

struct tc_lpm_state {
	struct tc_lpm_bpf *skel;
	enum family family;
	int map_fd; /* of the trie */
	struct clsact_bpf classifier;
};

static size_t key_bytes(enum family family)
{
	return family == FAMILY_IPV6 ? sizeof(struct tc_lpm_key6)
				     : sizeof(struct tc_lpm_key);
}

static void make_key(enum family family, const struct prefix *prefix, void *key)
{
	struct tc_lpm_key *key4 = key;
	struct tc_lpm_key6 *key6 = key;

	if (family == FAMILY_IPV6) {
		key6->len = prefix->len;
		addr_put(prefix->addr, key6->addr);
		return;
	}
	key4->len = prefix->len;
	key4->addr = htonl(addr_v4(prefix->addr));
}

static int explain_update(int err, size_t at, const struct rules *rules)
{
	if (err == -ENOSPC)
		return log_err(
			err,
			WHO
			": the trie is full at prefix %zu of %zu: does the list hold a prefix twice?",
			at + 1, rules->count);
	if (err == -ENOMEM)
		return log_err(
			err, WHO ": out of kernel memory at prefix %zu of %zu",
			at + 1, rules->count);
	return log_err(err, WHO ": adding prefix %zu of %zu: %s", at + 1,
		       rules->count, strerror(-err));
}

static int fill_singly(int map_fd, const char *keys, size_t bytes_each,
		       size_t count, size_t *done)
{
	const uint8_t value = 1;
	int err;

	for (*done = 0; *done < count; (*done)++) {
		err = bpf_map_update_elem(map_fd, keys + *done * bytes_each,
					  &value, BPF_ANY);
		if (err)
			return err;
	}
	return 0;
}

/*
 * The batch call stops at the first error with the count of what went in;
 * kernels before 5.6 do not know it.
 */
static int fill_some(int map_fd, const char *keys, size_t bytes_each,
		     const uint8_t *values, size_t count, size_t *done)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	uint32_t in = count;
	int err = bpf_map_update_batch(map_fd, keys, values, &in, &opts);

	*done = err ? 0 : count;
	if (err == -ENOTSUP || err == -EINVAL)
		return fill_singly(map_fd, keys, bytes_each, count, done);
	if (err && in <= count)
		*done = in;
	return err;
}

static int fill(int map_fd, const struct rules *rules)
{
	const size_t bytes_each = key_bytes(rules->family);
	auto_mem char *keys = calloc(BATCH, bytes_each);
	auto_mem uint8_t *values = calloc(BATCH, sizeof(*values));
	size_t at = 0, done;
	int err;

	if (!keys || !values)
		return log_err(-ENOMEM, WHO ": out of memory");
	memset(values, 1, BATCH);
	while (at < rules->count) {
		size_t n = rules->count - at;

		if (n > BATCH)
			n = BATCH;
		for (size_t i = 0; i < n; i++)
			make_key(rules->family, &rules->prefixes[at + i],
				 keys + i * bytes_each);
		err = fill_some(map_fd, keys, bytes_each, values, n, &done);
		at += done;
		if (err == -EINTR || (err == -EAGAIN && done))
			continue;
		if (err)
			return explain_update(err, at, rules);
	}
	return 0;
}

/*
 * In the order of addresses, as a sorted list comes and as nf_tables fills its
 * sets too: each walk then finds the nodes of the one before in the cache.  In
 * random order a million prefixes take three times as long.
 */
static int fill_in_order(int map_fd, const struct rules *rules)
{
	struct rules sorted;
	int err = rules_sorted_copy(rules, &sorted);

	if (err)
		return err;
	err = fill(map_fd, &sorted);
	free(sorted.prefixes);
	return err;
}

/* The trie and the program of the family, and no others. */
static struct bpf_program *choose(struct tc_lpm_bpf *skel, enum family family,
				  size_t entries, struct bpf_map **trie)
{
	bool is_v6 = family == FAMILY_IPV6;

	*trie = is_v6 ? skel->maps.prefixes6 : skel->maps.prefixes;
	bpf_map__set_max_entries(*trie, entries);
	bpf_map__set_autocreate(skel->maps.prefixes, !is_v6);
	bpf_map__set_autocreate(skel->maps.prefixes6, is_v6);
	bpf_program__set_autoload(skel->progs.judge, !is_v6);
	bpf_program__set_autoload(skel->progs.judge6, is_v6);
	return is_v6 ? skel->progs.judge6 : skel->progs.judge;
}

static int tc_lpm_attach(void *state, const struct site *site,
			 const struct rules *rules)
{
	auto_lpm struct tc_lpm_bpf *skel = tc_lpm_bpf__open();
	struct tc_lpm_state *st = state;
	struct bpf_program *judge;
	struct bpf_map *trie;
	int err;

	if (!skel)
		return log_err(-errno, WHO ": open: %s", strerror(errno));
	judge = choose(skel, rules->family, rules->count + FILTER_SPARE, &trie);
	err = tc_lpm_bpf__load(skel);
	if (err == -E2BIG)
		return log_err(
			-EOPNOTSUPP,
			WHO
			": %zu prefixes are too many for a trie of this kernel: before Linux 5.11 it takes 4 GiB at most, about 89 million",
			rules->count);
	if (err)
		return load_explain(err, WHO);
	load_check_jit(judge, WHO);
	st->family = rules->family;
	st->map_fd = bpf_map__fd(trie);
	err = fill_in_order(st->map_fd, rules);
	if (err)
		return err;
	err = clsact_bpf_attach(&st->classifier, site, bpf_program__fd(judge),
				CLSACT_PRIO_FILTER, WHO);
	if (err)
		return err;
	st->skel = hand_over(skel, NULL);
	return 0;
}

static int tc_lpm_read(void *state, uint64_t *dropped)
{
	struct tc_lpm_state *st = state;

	return load_read_counter(bpf_map__fd(st->skel->maps.dropped), dropped);
}

static int tc_lpm_add(void *state, const struct prefix *prefix)
{
	_Alignas(struct tc_lpm_key6) char key[KEY_BYTES_MAX];
	struct tc_lpm_state *st = state;
	const uint8_t value = 1;
	int err;

	make_key(st->family, prefix, key);
	err = bpf_map_update_elem(st->map_fd, key, &value, BPF_ANY);
	if (err)
		return log_err(err, WHO ": adding a prefix: %s",
			       strerror(-err));
	return 0;
}

static int tc_lpm_memory(void *state, uint64_t *bytes)
{
	struct tc_lpm_state *st = state;

	return load_map_memory(st->map_fd, bytes);
}

static void tc_lpm_detach(void *state)
{
	struct tc_lpm_state *st = state;

	if (!st->skel)
		return;
	clsact_bpf_detach(&st->classifier);
	tc_lpm_bpf__destroy(hand_over(st->skel, NULL));
}

const struct filter filter_tc_bpf_lpm = {
	.name = WHO,
	.about = "BPF classifier on clsact with one LPM trie",
	.judge = "trie_lookup_elem",
	.hook = HOOK_EGRESS,
	.ipv6 = true,
	.hooks = HOOK_BIT(HOOK_EGRESS) | HOOK_BIT(HOOK_INGRESS),
	.state_size = sizeof(struct tc_lpm_state),
	.rule_bytes = 160,
	.attach = tc_lpm_attach,
	.read = tc_lpm_read,
	.add = tc_lpm_add,
	.memory = tc_lpm_memory,
	.detach = tc_lpm_detach,
};

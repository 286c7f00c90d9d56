// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's TCG that counts the guest's instructions by the address of
 * their translation block, from each mark of a slice's begin to the mark of its
 * end (explain_mark.h), and writes "ADDRESS COUNT" lines to the file named by
 * out=PATH when the guest ends.
 *
 * The header of the plugin interface is not packaged everywhere, so what is
 * used of it stands here (interface version 1, QEMU 4.2 to 8; docs/devel/
 * tcg-plugins.rst).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/explain_mark.h"

#define INTERFACE_VERSION 1
#define INLINE_ADD_U64	  0
#define CB_NO_REGS	  0
#define TABLE_BITS	  20
#define TABLE_SIZE	  (1u << TABLE_BITS)

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* As far as it is read here. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
};

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *,
						 size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu,
						       void *arg),
					    int flags, void *arg);
void qemu_plugin_register_vcpu_tb_trans_cb(
	uint64_t id, void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op,
					      void *counter, uint64_t add);
void qemu_plugin_register_atexit_cb(uint64_t id,
				    void (*cb)(uint64_t id, void *arg),
				    void *arg);

extern __attribute__((visibility("default"))) const int qemu_plugin_version;
const int qemu_plugin_version = INTERFACE_VERSION;

__attribute__((visibility("default"))) int
qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
		    char **argv);

/* Open hash by address; the places are counted into, so they never move. */
struct place {
	uint64_t vaddr;
	uint64_t count; /* ever */
	uint64_t begun; /* of it, when the slice began */
	uint64_t timed; /* within slices */
};

static struct place *places;
static uint32_t *taken; /* which of them */
static size_t taken_count;
static struct place overflow; /* what found no place */
static const char *path;

static uint64_t *counter_of(uint64_t vaddr)
{
	uint64_t at = vaddr * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS);

	for (unsigned int i = 0; i < TABLE_SIZE / 2; i++) {
		struct place *place = &places[(at + i) % TABLE_SIZE];

		if (!place->vaddr) {
			place->vaddr = vaddr;
			taken[taken_count++] = place - places;
		}
		if (place->vaddr == vaddr)
			return &place->count;
	}
	return &overflow.count;
}

static void slice_begins(unsigned int vcpu, void *arg)
{
	(void)vcpu, (void)arg;
	for (size_t i = 0; i < taken_count; i++)
		places[taken[i]].begun = places[taken[i]].count;
	overflow.begun = overflow.count;
}

static void add_slice(struct place *place)
{
	place->timed += place->count - place->begun;
	place->begun = place->count;
}

/* What came after the begin began at 0. */
static void slice_ends(unsigned int vcpu, void *arg)
{
	(void)vcpu, (void)arg;
	for (size_t i = 0; i < taken_count; i++)
		add_slice(&places[taken[i]]);
	add_slice(&overflow);
}

static void find_marks(const struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const void *bytes = qemu_plugin_insn_data(insn);

		if (qemu_plugin_insn_size(insn) != EXPLAIN_MARK_BYTES)
			continue;
		if (!memcmp(bytes, EXPLAIN_MARK_BEGIN, EXPLAIN_MARK_BYTES))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, slice_begins, CB_NO_REGS, NULL);
		else if (!memcmp(bytes, EXPLAIN_MARK_END, EXPLAIN_MARK_BYTES))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, slice_ends, CB_NO_REGS, NULL);
	}
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	find_marks(tb);
	qemu_plugin_register_vcpu_tb_exec_inline(
		tb, INLINE_ADD_U64, counter_of(qemu_plugin_tb_vaddr(tb)),
		qemu_plugin_tb_n_insns(tb));
}

static void ended(uint64_t id, void *arg)
{
	FILE *out = fopen(path, "w");

	(void)id, (void)arg;
	if (!out)
		return;
	for (size_t i = 0; i < taken_count; i++)
		if (places[taken[i]].timed)
			fprintf(out, "%" PRIx64 " %" PRIu64 "\n",
				places[taken[i]].vaddr, places[taken[i]].timed);
	if (overflow.timed)
		fprintf(out, "0 %" PRIu64 "\n", overflow.timed);
	fclose(out);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
			char **argv)
{
	if (info->version.min > INTERFACE_VERSION ||
	    info->version.cur < INTERFACE_VERSION) {
		fprintf(stderr,
			"the plugin is for interface %d, QEMU has %d to %d\n",
			INTERFACE_VERSION, info->version.min,
			info->version.cur);
		return -1;
	}
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			path = strdup(argv[i] + 4);
	places = calloc(TABLE_SIZE, sizeof(*places));
	taken = calloc(TABLE_SIZE, sizeof(*taken));
	if (!path || !places || !taken)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}

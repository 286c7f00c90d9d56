// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's TCG that counts the guest's instructions by the address of
 * their translation block, from each mark of a slice's begin to the mark of its
 * end (explain_mark.h), and writes "ADDRESS COUNT" lines to the file named by
 * out=PATH when the guest ends.  The guest has one CPU.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/explain/qemu.h"
#include "runner/explain_mark.h"

/* Several times the blocks that a guest has. */
#define TABLE_BITS 18
#define TABLE_SIZE (1u << TABLE_BITS)
#define OVERFLOW   TABLE_SIZE /* the place of what found no place */
#define PLACES	   (TABLE_SIZE + 1)

const int qemu_plugin_version = INTERFACE;

/* Open hash by address; a place has the same number in counts(). */
struct place {
	uint64_t vaddr;
	uint64_t begun; /* of the count, when the slice began */
	uint64_t timed; /* within slices */
};

static struct place *places;
static uint32_t *taken; /* which of them */
static size_t taken_count;
static const char *path;

#if INTERFACE == 1
static uint64_t *board;

static void *make_board(void)
{
	return board = calloc(PLACES, sizeof(*board));
}

static const uint64_t *counts(void)
{
	return board;
}

static void count_block(struct qemu_plugin_tb *tb, size_t place)
{
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_INLINE_ADD_U64,
						 &board[place],
						 qemu_plugin_tb_n_insns(tb));
}

static const void *insn_bytes(const struct qemu_plugin_insn *insn, void *buf)
{
	(void)buf;
	return qemu_plugin_insn_data(insn);
}
#else
static struct qemu_plugin_scoreboard *board;

static void *make_board(void)
{
	return board = qemu_plugin_scoreboard_new(PLACES * sizeof(uint64_t));
}

static const uint64_t *counts(void)
{
	return qemu_plugin_scoreboard_find(board, 0);
}

static void count_block(struct qemu_plugin_tb *tb, size_t place)
{
	const struct qemu_plugin_u64 counter = { board,
						 place * sizeof(uint64_t) };

	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
		tb, QEMU_INLINE_ADD_U64, counter, qemu_plugin_tb_n_insns(tb));
}

static const void *insn_bytes(const struct qemu_plugin_insn *insn, void *buf)
{
	qemu_plugin_insn_data(insn, buf, EXPLAIN_MARK_BYTES);
	return buf;
}
#endif

static size_t place_of(uint64_t vaddr)
{
	uint64_t at = vaddr * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS);

	for (unsigned int i = 0; i < TABLE_SIZE / 2; i++) {
		size_t place = (at + i) % TABLE_SIZE;

		if (!places[place].vaddr) {
			places[place].vaddr = vaddr;
			taken[taken_count++] = place;
		}
		if (places[place].vaddr == vaddr)
			return place;
	}
	return OVERFLOW;
}

static void slice_begins(unsigned int vcpu, void *arg)
{
	const uint64_t *now = counts();

	(void)vcpu, (void)arg;
	for (size_t i = 0; i < taken_count; i++)
		places[taken[i]].begun = now[taken[i]];
}

/* What came after the begin began at 0. */
static void slice_ends(unsigned int vcpu, void *arg)
{
	const uint64_t *now = counts();

	(void)vcpu, (void)arg;
	for (size_t i = 0; i < taken_count; i++) {
		struct place *place = &places[taken[i]];

		place->timed += now[taken[i]] - place->begun;
		place->begun = now[taken[i]];
	}
}

static void find_marks(const struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		char buf[EXPLAIN_MARK_BYTES];
		const void *bytes;

		if (qemu_plugin_insn_size(insn) != EXPLAIN_MARK_BYTES)
			continue;
		bytes = insn_bytes(insn, buf);
		if (!memcmp(bytes, EXPLAIN_MARK_BEGIN, EXPLAIN_MARK_BYTES))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, slice_begins, QEMU_CB_NO_REGS, NULL);
		else if (!memcmp(bytes, EXPLAIN_MARK_END, EXPLAIN_MARK_BYTES))
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, slice_ends, QEMU_CB_NO_REGS, NULL);
	}
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	find_marks(tb);
	count_block(tb, place_of(qemu_plugin_tb_vaddr(tb)));
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
	fclose(out);
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
			char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			path = strdup(argv[i] + 4);
	places = calloc(PLACES, sizeof(*places));
	taken = calloc(PLACES, sizeof(*taken));
	if (!path || !places || !taken || !make_board())
		return -1;
	taken[taken_count++] = OVERFLOW;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin interface of QEMU's TCG, as far as it is used here, since its
 * header is not packaged everywhere (docs/devel/tcg-plugins.rst).  INTERFACE is
 * 1 for QEMU 4.2 to 8, or 3 for 9.1 and later, which have no counters outside
 * of "scoreboards" any more; a plugin is for one of them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define QEMU_INLINE_ADD_U64 0
#define QEMU_CB_NO_REGS	    0

struct qemu_plugin_tb;
struct qemu_plugin_insn;

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
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int vcpu,
						       void *arg),
					    int flags, void *arg);
void qemu_plugin_register_vcpu_tb_trans_cb(
	uint64_t id, void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(uint64_t id,
				    void (*cb)(uint64_t id, void *arg),
				    void *arg);

#if INTERFACE == 1
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op,
					      void *counter, uint64_t add);
#else
struct qemu_plugin_scoreboard;

struct qemu_plugin_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to,
			     size_t bytes);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
				  unsigned int vcpu);
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
	struct qemu_plugin_tb *tb, int op, struct qemu_plugin_u64 counter,
	uint64_t add);
#endif

#define QEMU_EXPORT __attribute__((visibility("default")))

extern QEMU_EXPORT const int qemu_plugin_version;

QEMU_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info,
				    int argc, char **argv);

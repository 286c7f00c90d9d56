// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's TCG that counts the guest's instructions by the address of
 * their translation block, and writes "ADDRESS COUNT" lines to the file named
 * by out=PATH when the guest ends.
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

#define INTERFACE_VERSION 1
#define INLINE_ADD_U64	  0
#define TABLE_BITS	  20
#define TABLE_SIZE	  (1u << TABLE_BITS)

struct qemu_plugin_tb;

/* As far as it is read here. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
};

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
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
	uint64_t vaddr, count;
};

static struct place *places;
static uint64_t overflow; /* what found no place */
static const char *path;

static uint64_t *counter_of(uint64_t vaddr)
{
	uint64_t at = vaddr * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS);

	for (unsigned int i = 0; i < TABLE_SIZE / 2; i++) {
		struct place *place = &places[(at + i) % TABLE_SIZE];

		if (!place->vaddr)
			place->vaddr = vaddr;
		if (place->vaddr == vaddr)
			return &place->count;
	}
	return &overflow;
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
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
	for (unsigned int i = 0; i < TABLE_SIZE; i++)
		if (places[i].count)
			fprintf(out, "%" PRIx64 " %" PRIu64 "\n",
				places[i].vaddr, places[i].count);
	if (overflow)
		fprintf(out, "0 %" PRIu64 "\n", overflow);
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
	if (!path || !places)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}

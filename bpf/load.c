// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/load.h"
#include "runner/cleanup.h"
#include "runner/log.h"

int load_explain(int err, const char *who)
{
	if (err == -EPERM)
		return log_err(
			-EOPNOTSUPP,
			"%s: bpf() is not permitted: needs CAP_BPF and CAP_NET_ADMIN in the first user namespace (before Linux 5.11 also a large RLIMIT_MEMLOCK)",
			who);
	if (err == -ENOSYS)
		return log_err(
			-EOPNOTSUPP,
			"%s: this kernel has no bpf(): CONFIG_BPF_SYSCALL",
			who);
	if (err == -ENOMEM)
		return log_err(err, "%s: not enough memory for the map", who);
	return log_err(err, "%s: loading the program: %s (-v shows the log)",
		       who, strerror(-err));
}

void load_check_jit(const struct bpf_program *prog, const char *who)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	static bool said;

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len) ||
	    info.jited_prog_len || said)
		return;
	said = true;
	log_warn(
		"%s: the kernel interprets this program: set net.core.bpf_jit_enable to 1, or its cost is not the one that others will see",
		who);
}

int load_read_counter(int map_fd, uint64_t *sum)
{
	int cpus = libbpf_num_possible_cpus();
	auto_mem uint64_t *values = NULL;
	uint32_t key = 0;
	int err;

	if (cpus < 0)
		return log_err(cpus, "bpf: number of CPUs: %s",
			       strerror(-cpus));
	values = calloc(cpus, sizeof(*values));
	if (!values)
		return log_err(-ENOMEM, "bpf: out of memory");
	err = bpf_map_lookup_elem(map_fd, &key, values);
	if (err)
		return log_err(err, "bpf: reading a counter: %s",
			       strerror(-err));
	*sum = 0;
	for (int i = 0; i < cpus; i++)
		*sum += values[i];
	return 0;
}

int load_map_memory(int map_fd, uint64_t *bytes)
{
	auto_file FILE *info = NULL;
	char line[256];

	snprintf(line, sizeof(line), "/proc/self/fdinfo/%d", map_fd);
	info = fopen(line, "re");
	while (info && fgets(line, sizeof(line), info)) {
		if (strncmp(line, "memlock:", 8))
			continue;
		*bytes = strtoull(line + 8, NULL, 10);
		return 0;
	}
	return log_err(-ENODATA,
		       "bpf: the kernel does not say what a map takes");
}

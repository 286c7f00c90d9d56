/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the filters made of BPF programs have in common.
 */
#pragma once

#include <stdint.h>

struct bpf_program;

/*
 * Says why a program or a map was refused, with the remedy: err is what
 * libbpf gave.  Returns err, or -EOPNOTSUPP where the kernel or the privilege
 * is missing.
 */
int load_explain(int err, const char *who);

/* Warns once if the kernel interprets the program instead of compiling it. */
void load_check_jit(const struct bpf_program *prog, const char *who);

/*
 * What a map takes of the kernel's memory, by /proc/self/fdinfo (before Linux
 * 6.4 an upper bound from max_entries).  0 or a negative errno, said.
 */
int load_map_memory(int map_fd, uint64_t *bytes);

/* Sum over the CPUs of entry 0 of a per-CPU array of uint64_t; 0 or errno. */
int load_read_counter(int map_fd, uint64_t *sum);

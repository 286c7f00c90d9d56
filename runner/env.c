// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runner/cleanup.h"
#include "runner/env.h"

#define UNKNOWN	    "unknown"
#define CPU_DIR	    "/sys/devices/system/cpu/"
#define VULN_DIR    CPU_DIR "vulnerabilities/"
#define LINE_LENGTH 4096

/* First line of a file without its newline; NULL if there is no such file. */
static const char *first_line(const char *path, char *buf, size_t size)
{
	auto_file FILE *file = fopen(path, "re");

	if (!file || !fgets(buf, size, file))
		return NULL;
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

/* The value of "key : value" in a file such as /proc/cpuinfo. */
static const char *keyed(const char *path, const char *key, char *buf,
			 size_t size)
{
	auto_file FILE *file = fopen(path, "re");

	while (file && fgets(buf, size, file)) {
		char *value = strchr(buf, ':');

		if (!value || strncmp(buf, key, strlen(key)))
			continue;
		value += strspn(value, ": \t");
		value[strcspn(value, "\n")] = '\0';
		return value;
	}
	return NULL;
}

static void set(json_t *machine, const char *key, const char *value)
{
	json_object_set_new(machine, key,
			    json_string(value && *value ? value : UNKNOWN));
}

static void set_file(json_t *machine, const char *key, const char *path)
{
	char buf[LINE_LENGTH];

	set(machine, key, first_line(path, buf, sizeof(buf)));
}

/* A file that holds 0 or another number. */
static void set_switch(json_t *machine, const char *key, const char *path,
		       const char *zero, const char *other)
{
	char buf[LINE_LENGTH];
	const char *line = first_line(path, buf, sizeof(buf));

	if (line)
		set(machine, key, strcmp(line, "0") ? other : zero);
	else
		set(machine, key, NULL);
}

/* Where only the JIT is built in, the file still exists and says 1. */
static void set_jit(json_t *machine)
{
	set_switch(machine, "jit", "/proc/sys/net/core/bpf_jit_enable", "off",
		   "on");
}

static void set_turbo(json_t *machine)
{
	if (!access(CPU_DIR "intel_pstate/no_turbo", R_OK))
		set_switch(machine, "turbo", CPU_DIR "intel_pstate/no_turbo",
			   "on", "off");
	else
		set_switch(machine, "turbo", CPU_DIR "cpufreq/boost", "off",
			   "on");
}

static void set_virtual(json_t *machine)
{
	char flags[LINE_LENGTH], product[256];
	const char *line =
		keyed("/proc/cpuinfo", "flags", flags, sizeof(flags));
	const char *name = first_line("/sys/class/dmi/id/product_name", product,
				      sizeof(product));

	if (!line)
		set(machine, "virtual", NULL);
	else if (!strstr(line, " hypervisor"))
		set(machine, "virtual", "no");
	else
		set(machine, "virtual", name ? name : "yes");
}

/* The names of what this kernel leaves open, and how many it mitigates. */
static void set_vulnerabilities(json_t *machine)
{
	char open_ones[512] = "", count[32], path[320], buf[LINE_LENGTH];
	DIR *dir = opendir(VULN_DIR);
	unsigned int mitigated = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		const char *line;
		size_t len = strlen(open_ones);

		snprintf(path, sizeof(path), VULN_DIR "%s", entry->d_name);
		line = entry->d_name[0] == '.'
			       ? NULL
			       : first_line(path, buf, sizeof(buf));
		if (line && !strncmp(line, "Mitigation", 10))
			mitigated++;
		if (line && !strncmp(line, "Vulnerable", 10))
			snprintf(open_ones + len, sizeof(open_ones) - len,
				 "%s%s", len ? "," : "", entry->d_name);
	}
	if (!dir) {
		set(machine, "mitigations", NULL);
		set(machine, "vulnerable", NULL);
		return;
	}
	closedir(dir);
	snprintf(count, sizeof(count), "%u active", mitigated);
	set(machine, "mitigations", count);
	set(machine, "vulnerable", open_ones[0] ? open_ones : "none");
}

static void set_number(json_t *machine, const char *key, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	set(machine, key, text);
}

json_t *env_machine(void)
{
	json_t *machine = json_object();
	char buf[LINE_LENGTH];
	struct utsname uts;

	if (!machine)
		return NULL;
	uname(&uts);
	set(machine, "kernel", uts.release);
	set(machine, "version", uts.version);
	set(machine, "cpu",
	    keyed("/proc/cpuinfo", "model name", buf, sizeof(buf)));
	set_number(machine, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	set_number(machine, "memory_mb",
		   sysconf(_SC_PHYS_PAGES) / 1024 *
			   (sysconf(_SC_PAGESIZE) / 1024));
	set_virtual(machine);
	set_file(machine, "governor", CPU_DIR "cpu0/cpufreq/scaling_governor");
	set_turbo(machine);
	set_file(machine, "smt", CPU_DIR "smt/control");
	set_jit(machine);
	set_vulnerabilities(machine);
	set_file(machine, "cmdline", "/proc/cmdline");
	set_file(
		machine, "clocksource",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource");
	return machine;
}

void env_steal_read(struct env_steal *steal)
{
	auto_file FILE *file = fopen("/proc/stat", "re");
	unsigned long long v[8] = { 0 };

	*steal = (struct env_steal){ 0 };
	if (!file ||
	    fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0],
		   &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) != 8)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		steal->all += v[i];
	steal->stolen = v[7];
}

double env_steal_percent(const struct env_steal *before,
			 const struct env_steal *after)
{
	if (after->all <= before->all)
		return -1;
	return 100.0 * (after->stolen - before->stolen) /
	       (after->all - before->all);
}

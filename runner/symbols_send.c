// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/symbols_send.h"

#define SYSCTL	 "/proc/sys/net/core/bpf_jit_kallsyms"
#define KALLSYMS "/proc/kallsyms"

void symbols_prepare(void)
{
	auto_file FILE *file = fopen(SYSCTL, "we");

	if (!file || fputs("1\n", file) < 0)
		log_debug("%s: %s", SYSCTL, strerror(errno));
}

int symbols_send(FILE *out)
{
	auto_file FILE *file = fopen(KALLSYMS, "re");
	char line[512], addr[32], name[256], kind;

	if (!file)
		return log_err(-errno, KALLSYMS ": %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%31s %c %255s", addr, &kind, name) != 3 ||
		    !strchr("tTwW", kind))
			continue;
		if (fprintf(out, SYMBOLS_LINE "%s %s\n", addr, name) < 0)
			return log_err(-errno, "stream: %s", strerror(errno));
	}
	return fflush(out) ? log_err(-errno, "stream: %s", strerror(errno)) : 0;
}

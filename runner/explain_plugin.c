// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/explain_plugin.h"
#include "runner/log.h"

/* The shared objects, as the Makefile has just built them. */
#define EMBED(name, file)                                   \
	extern const char name##_start[];                   \
	extern const char name##_end[];                     \
	__asm__(".pushsection .rodata\n"                    \
		".global " #name "_start\n"                 \
		".global " #name "_end\n" #name "_start:\n" \
		".incbin \"" file "\"\n" #name "_end:\n"    \
		".popsection\n")

EMBED(explain_plugin1, EXPLAIN_PLUGIN "1.so");
EMBED(explain_plugin3, EXPLAIN_PLUGIN "3.so");

static int put(const char *start, const char *end)
{
	int fd = memfd_create("explain-plugin", MFD_CLOEXEC);

	if (fd < 0 || write(fd, start, end - start) != end - start)
		return log_err(-errno, "memfd for the plugin: %s",
			       strerror(errno));
	return fd;
}

int explain_plugin_open(const char *qemu_version)
{
	unsigned int major = 0, minor = 0;

	sscanf(qemu_version, "%u.%u", &major, &minor);
	if (major < 9)
		return put(explain_plugin1_start, explain_plugin1_end);
	if (major == 9 && !minor)
		return log_err(
			-EOPNOTSUPP,
			"--explain: QEMU 9.0 has a plugin interface of its own: take another version");
	return put(explain_plugin3_start, explain_plugin3_end);
}

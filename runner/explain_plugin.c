// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runner/explain_plugin.h"
#include "runner/log.h"

/* The shared object, as the Makefile has just built it. */
extern const char explain_plugin_start[], explain_plugin_end[];
__asm__(".pushsection .rodata\n"
	".global explain_plugin_start, explain_plugin_end\n"
	"explain_plugin_start:\n"
	".incbin \"" EXPLAIN_PLUGIN "\"\n"
	"explain_plugin_end:\n"
	".popsection\n");

int explain_plugin_open(void)
{
	size_t bytes = explain_plugin_end - explain_plugin_start;
	int fd = memfd_create("explain-plugin", MFD_CLOEXEC);

	if (fd < 0 || write(fd, explain_plugin_start, bytes) != (ssize_t)bytes)
		return log_err(-errno, "memfd for the plugin: %s",
			       strerror(errno));
	return fd;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands to pktgen.  It takes many that it then ignores or changes, so each
 * one is vetted before it is written, and its answer is read and compared.
 */
#pragma once

/*
 * Writes "name value" to a device file and requires that pktgen echoes just
 * that.  -EINVAL for a value that would be cut, refused or never end; these
 * are not written.  -EOPNOTSUPP if this kernel's pktgen does not know it.
 * Says why.
 */
int command_send(int dir, const char *file, const char *name,
		 const char *value);

/* The same with a number. */
int command_send_number(int dir, const char *file, const char *name,
			unsigned long long value);

/*
 * Requires that a file's result reads `answer`; command is for the message.
 */
int command_confirm(int dir, const char *file, const char *command,
		    const char *answer);

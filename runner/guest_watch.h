/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what a guest says, and finds the reason when it ends badly.  Only
 * guest_qemu.c calls these.
 */
#pragma once

#include "runner/guest_qemu.h"

void guest_watch_begin(struct guest *guest);

/* Hands on new lines, copies the console; 0 or a negative errno. */
int guest_watch_read(struct guest *guest, guest_line *line, void *context);

/* 1, or a negative errno when it has been silent for too long. */
int guest_watch_patience(struct guest *guest);

/* After its end: 0 or a negative errno.  raw is as from waitpid(). */
int guest_watch_verdict(struct guest *guest, int raw);

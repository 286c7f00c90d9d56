/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound ownership: a function can be checked for leaks without opening
 * the functions that it calls.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* DEFINE_AUTO(mnl, struct mnl_socket *, mnl_socket_close) -> drop_mnl() */
#define DEFINE_AUTO(tag, type, release)            \
	static inline void drop_##tag(type *owned) \
	{                                          \
		if (*owned)                        \
			release(*owned);           \
	}

static inline void drop_fd(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void drop_mem(void *owner)
{
	free(*(void **)owner);
}

DEFINE_AUTO(file, FILE *, fclose)

#define auto_fd	  __attribute__((cleanup(drop_fd)))
#define auto_mem  __attribute__((cleanup(drop_mem)))
#define auto_file __attribute__((cleanup(drop_file)))

/* The only way for an auto_ variable to leave its scope. */
#define hand_over(var, empty)                   \
	({                                      \
		__typeof__(var) moved_ = (var); \
		(var) = (empty);                \
		moved_;                         \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

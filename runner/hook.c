// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "runner/cleanup.h"
#include "runner/hook.h"

static const struct hook_info hooks[] = {
	[HOOK_EGRESS] = { .name = "egress", .sender_sees_drop = true },
	[HOOK_INGRESS] = { .name = "ingress", .to_host = true },
	[HOOK_PREROUTING] = { .name = "prerouting", .to_host = true },
	[HOOK_INPUT] = { .name = "input", .to_host = true },
};

const struct hook_info *hook_info(enum hook hook)
{
	return &hooks[hook];
}

int hook_by_name(const char *name, enum hook *hook)
{
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (!strcmp(name, hooks[i].name)) {
			*hook = i;
			return 0;
		}
	}
	return -EINVAL;
}

unsigned int hook_count(void)
{
	return ARRAY_SIZE(hooks);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "nft/xtables_door.h"

struct door {
	int domain, level;
	int set_replace, add_counters;
	int get_info, get_entries, get_revision_match;
	const char *option;
};

static const struct door doors[] = {
	[FAMILY_IPV4] = { AF_INET, IPPROTO_IP, IPT_SO_SET_REPLACE,
			  IPT_SO_SET_ADD_COUNTERS, IPT_SO_GET_INFO,
			  IPT_SO_GET_ENTRIES, IPT_SO_GET_REVISION_MATCH,
			  "CONFIG_IP_NF_IPTABLES" },
	[FAMILY_IPV6] = { AF_INET6, IPPROTO_IPV6, IP6T_SO_SET_REPLACE,
			  IP6T_SO_SET_ADD_COUNTERS, IP6T_SO_GET_INFO,
			  IP6T_SO_GET_ENTRIES, IP6T_SO_GET_REVISION_MATCH,
			  "CONFIG_IP6_NF_IPTABLES" },
};

int door_open(enum family family)
{
	int fd = socket(doors[family].domain, SOCK_RAW | SOCK_CLOEXEC,
			IPPROTO_RAW);

	return fd < 0 ? -errno : fd;
}

const char *door_option(enum family family)
{
	return doors[family].option;
}

static int get(const struct xtables *xt, int option, void *value,
	       socklen_t bytes)
{
	return getsockopt(xt->fd, doors[xt->family].level, option, value,
			  &bytes)
		       ? -errno
		       : 0;
}

static int set(const struct xtables *xt, int option, const void *value,
	       socklen_t bytes)
{
	return setsockopt(xt->fd, doors[xt->family].level, option, value, bytes)
		       ? -errno
		       : 0;
}

int door_info(const struct xtables *xt, struct ipt_getinfo *info)
{
	return get(xt, doors[xt->family].get_info, info, sizeof(*info));
}

int door_entries(const struct xtables *xt, struct ipt_get_entries *entries)
{
	return get(xt, doors[xt->family].get_entries, entries,
		   sizeof(*entries) + entries->size);
}

int door_replace(const struct xtables *xt, const struct ipt_replace *replace)
{
	return set(xt, doors[xt->family].set_replace, replace,
		   sizeof(*replace) + replace->size);
}

int door_add_counters(const struct xtables *xt,
		      const struct xt_counters_info *counters)
{
	return set(xt, doors[xt->family].add_counters, counters,
		   sizeof(*counters) + counters->num_counters *
					       sizeof(*counters->counters));
}

int door_match_revision(const struct xtables *xt, const char *match, int newest)
{
	struct xt_get_revision ask = { 0 };

	strncpy(ask.name, match, sizeof(ask.name) - 1);
	for (int revision = newest; revision >= 1; revision--) {
		ask.revision = revision;
		if (!get(xt, doors[xt->family].get_revision_match, &ask,
			 sizeof(ask)))
			return revision;
	}
	return -ENOENT;
}

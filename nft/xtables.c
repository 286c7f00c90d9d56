// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "nft/backend.h"
#include "nft/blob.h"
#include "nft/xtables.h"
#include "nft/xtables_door.h"
#include "runner/cleanup.h"
#include "runner/log.h"

/* Which table, and what the kernel needs for it. */
struct table {
	const char *name;
	const char *option, *module;
};

static const struct table tables[] = {
	[HOOK_PREROUTING] = { "raw", "CONFIG_IP_NF_RAW", "iptable_raw" },
	[HOOK_INPUT] = { "filter", "CONFIG_IP_NF_FILTER", "iptable_filter" },
};

static const struct table tables6[] = {
	[HOOK_PREROUTING] = { "raw", "CONFIG_IP6_NF_RAW", "ip6table_raw" },
	[HOOK_INPUT] = { "filter", "CONFIG_IP6_NF_FILTER", "ip6table_filter" },
};

static int explain_missing(const struct xtables *xt, const char *who,
			   const struct table *table, int err)
{
	switch (err) {
	case -ENOPROTOOPT:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel has no legacy iptables, or has not loaded it: it needs %s, from Linux 6.17 also CONFIG_NETFILTER_XTABLES_LEGACY (try: modprobe %s)",
			who, door_option(xt->family), table->module);
	case -ENOENT:
		return log_err(
			-EOPNOTSUPP,
			"%s: the kernel's iptables has no table %s: it needs %s (module %s)",
			who, table->name, table->option, table->module);
	case -EPERM:
		return log_err(err, "%s: the table needs CAP_NET_ADMIN", who);
	default:
		return log_err(err, "%s: table %s: %s", who, table->name,
			       strerror(-err));
	}
}

/* The whole table as the kernel has it now, in xt->entries. */
static int get_entries(struct xtables *xt, size_t bytes)
{
	struct ipt_get_entries *get = xt->entries;

	if (!get)
		xt->entries = get = malloc(sizeof(*get) + bytes);
	if (!get)
		return -ENOMEM;
	memcpy(get->name, xt->info.name, sizeof(get->name));
	get->size = bytes;
	return door_entries(xt, get);
}

static bool is_bare(struct xtables *xt)
{
	const struct blob_rules none = { .family = xt->family };
	bool bare = xt->info.size == blob_bytes(xt->info.valid_hooks, &none) &&
		    !get_entries(xt, xt->info.size) &&
		    blob_is_bare(xt->family, xt->entries, xt->info.valid_hooks);

	free(hand_over(xt->entries, NULL));
	return bare;
}

static int inspect(struct xtables *xt, const char *who,
		   const struct table *table)
{
	int err;

	strcpy(xt->info.name, table->name);
	err = door_info(xt, &xt->info);
	if (err)
		return explain_missing(xt, who, table, err);
	if (!is_bare(xt))
		return log_err(
			-EBUSY,
			"%s: the table %s of this namespace already has rules or a policy: flush it",
			who, table->name);
	if (backend_nft_has(xt->family, table->name))
		return log_err(
			-EBUSY,
			"%s: the nft back end of iptables has a table %s too, whose rules would act as well: remove it",
			who, table->name);
	log_debug("%s: legacy back end, table %s; none in the nft back end",
		  who, table->name);
	return 0;
}

int xtables_open(struct xtables *xt, const char *who, const struct site *site)
{
	int err;

	*xt = (struct xtables){
		.family = site->family,
		.fd = door_open(site->family),
	};
	if (xt->fd == -EPERM)
		return log_err(-EPERM, "%s: the raw socket needs CAP_NET_RAW",
			       who);
	if (xt->fd < 0)
		return log_err(xt->fd, "%s: raw socket: %s", who,
			       strerror(-xt->fd));
	xt->open = true;
	err = inspect(xt, who,
		      site->family == FAMILY_IPV6 ? &tables6[site->hook]
						  : &tables[site->hook]);
	if (err)
		xtables_close(xt);
	return err;
}

/*
 * The kernel gives the counters of the rules that it had before, into `old`,
 * which has room for one more.
 */
static int swap(const struct xtables *xt, struct ipt_replace *replace,
		struct xt_counters_info *old)
{
	replace->num_counters = xt->info.num_entries + xt->rule_count;
	replace->counters = old->counters;
	return door_replace(xt, replace);
}

static int explain(const char *who, const char *table, int err)
{
	switch (err) {
	case -ENOMEM:
		return log_err(
			err,
			"%s: the kernel cannot allocate the table %s, which must be one piece: use fewer rules",
			who, table);
	case -EAGAIN:
		return log_err(
			-EBUSY,
			"%s: something else changed the table %s meanwhile",
			who, table);
	case -EPERM:
		return log_err(err, "%s: the table needs CAP_NET_ADMIN", who);
	default:
		return log_err(err, "%s: the kernel refuses the table %s: %s",
			       who, table, strerror(-err));
	}
}

static struct xt_counters_info *counters_alloc(const struct xtables *xt)
{
	size_t count = xt->info.num_entries + xt->rule_count + 1;
	struct xt_counters_info *info;

	info = calloc(1, sizeof(*info) + count * sizeof(*info->counters));
	if (info)
		memcpy(info->name, xt->info.name, sizeof(info->name));
	return info;
}

static int replace_table(struct xtables *xt, const char *who,
			 const struct blob_rules *rules,
			 struct xt_counters_info *old)
{
	size_t count = rules->kept_count + rules->count;
	size_t bytes = blob_bytes(xt->info.valid_hooks, rules);
	size_t rule_bytes = blob_rule_bytes(rules);
	auto_mem struct ipt_replace *replace = NULL;
	int err;

	if (bytes >= XTABLES_MAX_BYTES)
		return log_err(
			-E2BIG,
			"%s: %zu rules are too many for one table: at most %zu",
			who, count, XTABLES_MAX_BYTES / rule_bytes);
	replace = malloc(sizeof(*replace) + bytes);
	if (!replace || !old)
		return log_err(-ENOMEM, "%s: out of memory", who);
	memset(replace, 0, sizeof(*replace));
	blob_build(replace, &xt->info, rules);
	err = swap(xt, replace, old);
	if (err)
		return explain(who, xt->info.name, err);
	xt->replaced = true;
	xt->rule_count = count;
	xt->rule_bytes = rule_bytes;
	return 0;
}

int xtables_replace(struct xtables *xt, const char *who,
		    const struct blob_rules *rules)
{
	auto_mem struct xt_counters_info *old = counters_alloc(xt);

	return replace_table(xt, who, rules, old);
}

/* What the old entries counted, for the new ones, of which `at` is the new. */
static int restore_counters(const struct xtables *xt, const char *who,
			    struct xt_counters_info *counters, size_t at)
{
	size_t count = xt->info.num_entries + xt->rule_count;
	int err;

	memmove(&counters->counters[at + 1], &counters->counters[at],
		(count - at - 1) * sizeof(struct xt_counters));
	counters->counters[at] = (struct xt_counters){ 0 };
	counters->num_counters = count;
	err = door_add_counters(xt, counters);
	return err ? log_err(err, "%s: restoring the counters: %s", who,
			     strerror(-err))
		   : 0;
}

int xtables_add(struct xtables *xt, const char *who, const struct prefix *dst)
{
	auto_mem struct xt_counters_info *counters = counters_alloc(xt);
	struct blob_rules rules = {
		.family = xt->family,
		.dst = dst,
		.count = 1,
		.kept_count = xt->rule_count,
	};
	const struct ipt_get_entries *get;
	int err = get_entries(xt,
			      xt->info.size + xt->rule_count * xt->rule_bytes);

	if (err)
		return log_err(err, "%s: reading the table: %s", who,
			       strerror(-err));
	get = xt->entries;
	rules.kept = get->entrytable;
	err = replace_table(xt, who, &rules, counters);
	/* The next reading needs more room. */
	free(hand_over(xt->entries, NULL));
	if (err)
		return err;
	return restore_counters(xt, who, counters, rules.kept_count);
}

int xtables_memory(const struct xtables *xt, uint64_t *bytes)
{
	struct ipt_getinfo info = xt->info;
	int cpus = get_nprocs_conf();
	int err = door_info(xt, &info);

	if (err)
		return err;
	*bytes = info.size;
	/* With one CPU the counters are inside of the entries. */
	if (cpus > 1)
		*bytes += (uint64_t)info.num_entries * cpus *
			  sizeof(struct xt_counters);
	return 0;
}

int xtables_read(struct xtables *xt, const char *who, uint64_t *packets)
{
	const struct ipt_get_entries *get;
	int err = get_entries(xt,
			      xt->info.size + xt->rule_count * xt->rule_bytes);

	*packets = 0;
	if (err)
		return log_err(err, "%s: reading the counters: %s", who,
			       strerror(-err));
	get = xt->entries;
	for (size_t i = 0; i < xt->rule_count; i++)
		*packets +=
			blob_packets(xt->family, (const char *)get->entrytable +
							 i * xt->rule_bytes);
	return 0;
}

void xtables_close(struct xtables *xt)
{
	const struct blob_rules none = { .family = xt->family };
	union {
		struct ipt_replace replace;
		char room[sizeof(struct ipt_replace) + BLOB_BARE_MAX_BYTES];
	} blob = { 0 };
	auto_mem struct xt_counters_info *old = NULL;
	int err;

	if (!xt->open)
		return;
	if (xt->replaced) {
		blob_build(&blob.replace, &xt->info, &none);
		old = counters_alloc(xt);
		err = old ? swap(xt, &blob.replace, old) : -ENOMEM;
		if (err)
			log_debug("iptables: emptying the table %s: %s",
				  xt->info.name, strerror(-err));
	}
	free(xt->entries);
	close(xt->fd);
	*xt = (struct xtables){ 0 };
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `hookcost check`: what this machine can measure, found by trying in
 * namespaces that are thrown away, and the facts that numbers depend on.
 */
#include <argp.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "runner/check.h"
#include "runner/cleanup.h"
#include "runner/cli.h"
#include "runner/env.h"
#include "runner/log.h"
#include "runner/netns.h"
#include "runner/registry.h"
#include "runner/select.h"

struct tally {
	unsigned int sources, filters;
};

static void print(const char *kind, const char *name, int err,
		  const char *reason)
{
	printf("%-8s %-24s %s%s%s\n", kind, name, err ? "no" : "yes",
	       err ? ": " : "", err ? reason : "");
}

/* In a namespace of its own: attach one rule, detach. */
static int try_filter(const struct filter *filter, enum hook hook,
		      enum family family)
{
	struct prefix prefix = {
		traffic_miss_net(family),
		family == FAMILY_IPV6 ? TRAFFIC_MISS_LEN6 : TRAFFIC_MISS_LEN,
	};
	const struct rules rules = { &prefix, 1, family };
	auto_mem void *state = calloc(1, filter->state_size + 1);
	struct site site = { .hook = hook, .family = family };
	auto_fd int ns = -1;
	int err;

	if (!state)
		return log_err(-ENOMEM, "out of memory");
	err = netns_new(&ns);
	if (err)
		return err;
	if (family == FAMILY_IPV6 && hook_info(hook)->to_host)
		err = netns_route_to_host(family);
	if (err)
		return err;
	site.ifindex = if_nametoindex("lo");
	err = filter->attach(state, &site, &rules);
	filter->detach(state);
	return err;
}

static int check_filter(const char *kind, const struct filter *filter,
			enum hook hook, enum family family)
{
	struct log_capture capture;
	char name[128];
	int err;

	snprintf(name, sizeof(name), "%s@%s", filter->name,
		 hook_info(hook)->name);
	log_capture_begin(&capture);
	err = try_filter(filter, hook, family);
	log_capture_end(&capture);
	print(kind, name, err, capture.text[0] ? capture.text : strerror(-err));
	return err;
}

static void check_all_hooks(const char *kind, const struct filter *filter,
			    unsigned int *can)
{
	for (unsigned int hook = 0; hook < hook_count(); hook++)
		if (filter->hooks & HOOK_BIT(hook))
			*can += !check_filter(kind, filter, hook, FAMILY_IPV4);
}

/* A line for each that can do IPv6 at all. */
static void check_ipv6(const struct filter *filter)
{
	for (unsigned int hook = 0; filter->ipv6 && hook < hook_count(); hook++)
		if (filter->hooks & HOOK_BIT(hook))
			check_filter("ipv6", filter, hook, FAMILY_IPV6);
}

static void check_sources(struct tally *can)
{
	char reason[SELECT_REASON_BYTES];

	for (size_t i = 0; sources[i]; i++) {
		int err = select_try(sources[i], FAMILY_IPV4, 0, reason,
				     sizeof(reason));

		print("source", sources[i]->name, err, reason);
		can->sources += !err;
	}
}

/* Effective capabilities of this process, by /proc. */
static uint64_t effective(void)
{
	auto_file FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "CapEff:", 7))
			return strtoull(line + 7, NULL, 16);
	return 0;
}

static void check_capabilities(void)
{
	static const struct {
		const char *name;
		unsigned int number;
		const char *need;
	} rows[] = {
		{ "CAP_SYS_ADMIN", 21, "making network namespaces" },
		{ "CAP_NET_ADMIN", 12, "installing filters, pktgen" },
		{ "CAP_NET_RAW", 13, "sending the packets of the proof" },
		{ "CAP_BPF", 39, "the bpf source, filters made of BPF" },
	};
	uint64_t have = effective();

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		print("right", rows[i].name, !(have >> rows[i].number & 1),
		      rows[i].need);
}

static void check_machine(void)
{
	json_t *machine = env_machine(), *value;
	static const struct env_steal boot;
	struct env_steal now;
	const char *key;

	json_object_foreach(machine, key, value)
		printf("%-8s %-24s %s\n", "machine", key,
		       json_string_value(value));
	json_decref(machine);
	env_steal_read(&now);
	if (now.all)
		printf("%-8s %-24s %.2f %% since boot\n", "machine", "steal",
		       env_steal_percent(&boot, &now));
	else
		printf("%-8s %-24s unknown\n", "machine", "steal");
}

static error_t parse_key(int key, char *value, struct argp_state *state)
{
	(void)state;
	if (key == ARGP_KEY_ARG)
		return -log_err(-EINVAL,
				"check takes no argument, there is '%s'",
				value);
	return ARGP_ERR_UNKNOWN;
}

int cmd_check(int argc, char **argv)
{
	const struct argp argp = {
		.parser = parse_key,
		.doc = "Try what this machine can measure; for all that it cannot, say why and what helps.",
	};
	struct tally can = { 0 };
	unsigned int swallow = 0;
	int err = cli_parse(&argp, argc, argv, NULL);

	if (err)
		return cli_parse_status(err);
	check_machine();
	check_capabilities();
	check_sources(&can);
	for (size_t i = 0; filters[i]; i++)
		check_all_hooks("filter", filters[i], &can.filters);
	for (size_t i = 0; sinks[i]; i++)
		check_all_hooks("sink", sinks[i], &swallow);
	for (size_t i = 1; filters[i]; i++)
		check_ipv6(filters[i]);
	if (can.sources && can.filters)
		return EXIT_DONE;
	log_err(-EOPNOTSUPP, "nothing can be measured here: %s",
		can.sources ? "no filter works" : "no source works");
	return EXIT_CANNOT;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runner/log.h"
#include "runner/option_parse.h"
#include "runner/option_values.h"
#include "runner/rules_gen.h"
#include "runner/text.h"

#define MAX_FLOWS UINT64_C(1000000)

static const char *const fate_names[] = {
	[FATE_STACK] = "stack", [FATE_SINK] = "sink", NULL
};

static const char *const protocol_names[] = {
	[PROTOCOL_UDP] = "udp", [PROTOCOL_TCP_SYN] = "tcp-syn", NULL
};

static const char *const match_names[] = {
	[MATCH_MISS] = "miss",	   [MATCH_FIRST] = "first",
	[MATCH_MIDDLE] = "middle", [MATCH_LAST] = "last",
	[MATCH_RANDOM] = "random", NULL
};

int opt_fate(struct options *o, const char *name, const char *value)
{
	unsigned int fate;
	int err = option_name(name, value, "fate", fate_names, &fate);

	if (!err)
		o->fate = fate;
	return err;
}

int opt_match(struct options *o, const char *name, const char *value)
{
	unsigned int match;
	uint64_t percent;
	int err = text_number(value, 0, 100, 0, &percent);

	o->made_by = name;
	if (!err) {
		o->match = MATCH_PERCENT;
		o->match_percent = percent;
		return 0;
	}
	if (err == -ERANGE)
		return option_bad_number(name, value, err, "0 to 100 per cent");
	err = option_name(name, value, "match", match_names, &match);
	if (!err)
		o->match = match;
	return err;
}

int opt_frame(struct options *o, const char *name, const char *value)
{
	uint64_t bytes;
	int err;

	o->made_by = name;
	o->imix = !strcmp(value, "imix");
	if (o->imix) {
		o->frame_bytes = 0;
		return 0;
	}
	err = text_number(value, 60, 1514, 0, &bytes);
	if (err)
		return option_bad_number(name, value, err,
					 "60 to 1514, or imix");
	o->frame_bytes = bytes;
	return 0;
}

int opt_sports(struct options *o, const char *name, const char *value)
{
	uint64_t sports;
	int err = option_number(name, value, 1, TRAFFIC_SPORTS_MAX, 1, &sports);

	o->made_by = name;
	if (!err)
		o->sports = sports;
	return err;
}

int opt_protocol(struct options *o, const char *name, const char *value)
{
	unsigned int protocol;
	int err =
		option_name(name, value, "protocol", protocol_names, &protocol);

	o->made_by = name;
	if (!err)
		o->protocol = protocol;
	return err;
}

int opt_pcap(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->pcap = value;
	return 0;
}

int opt_proof(struct options *o, const char *name, const char *value)
{
	if (!*value)
		return log_err(-EINVAL, "--%s: an empty name", name);
	o->proof = value;
	return 0;
}

int opt_flows(struct options *o, const char *name, const char *value)
{
	uint64_t flows;
	int err = option_number(name, value, 1, MAX_FLOWS, 1, &flows);

	o->made_by = name;
	if (!err)
		o->flows = flows;
	return err;
}

const char *options_fate_name(const struct options *options)
{
	return fate_names[options->fate];
}

const char *options_protocol_name(const struct options *options)
{
	return protocol_names[options->protocol];
}

const char *options_match_name(const struct options *options, char *buf,
			       size_t size)
{
	if (options->pcap)
		snprintf(buf, size, "capture");
	else if (options->match == MATCH_PERCENT)
		snprintf(buf, size, "%u%%", options->match_percent);
	else
		snprintf(buf, size, "%s", match_names[options->match]);
	return buf;
}

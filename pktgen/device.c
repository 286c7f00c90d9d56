// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <arpa/inet.h>

#include "pktgen/command.h"
#include "pktgen/device.h"
#include "pktgen/frame.h"
#include "pktgen/procfs.h"
#include "pktgen/result.h"
#include "runner/cleanup.h"
#include "runner/log.h"

#define THREAD_NS "/proc/thread-self/ns/net"

/* Each waits the 125 ms in which pktgen's thread takes up the order. */
#define FREE_TRIES 20

static ino_t current_net_ns(void)
{
	struct stat ns;

	return stat(THREAD_NS, &ns) ? 0 : ns.st_ino;
}

static int say_absent(int err, const char *root)
{
	struct utsname kernel;

	uname(&kernel);
	if (err == -EACCES || err == -EPERM)
		return log_err(-EOPNOTSUPP,
			       "pktgen: %s: %s; run as root or with "
			       "CAP_NET_ADMIN",
			       root, strerror(-err));
	return log_err(-EOPNOTSUPP,
		       "pktgen: no %s: kernel %s needs CONFIG_NET_PKTGEN "
		       "(modprobe pktgen); or take --source bpf",
		       root, kernel.release);
}

int device_probe(const char *root)
{
	auto_fd int dir = procfs_open(root);

	return dir < 0 ? say_absent(dir, root) : 0;
}

/*
 * Empties the one thread that is to be used, of what a killed run left in this
 * namespace.
 */
static int free_thread(const struct device *dev)
{
	char text[PROCFS_TEXT_BYTES];
	int err;

	for (int i = 0; i < FREE_TRIES; i++) {
		err = procfs_read(dev->dir, dev->thread, text, sizeof(text));
		if (err == -ENOENT)
			return log_err(-EOPNOTSUPP,
				       "pktgen: no thread %s: that CPU was "
				       "offline when pktgen was loaded or the "
				       "namespace made; choose another",
				       dev->thread);
		if (err)
			return log_err(err, "pktgen: read %s: %s", dev->thread,
				       strerror(-err));
		if (result_thread_is_free(text))
			return 0;

		err = procfs_write(dev->dir, dev->thread, "rem_device_all");
		if (err)
			return log_err(err, "pktgen: rem_device_all to %s: %s",
				       dev->thread, strerror(-err));
		err = command_confirm(dev->dir, dev->thread, "rem_device_all",
				      "OK: rem_device_all");
		if (err)
			return err;
	}
	return log_err(-EBUSY, "pktgen: %s does not let go of its devices: %s",
		       dev->thread, text);
}

static int say_not_added(int err, const struct device *dev)
{
	struct utsname kernel;

	uname(&kernel);
	switch (-err) {
	case EINVAL:
		return log_err(-EOPNOTSUPP,
			       "pktgen: this kernel's (%s) has no loopback "
			       "support, which is in Linux 5.7 and later "
			       "(commit 1e09e5818b3a); take --source bpf",
			       kernel.release);
	case ENETDOWN:
		return log_err(err, "pktgen: lo is down in this namespace");
	case ENODEV:
		return log_err(err,
			       "pktgen: no lo for %s: its files are of "
			       "namespace net:[%ju], this thread is in "
			       "net:[%ju]",
			       dev->name, (uintmax_t)dev->net_ns,
			       (uintmax_t)current_net_ns());
	case EBUSY:
		return log_err(err,
			       "pktgen: %s is on another thread of this "
			       "namespace; remove it there (rem_device_all)",
			       dev->name);
	}
	return log_err(err, "pktgen: add_device %s to %s: %s", dev->name,
		       dev->thread, strerror(-err));
}

static int add_device(const struct device *dev)
{
	char command[64], answer[64];
	int err;

	snprintf(command, sizeof(command), "add_device %s", dev->name);
	snprintf(answer, sizeof(answer), "OK: add_device=%s", dev->name);
	err = procfs_write(dev->dir, dev->thread, command);
	if (err)
		return say_not_added(err, dev);
	return command_confirm(dev->dir, dev->thread, command, answer);
}

/* All that makes a packet, whatever the defaults are. */
static int configure(const struct device *dev, const struct traffic *traffic)
{
	const struct target *last =
		&traffic->targets[traffic->target_count - 1];
	struct in_addr first_in = { htonl(traffic->targets[0].daddr) };
	struct in_addr last_in = { htonl(last->daddr) };
	struct in_addr src_in = { htonl(TRAFFIC_SADDR) };
	char first_text[16], last_text[16], src_text[16], size_text[12];
	char sport_text[8], last_sport_text[8], dport_text[8];
	uint32_t sport = traffic_first_sport(traffic);
	const struct {
		const char *name, *value;
	} settings[] = {
		{ "xmit_mode", "queue_xmit" },
		{ "clone_skb", "0" },
		{ "burst", "1" },
		{ "delay", "0" },
		/* Reading the clock can cost more than the hook. */
		{ "flag", "NO_TIMESTAMP" },
		{ "pkt_size", size_text },
		{ "dst_mac", traffic->to_host ? "00:00:00:00:00:00"
					      : FRAME_FOREIGN_MAC_TEXT },
		{ "src_mac", "00:00:00:00:00:00" },
		{ "src_min", src_text },
		{ "src_max", src_text },
		{ "dst_min", first_text },
		{ "dst_max", last_text },
		{ "udp_src_min", sport_text },
		{ "udp_src_max", last_sport_text },
		{ "udp_dst_min", dport_text },
		{ "udp_dst_max", dport_text },
	};

	inet_ntop(AF_INET, &first_in, first_text, sizeof(first_text));
	inet_ntop(AF_INET, &last_in, last_text, sizeof(last_text));
	inet_ntop(AF_INET, &src_in, src_text, sizeof(src_text));
	snprintf(size_text, sizeof(size_text), "%u", traffic->frame_bytes);
	snprintf(sport_text, sizeof(sport_text), "%u", sport);
	/* Of several, the last one is exclusive; one alone is not. */
	if (traffic->sports > 1)
		sport += traffic->sports;
	snprintf(last_sport_text, sizeof(last_sport_text), "%u", sport);
	snprintf(dport_text, sizeof(dport_text), "%u", TRAFFIC_DPORT);

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		int err = command_send(dev->dir, dev->name, settings[i].name,
				       settings[i].value);

		if (err)
			return err;
	}
	return 0;
}

static int check_mode(struct device *dev)
{
	char text[PROCFS_TEXT_BYTES];
	struct result result;

	if (procfs_read(dev->dir, dev->name, text, sizeof(text)) ||
	    result_parse(text, &result))
		return log_err(-EIO, "pktgen: cannot make sense of %s",
			       dev->name);
	if (!result.queue_xmit)
		return log_err(-EOPNOTSUPP,
			       "pktgen: this kernel's has no queue_xmit mode, "
			       "so its packets pass by the egress hooks; take "
			       "--source bpf");
	dev->counts_drops = result.counts_drops;
	return 0;
}

int device_open(struct device *dev, const char *root, int cpu,
		const struct traffic *traffic)
{
	int err;

	dev->dir = procfs_open(root);
	if (dev->dir < 0)
		return say_absent(dev->dir, root);
	dev->net_ns = current_net_ns();
	snprintf(dev->thread, sizeof(dev->thread), "kpktgend_%d", cpu);
	snprintf(dev->name, sizeof(dev->name), "lo@%d", cpu);

	err = free_thread(dev);
	if (!err)
		err = add_device(dev);
	if (err) {
		close(dev->dir);
		return err;
	}

	err = configure(dev, traffic);
	if (!err)
		err = check_mode(dev);
	if (err)
		device_close(dev);
	return err;
}

int device_is_here(const struct device *dev)
{
	if (current_net_ns() == dev->net_ns)
		return 0;
	return log_err(-ENODEV,
		       "pktgen: %s is in namespace net:[%ju], this thread in "
		       "net:[%ju]",
		       dev->name, (uintmax_t)dev->net_ns,
		       (uintmax_t)current_net_ns());
}

void device_close(struct device *dev)
{
	procfs_write(dev->dir, dev->thread, "rem_device_all");
	close(dev->dir);
}

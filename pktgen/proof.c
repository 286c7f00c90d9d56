// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What lo carries, kept in a capture file.  Frames are taken on their way in:
 * what egress drops never gets there.
 */
#include <errno.h>
#include <string.h>

#include <pcap/pcap.h>

#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"

#define SNAP_BYTES   1514
#define BUFFER_BYTES (16 << 20)

DEFINE_AUTO(pcap, pcap_t *, pcap_close)
#define auto_pcap __attribute__((cleanup(drop_pcap)))

struct proof_state {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	const char *file;
};

static int proof_open(void *state, const char *file)
{
	struct proof_state *st = state;
	char message[PCAP_ERRBUF_SIZE];
	auto_pcap pcap_t *pcap = pcap_create("lo", message);

	if (!pcap)
		return log_err(-EIO, "--proof: %s", message);
	/* Immediate: a frame is there as soon as lo has received it. */
	if (pcap_set_snaplen(pcap, SNAP_BYTES) ||
	    pcap_set_buffer_size(pcap, BUFFER_BYTES) ||
	    pcap_set_immediate_mode(pcap, 1) || pcap_activate(pcap) < 0 ||
	    pcap_setdirection(pcap, PCAP_D_IN) ||
	    pcap_setnonblock(pcap, 1, message))
		return log_err(-EIO, "--proof: capturing lo: %s",
			       pcap_geterr(pcap));
	st->dumper = pcap_dump_open(pcap, file);
	if (!st->dumper)
		return log_err(-EIO, "--proof: %s", pcap_geterr(pcap));
	st->file = file;
	st->pcap = hand_over(pcap, NULL);
	return 0;
}

static int write_out(struct proof_state *st)
{
	struct pcap_stat stat = { 0 };

	if (pcap_dispatch(st->pcap, -1, pcap_dump, (u_char *)st->dumper) < 0)
		return log_err(-EIO, "%s: %s", st->file, pcap_geterr(st->pcap));
	errno = 0;
	if (pcap_dump_flush(st->dumper) || ferror(pcap_dump_file(st->dumper)))
		return log_err(errno ? -errno : -EIO, "%s: %s", st->file,
			       strerror(errno ? errno : EIO));
	if (!pcap_stats(st->pcap, &stat) && stat.ps_drop)
		return log_err(-ENOBUFS, "%s: %u packets were not captured",
			       st->file, stat.ps_drop);
	return 0;
}

static int proof_close(void *state)
{
	struct proof_state *st = state;
	int err;

	if (!st->pcap)
		return 0;
	err = write_out(st);
	pcap_dump_close(hand_over(st->dumper, NULL));
	pcap_close(hand_over(st->pcap, NULL));
	return err;
}

const struct recorder recorder_pcap = {
	.state_size = sizeof(struct proof_state),
	.open = proof_open,
	.close = proof_close,
};

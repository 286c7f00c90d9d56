// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures read with libpcap: pcap and pcapng files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

#include "pktgen/template.h"
#include "runner/cleanup.h"
#include "runner/log.h"
#include "runner/source.h"

DEFINE_AUTO(pcap, pcap_t *, pcap_close)
#define auto_pcap __attribute__((cleanup(drop_pcap)))

static int check_link(const char *file, int type)
{
	const char *name = pcap_datalink_val_to_name(type);

	if (template_knows(type))
		return 0;
	return log_err(
		-EINVAL,
		"%s: link type %s (%d) is not read, only Ethernet, raw IP and Linux cooked",
		file, name ? name : "unknown", type);
}

static int read_all(pcap_t *pcap, const char *file, bool to_host,
		    struct capture *capture)
{
	int type = pcap_datalink(pcap), got, err = 0;
	struct pcap_pkthdr *header;
	const uint8_t *bytes;

	while (!err && (got = pcap_next_ex(pcap, &header, &bytes)) == 1) {
		struct captured frame = { bytes, header->caplen, header->len };

		err = template_add(capture, type, to_host, &frame);
	}
	if (err == -ENOSPC) {
		capture->cut = true;
		return 0;
	}
	if (err)
		return log_err(err, "%s: no memory for its packets", file);
	if (got == PCAP_ERROR)
		return log_err(-EINVAL,
			       "%s: broken after %zu usable packets: %s", file,
			       capture->count, pcap_geterr(pcap));
	return 0;
}

static void reader_release(struct capture *capture)
{
	free(capture->packets);
	free(capture->bytes);
	*capture = (struct capture){ 0 };
}

static int reader_read(const char *file, enum family family, bool to_host,
		       struct capture *capture)
{
	char message[PCAP_ERRBUF_SIZE];
	auto_pcap pcap_t *pcap = NULL;
	int err;

	*capture = (struct capture){ .family = family };
	pcap = pcap_open_offline(file, message);
	if (!pcap)
		return log_err(-EINVAL, "%s%s%s", file,
			       strstr(message, file) ? ": not a capture: "
						     : ": ",
			       message);
	err = check_link(file, pcap_datalink(pcap));
	if (!err)
		err = read_all(pcap, file, to_host, capture);
	if (err)
		reader_release(capture);
	return err;
}

const struct capture_reader capture_reader_pcap = {
	.read = reader_read,
	.release = reader_release,
};

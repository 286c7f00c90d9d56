// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "pktgen/replay.h"
#include "pktgen/testrun.h"
#include "runner/log.h"

/*
 * Moves on to where the next packet lies: behind the last one, or in the next
 * chunk, as the program reaches over at most TESTRUN_PACKET_BYTES from there.
 */
static void place(struct testrun_packet *at, uint16_t length)
{
	uint32_t next = at->at + at->length;

	if (next > TESTRUN_CHUNK_BYTES - TESTRUN_PACKET_BYTES) {
		at->chunk++;
		next = 0;
	}
	at->at = next;
	at->length = length;
}

void replay_size(struct bpf_map *packets, struct bpf_map *chunks,
		 const struct capture *capture)
{
	struct testrun_packet at = { 0 };

	for (size_t i = 0; i < capture->count; i++)
		place(&at, capture->packets[i].length);
	bpf_map__set_max_entries(packets, capture->count);
	bpf_map__set_max_entries(chunks, at.chunk + 1);
}

static void *map_all(const struct bpf_map *map, size_t *size)
{
	void *at;

	*size = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED,
		  bpf_map__fd(map), 0);
	return at == MAP_FAILED ? NULL : at;
}

static void fill(struct testrun_packet *packets, uint8_t *chunks,
		 const struct capture *capture)
{
	struct testrun_packet at = { 0 };

	for (size_t i = 0; i < capture->count; i++) {
		const struct capture_packet *packet = &capture->packets[i];

		place(&at, packet->length);
		packets[i] = at;
		memcpy(chunks + (size_t)at.chunk * TESTRUN_CHUNK_BYTES + at.at,
		       capture->bytes + packet->at, packet->length);
	}
}

int replay_fill(const struct bpf_map *packets, const struct bpf_map *chunks,
		const struct capture *capture)
{
	size_t packets_size, chunks_size;
	void *to_packets = map_all(packets, &packets_size);
	void *to_chunks = map_all(chunks, &chunks_size);
	int err = 0;

	if (to_packets && to_chunks)
		fill(to_packets, to_chunks, capture);
	else
		err = log_err(-errno, "bpf source: mapping the capture: %s",
			      strerror(errno));
	if (to_packets)
		munmap(to_packets, packets_size);
	if (to_chunks)
		munmap(to_chunks, chunks_size);
	return err;
}

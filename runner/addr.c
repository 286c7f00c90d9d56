// SPDX-License-Identifier: GPL-2.0-or-later
#include <arpa/inet.h>

#include "runner/addr.h"

const char *addr_text(enum family family, addr_t addr,
		      char buf[ADDR_TEXT_BYTES])
{
	uint8_t bytes[16];

	addr_put(addr, bytes);
	return inet_ntop(family == FAMILY_IPV6 ? AF_INET6 : AF_INET, bytes, buf,
			 ADDR_TEXT_BYTES);
}

const char *addr_count_text(addr_t count, char buf[ADDR_COUNT_BYTES])
{
	char *at = buf + ADDR_COUNT_BYTES;

	*--at = '\0';
	do
		*--at = '0' + (int)(count % 10);
	while (count /= 10);
	return at;
}

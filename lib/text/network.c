/* SPDX-License-Identifier: MIT */
/* Reads and writes IP addresses, and tells whether an address is in a network. */
#include "text/network.h"

#include <arpa/inet.h>
#include <string.h>

#define MAPPED_SIZE 12 /* bytes in front of an IPv4 address in an IPv6 one */

static const guint8 mapped[MAPPED_SIZE] = {[10] = 0xff, [11] = 0xff};

static bool
is_mapped(const struct text_network_address *address)
{
	return address->size == 16 && memcmp(address->bytes, mapped, MAPPED_SIZE) == 0;
}

static void
network_unmap(struct text_network_address *address)
{
	memmove(address->bytes, address->bytes + MAPPED_SIZE, 4);
	address->size = 4;
}

static bool
network_parse(const char *text, struct text_network_address *address_r)
{
	memset(address_r, 0, sizeof(*address_r));
	address_r->size = 4;
	if (inet_pton(AF_INET, text, address_r->bytes) == 1)
		return true;
	address_r->size = 16;
	return inet_pton(AF_INET6, text, address_r->bytes) == 1;
}

bool
text_network_address(const char *text, struct text_network_address *address_r)
{
	if (!network_parse(text, address_r))
		return false;
	if (is_mapped(address_r))
		network_unmap(address_r);
	return true;
}

const char *
text_network_format(const struct text_network_address *address, char text_r[ADDRESS_TEXT_SIZE])
{
	return inet_ntop(
	    address->size == 4 ? AF_INET : AF_INET6, address->bytes, text_r, ADDRESS_TEXT_SIZE);
}

static bool
network_holds(const char *network, const struct text_network_address *address)
{
	const char *slash = strchr(network, '/');
	g_autofree char *text =
	    g_strndup(network, slash ? (gsize)(slash - network) : strlen(network));
	struct text_network_address start;
	guint64 bits;

	if (!network_parse(text, &start))
		return false;
	bits = start.size * 8;
	if (slash && !g_ascii_string_to_unsigned(slash + 1, 10, 0, bits, &bits, NULL))
		return false;
	if (is_mapped(&start) && bits >= MAPPED_SIZE * 8) {
		network_unmap(&start);
		bits -= MAPPED_SIZE * 8;
	}
	if (start.size != address->size || memcmp(start.bytes, address->bytes, bits / 8) != 0)
		return false;
	guint rest = bits % 8;
	return rest == 0 || (start.bytes[bits / 8] ^ address->bytes[bits / 8]) >> (8 - rest) == 0;
}

bool
text_network_holds(const char *const *networks, const struct text_network_address *address)
{
	for (; *networks; networks++)
		if (network_holds(*networks, address))
			return true;
	return false;
}

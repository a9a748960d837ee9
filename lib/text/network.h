/* SPDX-License-Identifier: MIT */
/* IP addresses, read and written, and the networks that they are in. */
#ifndef TEXT_NETWORK_H
#define TEXT_NETWORK_H

#include <glib.h>
#include <stdbool.h>

/* An IP address in network order. An IPv4-mapped IPv6 address (::ffff:192.0.2.1, RFC 4291 section
   2.5.5.2) is stored as the IPv4 address. */
struct text_network_address {
	guint8 bytes[16];
	guint size; /* 4 or 16 */
};

#define ADDRESS_TEXT_SIZE 46 /* as INET6_ADDRSTRLEN */

/* Reads an address: 192.0.2.1 or 2001:db8::1. Returns false for other text and leaves *address_r
   undefined. */
bool text_network_address(const char *text, struct text_network_address *address_r);

/* Writes the shortest text of the address (RFC 5952) into text_r and returns text_r. */
const char *text_network_format(
    const struct text_network_address *address, char text_r[ADDRESS_TEXT_SIZE]);

/* Whether the address is in one of the networks, a NULL-terminated list of ADDRESS/PREFIX, or
   ADDRESS for one alone. Bits after the prefix are ignored. */
bool text_network_holds(const char *const *networks, const struct text_network_address *address);

#endif

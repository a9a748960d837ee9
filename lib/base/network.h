/* SPDX-License-Identifier: MIT */
#ifndef BASE_NETWORK_H
#define BASE_NETWORK_H

#include <glib.h>
#include <stdbool.h>

/* An IP address in network order. One of IPv6 that carries one of IPv4 (::ffff:192.0.2.1, RFC 4291
   section 2.5.5.2) is that one. */
struct base_network_address {
	guint8 bytes[16];
	guint size; /* 4 or 16 */
};

#define ADDRESS_TEXT_SIZE 46 /* as INET6_ADDRSTRLEN */

/* 192.0.2.1 or 2001:db8::1; false, and *address_r undefined, for anything else. */
bool base_network_address(const char *text, struct base_network_address *address_r);

/* The shortest text for it (RFC 5952), in text_r, which is returned. */
const char *base_network_format(
    const struct base_network_address *address, char text_r[ADDRESS_TEXT_SIZE]);

/* Whether it lies in one of the networks (NULL-terminated), each ADDRESS/PREFIX as
   base_settings_check_network takes it; bits behind the prefix do not count. */
bool base_network_holds(const char *const *networks, const struct base_network_address *address);

#endif

/* SPDX-License-Identifier: MIT */
/* The addresses to which a URL from a request may lead. */
#ifndef FETCH_ADDRESS_POLICY_H
#define FETCH_ADDRESS_POLICY_H

#include <glib.h>
#include <stdbool.h>
#include <sys/socket.h>

/* The operator's exceptions, each a NULL-terminated list or NULL: networks, public or private
   (10.0.0.0/8, ::1), that are exempt from all rules, and ports that are allowed besides 80 and 443.
 */
struct fetch_rules {
	const char *const *allow;
	const char *const *ports;
};

/* The result of fetch_address_policy_judge. */
enum fetch_verdict {
	FETCH_PERMITTED,
	FETCH_PRIVATE,
	FETCH_OWN,  /* an address of any interface of this machine */
	FETCH_PORT, /* the address is permitted, the port is not */
};

/* Whether a connection to the address and port is permitted. It is if the address is in a network
   of allow, or if it is an IPv4 or IPv6 unicast address of the public internet, does not belong to
   this machine, and the port is permitted. Not public are the special-purpose addresses of RFC 6890
   and its registries, addresses that IANA has not assigned, and all forms of an IPv4 address inside
   an IPv6 address. The exception is NAT64 (64:ff9b::/96, RFC 6052), the only way to IPv4 for hosts
   without it: there the IPv4 address decides. Other address families are not permitted. */
enum fetch_verdict fetch_address_policy_judge(
    const struct sockaddr *address, const struct fetch_rules *rules);

/* Whether an open connection leads to this machine although none of its interfaces has the address,
   for example through a load balancer: both ends have the same numeric address, which is not in a
   network of allow. */
bool fetch_address_policy_is_self(
    const char *peer, const char *local, const struct fetch_rules *rules);

/* Whether the port is 80, 443 or one of rules->ports. */
bool fetch_address_policy_permits_port(guint port, const struct fetch_rules *rules);

/* Whether text is a valid entry of allow: a network, 10.0.0.0/8 or fd00::/8, without bits after the
   prefix, or a single address. */
bool fetch_address_policy_network_valid(const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* Which addresses a URL that a stranger gave us may lead to. */
#ifndef FETCH_GUARD_H
#define FETCH_GUARD_H

#include <glib.h>
#include <stdbool.h>
#include <sys/socket.h>

/* What the operator permits besides, each NULL-terminated, or NULL for none: networks, public or
   not (10.0.0.0/8, ::1), which are exempt from all rules; ports besides 80 and 443. */
struct fetch_rules {
	const char *const *allow;
	const char *const *ports;
};

enum fetch_verdict {
	FETCH_PERMITTED,
	FETCH_PRIVATE,
	FETCH_OWN,  /* an address of this machine, on whichever interface */
	FETCH_PORT, /* the address is good, the port is not */
};

/* Whether a connection to this address and its port may be made: it is in a network of allow, or it
   is an IPv4 or IPv6 unicast address of the public internet that is not this machine's, and the
   port is one of those. What is not public: the special-purpose addresses of RFC 6890 and the
   registries it founded, whatever IANA has not given out, and every form in which an IPv6 address
   carries an IPv4 one. The one exception is NAT64 (64:ff9b::/96, RFC 6052), the only way out for
   hosts without IPv4: there the address inside decides. Of any other family none is permitted. */
enum fetch_verdict fetch_guard_judge(
    const struct sockaddr *address, const struct fetch_rules *rules);

/* Whether a connection that was made leads to this machine although none of its interfaces has that
   address (a load balancer's, for example): both ends, as numbers, are the same, and in no network
   of allow. */
bool fetch_guard_is_self(const char *peer, const char *local, const struct fetch_rules *rules);

bool fetch_guard_permits_port(guint port, const struct fetch_rules *rules);

/* Whether text is a network as allow takes it: 10.0.0.0/8 or fd00::/8 with no bit set after the
   prefix, or a single address. */
bool fetch_guard_network_valid(const char *text);

#endif

/* Which addresses a URL that a stranger gave us may lead to. */
#ifndef FETCH_GUARD_H
#define FETCH_GUARD_H

#include <stdbool.h>
#include <sys/socket.h>

/* Whether a connection to this address may be made: it is in a network of allow (NULL-terminated,
   as for fetch_get; NULL for none), or it is an IPv4 or IPv6 unicast address of the public
   internet. What is not public: the special-purpose addresses of RFC 6890 and the registries it
   founded, whatever IANA has not given out, and every form in which an IPv6 address carries an IPv4
   one. The one exception is NAT64 (64:ff9b::/96, RFC 6052), the only way out for hosts without
   IPv4: there the address inside decides. Of any other family none is permitted. */
bool fetch_guard_permits(const struct sockaddr *address, const char *const *allow);

/* Whether text is a network as allow takes it: 10.0.0.0/8 or fd00::/8 with no bit set after the
   prefix, or a single address. */
bool fetch_guard_network_valid(const char *text);

#endif

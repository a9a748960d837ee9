/* SPDX-License-Identifier: MIT */
/* Checks addresses against the table of networks that are not part of the public internet. */
#include "fetch/address_policy.h"

#include <arpa/inet.h>
#include <glib.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>

/* A network. IPv4 and IPv6 differ in size, so an address is never in a network of the other family.
 */
struct network {
	guint8 bytes[16];
	guint size;
	guint bits;
};

/* Outside 2000::/3, NAT64 is the only public IPv6 network that IANA has assigned. The networks
   ::/3, 4000::/2 and 8000::/1 therefore contain all others: unspecified and loopback (RFC 4291),
   v4-compatible and v4-mapped (RFC 4291), local NAT64 (RFC 8215), discard-only (RFC 6666), unique
   local (RFC 4193), link-local and site-local (RFC 4291, RFC 3879), multicast (RFC 4291). */
static const char *const special[] = {
    "0.0.0.0/8",	/* this network: RFC 791 */
    "10.0.0.0/8",	/* private: RFC 1918 */
    "100.64.0.0/10",	/* shared by a provider's customers: RFC 6598 */
    "127.0.0.0/8",	/* loopback: RFC 1122 */
    "168.63.129.16/32", /* public by number, but in Azure it is the host of the machine */
    "169.254.0.0/16",	/* link-local, cloud metadata: RFC 3927 */
    "172.16.0.0/12",	/* private: RFC 1918 */
    "192.0.0.0/24",	/* IETF protocol assignments: RFC 6890 */
    "192.0.2.0/24",	/* documentation: RFC 5737 */
    "192.88.99.0/24",	/* 6to4 relays: RFC 7526 */
    "192.168.0.0/16",	/* private: RFC 1918 */
    "198.18.0.0/15",	/* benchmarking: RFC 2544 */
    "198.51.100.0/24",	/* documentation: RFC 5737 */
    "203.0.113.0/24",	/* documentation: RFC 5737 */
    "224.0.0.0/4",	/* multicast: RFC 5771 */
    "240.0.0.0/4",	/* reserved: RFC 1112; broadcast: RFC 919 */
    "::/3",		/* see above */
    "2001::/23",	/* IETF protocol assignments: RFC 2928; Teredo: RFC 4380 */
    "2001:db8::/32",	/* documentation: RFC 3849 */
    "2002::/16",	/* 6to4: RFC 3056 */
    "3fff::/20",	/* documentation: RFC 9637 */
    "4000::/2",		/* see above */
    "8000::/1",		/* see above */
    NULL,
};

static bool
address_policy_contains(const struct network *network, const guint8 *bytes, guint size)
{
	guint whole = network->bits / 8, rest = network->bits % 8;

	if (network->size != size || memcmp(network->bytes, bytes, whole) != 0)
		return false;
	return rest == 0 || (network->bytes[whole] ^ bytes[whole]) >> (8 - rest) == 0;
}

static bool
ends_with_prefix(const struct network *network)
{
	for (guint bit = network->bits; bit < network->size * 8; bit++)
		if (network->bytes[bit / 8] & 0x80 >> bit % 8)
			return false;
	return true;
}

static bool
address_policy_parse(const char *text, struct network *network_r)
{
	const char *slash = strchrnul(text, '/');
	g_autofree char *address = g_strndup(text, slash - text);
	guint64 bits;

	memset(network_r, 0, sizeof(*network_r));
	if (inet_pton(AF_INET, address, network_r->bytes) == 1)
		network_r->size = 4;
	else if (inet_pton(AF_INET6, address, network_r->bytes) == 1)
		network_r->size = 16;
	else
		return false;
	bits = network_r->size * 8;
	if (*slash && !g_ascii_string_to_unsigned(slash + 1, 10, 0, bits, &bits, NULL))
		return false;
	network_r->bits = (guint)bits;
	return ends_with_prefix(network_r);
}

static bool
in_any(const char *const *networks, const guint8 *bytes, guint size)
{
	struct network network;

	for (; *networks; networks++)
		if (address_policy_parse(*networks, &network) &&
		    address_policy_contains(&network, bytes, size))
			return true;
	return false;
}

/* The bytes of an IPv4 or IPv6 address and their number; NULL for other families. */
static const guint8 *
address_policy_bytes_of(const struct sockaddr *address, guint *size_r)
{
	if (address->sa_family == AF_INET) {
		*size_r = 4;
		return (const guint8 *)&((const struct sockaddr_in *)(const void *)address)
		    ->sin_addr;
	}
	if (address->sa_family == AF_INET6) {
		*size_r = 16;
		return ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr;
	}
	return NULL;
}

/* Whether an interface has the address. If the interfaces cannot be listed,
   fetch_address_policy_is_self must find the connection. */
static bool
address_policy_is_own(const guint8 *bytes, guint size)
{
	struct ifaddrs *all;
	bool own = false;
	guint other_size;

	if (getifaddrs(&all) != 0)
		return false;
	for (const struct ifaddrs *one = all; one && !own; one = one->ifa_next) {
		const guint8 *other =
		    one->ifa_addr ? address_policy_bytes_of(one->ifa_addr, &other_size) : NULL;

		own = other && other_size == size && memcmp(other, bytes, size) == 0;
	}
	freeifaddrs(all);
	return own;
}

enum fetch_verdict
fetch_address_policy_judge(const struct sockaddr *address, const struct fetch_rules *rules)
{
	static const struct network nat64 = {{0, 0x64, 0xff, 0x9b}, 16, 96};
	guint size;
	const guint8 *bytes = address_policy_bytes_of(address, &size);

	if (!bytes)
		return FETCH_PRIVATE;
	if (rules->allow && in_any(rules->allow, bytes, size))
		return FETCH_PERMITTED;
	if (address_policy_contains(&nat64, bytes, size)) {
		bytes += 12;
		size = 4;
	}
	if (in_any(special, bytes, size))
		return FETCH_PRIVATE;
	if (address_policy_is_own(bytes, size))
		return FETCH_OWN;
	/* sin_port and sin6_port have the same offset. */
	guint port = ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
	return fetch_address_policy_permits_port(port, rules) ? FETCH_PERMITTED : FETCH_PORT;
}

bool
fetch_address_policy_is_self(const char *peer, const char *local, const struct fetch_rules *rules)
{
	struct network address;

	return strcmp(peer, local) == 0 && !(rules->allow && address_policy_parse(peer, &address) &&
					       in_any(rules->allow, address.bytes, address.size));
}

bool
fetch_address_policy_permits_port(guint port, const struct fetch_rules *rules)
{
	bool permitted = port == 80 || port == 443;

	for (const char *const *other = rules->ports; !permitted && other && *other; other++)
		permitted = port == g_ascii_strtoull(*other, NULL, 10);
	return permitted;
}

bool
fetch_address_policy_network_valid(const char *text)
{
	struct network network;

	return address_policy_parse(text, &network);
}

/* SPDX-License-Identifier: MIT */
/* Checks URLs, and fetches a file by one transfer for each redirect. */
#include "fetch/fetch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "fetch/address_policy.h"
#include "fetch/transfer.h"
#include "fetch/url.h"

bool
fetch_url_valid(const char *url)
{
	g_autofree char *parsed = fetch_url_parse(url);

	return parsed != NULL;
}

/* Reads an IPv4 address in all notations that resolvers accept, or an IPv6 address. */
static bool
fetch_read_address(const char *host, guint port, struct sockaddr_storage *address_r)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)address_r;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)address_r;

	memset(address_r, 0, sizeof(*address_r));
	v4->sin_port = htons((guint16)port); /* sin6_port is at the same offset */
	if (inet_aton(host, &v4->sin_addr) != 0)
		address_r->ss_family = AF_INET;
	else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1)
		address_r->ss_family = AF_INET6;
	return address_r->ss_family != 0;
}

static enum fetch_fault
judge_address(const char *host, guint port, const struct fetch_rules *rules)
{
	struct sockaddr_storage address;

	if (!fetch_read_address(host, port, &address))
		return fetch_address_policy_permits_port(port, rules) ? FETCH_URL_GOOD
								      : FETCH_URL_PORT;
	switch (fetch_address_policy_judge((const struct sockaddr *)&address, rules)) {
	case FETCH_PERMITTED:
		return FETCH_URL_GOOD;
	case FETCH_PORT:
		return FETCH_URL_PORT;
	case FETCH_PRIVATE:
	case FETCH_OWN:
		break;
	}
	return FETCH_URL_PRIVATE;
}

/* Names for this machine (RFC 6761 section 6.3). */
static bool
is_localhost(const char *host)
{
	return strcmp(host, "localhost") == 0 || g_str_has_suffix(host, ".localhost");
}

enum fetch_fault
fetch_url_check(const char *url, const struct fetch_rules *rules, guint *port_r)
{
	g_autofree char *parsed = fetch_url_parse(url);

	*port_r = 0;
	if (!parsed)
		return FETCH_URL_MALFORMED;
	g_autofree char *given = fetch_url_host(parsed, port_r);
	g_autofree char *host = g_ascii_strdown(given, -1);
	gsize size = strlen(host);
	if (size > 0 && host[size - 1] == '.')
		host[size - 1] = '\0';
	if (is_localhost(host) && judge_address("127.0.0.1", *port_r, rules) != FETCH_URL_GOOD &&
	    judge_address("::1", *port_r, rules) != FETCH_URL_GOOD)
		return FETCH_URL_PRIVATE;
	return judge_address(host, *port_r, rules);
}

static bool
check_networks(const char *const *allow, GError **error)
{
	for (; allow && *allow; allow++) {
		if (fetch_address_policy_network_valid(*allow))
			continue;
		return base_fail(error, PH_ERROR_FAILED,
		    "\"%s\" among the allowed networks is not a network", *allow);
	}
	return true;
}

/* Replaces *url by the target of the redirect. */
static bool
fetch_follow(char **url, const char *location, int redirects, GError **error)
{
	g_autofree char *next = NULL;
	g_autofree char *shown = NULL;

	if (redirects == LIMIT_FETCH_REDIRECTS) {
		return base_invalid(
		    error, "too many redirects, more than %d", LIMIT_FETCH_REDIRECTS);
	}
	next = fetch_url_resolve(*url, location);
	if (!next) {
		shown = fetch_url_show(location);
		return base_invalid(error,
		    "the server redirects to \"%s\", which is not a plain http or https URL",
		    shown);
	}
	g_free(*url);
	*url = g_steal_pointer(&next);
	return true;
}

GBytes *
fetch_get(const char *url, const struct fetch_rules *rules, gsize max_bytes, gint64 deadline,
    GError **error)
{
	struct fetch_limits limits = {rules, max_bytes, base_clock_boot(), deadline, NULL};
	g_autofree char *current = fetch_url_parse(url);

	if (!check_networks(rules->allow, error))
		return NULL;
	if (!current) {
		base_invalid(error, "it is not an absolute http or https URL without credentials");
		return NULL;
	}
	for (int redirects = 0;; redirects++) {
		GBytes *body;
		g_autofree char *location = NULL;
		GError *failure = NULL;

		if (!fetch_transfer_run(current, &limits, &body, &location, &failure)) {
			if (failure->code == PH_ERROR_NOT_FOUND)
				failure->code = PH_ERROR_INVALID;
			g_propagate_error(error, failure);
			return NULL;
		}
		if (body)
			return body;
		if (!fetch_follow(&current, location, redirects, error))
			return NULL;
	}
}

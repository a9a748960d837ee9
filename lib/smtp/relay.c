/* SPDX-License-Identifier: MIT */
/* Checks the settings of a relay. */
#include "smtp/relay.h"

#include <string.h>

#include "base/error.h"
#include "smtp/envelope.h"

#define CREDENTIAL_BYTES 255 /* keeps the lines of AUTH short */

static bool
relay_is_literal(const char *helo)
{
	gsize size = strlen(helo);

	return size > 2 && size <= 64 && helo[0] == '[' && helo[size - 1] == ']' &&
	       strspn(helo + 1, "0123456789abcdefABCDEFIPv.:") == size - 2;
}

#define TLS_PORT 465
#define TLS_PORT_GREETING_S 3

bool
smtp_relay_waits_for_tls(const struct smtp_relay *relay)
{
	return relay->port == TLS_PORT && relay->tls != TLS_IMPLICIT;
}

guint
smtp_relay_greeting_s(const struct smtp_relay *relay)
{
	return smtp_relay_waits_for_tls(relay) ? MIN(relay->timeout_s, TLS_PORT_GREETING_S)
					       : relay->timeout_s;
}

bool
smtp_relay_check(const struct smtp_relay *relay, GError **error)
{
	const char *fault = NULL;

	if (!smtp_envelope_is_host(relay->host) || relay->port < 1 || relay->port > 65535)
		fault = "its address is not a host name or an IPv4 address with a port";
	else if (relay->helo[0] && !smtp_envelope_is_host(relay->helo) &&
		 !relay_is_literal(relay->helo))
		fault = "the name for EHLO is not a domain name or an address literal";
	else if (strlen(relay->user) > CREDENTIAL_BYTES ||
		 strlen(relay->password) > CREDENTIAL_BYTES)
		fault = "the user or the password is longer than 255 bytes";
	else if (relay->user[0] && relay->tls == TLS_NONE && !relay->unverified &&
		 !config_relay_is_local(relay->host))
		fault = "it cannot prove its name without TLS, so no password is sent to it "
			"(unless tls_verify = no allows it)";
	if (!fault)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "relay %s (%s:%u) cannot be used: %s",
	    relay->name, relay->host, relay->port, fault);
	return false;
}

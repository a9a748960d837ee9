/* SPDX-License-Identifier: MIT */
/* Makes libesmtp sessions for our relays. */
#include "smtp/esmtp.h"

#include "smtp/dialogue.h"
#include "smtp/relay.h"

/* Gives libesmtp the fields that an AUTH mechanism asks for. Only NTLM asks for a realm: it is
   refused, and gets empty strings, since it reads them all the same. */
static int
give_credentials(auth_client_request_t request, char **result, int fields, void *arg)
{
	const struct smtp_relay *relay = arg;
	int known = 1;

	for (int i = 0; i < fields; i++)
		known = known && (request[i].flags & (AUTH_USER | AUTH_PASS));
	for (int i = 0; i < fields; i++) {
		const char *value = request[i].flags & AUTH_USER ? relay->user : relay->password;
		result[i] = (char *)(known ? value : ""); /* it only reads, whatever its type */
	}
	return known;
}

static void
set_timeouts(smtp_session_t esmtp, const struct smtp_relay *relay)
{
	/* The unit is ms, despite the manual of libesmtp. The flag allows times below the minimums
	   of RFC 5321. */
	const int override = Timeout_OVERRIDE_RFC2822_MINIMUM;

	smtp_set_timeout(esmtp, Timeout_GREETING | override, relay->timeout_s * 1000L);
	smtp_set_timeout(esmtp, Timeout_ENVELOPE | override, relay->timeout_s * 1000L);
	smtp_set_timeout(esmtp, Timeout_DATA | override, relay->timeout_s * 1000L);
	smtp_set_timeout(esmtp, Timeout_TRANSFER | override, relay->timeout_s * 1000L);
	smtp_set_timeout(esmtp, Timeout_DATA2 | override, relay->dot_timeout_s * 1000L);
}

static enum starttls_option
tls_option(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue)
{
	if (relay->tls == TLS_NONE)
		return Starttls_DISABLED;
	return dialogue->wants_tls ? Starttls_REQUIRED : Starttls_ENABLED;
}

smtp_session_t
smtp_esmtp_new(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue, SSL_CTX *tls,
    auth_context_t auth)
{
	smtp_session_t esmtp = smtp_create_session();
	g_autofree char *server = g_strdup_printf("%s:%u", relay->host, relay->port);

	if (!esmtp || !auth)
		g_error("smtp: no memory for a session");
	smtp_set_server(esmtp, server);
	smtp_set_hostname(esmtp, relay->helo);
	set_timeouts(esmtp, relay);
	if (tls)
		smtp_starttls_set_ctx(esmtp, tls);
	smtp_starttls_enable(esmtp, tls_option(relay, dialogue));
	if (dialogue->wants_auth) {
		auth_set_mechanism_flags(auth, AUTH_PLUGIN_PLAIN, 0);
		auth_set_interact_cb(auth, give_credentials, (void *)relay);
		smtp_auth_set_context(esmtp, auth);
	}
	return esmtp;
}

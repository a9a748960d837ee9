/* SPDX-License-Identifier: MIT */
/* Makes libesmtp sessions for our relays. */
#include "smtp/esmtp.h"

#include "smtp/dialogue.h"
#include "smtp/relay.h"

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
smtp_esmtp_new(const struct smtp_relay *relay, const struct smtp_dialogue *dialogue, SSL_CTX *tls)
{
	smtp_session_t esmtp = smtp_create_session();
	g_autofree char *server = g_strdup_printf("%s:%u", relay->host, relay->port);

	if (!esmtp)
		g_error("smtp: no memory for a session");
	smtp_set_server(esmtp, server);
	smtp_set_hostname(esmtp, relay->helo);
	set_timeouts(esmtp, relay);
	if (tls)
		smtp_starttls_set_ctx(esmtp, tls);
	smtp_starttls_enable(esmtp, tls_option(relay, dialogue));
	return esmtp;
}

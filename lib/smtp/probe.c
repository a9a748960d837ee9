/* SPDX-License-Identifier: MIT */
/* Notes what a relay shows to a probe, and ends its session. */
#include "smtp/probe.h"

#include <time.h>

#include <openssl/ssl.h>

#include "smtp/line.h"

#define QUIT_S 2

/* The end of a certificate in epoch ms. */
static gint64
end_of(const X509 *certificate)
{
	struct tm end = {0};

	if (!certificate || !ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end))
		return 0;
	return (gint64)timegm(&end) * 1000;
}

void
smtp_probe_note(struct smtp_probe *probe, const struct smtp_line *line)
{
	g_autofree char *dsn = smtp_dialogue_offer(line->dialogue, "DSN");
	X509 *certificate = line->ssl ? SSL_get_peer_certificate(line->ssl) : NULL;

	probe->dsn = dsn != NULL;
	probe->certificate_end = end_of(certificate);
	X509_free(certificate);
}

void
smtp_probe_end(const struct smtp_line *line)
{
	line->dialogue->step = DIALOGUE_RESET;
	if (smtp_line_send(line, "RSET") && smtp_line_receive(line) > 0) {
		line->wire->limit_us = QUIT_S * G_USEC_PER_SEC;
		if (smtp_line_send(line, "QUIT"))
			smtp_line_receive(line);
	}
	line->dialogue->over = true;
	smtp_wire_shut(line->wire);
}

void
smtp_probe_clear(struct smtp_probe *probe)
{
	g_clear_pointer(&probe->refused, g_free);
}

/* SPDX-License-Identifier: MIT */
/* Domains that enforce TLS, with relays that have it, have it badly, or have none. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/email.h"
#include "tests/support/smtp_server.h"

#define MINUTE_MS 60000

FIXTURE_SUITE(domain_tls, 600);

/* Says whether the fixture's domain enforces TLS. */
static void
tls_enforce(const char *tls)
{
	AUTO(answer)
	list =
	    exchange_expect(fixture, &(struct exchange){"list", "GET", "/v1/domains", NULL, 200});
	g_autofree char *path =
	    g_strdup_printf("/v1/domains/%s/settings", answer_text(list, "domains[0].id"));
	g_autofree char *body = g_strdup_printf("{'tls':'%s'}", tls);
	const struct exchange exchange = {tls, "PATCH", path, body, 200};

	answer_free(exchange_expect(fixture, &exchange));
}

static const struct smtp_script none = {.extensions = "8BITMIME"};
static const struct smtp_script offered = {.extensions = "8BITMIME\nSTARTTLS"};
static const struct smtp_script ended = {
    .extensions = "8BITMIME\nSTARTTLS", .certificate = CERTIFICATE_EXPIRED};

static char *
tls_ca(const struct smtp_server *relay)
{
	return g_strconcat("smtp.tls_ca=", smtp_server_ca(relay), NULL);
}

/* The settings ask for less than the domain does, and other mail goes on as before. */
Test(domain_tls, waits_for_a_relay_that_has_it)
{
	AUTO(smtp_server) relay = smtp_server_start(&none);
	guint port = smtp_server_port(relay);
	g_autofree char *want = g_strdup_printf(
	    "delayed relay 127.0.0.1:%u (127.0.0.1:%u) does not offer STARTTLS, which tls = "
	    "enforced of " FIXTURE_DOMAIN " needs 4.7.5",
	    port, port);

	alone_use_relay(fixture, port, NULL);
	tls_enforce("enforced");
	g_autofree char *waits = email_send(fixture, NULL);
	alone_expect_events(fixture, "enforced", waits, 0, want);
	cr_expect_eq(smtp_server_count(relay), 0);
	tls_enforce("opportunistic");
	g_autofree char *goes = email_send(fixture, NULL);
	alone_expect_events(fixture, "opportunistic", goes, 0, "sent");
	cr_expect_eq(smtp_server_count(relay), 1, "the relay rests for all");
	alone_spool(fixture, 10 * MINUTE_MS);
	cr_expect_eq(smtp_server_count(relay), 2);
}

Test(domain_tls, leaves_by_a_relay_that_has_it)
{
	AUTO(smtp_server) relay = smtp_server_start(&offered);
	g_autofree char *port = g_strdup_printf("smtp.port=%u", smtp_server_port(relay));
	g_autofree char *ca = tls_ca(relay);

	ALONE_SET(fixture, port, ca, "smtp.host=localhost", "smtp.tls_verify=no", "smtp.final=no",
	    "smtp.timeout=60");
	tls_enforce("enforced");
	g_autofree char *id = email_send(fixture, NULL);
	alone_expect_events(fixture, "enforced", id, 0, "sent");
	cr_assert_eq(smtp_server_count(relay), 1);
	cr_expect(smtp_server_mail(relay, 0)->tls);
	ALONE_SET(fixture, "smtp.host=", "smtp.tls_ca=", "smtp.tls_verify=");
}

/* The certificate is checked, though the settings do not ask for that. */
Test(domain_tls, waits_for_a_certificate_that_holds)
{
	AUTO(smtp_server) relay = smtp_server_start(&ended);
	g_autofree char *port = g_strdup_printf("smtp.port=%u", smtp_server_port(relay));
	g_autofree char *ca = tls_ca(relay);
	g_autofree char *want =
	    g_strdup_printf("delayed relay localhost:%u (localhost:%u): TLS failed: "
			    "its certificate ended on 2001-02-03 4.7.5",
		smtp_server_port(relay), smtp_server_port(relay));

	ALONE_SET(fixture, port, ca, "smtp.host=localhost", "smtp.tls_verify=no", "smtp.final=no",
	    "smtp.timeout=60");
	tls_enforce("enforced");
	g_autofree char *id = email_send(fixture, NULL);
	alone_expect_events(fixture, "enforced", id, 0, want);
	cr_expect_eq(smtp_server_count(relay), 0);
	ALONE_SET(fixture, "smtp.host=", "smtp.tls_ca=", "smtp.tls_verify=");
}

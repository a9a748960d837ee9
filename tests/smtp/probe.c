/* SPDX-License-Identifier: MIT */
/* Tests probes: their commands and findings. */
#include "smtp/probe.h"

#include <criterion/criterion.h>
#include <string.h>

#include "smtp/session.h"
#include "tests/support/smtp_server.h"

static const struct probe_case {
	const char *name;
	struct smtp_script script;
	enum config_setting_tls tls;
	const char *sender, *recipient;
	bool had, dsn, secured, silent;
	const char *refused; /* a pattern; NULL: nothing was */
	int refusal;
	const char *log;
} cases[] = {
    {.name = "taken",
	.script = {.extensions = "PIPELINING\nDSN"},
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.had = true,
	.dsn = true,
	.log = "*MAIL FROM:<a@x.org>*\nRCPT TO:<b@x.org>*\nRSET\nQUIT\n"},
    {.name = "no recipient", .sender = "", .had = true, .log = "*MAIL FROM:<>*\nRSET\nQUIT\n"},
    {.name = "STARTTLS",
	.script = {.extensions = "STARTTLS\nDSN"},
	.tls = TLS_REQUIRED,
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.had = true,
	.dsn = true,
	.secured = true,
	.log = "*RCPT TO:<b@x.org>*\nRSET\nQUIT\n"},
    {.name = "implicit TLS",
	.script = {.implicit = true},
	.tls = TLS_IMPLICIT,
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.had = true,
	.secured = true,
	.log = "*RCPT TO:<b@x.org>*\nRSET\nQUIT\n"},
    {.name = "MAIL refused",
	.script = {.extensions = "DSN", .rules = {REPLY("MAIL*", 0, "550 5.7.1 no")}},
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.had = true,
	.dsn = true,
	.refused = "relay test (127.0.0.1:*) refused MAIL: 550 5.7.1 no",
	.refusal = 550,
	.log = "*MAIL FROM:<a@x.org>*\nRSET\nQUIT\n"},
    {.name = "MAIL refused without a login",
	.script = {.rules = {REPLY("MAIL*", 0, "530 5.7.0 login first")}},
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.had = true,
	.refused = "relay test (127.0.0.1:*) refused MAIL: 530 5.7.0 login first",
	.refusal = 530,
	.log = "*\nRSET\nQUIT\n"},
    {.name = "RCPT refused",
	.script = {.rules = {REPLY("RCPT*", 0, "450 4.2.0 later")}},
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.had = true,
	.refused = "relay test (127.0.0.1:*) refused RCPT: 450 4.2.0 later",
	.refusal = 450,
	.log = "*RCPT TO:<b@x.org>*\nRSET\nQUIT\n"},
    {.name = "an address that cannot be sent",
	.sender = "a@x.org",
	.recipient = "b b@x.org",
	.had = true,
	.refused = "The address cannot be sent to a mail server.",
	.log = ""},
    {.name = "silence",
	.script = {.rules = {THEN(HANG, "CONNECT", 0, "")}},
	.sender = "a@x.org",
	.recipient = "b@x.org",
	.silent = true,
	.log = ""},
};

static void
probe_run(const struct probe_case *c)
{
	AUTO(smtp_server) server = smtp_server_start(&c->script);
	const struct smtp_relay relay = {.name = "test",
	    .host = "127.0.0.1",
	    .port = smtp_server_port(server),
	    .tls = c->tls,
	    .tls_ca = "",
	    .tls_name = "",
	    .tls_cert = "",
	    .tls_key = "",
	    .user = "",
	    .password = "",
	    .token_command = "",
	    .source = "",
	    .helo = "",
	    .timeout_s = 1};
	struct smtp_probe probe = {.sender = c->sender, .recipient = c->recipient};
	g_autoptr(GError) error = NULL;
	bool had = smtp_session_probe(&relay, &probe, &error);

	smtp_server_stop(server);
	const char *log = smtp_server_log(server), *refused = probe.refused;
	cr_expect_eq(had, c->had, "%s: %s", c->name, error ? error->message : "no error");
	cr_expect_eq(probe.dsn, c->dsn, "%s: dsn", c->name);
	cr_expect_eq(probe.secured, c->secured, "%s: secured", c->name);
	cr_expect_eq(probe.silent, c->silent, "%s: silent", c->name);
	cr_expect_eq(probe.certificate_end > 0, c->secured, "%s: certificate", c->name);
	cr_expect(c->refused ? refused && g_pattern_match_simple(c->refused, refused) : !refused,
	    "%s: got %s", c->name, refused ? refused : "nothing refused");
	cr_expect_eq(probe.refusal, c->refusal, "%s: got %d", c->name, probe.refusal);
	cr_expect(g_pattern_match_simple(c->log, log), "%s: got log\n%s", c->name, log);
	cr_expect_eq(smtp_server_count(server), 0, "%s: a message left", c->name);
	smtp_probe_clear(&probe);
}

Test(probe, tells_what_it_finds)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		probe_run(&cases[i]);
}

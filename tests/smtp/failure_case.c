/* SPDX-License-Identifier: MIT */
#include "tests/smtp/failure_case.h"

#include <criterion/criterion.h>
#include <string.h>

const char *const failure_two[] = {"a@x.org", "b@x.org", NULL};

static void
failure_case_check_case(const struct failure_case *c)
{
	struct sending sending;

	sending_start(&sending, &c->script, failure_two);
	sending.relay.tls = c->tls;
	if (c->host)
		sending.relay.host = c->host;
	if (c->user) {
		sending.relay.user = c->user;
		sending.relay.password = c->password ? c->password : "";
	}
	sending.relay.auth = c->auth;
	sending.relay.token_command = c->token_command ? c->token_command : "";
	sending.relay.tls_name = c->tls_name ? c->tls_name : "";
	sending.relay.source = c->source ? c->source : "";
	sending.relay.tls_cert = sending.relay.tls_key =
	    c->shows_own ? smtp_server_ca(sending.server) : "";
	if (c->trusts)
		sending.relay.tls_ca = smtp_server_ca(sending.server);
	sending.relay.unverified = c->unverified;
	sending.relay.verifies =
	    !c->unverified && (c->tls >= TLS_REQUIRED || (c->tls != TLS_NONE && c->user));
	sending_run(&sending);
	sending_stop(&sending);
	const char *log = smtp_server_log(sending.server);
	const char *got = sending.error ? sending.error->message : "(sent)";
	cr_expect(g_pattern_match_simple(c->want ? c->want : "(sent)", got),
	    "%s: got \"%s\", want \"%s\"", c->name, got, c->want);
	if (c->want && sending.error)
		cr_expect_eq(sending.error->code, (int)c->want_code, "%s: got %d, want %d", c->name,
		    sending.error->code, (int)c->want_code);
	enum smtp_outcome want = c->want ? SMTP_NOT_TRIED : SMTP_SENT;
	for (guint i = 0; i < 2; i++)
		cr_expect_eq(sending.messages[i].recipients[0].outcome, want,
		    "%s: message %u: got %d, want %d", c->name, i,
		    sending.messages[i].recipients[0].outcome, want);
	cr_expect_eq(smtp_server_count(sending.server), c->want ? 0 : 2, "%s: got %u mails",
	    c->name, smtp_server_count(sending.server));
	cr_expect(!c->want_log || strstr(log, c->want_log), "%s: want %s in\n%s", c->name,
	    c->want_log, log);
	cr_expect(!c->not_log || !strstr(log, c->not_log), "%s: do not want %s in\n%s", c->name,
	    c->not_log, log);
	if (c->want_enhanced)
		cr_expect_str_eq(smtp_session_enhanced(sending.session), c->want_enhanced,
		    "%s: got %s, want %s", c->name, smtp_session_enhanced(sending.session),
		    c->want_enhanced);
	if (c->want_stage)
		cr_expect_str_eq(smtp_session_stage(sending.session), c->want_stage,
		    "%s: got %s, want %s", c->name, smtp_session_stage(sending.session),
		    c->want_stage);
	if (c->password && sending.error)
		cr_expect_null(strstr(got, c->password), "%s: got \"%s\"", c->name, got);
	if (!c->want && c->user && smtp_server_count(sending.server) > 0)
		cr_expect_str_eq(smtp_server_mail(sending.server, 0)->user, c->user);
	sending_free(&sending);
}

void
failure_check(const struct failure_case *cases, gsize count)
{
	for (gsize i = 0; i < count; i++)
		failure_case_check_case(&cases[i]);
}

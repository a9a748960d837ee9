/* SPDX-License-Identifier: MIT */
/* Sessions that cannot be had: TLS, AUTH, greetings. */
#include "smtp/session.h"

#include <criterion/criterion.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/smtp/sending.h"

static const char *const two[] = {"a@x.org", "b@x.org", NULL};

/* want NULL: the session is had, and both messages are sent. */
static const struct failure_case {
	const char *name;
	struct smtp_script script;
	enum base_setting_tls tls;
	const char *host, *user, *password;
	bool trusts; /* the server's certificate */
	bool unverified;
	enum ph_error want_code;
	const char *want;     /* a pattern for the message */
	const char *want_log; /* stands in the server's log */
	const char *not_log;  /* does not */
} cases[] = {
    {.name = "greeting 4xx",
	.script = {.rules = {REPLY("CONNECT", 0, "421 4.3.2 too busy")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "The mail relay 127.0.0.1:* refused greeting: 421 4.3.2 too busy"},
    {.name = "greeting 5xx",
	.script = {.rules = {REPLY("CONNECT", 0, "554 5.7.1 go away")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused greeting: 554 5.7.1 go away"},
    {.name = "greeting of another protocol",
	.script = {.rules = {REPLY("CONNECT", 0, "SSH-2.0-OpenSSH")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or does not speak SMTP (greeting)."},
    {.name = "dropped before the greeting",
	.script = {.rules = {THEN(DROP, "CONNECT", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or does not speak SMTP (greeting)."},
    {.name = "silent before the greeting",
	.script = {.rules = {THEN(HANG, "CONNECT", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (greeting)."},
    {.name = "EHLO 4xx",
	.script = {.rules = {REPLY("EHLO*", 0, "450 4.3.2 later")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused EHLO: 450 4.3.2 later"},
    {.name = "EHLO 5xx",
	.script = {.rules = {REPLY("EHLO*", 0, "550 5.7.1 not you")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused EHLO: 550 5.7.1 not you"},
    {.name = "EHLO unknown, HELO known", .script = {.rules = {REPLY("EHLO*", 0, "502 what?")}}},
    {.name = "EHLO and HELO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?"), REPLY("HELO*", 0, "502 what?")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused EHLO: 502 what?"},
    {.name = "dropped at EHLO",
	.script = {.rules = {THEN(DROP, "EHLO*", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or does not speak SMTP (EHLO)."},
    {.name = "silent at EHLO",
	.script = {.rules = {THEN(HANG, "EHLO*", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (EHLO)."},
    {.name = "EHLO that does not end",
	.script = {.rules = {THEN(HANG, "EHLO*", 0, "250-a\r\n250-b")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (EHLO)."},

    {.name = "TLS, name and chain good",
	.script = {.extensions = "STARTTLS"},
	.tls = TLS_REQUIRED,
	.host = "localhost",
	.trusts = true,
	.want_log = "[tls localhost]"},
    {.name = "TLS, address and chain good",
	.script = {.extensions = "STARTTLS"},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_log = "[tls ]"},
    {.name = "TLS, another name",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_OTHER_NAME},
	.tls = TLS_REQUIRED,
	.host = "localhost",
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate of the mail relay localhost:* is invalid: *ostname mismatch.",
	.not_log = "MAIL"},
    {.name = "TLS, another address",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_OTHER_NAME},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate * is invalid: IP address mismatch.",
	.not_log = "MAIL"},
    {.name = "TLS, expired",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_EXPIRED},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate * is invalid: certificate has expired.",
	.not_log = "MAIL"},
    {.name = "TLS, unknown chain",
	.script = {.extensions = "STARTTLS"},
	.tls = TLS_REQUIRED,
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate * is invalid: self*signed certificate.",
	.not_log = "MAIL"},
    {.name = "TLS required and not offered",
	.script = {.extensions = "SIZE"},
	.tls = TLS_REQUIRED,
	.want_code = PH_ERROR_FAILED,
	.want = "* does not offer STARTTLS, so nothing is sent.",
	.not_log = "MAIL"},
    {.name = "TLS required and EHLO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?")}},
	.tls = TLS_REQUIRED,
	.want_code = PH_ERROR_FAILED,
	.want = "* does not offer STARTTLS, so nothing is sent.",
	.not_log = "MAIL"},
    {.name = "TLS refused for now",
	.script = {.extensions = "STARTTLS", .rules = {REPLY("STARTTLS", 0, "454 4.3.0 later")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused STARTTLS: 454 4.3.0 later",
	.not_log = "MAIL"},
    {.name = "TLS dropped",
	.script = {.extensions = "STARTTLS", .rules = {THEN(DROP, "STARTTLS", 0, "220 go ahead")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_TEMPORARY,
	.want = "TLS with the mail relay * failed: *",
	.not_log = "MAIL"},
    {.name = "TLS silent",
	.script = {.extensions = "STARTTLS", .rules = {THEN(HANG, "STARTTLS", 0, "220 go ahead")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_TEMPORARY,
	.want = "TLS with the mail relay * failed: *",
	.not_log = "MAIL"},
    {.name = "TLS offered and any certificate",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_EXPIRED},
	.tls = TLS_OPPORTUNISTIC,
	.want_log = "[tls ]"},
    {.name = "TLS not offered and not required",
	.script = {.extensions = "SIZE"},
	.tls = TLS_OPPORTUNISTIC,
	.not_log = "STARTTLS"},
    {.name = "TLS offered and not wanted",
	.script = {.extensions = "STARTTLS"},
	.tls = TLS_NONE,
	.not_log = "STARTTLS"},
    {.name = "text behind the answer to STARTTLS",
	.script = {.extensions = "STARTTLS",
	    .rules = {REPLY("STARTTLS", 0,
		"220 go ahead\r\n250 ok\r\n250 ok\r\n250 ok\r\n354 ok\r\n250 taken")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_FAILED,
	.want = "* sent plain text into the beginning of TLS.",
	.not_log = "MAIL"},
    {.name = "half a line behind the answer to STARTTLS",
	.script = {.extensions = "STARTTLS",
	    .rules = {REPLY("STARTTLS", 0, "220 go ahead\r\n250-x")}},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "* sent plain text into the beginning of TLS.",
	.not_log = "MAIL"},
    {.name = "the answer to STARTTLS before it, and more",
	.script = {.extensions = "STARTTLS",
	    .rules = {REPLY("EHLO*", 0,
		"250-x\r\n250 STARTTLS\r\n220 go ahead\r\n250 ok\r\n250 ok\r\n250 ok\r\n354 ok"
		"\r\n250 taken")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_FAILED,
	.want = "* sent plain text into the beginning of TLS.",
	.not_log = "MAIL"},

    {.name = "AUTH PLAIN",
	.script = {.extensions = "AUTH PLAIN", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "secret",
	.want_log = "AUTH PLAIN"},
    {.name = "AUTH LOGIN",
	.script = {.extensions = "AUTH LOGIN", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "secret",
	.want_log = "AUTH LOGIN"},
    {.name = "AUTH NTLM is passed over",
	.script = {.extensions = "AUTH NTLM PLAIN", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "secret",
	.want_log = "AUTH PLAIN",
	.not_log = "TlRMTVNT"}, /* NTLMS */
    {.name = "AUTH in TLS",
	.script = {.extensions = "STARTTLS",
	    .extensions_tls = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.user = "joe",
	.password = "secret",
	.trusts = true,
	.want_log = "AUTH PLAIN"},
    {.name = "AUTH in TLS, by name",
	.script = {.extensions = "STARTTLS",
	    .extensions_tls = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.host = "localhost",
	.user = "joe",
	.password = "secret",
	.trusts = true,
	.want_log = "AUTH PLAIN"},
    {.name = "AUTH, unknown chain",
	.script = {.extensions = "STARTTLS\nAUTH PLAIN", .user = "joe", .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate * is invalid: self*signed certificate; no password is sent.",
	.not_log = "AUTH"},
    {.name = "AUTH, another name",
	.script = {.extensions = "STARTTLS\nAUTH PLAIN",
	    .certificate = CERTIFICATE_OTHER_NAME,
	    .user = "joe",
	    .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.host = "localhost",
	.user = "joe",
	.password = "secret",
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate * is invalid: *ostname mismatch; no password is sent.",
	.not_log = "AUTH"},
    {.name = "AUTH, expired",
	.script = {.extensions = "STARTTLS\nAUTH PLAIN",
	    .certificate = CERTIFICATE_EXPIRED,
	    .user = "joe",
	    .password = "secret"},
	.tls = TLS_REQUIRED,
	.user = "joe",
	.password = "secret",
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "The certificate * is invalid: certificate has expired; no password is sent.",
	.not_log = "AUTH"},
    {.name = "AUTH, unverified",
	.script = {.extensions = "STARTTLS",
	    .extensions_tls = "AUTH PLAIN",
	    .certificate = CERTIFICATE_EXPIRED,
	    .user = "joe",
	    .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.user = "joe",
	.password = "secret",
	.unverified = true,
	.want_log = "AUTH PLAIN"},
    {.name = "AUTH, unverified, without TLS",
	.script = {.extensions = "AUTH PLAIN", .user = "joe", .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.user = "joe",
	.password = "secret",
	.unverified = true,
	.want_code = PH_ERROR_FAILED,
	.want = "* does not offer STARTTLS, so no password is sent.",
	.not_log = "AUTH"},
    {.name = "TLS required, unverified",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_EXPIRED},
	.tls = TLS_REQUIRED,
	.unverified = true,
	.want_log = "[tls ]"},
    {.name = "AUTH without TLS",
	.script = {.extensions = "AUTH PLAIN", .user = "joe", .password = "secret"},
	.tls = TLS_OPPORTUNISTIC,
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* does not offer STARTTLS, so no password is sent.",
	.not_log = "AUTH"},
    {.name = "AUTH refused",
	.script = {.extensions = "AUTH PLAIN LOGIN", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "The mail relay 127.0.0.1:* refused the user joe: 535 5.7.8 wrong",
	.not_log = "MAIL"},
    {.name = "AUTH refused for now",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "454 4.7.0 later")}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the user joe: 454 4.7.0 later",
	.not_log = "MAIL"},
    {.name = "AUTH refused with the password in it",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "535 5.7.8 sesame is wrong")}},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the user joe: 535",
	.not_log = "MAIL"},
    {.name = "AUTH refused with the command in it",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "501 AUTH PLAIN AGpvZQBzZXNhbWU=")}},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the user joe: 501",
	.not_log = "MAIL"},
    {.name = "AUTH of other kinds",
	.script = {.extensions = "AUTH GSSAPI XOAUTH2 CRAM-MD5", .user = "", .password = ""},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* no known way to authenticate the user (it offers: GSSAPI XOAUTH2 CRAM-MD5).",
	.not_log = "MAIL"},
    {.name = "AUTH not offered",
	.script = {.extensions = "SIZE"},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* to authenticate the user (it offers: none).",
	.not_log = "MAIL"},
    {.name = "AUTH, and EHLO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?")}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* to authenticate the user (it offers: none).",
	.not_log = "MAIL"},
    {.name = "dropped at AUTH",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {THEN(DROP, "AUTH*", 0, NULL)}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or does not speak SMTP (AUTH)."},
    {.name = "AUTH wanted and not set",
	.script = {.rules = {REPLY("MAIL*", 0, "530 5.7.0 Authentication required")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the connection: 530 5.7.0 Authentication required"},
};

static void
check_case(const struct failure_case *c)
{
	struct sending sending;

	sending_start(&sending, &c->script, two);
	sending.relay.tls = c->tls;
	if (c->host)
		sending.relay.host = c->host;
	if (c->user) {
		sending.relay.user = c->user;
		sending.relay.password = c->password;
	}
	if (c->trusts)
		sending.relay.tls_ca = smtp_server_ca(sending.server);
	sending.relay.unverified = c->unverified;
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
	if (c->password && sending.error)
		cr_expect_null(strstr(got, c->password), "%s: got \"%s\"", c->name, got);
	if (!c->want && c->user && smtp_server_count(sending.server) > 0)
		cr_expect_str_eq(smtp_server_mail(sending.server, 0)->user, c->user);
	sending_free(&sending);
}

Test(failure, of_a_session_says_who_has_to_do_what)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		check_case(&cases[i]);
}

/* libesmtp stops at a home directory that it cannot search, and frees a client certificate that it
   finds in one twice. */
Test(failure, is_none_because_of_a_home_directory)
{
	struct smtp_script script = {.extensions = "STARTTLS"};
	struct sending sending;

	g_setenv("HOME", "/dev/null", TRUE);
	sending_start(&sending, &script, two);
	sending.relay.tls = TLS_OPPORTUNISTIC;
	sending_run(&sending);
	cr_expect(sending.had, "got %s", sending.error ? sending.error->message : "");
	sending_stop(&sending);
	cr_expect_eq(smtp_server_count(sending.server), 2);
	sending_free(&sending);
}

static guint
closed_port(void)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	close(fd);
	return ntohs(address.sin_port);
}

Test(failure, of_settings_comes_before_any_connection)
{
	g_autofree char *text255 = g_strnfill(255, 'p'), *text256 = g_strnfill(256, 'p');
	const struct {
		const char *name, *host, *user, *password, *helo;
		guint port;
		enum ph_error want_code;
		const char *want;
	} settings[] = {
	    {"nobody listens", "127.0.0.1", "", "", "", closed_port(), PH_ERROR_TEMPORARY,
		"The mail relay 127.0.0.1:* could not be reached: Connection refused."},
	    {"longest credentials", "127.0.0.1", text255, text255, "", closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: Connection refused."},
	    {"user too long", "127.0.0.1", text256, "p", "", 25, PH_ERROR_FAILED,
		"* cannot be used: the user or the password is longer than 255 bytes."},
	    {"password too long", "127.0.0.1", "u", text256, "", 25, PH_ERROR_FAILED,
		"* cannot be used: the user or the password is longer than 255 bytes."},
	    {"password for another machine", "192.0.2.1", "u", "p", "", 25, PH_ERROR_FAILED,
		"* cannot be used: it cannot prove its name without TLS, so no password is sent*."},
	    {"password for another machine's name", "localhost.example", "u", "p", "", 25,
		PH_ERROR_FAILED,
		"* it cannot prove its name without TLS, so no password is sent*."},
	    {"password for this machine", "127.255.0.1", "u", "p", "", closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	    {"password for this machine's name", "LOCALHOST", "u", "p", "", closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	    {"IPv6 literal", "::1", "", "", "", 25, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port."},
	    {"port 0", "127.0.0.1", "", "", "", 0, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port."},
	    {"port 65536", "127.0.0.1", "", "", "", 65536, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port."},
	    {"helo with a command", "127.0.0.1", "", "", "x\r\nMAIL FROM:<>", 25, PH_ERROR_FAILED,
		"* cannot be used: the name for EHLO is not a domain name or an address literal."},
	    {"helo literal", "127.0.0.1", "", "", "[127.0.0.1]", closed_port(), PH_ERROR_TEMPORARY,
		"* could not be reached: *"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(settings); i++) {
		struct smtp_script script = {0};
		struct sending sending;
		sending_start(&sending, &script, two);
		sending.relay.host = settings[i].host;
		sending.relay.port = settings[i].port;
		sending.relay.user = settings[i].user;
		sending.relay.password = settings[i].password;
		sending.relay.helo = settings[i].helo;
		sending_run(&sending);
		const char *got = sending.error ? sending.error->message : "(sent)";
		cr_expect(g_pattern_match_simple(settings[i].want, got),
		    "%s: got \"%s\", want \"%s\"", settings[i].name, got, settings[i].want);
		cr_expect(g_error_matches(sending.error, PH_ERROR, (int)settings[i].want_code),
		    "%s: want %d", settings[i].name, settings[i].want_code);
		sending_free(&sending);
	}
}

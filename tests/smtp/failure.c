/* SPDX-License-Identifier: MIT */
/* Sessions that cannot be had: TLS, AUTH, greetings. */
#include "smtp/session.h"

#include <criterion/criterion.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
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
	enum base_relay_auth auth;
	const char *token_command, *tls_name, *source;
	bool shows_own; /* certificate */
	enum ph_error want_code;
	const char *want;	   /* a pattern for the message */
	const char *want_enhanced; /* NULL: any */
	const char *want_log;	   /* stands in the server's log */
	const char *not_log;	   /* does not */
} cases[] = {
    {.name = "greeting 4xx",
	.script = {.rules = {REPLY("CONNECT", 0, "421 4.3.2 too busy")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "relay test (127.0.0.1:*) refused the session: 421 4.3.2 too busy",
	.want_enhanced = "4.3.2"},
    {.name = "greeting 5xx",
	.script = {.rules = {REPLY("CONNECT", 0, "554 5.7.1 go away")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 554 5.7.1 go away",
	.want_enhanced = "5.7.1"},
    {.name = "greeting of another protocol",
	.script = {.rules = {REPLY("CONNECT", 0, "SSH-2.0-OpenSSH")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (greeting)"},
    {.name = "dropped before the greeting",
	.script = {.rules = {THEN(DROP, "CONNECT", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (greeting)"},
    {.name = "silent before the greeting",
	.script = {.rules = {THEN(HANG, "CONNECT", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* sent no greeting within 1 s",
	.want_enhanced = "4.4.1"},
    {.name = "EHLO 4xx",
	.script = {.rules = {REPLY("EHLO*", 0, "450 4.3.2 later")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the session: 450 4.3.2 later"},
    {.name = "EHLO 5xx",
	.script = {.rules = {REPLY("EHLO*", 0, "550 5.7.1 not you")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 550 5.7.1 not you"},
    {.name = "EHLO unknown, HELO known", .script = {.rules = {REPLY("EHLO*", 0, "502 what?")}}},
    {.name = "EHLO and HELO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?"), REPLY("HELO*", 0, "502 what?")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 502 what?"},
    {.name = "dropped at EHLO",
	.script = {.rules = {THEN(DROP, "EHLO*", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (EHLO)"},
    {.name = "silent at EHLO",
	.script = {.rules = {THEN(HANG, "EHLO*", 0, NULL)}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (EHLO)"},
    {.name = "EHLO that does not end",
	.script = {.rules = {THEN(HANG, "EHLO*", 0, "250-a\r\n250-b")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* did not answer within 1 s (EHLO)"},

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
	.want = "relay test (localhost:*): TLS failed: its certificate is for other.example, "
		"mx.other.example, not for localhost",
	.want_enhanced = "4.7.5",
	.not_log = "MAIL"},
    {.name = "TLS, another address",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_OTHER_NAME},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: its certificate is for other.example, mx.other.example, not for "
		"127.0.0.1",
	.not_log = "MAIL"},
    {.name = "TLS, expired",
	.script = {.extensions = "STARTTLS", .certificate = CERTIFICATE_EXPIRED},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: its certificate ended on 2001-02-03",
	.not_log = "MAIL"},
    {.name = "TLS, unknown chain",
	.script = {.extensions = "STARTTLS"},
	.tls = TLS_REQUIRED,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: its certificate is self-signed; tls_ca can name it",
	.not_log = "MAIL"},
    {.name = "TLS required and not offered",
	.script = {.extensions = "SIZE"},
	.tls = TLS_REQUIRED,
	.want_code = PH_ERROR_FAILED,
	.want = "* does not offer STARTTLS, which tls = required needs",
	.want_enhanced = "4.7.5",
	.not_log = "MAIL"},
    {.name = "TLS required and EHLO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?")}},
	.tls = TLS_REQUIRED,
	.want_code = PH_ERROR_FAILED,
	.want = "* does not offer STARTTLS, which tls = required needs",
	.want_enhanced = "4.7.5",
	.not_log = "MAIL"},
    {.name = "TLS refused for now",
	.script = {.extensions = "STARTTLS", .rules = {REPLY("STARTTLS", 0, "454 4.3.0 later")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the session: 454 4.3.0 later",
	.not_log = "MAIL"},
    {.name = "TLS dropped",
	.script = {.extensions = "STARTTLS", .rules = {THEN(DROP, "STARTTLS", 0, "220 go ahead")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (*): TLS failed: *",
	.not_log = "MAIL"},
    {.name = "TLS silent",
	.script = {.extensions = "STARTTLS", .rules = {THEN(HANG, "STARTTLS", 0, "220 go ahead")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (*): TLS failed: *",
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
	.want = "*: TLS failed: plain text came before it, *",
	.not_log = "MAIL"},
    {.name = "half a line behind the answer to STARTTLS",
	.script = {.extensions = "STARTTLS",
	    .rules = {REPLY("STARTTLS", 0, "220 go ahead\r\n250-x")}},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: plain text came before it, *",
	.not_log = "MAIL"},
    {.name = "the answer to STARTTLS before it, and more",
	.script = {.extensions = "STARTTLS",
	    .rules = {REPLY("EHLO*", 0,
		"250-x\r\n250 STARTTLS\r\n220 go ahead\r\n250 ok\r\n250 ok\r\n250 ok\r\n354 ok"
		"\r\n250 taken")}},
	.tls = TLS_OPPORTUNISTIC,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: plain text came before it, *",
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
	.want = "*: TLS failed: its certificate is self-signed; tls_ca can name it",
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
	.want = "*: TLS failed: its certificate is for *, not for localhost",
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
	.want = "*: TLS failed: its certificate ended on 2001-02-03",
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
	.want = "* does not offer STARTTLS, without which no password is sent",
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
	.want = "* does not offer STARTTLS, without which no password is sent",
	.not_log = "AUTH"},
    {.name = "AUTH refused",
	.script = {.extensions = "AUTH PLAIN LOGIN", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (127.0.0.1:*) refused the login (PLAIN): 535 5.7.8 wrong",
	.want_enhanced = "5.7.8",
	.not_log = "MAIL"},
    {.name = "AUTH refused for now",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "454 4.7.0 later")}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the login (PLAIN): 454 4.7.0 later",
	.want_enhanced = "4.7.0",
	.not_log = "MAIL"},
    {.name = "AUTH refused with the password in it",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "535 5.7.8 sesame is wrong")}},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the login (PLAIN): 535 5.7.8",
	.not_log = "MAIL"},
    {.name = "AUTH refused with the command in it",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "501 AUTH PLAIN AGpvZQBzZXNhbWU=")}},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the login (PLAIN): 501",
	.not_log = "MAIL"},
    {.name = "AUTH of other kinds",
	.script = {.extensions = "AUTH GSSAPI XOAUTH2", .user = "", .password = ""},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* offers no login that auth = auto allows, only GSSAPI, XOAUTH2",
	.want_enhanced = "4.7.8",
	.not_log = "MAIL"},
    {.name = "AUTH not offered",
	.script = {.extensions = "SIZE"},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* offers no login that auth = auto allows, only none",
	.not_log = "MAIL"},
    {.name = "AUTH, and EHLO unknown",
	.script = {.rules = {REPLY("EHLO*", 0, "502 what?")}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* offers no login that auth = auto allows, only none",
	.not_log = "MAIL"},
    {.name = "dropped at AUTH",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {THEN(DROP, "AUTH*", 0, NULL)}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (AUTH)"},
    {.name = "AUTH wanted and not set",
	.script = {.rules = {REPLY("MAIL*", 0, "530 5.7.0 Authentication required")}},
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 530 5.7.0 Authentication required"},
    {.name = "421 to the first MAIL",
	.script = {.rules = {REPLY("MAIL*", 0, "421 4.7.0 enough")}},
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* refused the session: 421 4.7.0 enough",
	.want_enhanced = "4.7.0"},

    {.name = "implicit TLS",
	.script = {.implicit = true},
	.tls = TLS_IMPLICIT,
	.host = "localhost",
	.trusts = true,
	.want_log = "[tls localhost]\nEHLO"},
    {.name = "implicit TLS, and a login",
	.script = {.implicit = true,
	    .extensions = "AUTH CRAM-MD5 LOGIN PLAIN\nPIPELINING",
	    .user = "joe",
	    .password = "secret"},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.user = "joe",
	.password = "secret",
	.want_log = "AUTH PLAIN "},
    {.name = "implicit TLS, greeting 5xx",
	.script = {.implicit = true, .rules = {REPLY("CONNECT", 0, "554-5.7.1 go\r\n554 away")}},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the session: 554 5.7.1 go away",
	.want_enhanced = "5.7.1"},
    {.name = "implicit TLS, no greeting",
	.script = {.implicit = true, .rules = {THEN(HANG, "CONNECT", 0, NULL)}},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* sent no greeting within 1 s"},
    {.name = "implicit TLS, dropped at the greeting",
	.script = {.implicit = true, .rules = {THEN(DROP, "CONNECT", 0, NULL)}},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_TEMPORARY,
	.want = "* closed the connection, or spoke no SMTP (greeting)"},
    {.name = "implicit TLS where there is none",
	.script = {.extensions = "STARTTLS"},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (127.0.0.1:*) does not speak TLS at once: set tls = required",
	.want_enhanced = "4.7.5",
	.not_log = "EHLO"},
    {.name = "implicit TLS, dropped at once",
	.script = {.rules = {THEN(DROP, "CONNECT", 0, NULL)}},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: *"},
    {.name = "implicit TLS, private CA",
	.script = {.implicit = true, .certificate = CERTIFICATE_PRIVATE},
	.tls = TLS_IMPLICIT,
	.trusts = true},
    {.name = "implicit TLS, private CA that is not known",
	.script = {.implicit = true, .certificate = CERTIFICATE_PRIVATE},
	.tls = TLS_IMPLICIT,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (127.0.0.1:*): TLS failed: its certificate was issued by "
		"Posthouse CA, which is not trusted; tls_ca can name it",
	.want_enhanced = "4.7.5"},
    {.name = "issuer before dates and name",
	.script = {.implicit = true, .certificate = CERTIFICATE_PRIVATE_EXPIRED},
	.tls = TLS_IMPLICIT,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: its certificate was issued by Posthouse CA, which *"},
    {.name = "dates before name",
	.script = {.implicit = true, .certificate = CERTIFICATE_PRIVATE_EXPIRED},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: its certificate ended on 2001-02-03"},
    {.name = "not valid yet",
	.script = {.implicit = true, .certificate = CERTIFICATE_FUTURE},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "*: TLS failed: its certificate is valid from 2095-02-03"},
    {.name = "another name, which tls_name names",
	.script = {.implicit = true, .certificate = CERTIFICATE_OTHER_NAME},
	.tls = TLS_IMPLICIT,
	.tls_name = "mx.other.example",
	.trusts = true,
	.want_log = "[tls mx.other.example]"},
    {.name = "no certificate of ours",
	.script = {.implicit = true, .wants_certificate = true},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (127.0.0.1:*): TLS failed: * alert certificate required",
	.want_enhanced = "4.7.5"},
    {.name = "no certificate of ours, by STARTTLS",
	.script = {.extensions = "STARTTLS", .wants_certificate = true},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (127.0.0.1:*): TLS failed: * alert certificate required",
	.want_enhanced = "4.7.5"},
    {.name = "our certificate",
	.script = {.implicit = true, .wants_certificate = true},
	.tls = TLS_IMPLICIT,
	.trusts = true,
	.shows_own = true},
    {.name = "our certificate, by STARTTLS",
	.script = {.extensions = "STARTTLS", .wants_certificate = true},
	.tls = TLS_REQUIRED,
	.trusts = true,
	.shows_own = true},
    {.name = "from an address of ours", .source = "127.0.0.9"},
    {.name = "from an address that is not ours",
	.source = "192.0.2.1",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "relay test (127.0.0.1:*) could not be reached: Cannot assign requested address",
	.want_enhanced = "4.4.1"},
    {.name = "no such name",
	.host = "nosuch.invalid",
	.want_code = PH_ERROR_TEMPORARY,
	.want = "relay test: nosuch.invalid could not be resolved",
	.want_enhanced = "4.4.1"},

    {.name = "CRAM-MD5 first without TLS",
	.script = {.extensions = "AUTH PLAIN LOGIN CRAM-MD5", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "secret",
	.want_log = "AUTH CRAM-MD5"},
    {.name = "CRAM-MD5 refused",
	.script = {.extensions = "AUTH CRAM-MD5", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the login (CRAM-MD5): 535 5.7.8 wrong",
	.not_log = "MAIL"},
    {.name = "LOGIN wanted",
	.script = {.extensions = "AUTH PLAIN LOGIN CRAM-MD5", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "secret",
	.auth = RELAY_AUTH_LOGIN,
	.want_log = "AUTH LOGIN"},
    {.name = "LOGIN refused",
	.script = {.extensions = "AUTH LOGIN", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "sesame",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the login (LOGIN): 535 5.7.8 wrong"},
    {.name = "PLAIN wanted and not offered",
	.script = {.extensions = "AUTH LOGIN CRAM-MD5", .user = "joe", .password = "secret"},
	.user = "joe",
	.password = "secret",
	.auth = RELAY_AUTH_PLAIN,
	.want_code = PH_ERROR_FAILED,
	.want = "relay test (127.0.0.1:*) offers no login that auth = plain allows, only LOGIN, "
		"CRAM-MD5",
	.not_log = "AUTH"},
    {.name = "AUTH refused with the user in it",
	.script = {.extensions = "AUTH PLAIN",
	    .user = "joe",
	    .password = "secret",
	    .rules = {REPLY("AUTH*", 0, "535-5.7.8 no login\r\n535 5.7.8 for joe")}},
	.user = "joe",
	.password = "secret",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the login (PLAIN): 535 5.7.8"},
    {.name = "XOAUTH2",
	.script = {.extensions = "AUTH PLAIN XOAUTH2", .user = "joe", .password = "t-1"},
	.user = "joe",
	.auth = RELAY_AUTH_XOAUTH2,
	.token_command = "echo t-1; echo second line",
	.want_log = "AUTH XOAUTH2"},
    {.name = "XOAUTH2, refused twice",
	.script = {.extensions = "AUTH XOAUTH2", .user = "joe", .password = "t-1"},
	.user = "joe",
	.auth = RELAY_AUTH_XOAUTH2,
	.token_command = "echo t-2",
	.want_code = PH_ERROR_FAILED,
	.want = "* refused the login (XOAUTH2): 535 5.7.8 wrong"},
    {.name = "token_command fails",
	.script = {.extensions = "AUTH XOAUTH2", .user = "joe", .password = "t-1"},
	.user = "joe",
	.auth = RELAY_AUTH_XOAUTH2,
	.token_command = "echo t-1; exit 3",
	.want_code = PH_ERROR_FAILED,
	.want = "relay test: token_command failed: exit 3",
	.want_enhanced = "4.7.8",
	.not_log = "AUTH"},
    {.name = "token_command prints nothing",
	.script = {.extensions = "AUTH XOAUTH2", .user = "joe", .password = "t-1"},
	.user = "joe",
	.auth = RELAY_AUTH_XOAUTH2,
	.token_command = "true",
	.want_code = PH_ERROR_FAILED,
	.want = "relay test: token_command failed: it printed nothing"},
    {.name = "token_command hangs",
	.script = {.extensions = "AUTH XOAUTH2", .user = "joe", .password = "t-1"},
	.user = "joe",
	.auth = RELAY_AUTH_XOAUTH2,
	.token_command = "sleep 60 | sleep 60",
	.want_code = PH_ERROR_FAILED,
	.want = "relay test: token_command failed: no answer within 10 s"},
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

/* A port that stays ours, at which nobody listens. */
static guint
closed_port(void)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
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
		"relay test (127.0.0.1:*) could not be reached: Connection refused"},
	    {"longest credentials", "127.0.0.1", text255, text255, "", closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: Connection refused"},
	    {"user too long", "127.0.0.1", text256, "p", "", 25, PH_ERROR_FAILED,
		"* cannot be used: the user or the password is longer than 255 bytes"},
	    {"password too long", "127.0.0.1", "u", text256, "", 25, PH_ERROR_FAILED,
		"* cannot be used: the user or the password is longer than 255 bytes"},
	    {"password for another machine", "192.0.2.1", "u", "p", "", 25, PH_ERROR_FAILED,
		"* cannot be used: it cannot prove its name without TLS, so no password is sent*"},
	    {"password for another machine's name", "localhost.example", "u", "p", "", 25,
		PH_ERROR_FAILED, "* it cannot prove its name without TLS, so no password is sent*"},
	    {"password for this machine", "127.255.0.1", "u", "p", "", closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	    {"password for this machine's name", "LOCALHOST", "u", "p", "", closed_port(),
		PH_ERROR_TEMPORARY, "* could not be reached: *"},
	    {"IPv6 literal", "::1", "", "", "", 25, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port"},
	    {"port 0", "127.0.0.1", "", "", "", 0, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port"},
	    {"port 65536", "127.0.0.1", "", "", "", 65536, PH_ERROR_FAILED,
		"* cannot be used: its address is not a host name or an IPv4 address with a port"},
	    {"helo with a command", "127.0.0.1", "", "", "x\r\nMAIL FROM:<>", 25, PH_ERROR_FAILED,
		"* cannot be used: the name for EHLO is not a domain name or an address literal"},
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

/* Gives this process a network of its own, in which it may listen at any port as root may. */
static bool
enter_network(void)
{
	struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = -1;
	bool entered = unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
		       (fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) >= 0 &&
		       ioctl(fd, SIOCSIFFLAGS, &loopback) == 0;

	if (fd >= 0)
		close(fd);
	return entered;
}

/* A server that accepts and says nothing, as one that waits for TLS does. */
static int
listen_silently(guint16 port)
{
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f0004d1), .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Returns whether the session fails soon, and with the right words. */
static bool
fails_at_port_465(void)
{
	struct smtp_script script = {0};
	struct sending sending;
	int listener = listen_silently(465);
	gint64 begin = g_get_monotonic_time();

	sending_start(&sending, &script, two);
	sending.relay.host = "127.0.4.209";
	sending.relay.port = 465;
	sending.relay.timeout_s = 60;
	sending_run(&sending);
	bool soon = g_get_monotonic_time() - begin < 30 * G_USEC_PER_SEC;
	bool right = g_str_equal(sending.error->message,
			 "relay test (127.0.4.209:465) sent no greeting within 3 s: this port "
			 "speaks TLS at once, set tls = implicit") &&
		     g_str_equal(smtp_session_enhanced(sending.session), "4.4.1");
	g_printerr("%s\n", sending.error->message);
	close(listener);
	sending_stop(&sending);
	sending_free(&sending);
	return listener >= 0 && soon && right;
}

#define NO_NETWORK 77

/* Runs the test below as root; false where sudo asks for a password, or is missing. */
static bool
passes_as_root(bool *asked_r)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	const char *const words[] = {
	    "sudo", "-n", program, "--filter", "failure/at_port_465_is_known_within_3_s", NULL};
	const char *const asks[] = {"sudo", "-n", "true", NULL};
	int status = -1;

	*asked_r = g_spawn_sync(NULL, (char **)asks, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		       NULL, &status, NULL) &&
		   status == 0;
	return *asked_r &&
	       g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
		   &status, NULL) &&
	       status == 0;
}

/* A network of its own is for a process without threads. */
Test(failure, at_port_465_is_known_within_3_s)
{
	pid_t child = fork();
	int status;
	bool asked;

	if (child == 0)
		_exit(geteuid() != 0 && !enter_network() ? NO_NETWORK : !fails_at_port_465());
	cr_assert_eq(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NETWORK && passes_as_root(&asked))
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NETWORK && !asked)
		cr_skip("only root can listen at port 465, or make a network");
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

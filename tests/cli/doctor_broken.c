/* SPDX-License-Identifier: MIT */
/* Tests posthouse doctor on an installation that works, and on broken ones: none may pass. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <utime.h>

#include "tests/cli/program.h"
#include "tests/support/http_server.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"
#include "tests/support/smtp_server.h"

/* The web server of an installation, which stands in for the service too. */
enum web {
	WEB_GOOD,
	WEB_STRIPS,	/* takes Authorization away */
	WEB_STRIPS_ALL, /* X-API-Key, too */
	WEB_FOREIGN,	/* the service of another installation: it knows no key of ours */
	WEB_OTHER,	/* another program */
	WEB_BROKEN,	/* the service answers 503 */
	WEB_PARTIAL,	/* it passes on /health alone */
	WEB_SILENT,	/* no answer */
};

static void
serve(struct http_peer *peer, const char *request, void *data)
{
	enum web web = *(enum web *)data;
	bool bearer = strstr(request, "Authorization: Bearer ph_") && web < WEB_STRIPS;
	bool own = strstr(request, "X-API-Key: ph_") && web <= WEB_STRIPS;
	bool is_health = g_str_has_prefix(request, "GET /base/health ");
	const char *status = "200 OK", *body = "{\"status\":\"ok\"}";

	if (web == WEB_SILENT) {
		http_peer_left(peer, -1);
		return;
	}
	if (web == WEB_OTHER || (!is_health && web == WEB_PARTIAL)) {
		status = web == WEB_OTHER ? "200 OK" : "404 Not Found";
		body = "<html>It works!</html>";
	} else if (web == WEB_BROKEN) {
		status = "503 Service Unavailable";
		body = "{\"message\":\"The database cannot be reached\"}";
	} else if (!is_health && !bearer && !own) {
		status = web == WEB_FOREIGN ? "403 Forbidden" : "401 Unauthorized";
		body = web == WEB_FOREIGN ? "{\"code\":\"api_key_invalid\"}"
					  : "{\"code\":\"api_key_missing\"}";
	}
	g_autofree char *answer =
	    g_strdup_printf("HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
		status, strlen(body), body);
	http_peer_send(peer, answer, strlen(answer));
}

#define NEVER (-1)
#define DUE(minutes)                                                                               \
	.sql = "REPLACE %s.outbox (id, workspace_id, email_id, recipients, attempts, since,"       \
	       " ready_at) VALUES ('1', '1', '1', '', 0, 0,"                                       \
	       " (UNIX_TIMESTAMP() - 60 * " #minutes ") * 1000)",                                  \
	.again = "DELETE FROM %s.outbox"

/* An installation with one relay called main, which has one fault. */
struct broken {
	const char *name, *only; /* only: of the check; NULL: all */
	struct smtp_script script;
	const char *address; /* host and port of the relay in place of the script's */
	const char *relay;   /* further lines of [relay main]. CA is the file of its certificate */
	const char *url;     /* service.url in place of that of the web server */
	const char *sql;     /* a statement in its database, %s; */
	const char *again;   /* the statement that takes it back */
	int ran;	     /* the spool's last run, minutes ago; 0: just now */
	enum web web;
	int status;
	const char *want; /* a result in one line */
};

#define LOGIN "user = ada\npassword = right-one\n"
#define LOGIN_SCRIPT .extensions = "AUTH PLAIN LOGIN\nDSN", .user = "ada", .password = "right-one"
#define TLS_SCRIPT .extensions = "STARTTLS\nDSN"

static const struct broken relays[] = {
    {.name = "works",
	.only = "relay",
	.script = {.extensions = "DSN"},
	.status = 0,
	.want = "ok    relay main: it answers, has delivery reports\n"},
    {.name = "works with TLS and login",
	.only = "relay main",
	.script = {.extensions = "STARTTLS\nDSN",
	    .extensions_tls = "AUTH PLAIN\nDSN",
	    .user = "ada",
	    .password = "right-one"},
	.relay = LOGIN "tls = required\ntls_ca = CA\n",
	.status = 0,
	.want = "ok    relay main: it answers, has TLS, lets us in, has delivery reports\n"},
    {.name = "works with implicit TLS",
	.only = "relay",
	.script = {.extensions = "DSN", .implicit = true},
	.relay = "tls = implicit\ntls_ca = CA\n",
	.status = 0,
	.want = "ok    relay main: it answers, has TLS, has delivery reports\n"},
    {.name = "no DSN, and none wanted",
	.only = "relay",
	.relay = "dsn = no\n",
	.status = 0,
	.want = "ok    relay main: it answers\n"},
    {.name = "no DSN, and none needed",
	.only = "relay",
	.relay = "final = yes\n",
	.status = 0,
	.want = "ok    relay main: it answers\n"},
    {.name = "no DSN",
	.only = "relay",
	.status = 1,
	.want = "warn  relay main: relay main (127.0.0.1:*) offers no delivery reports, * "
		"dsn = no in section [relay main].\n"},
    {.name = "unverified, with user",
	.only = "relay",
	.script = {.extensions = "STARTTLS\nDSN",
	    .extensions_tls = "AUTH PLAIN\nDSN",
	    .user = "ada",
	    .password = "right-one"},
	.relay = LOGIN "tls = required\ntls_verify = no\n",
	.status = 1,
	.want = "warn  relay main: tls_verify = no: * Name the file of its CA * [relay main]*\n"},
    {.name = "unverified, no user",
	.only = "relay",
	.script = {TLS_SCRIPT},
	.relay = "tls_verify = no\n",
	.status = 0,
	.want = "ok    relay main: *\n"},
    {.name = "certificate ends soon",
	.only = "relay",
	.script = {TLS_SCRIPT, .certificate = CERTIFICATE_SOON},
	.relay = "tls = required\ntls_ca = CA\n",
	.status = 1,
	.want = "warn  relay main: relay main (127.0.0.1:*): its certificate ends on 20*-*-* *"
		"renewed*\n"},
    {.name = "certificate ends soon, and is not checked",
	.only = "relay",
	.script = {TLS_SCRIPT, .certificate = CERTIFICATE_SOON},
	.relay = "tls = required\ntls_verify = no\n",
	.status = 1,
	.want = "warn  relay main: relay main (127.0.0.1:*): its certificate ends on 20*-*-* *"
		"renewed.\n"},
    {.name = "nobody listens",
	.only = "relay",
	.address = "host = 127.0.0.1\nport = 1\n",
	.status = 78,
	.want = "FAIL  relay main: relay main (127.0.0.1:1) could not be reached: Connection "
		"refused Correct host and port in section [relay main]*\n"},
    {.name = "host does not resolve",
	.only = "relay",
	.address = "host = nowhere.invalid\n",
	.status = 78,
	.want = "FAIL  relay main: relay main: nowhere.invalid could not be resolved Correct host*"
		"[relay main]*\n"},
    {.name = "refused",
	.only = "relay",
	.script = {.rules = {REPLY("CONNECT", 0, "554 go away")}},
	.status = 78,
	.want = "FAIL  relay main: relay main (127.0.0.1:*) refused the session: 554 go away *\n"},
    {.name = "refused at EHLO",
	.only = "relay",
	.script = {.rules = {REPLY("EHLO*", 0, "550 who are you"), REPLY("HELO*", 0, "550 who")}},
	.status = 78,
	.want = "FAIL  relay main: * refused the session: 550 who*Correct helo*\n"},
    {.name = "closes the connection",
	.only = "relay",
	.script = {.rules = {THEN(DROP, "CONNECT", 0, NULL)}},
	.status = 78,
	.want = "FAIL  relay main: relay main (127.0.0.1:*) closed the connection*\n"},
    {.name = "silent",
	.only = "relay",
	.script = {.rules = {THEN(HANG, "CONNECT", 0, "")}},
	.relay = "timeout = 1\n",
	.status = 78,
	.want = "FAIL  relay main: relay main (127.0.0.1:*) sent no greeting within 1 s *\n"},
    {.name = "TLS at once, on any port",
	.only = "relay",
	.script = {.extensions = "DSN", .implicit = true},
	.relay = "tls = required\n",
	.status = 78,
	.want = "FAIL  relay main: relay main (127.0.0.1:*) sent no greeting within 3 s Set "
		"tls = implicit in section [relay main]: *\n"},
    {.name = "no TLS at once",
	.only = "relay",
	.script = {.extensions = "DSN"},
	.relay = "tls = implicit\n",
	.status = 78,
	.want = "FAIL  relay main: * does not speak TLS at once: set tls = required *\n"},
    {.name = "no STARTTLS",
	.only = "relay",
	.script = {.extensions = "DSN"},
	.relay = "tls = required\n",
	.status = 78,
	.want = "FAIL  relay main: * does not offer STARTTLS, which tls = required needs *\n"},
    {.name = "no STARTTLS for the password",
	.only = "relay",
	.script = {LOGIN_SCRIPT},
	.relay = LOGIN "tls = opportunistic\n",
	.status = 78,
	.want = "FAIL  relay main: * without which no password is sent *\n"},
    {.name = "self-signed",
	.only = "relay",
	.script = {TLS_SCRIPT},
	.relay = "tls = required\n",
	.status = 78,
	.want = "FAIL  relay main: *: TLS failed: its certificate is self-signed; tls_ca can name "
		"it Correct tls, tls_name, tls_ca or tls_cert in section [relay main]*\n"},
    {.name = "private CA",
	.only = "relay",
	.script = {TLS_SCRIPT, .certificate = CERTIFICATE_PRIVATE},
	.relay = "tls = required\n",
	.status = 78,
	.want = "FAIL  relay main: * was issued by Posthouse CA, which is not *\n"},
    {.name = "other name",
	.only = "relay",
	.script = {TLS_SCRIPT, .certificate = CERTIFICATE_OTHER_NAME},
	.relay = "tls = required\ntls_ca = CA\n",
	.status = 78,
	.want = "FAIL  relay main: * its certificate is for other.example, mx.other.example, not "
		"for 127.0.0.1 *\n"},
    {.name = "expired",
	.only = "relay",
	.script = {TLS_SCRIPT, .certificate = CERTIFICATE_EXPIRED},
	.relay = "tls = required\ntls_ca = CA\n",
	.status = 78,
	.want = "FAIL  relay main: * its certificate ended on 2001-02-03 *\n"},
    {.name = "not valid yet",
	.only = "relay",
	.script = {TLS_SCRIPT, .certificate = CERTIFICATE_FUTURE},
	.relay = "tls = required\ntls_ca = CA\n",
	.status = 78,
	.want = "FAIL  relay main: * its certificate is valid from 2095-02-03 *\n"},
    {.name = "no file of the CA",
	.only = "relay",
	.script = {TLS_SCRIPT},
	.relay = "tls = required\ntls_ca = /nowhere/ca.pem\n",
	.status = 78,
	.want = "FAIL  *tls_ca*/nowhere/ca.pem*\n"},
    {.name = "wrong password",
	.only = "relay",
	.script = {LOGIN_SCRIPT},
	.relay = "tls = none\nuser = ada\npassword = wrong-one\n",
	.status = 78,
	.want = "FAIL  relay main: * refused the login (PLAIN): 535 * Correct user, password and "
		"auth in section [relay main].\n"},
    {.name = "no mechanism",
	.only = "relay",
	.script = {LOGIN_SCRIPT},
	.relay = LOGIN "tls = none\nauth = cram-md5\n",
	.status = 78,
	.want = "FAIL  relay main: * offers no login that auth = cram-md5 allows, only PLAIN, "
		"LOGIN *\n"},
    {.name = "no token",
	.only = "relay",
	.script = {.extensions = "AUTH XOAUTH2\nDSN", .user = "ada"},
	.relay = "tls = none\nuser = ada\nauth = xoauth2\ntoken_command = exit 3\n",
	.status = 78,
	.want = "FAIL  relay main: relay main: token_command failed: exit 3 Correct user, *\n"},
    {.name = "wants a login",
	.only = "relay",
	.script = {.rules = {REPLY("MAIL*", 0, "530 5.7.0 Authentication required")}},
	.status = 78,
	.want = "FAIL  relay main: * refused MAIL: 530 5.7.0 Authentication required The relay "
		"wants a login: set user and password in section [relay main].\n"},
    {.name = "refuses the sender",
	.only = "relay",
	.script = {.extensions = "DSN",
	    .rules = {REPLY("MAIL FROM:<b+*@send.example.com>*", 0, "553 5.7.1 not your domain")}},
	.status = 78,
	.want = "FAIL  relay main: * refused MAIL: 553 5.7.1 not your domain *\n"},
    {.name = "refuses the recipient",
	.only = "relay",
	.script = {.extensions = "DSN",
	    .rules = {REPLY("RCPT TO:<postmaster@example.com>*", 0, "554 5.7.1 Relay denied")}},
	.status = 78,
	.want = "FAIL  relay main: * refused RCPT: 554 5.7.1 Relay denied *\n"},
    {.name = "ends the session at MAIL",
	.only = "relay",
	.script = {.extensions = "DSN", .rules = {THEN(DROP, "MAIL*", 0, NULL)}},
	.status = 78,
	.want = "FAIL  relay main: * ended the session before it had answered MAIL and RCPT *\n"},
    {.name = "says 421 to MAIL",
	.only = "relay",
	.script = {.extensions = "DSN", .rules = {THEN(DROP, "MAIL*", 0, "421 4.3.2 busy")}},
	.status = 78,
	.want = "FAIL  relay main: * refused MAIL: 421 4.3.2 busy *\n"},
};

static const struct broken others[] = {
    {.name = "works, but for the address of loopback",
	.script = {.extensions = "DSN"},
	.status = 1,
	.want = "ok    settings: *\nok    secrets: *\nok    hardening: no core dumps; *\n*ok    "
		"space: *\nok    database: *MariaDB*\n*"
		"ok    packets: *\nok    clock: *\nok    rights: *\nok    schema: *\n"
		"ok    accounts: workspaces: 1, API keys: 1, domains that may send: 1\n"
		"ok    keys: *: 1\nok    delivery: nothing is late\nok    cron: *\n"
		"ok    journals: *\nok    log: stderr\nok    relay main: *\nok    route: *\nok    "
		"helo: *\n"
		"warn  url: links in mail lead to http://127.0.0.1:*\nok    mx: *\n"
		"ok    web: http://127.0.0.1:*/base answers, and keys arrive\n"},
    {.name = "secret lost",
	.only = "keys",
	.sql = "UPDATE %s.domain_key SET private = REVERSE(private)",
	.again = "UPDATE %s.domain_key SET private = REVERSE(private)",
	.status = 78,
	.want = "FAIL  keys: the DKIM key of example.com cannot be decrypted *secret_file*\n"},
    {.name = "no DKIM key",
	.only = "keys",
	.sql = "UPDATE %s.domain_key SET state = 9 - state",
	.again = "UPDATE %s.domain_key SET state = 9 - state",
	.status = 78,
	.want = "FAIL  keys: example.com has no DKIM key that signs *rotate example.com.\n"},
    {.name = "a route to a relay that is gone",
	.only = "route",
	.script = {.extensions = "DSN"},
	.sql = "UPDATE %s.domain SET relays = 'main old'",
	.again = "UPDATE %s.domain SET relays = NULL",
	.status = 78,
	.want = "FAIL  route: the route of example.com names old, which the settings do not have "
		"*\n"},
    {.name = "a workspace's route to a relay that fails",
	.only = "route",
	.script = {.rules = {REPLY("CONNECT", 0, "554 go away")}},
	.sql = "UPDATE %s.workspace SET relays = 'main'",
	.again = "UPDATE %s.workspace SET relays = NULL",
	.status = 1,
	.want = "warn  route: the route of One names main, which fails *\n"},
    {.name = "no relay for the domain",
	.only = "route",
	.script = {.extensions = "DSN"},
	.relay = "default = no\n",
	.status = 78,
	.want = "FAIL  route: no relay: example.com has no route, *default = yes*\n"},
    {.name = "web server takes Authorization away",
	.only = "web",
	.web = WEB_STRIPS,
	.status = 1,
	.want = "warn  web: *takes Authorization away (X-API-Key arrives) *CGIPassAuth*\n"},
    {.name = "web server takes all keys away",
	.only = "web",
	.web = WEB_STRIPS_ALL,
	.status = 78,
	.want = "FAIL  web: *takes both Authorization and X-API-Key away *\n"},
    {.name = "another installation",
	.only = "web",
	.web = WEB_FOREIGN,
	.status = 78,
	.want = "FAIL  web: *does not know a key of this database*\n"},
    {.name = "another program",
	.only = "web",
	.web = WEB_OTHER,
	.status = 78,
	.want = "FAIL  web: *is not ours: it answers 200 Correct url in section [service]*\n"},
    {.name = "the service lacks its database",
	.only = "web",
	.web = WEB_BROKEN,
	.status = 78,
	.want = "FAIL  web: *answers 503: *\n"},
    {.name = "only one path leads to the service",
	.only = "web",
	.web = WEB_PARTIAL,
	.status = 78,
	.want = "FAIL  web: *v1/domains answers 404 *\n"},
    {.name = "no answer of the web server",
	.only = "web",
	.web = WEB_SILENT,
	.status = 78,
	.want = "FAIL  web: *there was no answer within 5 s*\n"},
    {.name = "nothing at the address",
	.only = "web",
	.url = "http://127.0.0.1:1",
	.status = 78,
	.want = "FAIL  web: http://127.0.0.1:1/health: the server refuses connections *\n"},
    {.name = "address does not resolve",
	.only = "web",
	.url = "https://nowhere.invalid",
	.status = 78,
	.want = "FAIL  web: https://nowhere.invalid/health: the name does not resolve *\n"},
    {.name = "cron has never run",
	.only = "cron",
	.ran = NEVER,
	.status = 1,
	.want = "warn  cron: posthouse-spool has never worked here Let cron run *\n"},
    {.name = "cron has stopped",
	.only = "cron",
	.ran = 6,
	.status = 1,
	.want = "warn  cron: posthouse-spool last worked here 6 minutes ago Let cron run *\n"},
    {.name = "cron runs", .only = "cron", .ran = 4, .status = 0, .want = "ok    cron: *\n"},
    {.name = "due, and cron has never run",
	.only = "cron",
	.ran = NEVER,
	DUE(61),
	.status = 78,
	.want = "FAIL  cron: posthouse-spool has never worked here, and a message or a step has "
		"been due for 61 minutes *\n"},
    {.name = "due, and cron has stopped",
	.only = "cron",
	.ran = 90,
	DUE(61),
	.status = 78,
	.want = "FAIL  cron: *last worked here 90 minutes ago, and *\n"},
    {.name = "due for less than an hour",
	.only = "cron",
	.ran = 90,
	DUE(59),
	.status = 1,
	.want = "warn  cron: *last worked here 90 minutes ago Let *\n"},
    {.name = "due, and cron runs",
	.only = "cron",
	.ran = 2,
	DUE(61),
	.status = 0,
	.want = "ok    cron: *\n"},
    {.name = "late",
	.only = "delivery",
	DUE(61),
	.status = 1,
	.want = "warn  delivery: a message or a step has been due for 61 minutes *\n"},
    {.name = "no key",
	.only = "accounts",
	.sql = "UPDATE %s.api_key SET revoked = 1",
	.again = "UPDATE %s.api_key SET revoked = NULL",
	.status = 1,
	.want = "warn  accounts: there is no API key that is valid: nobody can send *\n"},
    {.name = "a provider that cannot report",
	.only = "provider",
	.relay = "provider = postmark\n",
	.status = 1,
	.want = "warn  provider main: it has no endpoint, * posthouse provider add postmark "
		"--relay main\n"},
    {.name = "no relay of a provider", .only = "provider main", .status = 66, .want = ""},
    {.name = "log in no folder",
	.only = "log",
	.relay = "[log]\nto = /nowhere/posthouse.log\n",
	.status = 78,
	.want = "FAIL  log: /nowhere/posthouse.log cannot be written: No such file *[log].\n"},
    {.name = "log is a folder",
	.only = "log",
	.relay = "[log]\nto = /tmp\n",
	.status = 78,
	.want = "FAIL  log: /tmp cannot be written: Is a directory *[log].\n"},
    {.name = "no syslog",
	.only = "log",
	.relay = "[log]\nto = syslog\nsocket = /nowhere/log\n",
	.status = 78,
	.want = "FAIL  log: syslog at /nowhere/log cannot be written: No such file *[log].\n"},
    {.name = "log to standard error", .only = "log", .status = 0, .want = "ok    log: stderr\n"},
    {.name = "no such check", .only = "nonsense", .status = 64, .want = ""},
    {.name = "no such relay", .only = "relay other", .status = 66, .want = ""},
    {.name = "no such domain", .only = "domain other.org", .status = 66, .want = ""},
};

static char *database;

/* The text of the settings of an installation. The caller owns it. */
static char *
settings_of(const struct broken *broken, const struct smtp_server *relay, int web)
{
	g_autofree char *socket = test_mariadb_socket(NULL);
	g_auto(GStrv) parts = g_strsplit(broken->relay ? broken->relay : "", "CA\n", -1);
	g_autofree char *ca = g_strconcat(smtp_server_ca(relay), "\n", NULL);
	g_autofree char *lines = g_strjoinv(ca, parts);
	g_autofree char *own =
	    g_strdup_printf("host = 127.0.0.1\nport = %u\n", smtp_server_port(relay));

	g_autofree char *served = g_strdup_printf("http://127.0.0.1:%d/base", web);

	return g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
			       "[service]\nmail_from_mx = mx.example.com\nurl = %s\n"
			       "[relay main]\n%s%s",
	    socket, database, broken->url ? broken->url : served,
	    broken->address ? broken->address : own, lines);
}

/* Notes a run of the spool so many minutes ago, or NEVER. */
static void
note_run(int minutes)
{
	g_autofree char *path =
	    g_strdup_printf("%s/%s.spool/last-run", test_mariadb_dir(NULL), database);
	struct utimbuf times = {.modtime = time(NULL) - 60 * minutes};

	g_unlink(path);
	if (minutes == NEVER)
		return;
	cr_assert(g_file_set_contents(path, "", 0, NULL));
	cr_assert_eq(utime(path, &times), 0);
}

/* Runs a statement on the database. */
static void
change(const char *statement)
{
	g_auto(GStrv) parts = g_strsplit(statement ? statement : "", "%s", -1);
	g_autofree char *text = g_strjoinv(database, parts);

	if (statement)
		g_free(test_mariadb_sql(NULL, "%s", text));
}

static void
expect(const char *name, const char *config, const char *only, int status, const char *want)
{
	AUTO(outcome)
	got = program_run(config, only ? (const char *[]){"doctor", "--only", only, NULL}
				       : (const char *[]){"doctor", NULL});
	g_auto(GStrv) lines = g_strsplit(got->output, "\n      ", -1);
	g_autofree char *output = g_strjoinv(" ", lines);
	g_autofree char *pattern = only ? g_strconcat("*", want, "*", NULL) : g_strdup(want);

	cr_expect(g_pattern_match_simple(pattern, output), "%s: got\n%s%s\nwant %s", name, output,
	    got->errors, want);
	cr_expect_eq(got->status, status, "%s: got %d, want %d", name, got->status, status);
	cr_expect(
	    !strstr(output, "right-one") && !strstr(output, "wrong-one") && !strstr(output, "ph_"),
	    "%s: a secret in %s", name, output);
}

static void
examine(const struct broken *broken)
{
	AUTO(smtp_server) relay = smtp_server_start(&broken->script);
	enum web web = broken->web;
	struct http_server *server = http_server_start("127.0.0.1", NULL, serve, &web);
	g_autofree char *text = settings_of(broken, relay, http_server_port(server));
	g_autofree char *config = test_settings_write(test_mariadb_dir(NULL), database, text);

	note_run(broken->ran);
	change(broken->sql);
	expect(broken->name, config, broken->only, broken->status, broken->want);
	change(broken->again);
	smtp_server_stop(relay);
	http_server_stop(server);
	cr_expect_eq(smtp_server_count(relay), 0, "%s: mail left", broken->name);
	const char *login = strstr(smtp_server_log(relay), "AUTH PLAIN");
	cr_expect(!login || !strstr(login + 1, "AUTH PLAIN"), "%s: two logins", broken->name);
}

/* Makes an installation that may send from example.com. Returns its settings file, which the caller
   owns. */
static char *
install(void)
{
	static const char *const commands[] = {"schema migrate", "workspace create One",
	    "user add ada@x.org", "key create --user ada@x.org", "domain add example.com",
	    "domain trust example.com"};
	char *config = test_mariadb_file(NULL, NULL, NULL);

	database = g_strdup_printf("test_%d", (int)getpid());
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		g_free(program_line(config, commands[i]));
	return config;
}

Test(doctor_broken, relays, .timeout = 900)
{
	g_autofree char *config = install();

	for (gsize i = 0; i < G_N_ELEMENTS(relays); i++)
		examine(&relays[i]);
	g_free(database);
}

Test(doctor_broken, others, .timeout = 900)
{
	g_autofree char *config = install();
	g_autofree char *left = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
		examine(&others[i]);
	left = test_mariadb_sql(NULL, "SELECT COUNT(*) FROM %s.api_key", database);
	cr_expect_str_eq(left, "1", "a key of doctor is left");
	g_free(database);
}

static void
grant(const char *rights, const char *object)
{
	g_free(test_mariadb_sql(NULL, "DROP USER IF EXISTS weak@localhost"));
	g_free(test_mariadb_sql(NULL, "CREATE USER weak@localhost"));
	g_free(test_mariadb_sql(NULL, "GRANT %s ON %s TO weak@localhost", rights, object));
}

/* The user of the database has these rights on it. */
Test(doctor_broken, rights, .timeout = 900)
{
	g_autofree char *config = install(), *socket = test_mariadb_socket(NULL);
	g_autofree char *section =
	    g_strdup_printf("[database]\nsocket = %s\nuser = weak\nname = %s\n", socket, database);
	g_autofree char *weak = test_settings_write(test_mariadb_dir(NULL), "weak", section);
	g_autofree char *own = g_strdup_printf("`%s`.*", database);
	static const struct {
		const char *rights, *object, *only;
		int status;
		const char *want;
	} cases[] = {
	    {"ALL", NULL, "rights", 0, "ok    rights: *\n"},
	    {"ALL", "*.*", "rights", 0, "ok    rights: *\n"},
	    {"ALL", "`test\\_%`.*", "rights", 0, "ok    rights: *\n"},
	    {"SELECT, INSERT, UPDATE, DELETE", NULL, "rights", 1,
		"warn  rights: the user of section [database] lacks CREATE, ALTER, INDEX, "
		"REFERENCES, which posthouse schema migrate needs *GRANT*\n"},
	    {"SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX", NULL, "rights", 1,
		"warn  rights: * lacks REFERENCES, *\n"},
	    {"SELECT", NULL, "rights", 78,
		"FAIL  rights: * lacks INSERT, UPDATE, DELETE As the administrator of MariaDB: "
		"GRANT *\n"},
	    {"SELECT, INSERT, UPDATE", NULL, "schema", 78, "FAIL  rights: * lacks DELETE *\n"},
	    {"INSERT, UPDATE, DELETE", NULL, "rights", 78, "FAIL  rights: * lacks SELECT *\n"},
	    {"ALL", "`other`.*", "rights", 78, "FAIL  database: *\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		grant(cases[i].rights, cases[i].object ? cases[i].object : own);
		expect(cases[i].rights, weak, cases[i].only, cases[i].status, cases[i].want);
	}
	g_free(test_mariadb_sql(NULL, "DROP USER weak@localhost"));
	g_free(database);
}

/* Makes a journal of a process that has ended, written so many minutes ago. */
static char *
leave_journal(int minutes)
{
	char *path = g_strdup_printf("%s/%s.spool/"
				     "01990000-0000-7000-8000-000000000001."
				     "01990000-0000-7000-8000-000000000002.journal",
	    test_mariadb_dir(NULL), database);
	struct utimbuf times = {.modtime = time(NULL) - 60 * minutes};

	cr_assert(g_file_set_contents(path, "", 0, NULL));
	cr_assert_eq(utime(path, &times), 0);
	return path;
}

Test(doctor_broken, journals)
{
	g_autofree char *config = install(), *path = leave_journal(9);

	expect("young", config, "journals", 0, "ok    journals: none is left over\n");
	g_free(path);
	path = leave_journal(11);
	expect("old", config, "journals", 1,
	    "warn  journals: *: 1, older than 10 minutes Run posthouse-spool on this machine: *\n");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	expect("held", config, "journals", 0, "ok    journals: none is left over\n");
	close(fd);
	cr_assert_eq(g_unlink(path), 0);
	g_free(database);
}

Test(doctor_broken, finds_the_endpoint_of_a_provider)
{
	g_autofree char *config = install(), *socket = test_mariadb_socket(NULL);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
						"[relay main]\nhost = 127.0.0.1\n"
						"provider = postmark\n",
	    socket, database);

	g_free(config);
	config = test_settings_write(test_mariadb_dir(NULL), database, text);
	g_free(program_line(config, "provider add postmark --relay main"));
	expect("there", config, "provider", 0,
	    "ok    provider main: postmark reports to an endpoint of it\n");
	g_free(database);
}

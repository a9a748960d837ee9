/* SPDX-License-Identifier: MIT */
/* Tests posthouse doctor on an installation that works, and on broken ones: none may pass. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>
#include <utime.h>

#include "tests/cli/broken.h"
#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"

#define DUE(minutes)                                                                               \
	.sql = "REPLACE %s.outbox (id, workspace_id, email_id, recipients, attempts, since,"       \
	       " ready_at) VALUES ('1', '1', '1', '', 0, 0,"                                       \
	       " (UNIX_TIMESTAMP() - 60 * " #minutes ") * 1000)",                                  \
	.again = "DELETE FROM %s.outbox"

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
		"ok    web: http://127.0.0.1:*/base answers, and keys arrive\n"
		"warn  smtpd: mx.example.com cannot be reached at port 25*\n"},
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
    {.name = "a key of nobody",
	.only = "accounts",
	.sql = "UPDATE %s.user SET removed = 1",
	.again = "UPDATE %s.user SET removed = NULL",
	.status = 1,
	.want = "warn  accounts: the user of an API key that is valid is removed: * of workspace "
		"\"One\" posthouse key revoke ID --workspace NAME, or add the user again.\n"},
    {.name = "no sender, and nobody else's domain",
	.only = "sender",
	.status = 0,
	.want = "ok    sender: mail that signs people in comes from the default sender *\n"},
    {.name = "no sender, and other workspaces",
	.only = "sender",
	.sql = "INSERT INTO %s.workspace (id, name, created) VALUES ('2', 'Two', 0)",
	.again = "DELETE FROM %s.workspace WHERE name = 'Two'",
	.status = 1,
	.want = "warn  sender: mail that signs people in comes from the default senders * Set "
		"sender in section [service].\n"},
    {.name = "a sender whose domain may send",
	.only = "sender",
	.relay = "[service]\nsender = Post <post@www.example.com>\n",
	.status = 0,
	.want = "ok    sender: Post <post@www.example.com>, signed by example.com\n"},
    {.name = "a sender whose domain may not",
	.only = "sender",
	.relay = "[service]\nsender = post@example.org\n",
	.status = 1,
	.want = "warn  sender: no workspace may send from example.org: * Add its domain *\n"},
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

Test(doctor_broken, others, .timeout = 900)
{
	g_autofree char *config = broken_install();
	g_autofree char *left = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(others); i++)
		broken_examine(&others[i]);
	left = test_mariadb_sql(NULL, "SELECT COUNT(*) FROM %s.api_key", broken_database);
	cr_expect_str_eq(left, "1", "a key of doctor is left");
	g_free(broken_database);
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
	g_autofree char *config = broken_install(), *socket = test_mariadb_socket(NULL);
	g_autofree char *section = g_strdup_printf(
	    "[database]\nsocket = %s\nuser = weak\nname = %s\n", socket, broken_database);
	g_autofree char *weak = test_settings_write(test_mariadb_dir(NULL), "weak", section);
	g_autofree char *own = g_strdup_printf("`%s`.*", broken_database);
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
		broken_expect(cases[i].rights, weak, cases[i].only, cases[i].status, cases[i].want);
	}
	g_free(test_mariadb_sql(NULL, "DROP USER weak@localhost"));
	g_free(broken_database);
}

/* Makes a journal of a process that has ended, written so many minutes ago. */
static char *
leave_journal(int minutes)
{
	char *path = g_strdup_printf("%s/%s.spool/"
				     "01990000-0000-7000-8000-000000000001."
				     "01990000-0000-7000-8000-000000000002.journal",
	    test_mariadb_dir(NULL), broken_database);
	struct utimbuf times = {.modtime = time(NULL) - 60 * minutes};

	cr_assert(g_file_set_contents(path, "", 0, NULL));
	cr_assert_eq(utime(path, &times), 0);
	return path;
}

Test(doctor_broken, journals)
{
	g_autofree char *config = broken_install(), *path = leave_journal(9);

	broken_expect("young", config, "journals", 0, "ok    journals: none is left over\n");
	g_free(path);
	path = leave_journal(11);
	broken_expect("old", config, "journals", 1,
	    "warn  journals: *: 1, older than 10 minutes Run posthouse-spool on this machine: *\n");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert_eq(flock(fd, LOCK_EX), 0);
	broken_expect("held", config, "journals", 0, "ok    journals: none is left over\n");
	close(fd);
	cr_assert_eq(g_unlink(path), 0);
	g_free(broken_database);
}

Test(doctor_broken, finds_the_endpoint_of_a_provider)
{
	g_autofree char *config = broken_install(), *socket = test_mariadb_socket(NULL);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
						"[relay main]\nhost = 127.0.0.1\n"
						"provider = postmark\n",
	    socket, broken_database);

	g_free(config);
	config = test_settings_write(test_mariadb_dir(NULL), broken_database, text);
	g_free(program_line(config, "provider add postmark --relay main"));
	broken_expect("there", config, "provider", 0,
	    "ok    provider main: postmark reports to an endpoint of it\n");
	g_free(broken_database);
}

/* Makes settings with this certificate and key of the SMTP door. The caller owns their path. */
static char *
write_door(const char *cert, const char *key)
{
	g_autofree char *socket = test_mariadb_socket(NULL);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n"
						"[smtpd]\ntls_cert = %s\ntls_key = %s\n",
	    socket, broken_database, cert, key);

	return test_settings_write(test_mariadb_dir(NULL), broken_database, text);
}

Test(doctor_broken, looks_at_the_certificate_of_the_door)
{
	static const struct smtp_script scripts[] = {
	    {.certificate = CERTIFICATE_SOON},
	    {.certificate = CERTIFICATE_PRIVATE},
	    {.certificate = CERTIFICATE_EXPIRED},
	};
	struct smtp_server *servers[G_N_ELEMENTS(scripts)];
	const char *pems[G_N_ELEMENTS(scripts)];

	g_free(broken_install());
	for (gsize i = 0; i < G_N_ELEMENTS(scripts); i++) {
		servers[i] = smtp_server_start(&scripts[i]);
		pems[i] = smtp_server_ca(servers[i]);
	}
	const struct {
		const char *name, *cert, *key;
		int status;
		const char *want;
	} cases[] = {
	    {"good", pems[1], pems[1], 0, "ok    certificate: it ends on 20*-*-*\n"},
	    {"soon", pems[0], pems[0], 1, "warn  certificate: it ends on 20*-*-* *renewed.\n"},
	    {"expired", pems[2], pems[2], 78, "FAIL  certificate: it ended on 2001-02-03 *\n"},
	    {"of another", pems[1], pems[0], 78,
		"FAIL  certificate: the key in * is not that of * Correct tls_cert and tls_key in "
		"section [smtpd]: *\n"},
	    {"no certificate", "/nowhere", pems[0], 78,
		"FAIL  certificate: /nowhere cannot be read as a certificate Correct *\n"},
	    {"no key", pems[0], "/nowhere", 78,
		"FAIL  certificate: /nowhere cannot be read as a private key Correct *\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *config = write_door(cases[i].cert, cases[i].key);

		broken_expect(cases[i].name, config, "certificate", cases[i].status, cases[i].want);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(scripts); i++)
		smtp_server_free(servers[i]);
	g_free(broken_database);
}

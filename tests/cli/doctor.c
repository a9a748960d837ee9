/* SPDX-License-Identifier: MIT */
/* Tests posthouse doctor on healthy and on faulty installations. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "process/seccomp.h"
#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"
#include "tests/support/smtp_server.h"

/* Writes settings with the lines of one test. */
static char *
make_config(const char *more)
{
	return test_mariadb_file(NULL, NULL, more);
}

static char *
relay_section(guint port)
{
	return g_strdup_printf("[smtp]\nhost = 127.0.0.1\nport = %u\n", port);
}

static const struct smtp_script willing = {.extensions = "DSN\n8BITMIME"};

/* Runs doctor. only: one check, or NULL for all. The caller frees the result; its output has each
   finding in one line. */
static struct outcome *
cli_doctor_examine(const char *config, const char *only)
{
	struct outcome *got =
	    program_run(config, only ? (const char *[]){"doctor", "--only", only, NULL}
				     : (const char *[]){"doctor", NULL});
	g_auto(GStrv) lines = g_strsplit(got->output, "\n      ", -1);

	g_free(got->output);
	got->output = g_strjoinv(" ", lines);
	return got;
}

/* Expects a result of the check only (NULL: of all) that matches want, written in one line. */
static void
expect_only(const char *name, const char *config, const char *only, int status, const char *want)
{
	g_autofree char *pattern = g_strconcat("*", want, "*", NULL);
	AUTO(outcome) got = cli_doctor_examine(config, only);

	cr_expect(g_pattern_match_simple(pattern, got->output), "%s: got\n%s\nwant %s", name,
	    got->output, want);
	cr_expect_eq(got->status, status, "%s: got %d, want %d", name, got->status, status);
	cr_expect(g_pattern_match_simple(
		      status == 78 ? "posthouse: * of * check* failed\n" : "", got->errors),
	    "%s: got %s", name, got->errors);
}

static void
expect_finding(const char *name, const char *config, int status, const char *want)
{
	expect_only(name, config, NULL, status, want);
}

/* Expects no result with this text. */
static void
expect_no_finding(const char *config, const char *text)
{
	AUTO(outcome) got = cli_doctor_examine(config, NULL);

	cr_expect(!strstr(got->output, text), "got\n%s", got->output);
}

Test(doctor, needs_settings)
{
	expect_finding("none", "/nowhere", 78,
	    "FAIL  settings: the settings file cannot be read: *posthouse.conf(5) describes all "
	    "settings.\n");
	AUTO(outcome) got = program_run("/nowhere", (const char *[]){"doctor", "--json", NULL});
	cr_expect(
	    g_pattern_match_simple(
		"{\"checks\":[{\"check\":\"settings\",\"state\":\"fail\",*}]}\n", got->output),
	    "got %s", got->output);
	cr_expect(g_pattern_match_simple(
		      "{\"error\":\"1 of 1 check failed\",\"code\":\"failed\"}\n", got->errors),
	    "got %s", got->errors);
}

Test(doctor, needs_a_database)
{
	g_autofree char *config = test_settings_write(
	    test_mariadb_dir(NULL), "nowhere", "[database]\nsocket = /nowhere/s\n");

	program_expect(config, "schema status", 75, NULL,
	    "posthouse: The database cannot be reached now: *\n");
	expect_finding("none", config, 78, "FAIL  database: *Start MariaDB, or correct *\n");
}

Test(doctor, needs_the_schema)
{
	g_autofree char *config = make_config(NULL);

	expect_finding("none", config, 78,
	    "FAIL  schema: *run \"posthouse schema migrate\" Run posthouse schema migrate, *\n");
}

/* Each of workspace, key and domain is missing in turn. */
Test(doctor, asks_for_accounts)
{
	AUTO(smtp_server) relay = smtp_server_start(&willing);
	g_autofree char *section = relay_section(smtp_server_port(relay));
	g_autofree char *config = make_config(section);
	static const struct {
		const char *line, *want;
	} steps[] = {
	    {"schema migrate",
		"there is no workspace: nobody can send posthouse workspace create NAME\n"},
	    {"workspace create One", "there is no API key that is valid: *\n"},
	    {"user add ada@x.org", "there is no API key that is valid: *\n"},
	    {"key create --user ada@x.org", "there is no domain that may send: *\n"},
	    {"domain add example.com", "there is no domain that may send: *\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *want = g_strconcat("warn  accounts: ", steps[i].want, NULL);

		g_free(program_line(config, steps[i].line));
		expect_only(steps[i].line, config, "accounts", 1, want);
	}
}

Test(doctor, looks_at_the_server)
{
	AUTO(test_mariadb) server =
	    test_mariadb_start((const char *const[]){"--max-allowed-packet=1M", "--log-bin=binlog",
		"--sync-binlog=0", "--default-storage-engine=MyISAM", NULL});
	g_autofree char *config = test_mariadb_file(server, NULL, NULL);

	expect_finding(
	    "flush", config, 78, "warn  durability: *innodb_flush_log_at_trx_commit = 2*\n");
	g_free(test_mariadb_sql(server, "SET GLOBAL innodb_flush_log_at_trx_commit = 1"));
	expect_finding(
	    "binlog", config, 78, "warn  durability: *sync_binlog = 0*Set sync_binlog = 1.\n");
	g_free(test_mariadb_sql(server, "SET GLOBAL sync_binlog = 1"));
	expect_finding("durable", config, 78, "ok    durability: *\n");
	expect_finding(
	    "packet", config, 78, "FAIL  packets: the server accepts 1024 KiB at once*\n");
	expect_finding("engine", config, 78, "warn  engine: new tables are MyISAM by default*\n");
	g_free(test_mariadb_sql(server, "SET GLOBAL max_allowed_packet = 2097152"));
	expect_finding("enough", config, 78, "ok    packets: the server accepts 2 MiB at once\n");
}

/* Writes fail with a binary log of statements, as the check says, and work without the log. */
Test(doctor, refuses_a_binary_log_of_statements)
{
	static const char *const logs[] = {"--log-bin=binlog", "--skip-log-bin"};

	for (gsize i = 0; i < G_N_ELEMENTS(logs); i++) {
		const bool kept = i == 0;
		AUTO(test_mariadb) server = test_mariadb_start(
		    (const char *const[]){logs[i], "--binlog-format=MIXED", NULL});
		g_autofree char *config = test_mariadb_file(server, NULL, NULL);
		g_free(program_line(config, "schema migrate"));
		expect_no_finding(config, "binlog:");
		g_free(test_mariadb_sql(server, "SET GLOBAL binlog_format = STATEMENT"));
		if (kept)
			expect_finding(logs[i], config, 78,
			    "FAIL  binlog: *(binlog_format = STATEMENT)*Set binlog_format = "
			    "MIXED*\n");
		else
			expect_no_finding(config, "binlog:");
		program_expect(config, "workspace create One", kept ? 70 : 0, kept ? NULL : "*",
		    kept ? "posthouse: *" : NULL);
	}
}

Test(doctor, tells_whether_processes_are_confined)
{
	g_autofree char *off = make_config(NULL);
	bool is_known = process_seccomp_is_known();

	expect_only(
	    "off", off, "seccomp", 0, "ok    seccomp: off; [service] seccomp = yes turns it on");
	g_autofree char *on = make_config("[service]\nseccomp = yes\n");
	expect_only("on", on, "seccomp", is_known ? 0 : 78,
	    is_known
		? "ok    seccomp: dangerous emails are composed, and reports read, with few *\n"
		: "FAIL  seccomp: *Set seccomp = no *\n");
}

/* The server gives each new connection, except root's, a shifted time. */
Test(doctor, looks_at_the_clock)
{
	AUTO(test_mariadb) server =
	    test_mariadb_start((const char *const[]){"--sysdate-is-now", NULL});
	g_autofree char *config = test_mariadb_file(server, NULL, NULL);

	expect_finding("right", config, 78, "ok    clock: *\n");
	g_free(test_mariadb_sql(server, "SET GLOBAL init_connect = 'SET timestamp = 1000000000'"));
	g_free(test_mariadb_sql(server, "CREATE USER plain@localhost"));
	g_autofree char *database = g_strdup_printf("test_%d", (int)getpid());
	g_free(test_mariadb_sql(server, "GRANT ALL ON `%s`.* TO plain@localhost", database));
	g_autofree char *section =
	    g_strdup_printf("[database]\nsocket = %s/s\nuser = plain\nname = %s\n",
		test_mariadb_dir(server), database);
	g_autofree char *plain = test_settings_write(test_mariadb_dir(server), "plain", section);
	expect_finding(
	    "wrong", plain, 78, "FAIL  clock: the database's clock is * s behind ours*NTP.\n");
}

/* A server that is read-only refuses the changes of users who do not administrate it. */
Test(doctor, needs_a_server_that_takes_changes)
{
	AUTO(test_mariadb) server = test_mariadb_start((const char *const[]){"--read-only", NULL});
	g_autofree char *config = test_mariadb_file(server, NULL, NULL);
	g_autofree char *section =
	    g_strdup_printf("[database]\nsocket = %s/s\nuser = plain\nname = test_%d\n",
		test_mariadb_dir(server), (int)getpid());
	g_autofree char *plain = test_settings_write(test_mariadb_dir(server), "plain", section);

	g_free(test_mariadb_sql(server, "CREATE USER plain@localhost"));
	g_free(
	    test_mariadb_sql(server, "GRANT ALL ON `test_%d`.* TO plain@localhost", (int)getpid()));
	g_free(program_line(config, "schema migrate"));
	expect_only("root", config, "database", 0, "ok    database: *\n");
	expect_only("plain", plain, "database", 78,
	    "FAIL  database: the server refuses changes (read_only = ON) *\n");
	program_expect(plain, "workspace create One", 75, NULL, "*read-only*\n");
}

Test(doctor, looks_at_what_is_late)
{
	g_autofree char *config = make_config(NULL);
	static const struct {
		const char *name;
		int minutes;
		const char *want;
	} cases[] = {
	    {"not yet", -4, "ok    delivery: nothing is late\n"},
	    {"late", -6, "warn  delivery: a message or a step has been due for 6 minutes *cron*\n"},
	    {"later", 6, "ok    delivery: nothing is late\n"},
	};

	g_free(program_line(config, "schema migrate"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_free(test_mariadb_sql(NULL,
		    "REPLACE test_%d.outbox (id, workspace_id, email_id,"
		    " recipients, attempts, since, ready_at)"
		    " VALUES ('1', '1', '1', '', 0, 0, (UNIX_TIMESTAMP() + %d * 60) * 1000)",
		    (int)getpid(), cases[i].minutes));
		expect_finding(cases[i].name, config, 78, cases[i].want);
	}
}

/* A look is late after three times look_every, and the doctor itself takes a moment. There is
 * nothing to say if no workflow hears a segment or a date. */
Test(doctor, looks_at_the_age_of_looks)
{
	g_autofree char *config = make_config("[automation]\nlook_every = 3600\n");
	static const struct {
		const char *name, *heard;
		int began, since; /* seconds ago; -1: not yet */
		const char *want;
	} cases[] = {
	    {"nothing is heard", NULL, 20000, 20000, ""},
	    {"no look is needed", "person.created", 20000, 20000, ""},
	    {"in time", "segment.entered", 10700, 20000,
		"ok    looks: the last look at people began 107?? s ago\n"},
	    {"late", "segment.left", 10805, 20000,
		"warn  looks: the last look at people began 108?? s ago Look into the log *"},
	    {"late dates", "date.reached", 10805, 20000, "warn  looks: *began 108?? s ago *"},
	    {"not yet", "date.reached", -1, 10700, "ok    looks: *began 107?? s ago\n"},
	    {"never", "date.reached", -1, 10805, "warn  looks: *began 108?? s ago *"},
	};

	g_free(program_line(config, "schema migrate"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_free(test_mariadb_sql(NULL, "DELETE FROM test_%d.workflow_heard", (int)getpid()));
		g_free(test_mariadb_sql(NULL, "DELETE FROM test_%d.workspace_look", (int)getpid()));
		if (cases[i].heard)
			g_free(test_mariadb_sql(NULL,
			    "INSERT INTO test_%d.workflow_heard (workspace_id, event_name,"
			    " segment_id, workflow_id, is_trigger, since) VALUES ('1', '%s', '1',"
			    " '1', 1, (UNIX_TIMESTAMP() - %d) * 1000)",
			    (int)getpid(), cases[i].heard, cases[i].since));
		if (cases[i].began >= 0)
			g_free(test_mariadb_sql(NULL,
			    "INSERT INTO test_%d.workspace_look (workspace_id, began, ended,"
			    " before_began, next_at, place, taken) VALUES ('1', (UNIX_TIMESTAMP() -"
			    " %d) * 1000, 1, 0, 0, '1', 0)",
			    (int)getpid(), cases[i].began));
		AUTO(outcome) got = cli_doctor_examine(config, "looks");
		cr_expect(g_pattern_match_simple(cases[i].want, got->output), "%s: got %s",
		    cases[i].name, got->output);
	}
}

Test(doctor, asks_for_a_public_url)
{
	static const struct {
		const char *url, *want;
	} cases[] = {
	    {"https://x.org/mail", "ok    url: https://x.org/mail\n"},
	    {"http://localhost", "warn  url: it is not set*\n"},
	    {"http://x.org", "warn  url: http://x.org is not encrypted*\n"},
	    {"http://localhost:8025", "warn  url: links in mail lead to http://localhost:8025*\n"},
	    {"https://127.0.0.1", "warn  url: links in mail lead to https://127.0.0.1*\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *more = g_strdup_printf("[service]\nurl = %s\n", cases[i].url);
		g_autofree char *config = make_config(more);

		expect_only(
		    cases[i].url, config, "url", *cases[i].want == 'o' ? 0 : 1, cases[i].want);
	}
}

Test(doctor, asks_for_an_mx_that_dns_has)
{
	static const char bare[] = "warn  mx: domains publish the MX \"%s\", which "
				   "DNS does not have*Set mail_from_mx in section [service] *\n";
	const bool machine_has_domain = strchr(g_get_host_name(), '.') != NULL;
	g_autofree char *of_machine = g_strdup_printf(
	    machine_has_domain ? "ok    mx: delivery reports come back to %s\n" : bare,
	    g_get_host_name());
	g_autofree char *of_setting = g_strdup_printf(bare, "mail");
	const struct {
		const char *settings, *want;
	} cases[] = {
	    {"url = https://x.org", "ok    mx: delivery reports come back to x.org\n"},
	    {"mail_from_mx = mx.x.org", "ok    mx: delivery reports come back to mx.x.org\n"},
	    {"url = https://x.org\nmail_from_mx = mail", of_setting},
	    {"url = http://localhost", of_machine},
	    {"url = https://192.0.2.1", of_machine},
	    {"", of_machine},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *more = g_strdup_printf("[service]\n%s\n", cases[i].settings);
		g_autofree char *config = make_config(more);

		expect_only(
		    cases[i].settings, config, "mx", *cases[i].want == 'o' ? 0 : 1, cases[i].want);
	}
}

Test(doctor, looks_at_the_spool_folder)
{
	static const char *const in_folder[] = {"space", "cron", "journals"};
	g_autofree char *config = make_config("[smtp]\nhost = 127.0.0.1\nport = 1\n");
	g_autofree char *dir =
	    g_strdup_printf("%.*s.spool", (int)(strlen(config) - strlen(".conf")), config);

	expect_finding("well", config, 78, "ok    space: *\n");
	cr_assert_eq(g_chmod(dir, 0777), 0);
	expect_finding("open", config, 78,
	    "FAIL  spool: other users can write to the spool folder *chmod go-w*\n");
	program_expect(config, "schema status", 78, NULL,
	    "posthouse: other users can write to the spool folder *\n");
	cr_assert_eq(g_chmod(dir, 0700), 0);
	g_autofree char *host = g_build_filename(dir, "host", NULL);
	g_autofree char *relay = g_build_filename(dir, "relay.127.0.0.1:1", NULL);
	g_unlink(relay);
	cr_assert_eq(g_mkdir(relay, 0700), 0);
	expect_only("a relay's file cannot be opened", config, "spool", 78,
	    "FAIL  spool: cannot open *relay.127.0.0.1:1: Is a directory; nothing is sent * Free "
	    "some space if the disk is full; else give all files *\n");
	cr_assert_eq(g_rmdir(relay), 0);
	g_unlink(host);
	cr_assert_eq(g_mkdir(host, 0700), 0);
	expect_only("no journal can be begun", config, "spool", 78,
	    "FAIL  spool: cannot write *host: *; nothing is sent until *\n");
	expect_only("no journal, and the space", config, "space", 78,
	    "FAIL  spool: cannot write *host: *\nok    space: *\n");
	cr_assert_eq(g_rmdir(host), 0);
	g_unlink(relay);
	cr_assert_eq(g_rmdir(dir), 0);
	expect_finding(
	    "gone", config, 78, "FAIL  spool: the spool folder * cannot be used: No such file*\n");
	for (guint i = 0; i < G_N_ELEMENTS(in_folder); i++)
		expect_only(
		    in_folder[i], config, in_folder[i], 78, "FAIL  spool: the spool folder *\n");
	expect_only("gone, another check", config, "log", 0, "ok    log: *\n");
	cr_assert(g_file_set_contents(dir, "", 0, NULL));
	expect_finding("a file", config, 78, "FAIL  spool: the spool folder * is not a folder*\n");
}

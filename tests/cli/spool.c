/* SPDX-License-Identifier: MIT */
/* Tests posthouse spool on a real database. */

#include "base/clock.h"
#include "tests/cli/office.h"

OFFICE_SUITE(spool);

#define SQL(statement) test_db_plain(db, statement)
#define EMAIL(number) "01890a5d-ac96-774b-bcce-b302099a800" #number
#define HEX(number) "0x01890a5dac96774bbcceb302099a800" #number

/* Stores an email to five recipients that is due after an attempt, and a scheduled one. */
static void
spool_fill(void)
{
	SQL("INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created) SELECT ELT(seq, " HEX(1) ", " HEX(2) "), id, '', 1, '', '', '', 1"
							    " FROM workspace, seq_1_to_2");
	SQL("INSERT INTO recipient (email_id, number, workspace_id, kind, address, status,"
	    " status_at, event_id) SELECT " HEX(1) ", seq, id, 1, CONCAT('r', seq, '@x.org'), 3, 1,"
						   " CONCAT('e', seq) FROM workspace, seq_0_to_4");
	SQL("INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
	    " SELECT " HEX(2) ", 0, id, 1, 'ada@x.org' FROM workspace");
	SQL("INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp,"
	    " smtp_response, automated) SELECT " HEX(1) ", 'e0', id, 0, 3, 1,"
							" '452 4.2.2 The mailbox of this person is "
							"full; try again when it has been emptied',"
							" 0 FROM workspace");
	SQL("INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT 'a', id, " HEX(1) ", 0x00000001000200030004, 1, 1000, 1000"
				       " FROM workspace");
	SQL("INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT 'b', id, " HEX(2) ", 0x0000, 0, 9000000000000, 9000000000000 FROM workspace");
}

#define DUE                                                                                        \
	EMAIL(1)                                                                                   \
	"  1970-01-01T00:00:01.000Z  due, 1 attempt\n"                                             \
	"    One: r0@x.org, r1@x.org, r2@x.org and 2 others\n"                                     \
	"    452 4.2.2 The mailbox of this person is full; try again when it has been\n"           \
	"    emptied\n"
#define LATER EMAIL(2) "  2255-03-14T16:00:00.000Z  0 attempts\n    One: ada@x.org\n"

Test(spool, lists_what_waits)
{
	program_expect(config, "spool waiting", 0, "Nothing waits.\n", NULL);
	program_expect(config, "spool waiting --json", 0, "{\"waiting\":[]}\n", NULL);
	spool_fill();
	program_expect(config, "spool waiting", 0, DUE LATER, NULL);
	program_expect(config, "spool waiting --limit 2", 0, DUE LATER, NULL);
	program_expect(config, "spool waiting --limit 1", 0,
	    DUE "There are more: posthouse spool status counts them.\n", NULL);
	program_expect(config, "spool waiting --json --limit 1", 0,
	    "{\"waiting\":[{\"id\":\"" EMAIL(
		1) "\",\"workspace\":\"One\",\"next_attempt\":1000,"
		   "\"attempts\":1,\"since\":1000,\"recipients\":5,\"addresses\":\"r0@x.org, "
		   "r1@x.org, "
		   "r2@x.org, r3@x.org, r4@x.org\",\"reason\":\"452 4.2.2 *\"}]}\n",
	    NULL);
	program_expect(config, "spool waiting --limit 0", 64, NULL, "posthouse: --limit must *\n");
}

/* The id in the list is the one by which an email is held and released. */
Test(spool, holds_and_releases_what_it_lists)
{
	spool_fill();
	program_expect(config, "spool status", 0,
	    "due        1\nlater      1\nclaimed    0\nheld       0\n*", NULL);
	program_expect(config, "spool hold " EMAIL(1), 0, "The email is held *\n", NULL);
	program_expect(config, "spool waiting", 0, LATER, NULL);
	program_expect(config, "spool held", 0, "ID *\n" EMAIL(1) " *\n", NULL);
	program_expect(
	    config, "spool hold " EMAIL(9), 66, NULL, "posthouse: no message of this *\n");
	program_expect(config, "spool release " EMAIL(1), 0, "The email is released: *\n", NULL);
	g_autofree char *audit = test_mariadb_sql(NULL,
	    "SELECT CONCAT(action, ' ', target_type, ' ', target_id) FROM test_%d.audit"
	    " WHERE target_type = 'email'",
	    (int)getpid());
	cr_expect_str_eq(g_strchomp(audit), "email.changed email " EMAIL(1), "got %s", audit);
	program_expect(config, "spool waiting", 0, EMAIL(1) "  20*  due, 1 attempt\n*" LATER, NULL);
	program_expect(
	    config, "spool retry " EMAIL(2), 66, NULL, "posthouse: no message of this *\n");
}

#define RELAYS                                                                                     \
	"[relay one]\nhost = 127.0.0.1\nport = 1\nuser = u\npassword = p\n"                        \
	"[relay two-2]\nhost = mx.example.com\ndefault = no\n"

TestSuite(route, .timeout = 900);

Test(route, names_relays_of_the_settings)
{
	g_autofree char *path = test_mariadb_file(NULL, NULL, RELAYS);

	g_free(program_line(path, "schema migrate"));
	g_free(program_line(path, "workspace create One"));
	g_free(program_line(path, "domain add x.example"));
	program_expect(path, "spool status --json", 0,
	    "*\"relays\":[{\"relay\":\"one\",\"host\":\"127.0.0.1\",\"port\":1,\"sessions\":0,"
	    "\"rests_until\":null,\"reason\":null},{\"relay\":\"two-2\",*\"port\":25,*}]}\n",
	    NULL);
	program_expect(path, "domain relay x.example two-2 one", 0,
	    "Mail of domain x.example leaves by two-2 one from now on.\n", NULL);
	program_expect(path, "domain relay x.example --json", 0,
	    "{\"name\":\"x.example\",\"relays\":null}\n", NULL);
	program_expect(path, "domain relay x.example one --for automation", 0,
	    "Mail of stream automation of domain x.example leaves by one from now on.\n", NULL);
	program_expect(path, "domain relay x.example --for automation --json", 0,
	    "{\"name\":\"x.example\",\"stream\":\"automation\",\"relays\":null}\n", NULL);
	program_expect(path, "workspace relay two-2 --for broadcast", 0,
	    "Mail of stream broadcast of workspace \"*\" leaves by two-2 from now on.\n", NULL);
	program_expect(path, "domain relay x.example three", 66, NULL,
	    "posthouse: the settings have no relay \"three\"\n");
	program_expect(path, "domain relay y.example one", 66, NULL, "posthouse: *\n");
	program_expect(path, "workspace relay one two-2", 0,
	    "Mail of workspace \"One\" leaves by one two-2 from now on.\n", NULL);
	program_expect(path, "workspace relay", 0,
	    "Workspace \"One\" has no route of its own any more.\n", NULL);
	program_expect(path, "workspace relay one three", 66, NULL, "posthouse: *three*\n");
	program_expect(path, "workspace relay one --workspace None", 66, NULL, "posthouse: *\n");
	g_free(path);
	path = test_mariadb_file(NULL, NULL, "[relay one]\n");
	program_expect(path, "spool status", 78, NULL,
	    "posthouse: */posthouse*.conf:*: [relay one] host is missing\n");
}

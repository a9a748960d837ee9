/* SPDX-License-Identifier: MIT */
/* Tests posthouse email on a real database. */
#include <string.h>

#include "base/clock.h"
#include "tests/cli/office.h"

OFFICE_SUITE(email);

#define SQL(statement) test_db_plain(db, statement)

/* The ids of the emails by number: old, mixed, later and gone. */
#define EMAIL(number) "01890a5d-ac96-774b-bcce-b302099a800" #number
#define HEX(number) "0x01890a5dac96774bbcceb302099a800" #number

static void
put_email(const char *hex, const char *subject, const char *times)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created, scheduled_at, cancelled, sent) SELECT %s, id, '', 1, 'Me <me@x.org>',"
	    " 'Ada <ada@x.org>', '%s', 1800000000000, %s FROM workspace WHERE name = 'One'",
	    hex, subject, times);

	test_db_plain(db, sql);
}

static void
put_recipient(const char *hex, guint number, const char *address, guint status)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address, status,"
	    " status_at) SELECT %s, %u, id, %u, '%s', NULLIF(%u, 0), 1800000002000 FROM workspace"
	    " WHERE name = 'One'",
	    hex, number, number + 1, address, status);

	test_db_plain(db, sql);
	SQL("INSERT IGNORE INTO recipient_status SELECT workspace_id, status, email_id, number"
	    " FROM recipient WHERE status > 2");
}

/* Stores the events of the mixed email, see enum store_event_status. */
static void
put_events(void)
{
	SQL("INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp,"
	    " smtp_response, enhanced_code, bounce_type, ip, user_agent, link, automated)"
	    " SELECT " HEX(
		2) ", CONCAT('e', number), id, recipient, status,"
		   " 1800000000000 + 1000 * number, reply, code, bounce, ip, agent, link, program"
		   " FROM workspace JOIN (SELECT 1 number, 0 recipient, 1 status, NULL reply, NULL "
		   "code,"
		   " NULL bounce, NULL ip, NULL agent, NULL link, 0 program"
		   " UNION SELECT 2, 0, 6, NULL, NULL, NULL, '192.0.2.1', 'UA', 'https://x.org/a', "
		   "1"
		   " UNION SELECT 3, 1, 3, '452 4.2.2 The mailbox is full; what else there is to "
		   "say of"
		   " it takes more than a line', '4.2.2', NULL, NULL, NULL, NULL, 0"
		   " UNION SELECT 4, 1, 9, '550 no such user', '5.1.1', 1, NULL, NULL, NULL, 0"
		   " UNION SELECT 5, 1, 9, NULL, '4.4.7', 2, NULL, NULL, NULL, 0) e"
		   " WHERE name = 'One'");
}

static void
email_fill(void)
{
	put_email(HEX(1), "Old", "NULL, NULL, 1800000001000");
	put_recipient(HEX(1), 0, "ada@x.org", 2);
	put_email(HEX(2), "Mixed", "NULL, NULL, 1800000001000");
	put_recipient(HEX(2), 0, "ada@x.org", 6);
	put_recipient(HEX(2), 1, "bob@x.org", 9);
	put_recipient(HEX(2), 2, "eve@x.org", 0);
	put_events();
	put_email(HEX(3), "Later", "9000000000000, NULL, NULL");
	put_recipient(HEX(3), 0, "ada@x.org", 0);
	put_email(HEX(4), "Gone", "9000000000000, 1800000001000, NULL");
	put_recipient(HEX(4), 0, "bob@x.org", 0);
}

#define TIME(second) "2027-01-15T08:00:0" #second ".000Z"
#define OLD EMAIL(1) "  " TIME(0) "  delivered\n    ada@x.org: Old\n"
#define MIXED                                                                                      \
	EMAIL(2)                                                                                   \
	"  " TIME(0) "  1 clicked, 1 bounced, 1 waiting\n    ada@x.org and 2 others: "             \
		     "Mixed\n"
#define LATER EMAIL(3) "  " TIME(0) "  scheduled\n    ada@x.org: Later\n"
#define GONE EMAIL(4) "  " TIME(0) "  cancelled\n    bob@x.org: Gone\n"

Test(email, is_listed)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
	    {"", GONE LATER MIXED OLD},
	    {"--limit 4", GONE LATER MIXED OLD},
	    {"--limit 2", GONE LATER "There are more: --before " EMAIL(3) "\n"},
	    {"--limit 2 --before " EMAIL(3), MIXED OLD},
	    {"--limit 1 --before " EMAIL(2), OLD},
	    {"--to ADA@x.org", LATER MIXED OLD},
	    {"--status bounced", MIXED},
	    {"--status delivered --to ada@x.org", OLD},
	    {"--status failed", "There are no such emails.\n"},
	    {"--from nobody@x.org", "There are no such emails.\n"},
	    {"--tag order", "There are no such emails.\n"},
	    {"--tag order:7", "There are no such emails.\n"},
	    {"--to nobody@x.org", "There are no such emails.\n"},
	};

	program_expect(config, "email list", 0, "There are no such emails.\n", NULL);
	program_expect(config, "email list --json", 0, "{\"emails\":[]}\n", NULL);
	email_fill();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line = g_strconcat("email list ", cases[i].line, NULL);

		program_expect(config, line, 0, cases[i].want, NULL);
	}
	program_expect(config, "email list --json --to bob@x.org --limit 2", 0,
	    "{\"emails\":[{\"id\":\"" EMAIL(
		4) "\",\"type\":\"transactional\",\"created\":1800000000000,"
		   "\"scheduled_at\":9000000000000,\"cancelled\":1800000001000,\"sent\":null,"
		   "\"to\":\"Ada <ada@x.org>\",\"subject\":\"Gone\",\"recipients\":1,"
		   "\"states\":\"cancelled\",\"last_event\":null,\"last_event_at\":null},"
		   "{\"id\":\"" EMAIL(2) "\",*\"recipients\":3,*}]}\n",
	    NULL);
	program_expect(config, "email list --status open", 65, NULL,
	    "posthouse: --status must be the name of an email event, not \"open\"\n");
	program_expect(config, "email list --limit 1001", 64, NULL,
	    "posthouse: --limit must be a whole number from 1 to 1000, not \"1001\"\n");
	program_expect(config, "email list --to bob", 64, NULL, "posthouse: --to must be *\n");
}

/* The list fits 80 columns, and stored text does not control the terminal. */
Test(email, is_listed_in_80_columns)
{
	g_autofree char *title = g_strnfill(100, 's');
	g_autofree char *cut =
	    g_strdup_printf("*\n    ada@x.org: %.62s...\nThere are more*", title);

	put_email(HEX(1), "a\\nb\\tc", "NULL, NULL, NULL");
	put_recipient(HEX(1), 0, "ada@x.org", 0);
	put_email(HEX(2), title, "NULL, NULL, NULL");
	put_recipient(HEX(2), 0, "ada@x.org", 0);
	program_expect(config, "email list --limit 1", 0, cut, NULL);
	program_expect(config, "email list --before " EMAIL(2), 0,
	    "*waiting\n    ada@x.org: a\\u{a}b\\u{9}c\n", NULL);
}

Test(email, is_shown)
{
	email_fill();
	program_expect(config, "email show " EMAIL(2), 0,
	    "id           " EMAIL(2) "\ntype         transactional\ncreated      " TIME(
		0) "\nscheduled_at -\ncancelled    -\nsent         " TIME(1) "\nfrom         Me "
									     "<me@x.org>\nto       "
									     "    Ada "
									     "<ada@x.org>\ncc      "
									     "     -\nbcc          "
									     "-\n"
									     "reply_to     "
									     "-\nsubject      "
									     "Mixed\ntemplate_id  "
									     "-\ndomain       -\n\n"
									     "to ada@x.org: "
									     "clicked\n"
									     "    " TIME(
										 1) "  sent\n"
										    "    " TIME(
											2) "  "
											   "clicked"
											   ": "
											   "https:/"
											   "/x.org/"
											   "a, "
											   "from "
											   "192.0."
											   "2.1, "
											   "by a\n"
											   "       "
											   " progra"
											   "m\n"
											   "cc "
											   "bob@x."
											   "org: "
											   "bounced"
											   "\n"
											   "   "
											   " " TIME(
											       3) "  delayed: 452 4.2.2 The mailbox is full; what else\n"
												  "        there is to say of it takes more than a line\n"
												  "    " TIME(
												      4) "  bounced: 550 no such user, 5.1.1\n"
													 "    " TIME(
													     5) "  bounced: 4.4.7, for a temporary reason\n"
														"bcc eve@x.org: no event yet\n",
	    NULL);
	program_expect(config, "email show " EMAIL(4), 0, "*\nto bob@x.org: cancelled\n", NULL);
	program_expect(config, "email show --json " EMAIL(2), 0,
	    "{\"id\":\"" EMAIL(
		2) "\",*\"from\":\"Me <me@x.org>\",*\"recipients\":["
		   "{\"recipient\":\"ada@x.org\",\"kind\":\"to\",\"status\":\"clicked\","
		   "\"timestamp\":1800000002000,\"more\":false},{*},"
		   "{\"recipient\":\"eve@x.org\",\"kind\":\"bcc\","
		   "\"status\":null,\"timestamp\":1800000002000,\"more\":false}],\"events\":["
		   "{\"recipient\":\"ada@x.org\",\"status\":\"sent\",*},"
		   "{*\"ip\":\"192.0.2.1\",\"user_agent\":\"UA\",\"link\":\"https://x.org/a\","
		   "\"automated\":true},"
		   "{\"recipient\":\"bob@x.org\",\"status\":\"delayed\",\"timestamp\":"
		   "1800000003000,"
		   "\"smtp_response\":\"452 "
		   "*\",\"enhanced_code\":\"4.2.2\",\"relay\":null,\"type\":null,*},"
		   "{*\"type\":\"Permanent\",*},{*\"type\":\"Transient\",*}]}\n",
	    NULL);
	program_expect(config, "email show " EMAIL(9), 66, NULL, "posthouse: Email not found\n");
	program_expect(config, "email show x", 64, NULL, "posthouse: ID must be a UUID*\n");
}

/* Outbox entries in each state. */
Test(email, is_shown_with_what_has_to_leave)
{
	email_fill();
	SQL("INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at,"
	    " owner) SELECT CONCAT('o', seq), id, " HEX(
		2) ", ELT(seq, 0x0000, 0x0001, 0x0002, 0x000000010002), seq, 1000,"
		   " ELT(seq, NULL, 1000, 9000000000000, 9100000000000), IF(seq = 4, 'us', NULL)"
		   " FROM workspace, seq_1_to_4");
	program_expect(config, "email show " EMAIL(2), 0,
	    "*\n\nheld, after 1 attempt: ada@x.org\n"
	    "due since 1970-01-01T00:00:01.000Z, after 2 attempts: bob@x.org\n"
	    "waiting until 2255-03-14T16:00:00.000Z, after 3 attempts: eve@x.org\n"
	    "leaving, after 4 attempts: ada@x.org, bob@x.org, eve@x.org\n"
	    "\nto ada@x.org: clicked\n*",
	    NULL);
	program_expect(config, "email show --json " EMAIL(2), 0,
	    "{*\"outbox\":[{\"state\":\"held\",\"next_attempt\":null,\"attempts\":1,"
	    "\"since\":1000,\"recipients\":1,\"addresses\":\"ada@x.org\"},"
	    "{\"state\":\"due\",\"next_attempt\":1000,*},"
	    "{\"state\":\"waiting\",\"next_attempt\":9000000000000,*},"
	    "{\"state\":\"leaving\",\"next_attempt\":null,*}],\"recipients\":[*}]}\n",
	    NULL);
}

/* Erased recipients are not shown. */
Test(email, is_shown_without_who_was_erased)
{
	email_fill();
	SQL("UPDATE recipient SET address = '' WHERE address = 'ada@x.org'");
	program_expect(
	    config, "email list --before " EMAIL(2), 0, "*delivered\n    -: Old\n", NULL);
	program_expect(config, "email show " EMAIL(2), 0, "*\n\ncc bob@x.org: *", NULL);
}

Test(email, is_cancelled)
{
	email_fill();
	SQL("INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT 'o', id, " HEX(3) ", 0x0000, 0, 9000000000000, 9000000000000 FROM workspace");
	program_expect(config, "email cancel " EMAIL(3), 0, "The email is cancelled.\n", NULL);
	program_expect(config, "email list --limit 2", 0, "*" EMAIL(3) " * cancelled\n*", NULL);
	cr_expect_eq(test_db_number(db, "SELECT COUNT(*) FROM outbox"), 0);
	program_expect(
	    config, "email cancel " EMAIL(3), 73, NULL, "posthouse: Email is cancelled already\n");
	program_expect(config, "email cancel --json " EMAIL(1), 73, NULL,
	    "{\"error\":\"Email is not scheduled\",\"code\":\"conflict\"}\n");
	program_expect(config, "email cancel " EMAIL(9), 66, NULL, "posthouse: Email not found\n");
}

Test(email, is_of_its_workspace)
{
	email_fill();
	g_free(program_line(config, "workspace create Two"));
	program_expect(
	    config, "email list --workspace Two", 0, "There are no such emails.\n", NULL);
	program_expect(config, "email show --workspace Two " EMAIL(1), 66, NULL, "*");
	program_expect(config, "email cancel --workspace Two " EMAIL(3), 66, NULL, "*");
}

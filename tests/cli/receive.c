/* SPDX-License-Identifier: MIT */
/* Tests posthouse receive, and posthouse report with replies, as mail servers and cron run them. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "link/own_address.h"
#include "store/workspace/limit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/mariadb.h"
#include "tests/support/program.h"

static struct fixture *fixture;
static char *token, *config, *inbox;

static void
receive_begin(void)
{
	fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
	AUTO(store_email) email = fixture_email(fixture, &id);

	token = link_own_address_reply(fixture->service, email, 0);
	inbox = g_strconcat("x@", email->domain, NULL);
	config = g_strdup_printf("%s/core_%d.conf", test_mariadb_dir(NULL), (int)getpid());
	test_db_plain(fixture->db, "UPDATE domain SET receiving = 1, trusted = 1");
	test_db_plain(fixture->db,
	    "INSERT INTO receiving_route (id, workspace_id, domain_id, pattern, action, created)"
	    " SELECT UNHEX(MD5(RAND())), workspace_id, id, '*', 1, 0 FROM domain");
}

static void
receive_end(void)
{
	g_free(config);
	g_free(inbox);
	g_free(token);
	fixture_close(fixture);
}

TestSuite(receive, .init = receive_begin, .fini = receive_end, .timeout = 600);

/* Runs a command with a message at its standard input, and expects a status and an output or, where
   that is empty, a log. */
static void
receive_expect(const char *name, const char *const *arguments, const char *environment,
    const char *message, int status, const char *want)
{
	const char *argv[20] = {"posthouse", "--config", config};
	const char *const variables[] = {environment, NULL};
	char path[] = "/tmp/receive-XXXXXX";
	int input = g_mkstemp(path);

	unlink(path);
	cr_assert_eq(write(input, message, strlen(message)), (gssize)strlen(message));
	lseek(input, 0, SEEK_SET);
	for (guint i = 0; arguments[i]; i++)
		argv[3 + i] = arguments[i];
	AUTO(test_program) program =
	    test_program_start(argv, environment ? variables : NULL, input, -1);
	int got = test_program_wait(program, 240000);
	g_autofree char *output = test_program_output(program);
	g_autofree char *log = test_program_log(program);
	const char *text = *output ? output : log;
	cr_expect_eq(got, status, "%s: got %d, want %d: %s", name, got, status, text);
	cr_expect(g_pattern_match_simple(want, text), "%s: got %s, want %s", name, text, want);
	close(input);
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define MESSAGE(id) "From: a@x.org\nMessage-ID: <" id "@x.org>\n\nHello\n"

static void
receive_limit(enum config_setting limit, gint64 value)
{
	cr_assert(
	    store_limit_set(fixture->db, &fixture->key.workspace_id, &limit, &value, 1, NULL));
}

/* The mail server keeps what may be taken later, and returns what is never taken. */
Test(receive, has_a_status_for_a_pipe)
{
	const char *const *to = ARGUMENTS("receive", "--recipient", inbox);

	receive_expect("stored", to, NULL, MESSAGE("1"), 0, "The message is stored as *-*.\n");
	receive_expect(
	    "repeated", to, NULL, MESSAGE("1"), 0, "The message was dropped, or is known.\n");
	receive_expect("json", ARGUMENTS("receive", "--recipient", inbox, "--json"), NULL,
	    MESSAGE("2"), 0, "{\"file\":null,\"outcome\":\"stored\",\"id\":\"*-*\"}\n");
	receive_expect("nobody", ARGUMENTS("receive", "--recipient", "x@nobody.example"), NULL,
	    MESSAGE("3"), 67, "The message came to no address of this installation.\n");
	receive_expect("no message", to, NULL, "Hello\n", 65, "*there is no message*");
	receive_limit(SETTING_LIMITS_RECEIVED_PER_DAY, 2);
	receive_expect("quota", to, NULL, MESSAGE("4"), 75,
	    "*452 4.2.2 Quota reached: at most 2 messages per day*");
	receive_limit(SETTING_LIMITS_RECEIVED_PER_DAY, 3);
	test_db_plain(fixture->db, "UPDATE domain SET trusted = 0, status = 1");
	receive_expect(
	    "not verified", to, NULL, MESSAGE("4"), 75, "*450 4.7.1 Domain * is not verified*");
	test_db_plain(fixture->db, "UPDATE domain SET trusted = 1");
	receive_expect("room again", to, NULL, MESSAGE("4"), 0, "The message is stored as *-*.\n");
	g_autofree char *bad = g_strdup_printf("%s.away", config);
	cr_assert(g_file_set_contents(bad,
	    "[database]\nsocket = /nonexistent/mysql.sock\nuser = root\nname = x\n", -1, NULL));
	g_free(config);
	config = g_steal_pointer(&bad);
	receive_expect("no database", to, NULL, MESSAGE("5"), 75, "*");
	g_remove(config);
}

/* The first address of the fields that leads here is the recipient, wherever it stands. */
Test(receive, finds_the_recipient_in_the_header)
{
	static const struct {
		const char *name, *fields;
		int status;
		const char *want;
	} cases[] = {
	    {"a list", "To: %s, y@x.org\n", 0, "*stored as *"},
	    {"behind a stranger", "To: Y <y@x.org>, \"B, C\" <%s>\n", 0, "*stored as *"},
	    {"behind the name of a mailbox", "Delivered-To: user@host.example\nTo: %s\n", 0,
		"*stored as *"},
	    {"behind an alias", "Delivered-To: user@host.example\nX-Original-To: %s\nTo: y@x.org\n",
		0, "*stored as *"},
	    {"of no list", "To: <%s\n", 67, "The message does not say to whom it came.\n"},
	    {"strangers alone", "To: y@x.org, z@x.org\nCc: %s\n", 67,
		"The message came to no address of this installation.\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(GStrv) parts = g_strsplit(cases[i].fields, "%s", 2);
		g_autofree char *message =
		    g_strdup_printf("%s%s%sFrom: a@x.org\nMessage-ID: <%zu@x.org>\n\nHello\n",
			parts[0], inbox, parts[1], i);

		receive_expect(cases[i].name, ARGUMENTS("receive"), NULL, message, cases[i].status,
		    cases[i].want);
	}
}

/* A message has as many bytes as the SMTP door takes. */
Test(receive, has_a_largest_message)
{
	g_autofree char *text = NULL, *small = g_strdup_printf("%s.small", config);

	cr_assert(g_file_get_contents(config, &text, NULL, NULL));
	g_autofree char *other = g_strconcat(text, "\n[smtpd]\nsize = 1024\n", NULL);
	cr_assert(g_file_set_contents(small, other, -1, NULL));
	g_free(config);
	config = g_steal_pointer(&small);
	for (guint past = 0; past <= 1; past++) {
		g_autofree char *body = g_strnfill(1024 - strlen(MESSAGE("1")) + past, 'x');
		g_autofree char *message = g_strconcat(MESSAGE("1"), body, NULL);
		receive_expect(past ? "past" : "the most",
		    ARGUMENTS("receive", "--recipient", inbox), NULL, message, past ? 65 : 0,
		    past ? "*the message is larger than 1024 bytes*"
			 : "The message is stored as *-*.\n");
	}
	g_remove(config);
}

/* Reports of relays with a return path of their own come there, and to no domain. */
Test(receive, takes_reports_at_the_return_path_of_a_relay)
{
	g_autofree char *text = NULL, *fixed = g_strdup_printf("%s.fixed", config);

	cr_assert(g_file_get_contents(config, &text, NULL, NULL));
	/* The relays stand in place of host and port of [smtp]. */
	char *smtp = strstr(text, "[smtp]\n"), *timeout = strstr(smtp, "timeout = ");
	g_autofree char *front = g_strndup(text, (gsize)(smtp - text) + strlen("[smtp]\n"));
	g_autofree char *other = g_strconcat(front, timeout,
	    "\n[relay one]\nhost = 127.0.0.1\n[relay two]\nhost = 127.0.0.1\n"
	    "return_path = bounces@fixed.example\n",
	    NULL);
	cr_assert(g_file_set_contents(fixed, other, -1, NULL));
	receive_expect("no relay has it",
	    ARGUMENTS("receive", "--recipient", "Bounces@fixed.example"), NULL, MESSAGE("1"), 67,
	    "The message came to no address of this installation.\n");
	g_free(config);
	config = g_steal_pointer(&fixed);
	receive_expect("a relay has it",
	    ARGUMENTS("receive", "--recipient", "Bounces@fixed.example"), NULL, MESSAGE("1"), 0,
	    "The message went to a return path: no report.\n");
	receive_expect("another address", ARGUMENTS("receive", "--recipient", "x@fixed.example"),
	    NULL, MESSAGE("1"), 67, "The message came to no address of this installation.\n");
	g_remove(config);
}

/* Mail is shown to people, too, and goes to at most ten at once. */
Test(receive, is_shown_and_forwarded)
{
	receive_expect("stored", ARGUMENTS("receive", "--recipient", inbox), NULL,
	    "Subject: S\n" MESSAGE("1"), 0, "The message is stored as *-*.\n");
	g_autofree char *id =
	    test_db_text(fixture->db, "SELECT CAST(CAST(id AS UUID) AS CHAR) FROM received");
	receive_expect("shown", ARGUMENTS("received", "show", id), NULL, "", 0,
	    "id *\nfrom * a@x.org\n*\nsubject * S\n*\n\nHello\n");
	receive_expect(
	    "listed", ARGUMENTS("received", "list"), NULL, "", 0, "ID *FROM *\n* a@x.org *");
	receive_expect("listed in JSON", ARGUMENTS("received", "list", "--json"), NULL, "", 0,
	    "{\"received\":[{\"id\":\"*\",\"domain_id\":\"*\",\"route_id\":\"*\",\"recipients\":["
	    "\"*\"],"
	    "\"from\":\"a@x.org\",\"to\":*,\"cc\":[],\"subject\":\"S\",\"message_id\":*,\"date\":*,"
	    "\"created\":*,\"automatic\":*,\"email_id\":null,\"spam_score\":null,\"size\":*,"
	    "\"attachment_count\":0}]}\n");
	const char *many[] = {"received", "forward", id, "a@y.org", "b@y.org", "c@y.org", "d@y.org",
	    "e@y.org", "f@y.org", "g@y.org", "h@y.org", "i@y.org", "j@y.org", "k@y.org", NULL};
	receive_expect("eleven", many, NULL, "", 65, "*to must have at most 10 elements*");
	many[13] = NULL;
	receive_expect("ten", many, NULL, "", 0, "Forwarded by email *-*.\n");
	receive_expect("removed", ARGUMENTS("received", "remove", id, "--json"), NULL, "", 0,
	    "{\"id\":\"*\",\"removed\":true,\"message\":\"Received email deleted\"}\n");
}

Test(receive, is_what_report_does_with_replies)
{
	g_autofree char *upper = g_ascii_strup(token, -1);
	g_autofree char *recipient = g_strconcat("RECIPIENT=", upper, NULL);
	g_autofree char *delivered = g_strconcat("Delivered-To: ", token, "\n" MESSAGE("3"), NULL);
	static const char replies[] = "SELECT COUNT(*) FROM event WHERE status = 54";

	receive_expect("option", ARGUMENTS("report", "--recipient", token, "--json"), NULL,
	    MESSAGE("1"), 0,
	    "{\"file\":null,\"outcome\":\"stored\",\"format\":null,\"email\":null,\"events\":0,"
	    "\"suppressed\":0,\"id\":\"*-*\"}\n");
	receive_expect("repeated", ARGUMENTS("report", "--recipient", token), NULL, MESSAGE("1"), 0,
	    "The message was dropped, or is known.\n");
	receive_expect("environment", ARGUMENTS("report"), recipient, MESSAGE("2"), 0,
	    "The message is stored as *-*.\n");
	receive_expect(
	    "header", ARGUMENTS("report"), NULL, delivered, 0, "The message is stored as *-*.\n");
	cr_expect_eq(test_db_number(fixture->db, replies), 3);
	receive_limit(SETTING_LIMITS_RECEIVED_PER_DAY, 3);
	receive_expect("quota", ARGUMENTS("report", "--recipient", token), NULL, MESSAGE("4"), 75,
	    "*452 4.2.2 Quota reached: at most 3 messages per day*");
	token[3] = token[3] == '0' ? '1' : '0';
	receive_expect("forged", ARGUMENTS("report", "--recipient", token), NULL, MESSAGE("4"), 0,
	    "The message is not a report of a known kind.\n");
	cr_expect_eq(test_db_number(fixture->db, replies), 3);
}

/* A file that can never be taken does not stay in the maildir. */
Test(receive, is_done_with_a_maildir)
{
	g_autofree char *maildir = g_dir_make_tmp("receive-XXXXXX", NULL);
	static const char *const folders[] = {"new", "cur", "tmp"};
	static const char want[] = "1: The message is stored as *-*.\n2: there is no message\n"
				   "3: The message came to no address of this installation.\n";
	char *messages[] = {g_strconcat("Delivered-To: ", inbox, "\n" MESSAGE("1"), NULL),
	    g_strdup("Hello\n"), g_strdup("To: x@nobody.example\n" MESSAGE("2"))};

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *folder = g_build_filename(maildir, folders[i], NULL);
		cr_assert_eq(g_mkdir(folder, 0700), 0);
	}
	for (guint i = 0; i < G_N_ELEMENTS(messages); i++) {
		g_autofree char *path = g_strdup_printf("%s/new/%u", maildir, i + 1);
		cr_assert(g_file_set_contents(path, messages[i], -1, NULL));
	}
	receive_expect("all", ARGUMENTS("receive", "--maildir", maildir), NULL, "", 0, want);
	receive_expect("none is left", ARGUMENTS("receive", "--maildir", maildir), NULL, "", 0, "");
	for (guint i = 1; i <= G_N_ELEMENTS(messages); i++) {
		g_autofree char *path = g_strdup_printf("%s/cur/%u:2,S", maildir, i);
		cr_expect_eq(g_remove(path), 0, "%s", path);
		g_free(messages[i - 1]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *folder = g_build_filename(maildir, folders[i], NULL);
		cr_expect_eq(g_rmdir(folder), 0, "%s", folders[i]);
	}
	g_rmdir(maildir);
}

/* Replies in a maildir, between messages that report. */
Test(receive, is_what_report_does_with_a_maildir)
{
	g_autofree char *maildir = g_dir_make_tmp("receive-XXXXXX", NULL);
	static const char *const folders[] = {"new", "cur", "tmp"};
	g_autofree char *reply = g_strconcat("Delivered-To: ", token, "\n" MESSAGE("1"), NULL);
	g_autofree char *name = g_build_filename(maildir, "new", "1", NULL);
	g_autofree char *other = g_build_filename(maildir, "new", "2", NULL);

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *folder = g_build_filename(maildir, folders[i], NULL);
		cr_assert_eq(g_mkdir(folder, 0700), 0);
	}
	cr_assert(g_file_set_contents(name, reply, -1, NULL) &&
		  g_file_set_contents(other, MESSAGE("2"), -1, NULL));
	receive_expect("maildir", ARGUMENTS("report", "--maildir", maildir), NULL, "", 0,
	    "1: The message is stored as *-*.\n2: The message is not a report *\n");
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 54"), 1);
	for (guint i = 1; i <= 2; i++) {
		g_autofree char *done = g_strdup_printf("%s/cur/%u:2,S", maildir, i);
		g_autofree char *plain = g_strdup_printf("%s/cur/%u", maildir, i);
		cr_expect(g_remove(done) == 0 || g_remove(plain) == 0, "%u", i);
	}
	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *folder = g_build_filename(maildir, folders[i], NULL);
		cr_expect_eq(g_rmdir(folder), 0, "%s", folders[i]);
	}
	g_rmdir(maildir);
}

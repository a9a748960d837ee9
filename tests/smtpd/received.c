/* SPDX-License-Identifier: MIT */
/* Tests mail that comes in: replies in figures, quotas, how long it is kept, who vouches for it,
   the spam filter, and the event of workflows. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "automation/received.h"
#include "base/clock.h"
#include "base/limits/received.h"
#include "config/settings.h"
#include "link/own_address.h"
#include "link/return_path.h"
#include "person/erase.h"
#include "process/seccomp.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/received/received.h"
#include "store/workspace/limit.h"
#include "tests/smtpd/door.h"
#include "tests/support/db.h"
#include "tests/support/figures.h"
#include "upkeep/retention.h"

TestSuite(smtpd_received, .timeout = 600);

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define STORED "250 2.0.0 stored as "

/* The domain of the door takes all mail. */
static struct door *
received_open(const char *more)
{
	struct door *door = door_open(more);

	test_db_plain(door->house->db, "UPDATE domain SET receiving = 1");
	test_db_plain(door->house->db,
	    "INSERT INTO receiving_route (id, workspace_id, domain_id, pattern, action, created)"
	    " SELECT UNHEX(MD5(RAND())), workspace_id, id, '*', 1, 0 FROM domain");
	return door;
}

/* The replies of the door to a message, from that to RCPT on. The caller owns them. */
static char *
received_send(const struct door *door, const char *to, const char *header)
{
	g_autofree char *text =
	    g_strdup_printf("EHLO mx\r\nMAIL FROM:<joe@example.net>\r\nRCPT TO:<%s>\r\nDATA\r\n"
			    "%s\r\nHello\r\n.\r\nQUIT\r\n",
		to, header);
	g_autofree char *all = door_talk(door, text, strlen(text));
	const char *sent = strstr(all, "250 2.1.0 OK\r\n");

	cr_assert(sent, "got %s", all);
	return g_strdup(sent + strlen("250 2.1.0 OK\r\n"));
}

/* Expects the replies to have a text. number: of the message, so that each is a new one. */
static void
received_expect(
    const struct door *door, const char *to, guint number, const char *more, const char *want)
{
	g_autofree char *header = g_strdup_printf(
	    "From: Joe <joe@example.net>\r\nMessage-ID: <%u@example.net>\r\n%s", number, more);
	g_autofree char *got = received_send(door, to, header);

	cr_expect(strstr(got, want), "%s: got %s, want %s", more, got, want);
}

static gint64
received_number(const struct door *door, const char *sql)
{
	return test_db_number(door->house->db, sql);
}

/* An email to b@example.net. The caller owns it. */
static struct store_email *
received_sent(const struct door *door)
{
	g_autofree char *reply =
	    door_submit(door, "a@example.org", "b@example.net", "From: a@example.org\r\n\r\nx");
	struct base_id id;

	cr_assert(base_id_parse(strrchr(reply, ' ') + 1, &id), "got %s", reply);
	struct store_email *email =
	    store_email_get(door->house->db, &door->house->workspace, &id, 0, NULL);
	cr_assert(email);
	return email;
}

/* An email to b@example.net: the address for replies of its recipient. The caller owns it. */
static char *
received_email(const struct door *door)
{
	AUTO(store_email) email = received_sent(door);

	return link_own_address_reply(door->house->service, email, 0);
}

#define REPLIED_EVENTS "SELECT COUNT(*) FROM event WHERE status = 54"
#define REPLIED_FIGURE(dimension) "SELECT SUM(replied) FROM figure WHERE dimension = " dimension

/* A recipient who replies twice has replied once; an automatic reply is none. */
Test(smtpd_received, counts_who_replied)
{
	AUTO(door) door = received_open(NULL);
	g_autofree char *address = received_email(door);

	received_expect(door, address, 1, "Auto-Submitted: auto-replied\r\n", STORED);
	cr_expect_eq(received_number(door, REPLIED_FIGURE("1")), 0);
	for (guint i = 2; i <= 3; i++) {
		received_expect(door, address, i, "", STORED);
		cr_expect_eq(received_number(door, REPLIED_FIGURE("1")), 1);
		cr_expect_eq(received_number(door, REPLIED_FIGURE("2")), 1);
		cr_expect_eq(received_number(door, REPLIED_EVENTS), i - 1);
	}
	received_expect(door, address, 3, "", "250 2.0.0 recorded");
	cr_expect_eq(received_number(door, REPLIED_EVENTS), 2);
	g_autofree char *differences = test_figures_differ(door->house->db);
	cr_expect(!differences, "%s", differences);
	/* Events go before the email. */
	test_db_plain(door->house->db, "DELETE FROM event");
	received_expect(door, address, 4, "", STORED);
	cr_expect_eq(received_number(door, REPLIED_FIGURE("1")), 1);
}

Test(smtpd_received, has_so_many_replies_of_a_recipient)
{
	AUTO(door) door = received_open(NULL);
	g_autofree char *address = received_email(door);

	G_STATIC_ASSERT(LIMIT_RECEIVED_REPLIES == 100);
	test_db_plain(door->house->db, "UPDATE recipient SET replied = 99");
	received_expect(door, address, 1, "", STORED);
	cr_expect_eq(received_number(door, REPLIED_EVENTS), 1);
	received_expect(door, address, 2, "", STORED);
	cr_expect_eq(received_number(door, REPLIED_EVENTS), 1);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 2);
}

/* Whether the content of each mail has the letters in UTF-8, but for the large one. */
static void
received_expect_texts(const struct door *door, const char *name)
{
	static const struct store_received_filter all = {NULL};
	struct db *db = door->house->db;
	g_autoptr(GPtrArray) mails =
	    store_received_list(db, &door->house->workspace, &all, 10, NULL);

	cr_assert(mails);
	for (guint i = 0; i < mails->len; i++) {
		const struct store_received *row = mails->pdata[i];
		AUTO(store_received)
		mail = store_received_get(db, &row->workspace_id, &row->id, NULL);
		g_autofree char *content = g_strndup(
		    g_bytes_get_data(mail->content, NULL), g_bytes_get_size(mail->content));
		const char *want = row->size > LIMIT_RECEIVED_KEPT_BYTES
				       ? "\"text\":\"xxxxx"
				       : "\"text\":\"\u041f\u0440\u0438\\n\"";

		cr_expect(strstr(content, want), "%s %u: %.200s", name, i, content);
	}
}

/* The messages of a session share the process that reads them, but for large ones. */
static void
received_expect_session(const char *settings)
{
	AUTO(door) door = received_open(settings);
	g_autofree char *large = g_strnfill(LIMIT_RECEIVED_KEPT_BYTES, 'x');
	g_autoptr(GString) text = g_string_new("EHLO mx\r\n");

	for (guint i = 1; i <= 4; i++)
		g_string_append_printf(text,
		    "MAIL FROM:<joe@example.net>\r\nRCPT TO:<x@example.org>\r\nDATA\r\n"
		    "From: joe@example.net\r\nMessage-ID: <%u@example.net>\r\nSubject: s%u\r\n"
		    "Content-Type: text/plain; charset=koi8-r\r\n\r\n%s\r\n.\r\n",
		    i, i, i == 3 ? large : "\xf0\xd2\xc9");
	g_string_append(text, "QUIT\r\n");
	g_autofree char *got = door_talk(door, text->str, text->len);
	g_autofree char *subjects = test_db_text(door->house->db,
	    "SELECT GROUP_CONCAT(JSON_VALUE(summary, '$.subject') ORDER BY id) FROM received");
	cr_expect_str_eq(
	    subjects ? subjects : "NULL", "s1,s2,s3,s4", "%s: got %s: %s", settings, subjects, got);
	received_expect_texts(door, settings);
}

Test(smtpd_received, reads_each_message_of_a_session)
{
	received_expect_session("");
}

/* A converter of letters is a library, which a confined process can still load. */
Test(smtpd_received, reads_messages_confined)
{
	if (!process_seccomp_is_known())
		cr_skip_test("the kernel has no filters of system calls");
	received_expect_session("[service]\nseccomp = yes\n");
}

/* Mail and reports have their time once the service is told to stop. */
Test(smtpd_received, is_stored_while_the_service_stops)
{
	AUTO(door) door = received_open(NULL);
	AUTO(store_email) email = received_sent(door);
	g_autofree char *path = link_return_path(door->house->service, email, 0);
	g_autofree char *begin = g_strdup_printf("EHLO mx\r\nMAIL FROM:<joe@example.net>\r\n"
						 "RCPT TO:<x@example.org>\r\nRCPT TO:<%s>\r\n",
	    path);
	int busy = door_connect(door);

	door_send(busy, begin);
	g_free(door_read(busy, "250 2.1.5 OK\r\n250 2.1.5 OK\r\n"));
	/* The first process has the signal once the second one has. */
	int idle = door_connect(door);
	g_free(door_read(idle, "\r\n"));
	test_program_signal(door->program, SIGTERM);
	g_free(door_read(idle, NULL));
	door_send(busy, "DATA\r\nFrom: joe@example.net\r\n\r\nHello\r\n.\r\n");
	g_autofree char *got = door_read(busy, NULL);
	cr_expect(strstr(got, "\r\n" STORED), "got %s", got);
	close(idle);
	close(busy);
}

static void
received_limit(const struct door *door, enum config_setting limit, gint64 value)
{
	cr_assert(
	    store_limit_set(door->house->db, &door->house->workspace, &limit, &value, 1, NULL));
}

Test(smtpd_received, has_quotas)
{
	AUTO(door) door = received_open(NULL);
	g_autofree char *address = received_email(door);

	received_limit(door, SETTING_LIMITS_RECEIVED_PER_DAY, 2);
	received_expect(door, "x@example.org", 1, "", STORED);
	received_expect(door, "x@example.org", 2, "", STORED);
	received_expect(door, "x@example.org", 3, "",
	    "452 4.2.2 Quota reached: at most 2 messages per day\r\n");
	received_expect(
	    door, address, 3, "", "452 4.2.2 Quota reached: at most 2 messages per day\r\n");
	received_limit(door, SETTING_LIMITS_RECEIVED_PER_DAY, 0);
	gint64 used = received_number(door, "SELECT SUM(size) FROM received");
	received_limit(door, SETTING_LIMITS_RECEIVED_BYTES, used + 1);
	received_expect(door, "x@example.org", 4, "", STORED);
	used = received_number(door, "SELECT SUM(size) FROM received");
	received_limit(door, SETTING_LIMITS_RECEIVED_BYTES, used);
	g_autofree char *want = g_strdup_printf(
	    "452 4.2.2 Quota reached: at most %" G_GINT64_FORMAT " bytes\r\n", used);
	received_expect(door, "x@example.org", 5, "", want);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 3);
}

/* Removes all that is too old at a time. */
static void
received_tidy(const struct door *door, gint64 now)
{
	bool more = true;

	base_clock_set(now);
	for (guint i = 0; more && i < 100; i++)
		cr_assert(upkeep_retention(door->house->service, &more, NULL));
	cr_assert(!more);
}

Test(smtpd_received, is_kept_for_some_days)
{
	AUTO(door) door = received_open("[retention]\nreceived = 5\n");
	struct base_id id;

	received_expect(door, "x@example.org", 1, "", STORED);
	g_autofree char *text =
	    test_db_text(door->house->db, "SELECT CAST(CAST(id AS UUID) AS CHAR) FROM received");
	cr_assert(base_id_parse(text, &id), "got %s", text);
	received_tidy(door, base_id_time(&id) + 5 * DAY_MS - 60000);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 1);
	received_tidy(door, base_id_time(&id) + 5 * DAY_MS + 1);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 0);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_piece"), 0);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_recipient"), 0);
}

/* Mail of a person goes with the person: by From, and by the envelope. */
Test(smtpd_received, is_erased_with_its_writer)
{
	AUTO(door) door = received_open(NULL);
	struct store_erasure erasure;
	GError *error = NULL;

	received_expect(door, "x@example.org", 1, "", STORED);
	g_autofree char *other = received_send(
	    door, "x@example.org", "From: ann@example.net\r\nMessage-ID: <2@example.net>\r\n");
	cr_expect(strstr(other, STORED), "got %s", other);
	test_db_plain(door->house->db,
	    "UPDATE received SET sender = 'kept@example.net' WHERE writer = 'ann@example.net'");
	cr_expect(person_erase(door->house->service, &door->house->workspace, "Joe@example.net",
		      &erasure, &error),
	    "%s", error ? error->message : "");
	g_autofree char *left =
	    test_db_text(door->house->db, "SELECT GROUP_CONCAT(writer) FROM received");
	cr_expect_str_eq(left, "ann@example.net");
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_recipient"), 1);
	cr_expect(person_erase(
	    door->house->service, &door->house->workspace, "kept@example.net", &erasure, &error));
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 0);
}

/* Answers of a person go with the person, though they came from another address: by the event, and
   those of an email's only recipient. */
Test(smtpd_received, is_erased_with_who_replied)
{
	AUTO(door) door = received_open(NULL);
	g_autofree char *address = received_email(door);
	struct store_erasure erasure;

	test_db_plain(door->house->db,
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
	    " SELECT email_id, 1, workspace_id, kind, 'c@example.net' FROM recipient");
	g_autofree char *other = received_email(door);
	received_expect(door, address, 1, "", STORED);
	received_expect(door, other, 2, "Auto-Submitted: auto-replied\r\n", STORED);
	received_expect(door, "x@example.org", 3, "", STORED);
	cr_expect(person_erase(
	    door->house->service, &door->house->workspace, "c@example.net", &erasure, NULL));
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 3);
	cr_expect(person_erase(
	    door->house->service, &door->house->workspace, "b@example.net", &erasure, NULL));
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 1);
}

/* A program in place of spamc, whose opinion is in the message. */
static char *
received_spamc(const struct door *door, const char *directory)
{
	static const char script[] = "#!/bin/sh\ncase \"$(cat)\" in\n*most*) echo 5.0/9.0;;\n"
				     "*less*) echo 4.9/9.0;;\n*) exit 64;;\nesac\n";
	char *path = g_build_filename(directory, "spamc", NULL);

	cr_assert(g_file_set_contents(path, script, -1, NULL) && g_chmod(path, 0700) == 0);
	return path;
}

Test(smtpd_received, is_shown_to_the_spam_filter)
{
	g_autofree char *directory = g_dir_make_tmp("received-XXXXXX", NULL);
	g_autofree char *path = received_spamc(NULL, directory);
	g_autofree char *settings = g_strdup_printf(
	    "[mailings]\nspamc = %s\n[receiving]\nspam = yes\nspam_refuse = 5\n", path);
	AUTO(door) door = received_open(settings);
	static const char score[] = "SELECT COALESCE(JSON_VALUE(summary, '$.spam_score'), 'none')"
				    " FROM received ORDER BY id DESC LIMIT 1";

	received_expect(
	    door, "x@example.org", 1, "Subject: most\r\n", "550 5.7.1 Message looks like spam\r\n");
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received"), 0);
	received_expect(door, "x@example.org", 2, "Subject: less\r\n", STORED);
	g_autofree char *less = test_db_text(door->house->db, score);
	cr_expect_str_eq(less, "4.9");
	/* A filter that is away refuses nobody. */
	received_expect(door, "x@example.org", 3, "Subject: other\r\n", STORED);
	g_autofree char *none = test_db_text(door->house->db, score);
	cr_expect_str_eq(none, "none");
	g_remove(path);
	g_rmdir(directory);
}

/* The content of the newest mail. The caller owns it. */
static char *
received_content(const struct door *door)
{
	g_autofree char *text = test_db_text(door->house->db,
	    "SELECT CAST(CAST(id AS UUID) AS CHAR) FROM received ORDER BY id DESC LIMIT 1");
	struct base_id id;

	cr_assert(text && base_id_parse(text, &id));
	AUTO(store_received)
	mail = store_received_get(door->house->db, &door->house->workspace, &id, NULL);
	cr_assert(mail);
	gsize size;
	const char *data = g_bytes_get_data(mail->content, &size);
	return g_strndup(data, size);
}

#define RESULTS(id)                                                                                \
	"Authentication-Results: " id "; spf=softfail; dkim=pass; dmarc=pass\r\n"                  \
	"Authentication-Results: " id "; spf=fail; dmarc=fail\r\n"
#define BELIEVED                                                                                   \
	"\"authentication\":{\"by\":\"mx.example.net\",\"spf\":\"softfail\",\"dkim\":\"pass\","    \
	"\"dmarc\":\"pass\"}"
#define OWN_EYES "\"authentication\":{\"by\":\"posthouse\",\"spf\":null,"

/* The server in front is believed where it is known; its name in a field of a stranger is not. */
Test(smtpd_received, believes_the_server_in_front)
{
	static const struct {
		const char *name, *settings, *header, *want;
		bool kept;
	} cases[] = {
	    {"in front", "[receiving]\nauthserv_id = mx.example.net\n", RESULTS("mx.example.net"),
		BELIEVED, true},
	    {"another id", "[receiving]\nauthserv_id = mx.example.net\n", RESULTS("example.net"),
		OWN_EYES, true},
	    {"from elsewhere", "[receiving]\nauthserv_id = mx.example.net\nfront = 192.0.2.0/24\n",
		RESULTS("mx.example.net"), OWN_EYES, false},
	    {"no id", NULL, RESULTS("mx.example.net"), OWN_EYES, true},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(door) door = received_open(cases[i].settings);

		received_expect(door, "x@example.org", 1, cases[i].header, STORED);
		g_autofree char *content = received_content(door);
		cr_expect(strstr(content, cases[i].want), "%s: got %s", cases[i].name, content);
		cr_expect_eq(strstr(content, "Authentication-Results") != NULL, cases[i].kept,
		    "%s: got %s", cases[i].name, content);
	}
}

/* Workflows are told of the writer, where it is proven who that is; a forged From starts nothing.
 */
Test(smtpd_received, becomes_an_event_of_its_writer)
{
	AUTO(door) door = received_open("[receiving]\nauthserv_id = mx.example.net\n");
	struct service *service = door->house->service;
	g_autofree char *address = received_email(door);
	g_autofree char *both = g_strdup_printf("x@example.org>\r\nRCPT TO:<%s", address);
	guint count;

	received_expect(door, "x@example.org", 1, "", STORED);
	received_expect(door, "x@example.org", 2,
	    "Authentication-Results: mx.example.net; dmarc=fail\r\n", STORED);
	received_expect(
	    door, "x@example.org", 3, "Precedence: bulk\r\n" RESULTS("mx.example.net"), STORED);
	received_expect(door, address, 4, "Auto-Submitted: auto-replied\r\n", STORED);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_event"), 0);
	received_expect(
	    door, "x@example.org", 5, "Subject: Help\r\n" RESULTS("mx.example.net"), STORED);
	received_expect(door, address, 6, "Subject: Re: S\r\n", STORED);
	cr_assert(automation_received_run(service, &count, NULL));
	cr_expect_eq(count, 2);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_event"), 0);
	g_autofree char *events = test_db_text(door->house->db,
	    "SELECT GROUP_CONCAT(CONCAT_WS(' ', v.name, p.email, p.properties,"
	    " JSON_VALUE(v.properties, '$.recipient'), JSON_VALUE(v.properties, '$.from'),"
	    " JSON_VALUE(v.properties, '$.subject'),"
	    " JSON_VALUE(v.properties, '$.domain_id') IS NULL,"
	    " JSON_VALUE(v.properties, '$.email_id') IS NULL,"
	    " (SELECT COUNT(*) FROM received r WHERE CAST(r.id AS UUID) ="
	    " JSON_VALUE(v.properties, '$.received_id'))) ORDER BY v.timestamp SEPARATOR '\n')"
	    " FROM automation_event v JOIN person p ON p.id = v.contact_id");
	g_autofree char *want = g_strdup_printf(
	    "email.received joe@example.net {} x@example.org Joe <joe@example.net> Help 0 1 1\n"
	    "email.received b@example.net {} %s Joe <joe@example.net> Re: S 1 0 1",
	    address);
	cr_expect_str_eq(events, want, "got %s, want %s", events, want);
	/* It came to another address, too, which proves nothing. */
	received_expect(door, both, 7, "", STORED);
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_event"), 1);
}

/* An address that is named twice, with letters of another case, has one forward. */
Test(smtpd_received, forwards_once_to_an_address)
{
	AUTO(door) door = received_open(NULL);

	test_db_plain(door->house->db,
	    "UPDATE receiving_route SET action = 2, forward_to = '[\"boss@example.net\"]'");
	received_expect(door, "x@example.org>\r\nRCPT TO:<X@example.org", 1, "",
	    "250 2.1.5 OK\r\n250 2.1.5 OK\r\n354 ");
	cr_expect_eq(received_number(door, "SELECT COUNT(*) FROM received_forward"), 1);
}

/* The Received field in front says how the message came (RFC 5321 section 4.4, RFC 3848). */
Test(smtpd_received, has_a_trace)
{
	AUTO(door) door = received_open(NULL);
	static const struct {
		const char *hello, *protocol;
	} cases[] = {{"EHLO", "ESMTP"}, {"HELO", "SMTP"}};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text =
		    g_strdup_printf("%s mx.example.net\r\nMAIL FROM:<joe@example.net>\r\n"
				    "RCPT TO:<x@example.org>\r\nDATA\r\nFrom: "
				    "joe@example.net\r\nSubject: %u\r\n\r\nHello\r\n.\r\nQUIT\r\n",
			cases[i].hello, i);
		g_autofree char *got = door_talk(door, text, strlen(text));
		const char *stored = strstr(got, STORED);
		struct base_id id;

		cr_assert(stored, "got %s", got);
		g_autofree char *digits = g_strndup(stored + strlen(STORED), ID_TEXT_SIZE - 1);
		cr_assert(base_id_parse(digits, &id));
		g_autoptr(GBytes) raw =
		    store_received_raw(door->house->db, &door->house->workspace, &id, NULL);
		g_autofree char *whole =
		    g_strndup(g_bytes_get_data(raw, NULL), g_bytes_get_size(raw));
		g_autofree char *front = g_strdup_printf(
		    "Return-Path: <joe@example.net>\r\nReceived: from mx.example.net "
		    "([127.0.0.1])\r\n\tby mail.example.net (Posthouse) with %s id %s;\r\n\t",
		    cases[i].protocol, digits);
		cr_expect(g_str_has_prefix(whole, front), "got %s, want %s", whole, front);
	}
}

/* The address that a token of an email cannot have had is none. */
Test(smtpd_received, replies_come_to_the_host_of_their_email)
{
	AUTO(door) door = received_open(NULL);
	g_autofree char *address = received_email(door);
	g_autofree char *local = g_strndup(address, strcspn(address, "@"));
	static const struct {
		const char *host, *want;
	} cases[] = {
	    {"send.example.org", STORED},
	    {"SEND.example.org", STORED},
	    {"send.example.net", "550 5.1.1 No such address here"},
	    {"send.my-example.org", "550 5.1.1 No such address here"},
	    {"send.x.example.org", "550 5.1.1 No such address here"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *to = g_strconcat(local, "@", cases[i].host, NULL);

		received_expect(door, to, i, "", cases[i].want);
	}
}

/* GET of a forward has the addresses to answer, as it has those of each email. */
Test(smtpd_received, forwards_with_an_address_to_answer)
{
	AUTO(door) door = received_open(NULL);
	static const char replies[] =
	    "SELECT GROUP_CONCAT(reply_to ORDER BY id SEPARATOR '|') FROM email";

	test_db_plain(door->house->db,
	    "UPDATE receiving_route SET action = 2, forward_to = '[\"boss@example.net\"]'");
	received_expect(door, "x@example.org", 1, "", STORED);
	received_expect(
	    door, "x@example.org", 2, "Reply-To: Desk <d@example.com>, e@f.org\r\n", STORED);
	g_autofree char *got = test_db_text(door->house->db, replies);
	cr_expect_str_eq(got, "joe@example.net|Desk <d@example.com>, e@f.org", "got %s", got);
}

/* SPDX-License-Identifier: MIT */
#include "upkeep/retention.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "domain/domain.h"
#include "feedback/report.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/outbox/warmup.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define NOW ((gint64)1800000000000)

static void
tidy_tidy(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	bool more = true;

	cr_assert(service_ensure(fixture->service, &error), "%s", error ? error->message : "");
	for (guint i = 0; more && i < 20; i++)
		cr_assert(upkeep_retention(fixture->service, &more, &error), "%s",
		    error ? error->message : "");
	cr_assert_not(more, "there is always more");
}

/* An email of that time that has been delivered. */
static void
deliver_at(struct fixture *fixture, gint64 time)
{
	base_clock_set(time);
	posting_submit(fixture, "a@x.org b@x.org");
	posting_deliver(fixture);
}

static void
tidy_expect(struct fixture *fixture, const char *name, const char *sql, gint64 want)
{
	gint64 got = test_db_number(fixture->db, sql);

	cr_expect_eq(got, want, "%s: %s: got %d, want %d", name, sql, (int)got, (int)want);
}

static void
tidy_expect_all(
    struct fixture *fixture, const char *name, gint64 emails, gint64 contents, gint64 events)
{
	tidy_expect(fixture, name, "SELECT COUNT(*) FROM email", emails);
	tidy_expect(fixture, name, "SELECT COUNT(*) FROM recipient", 2 * emails);
	tidy_expect(fixture, name, "SELECT COUNT(*) FROM email_content", contents);
	tidy_expect(fixture, name, "SELECT COUNT(*) FROM event", events);
}

Test(tidy, keeps_everything_for_ever_unless_told)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);

	deliver_at(fixture, NOW - 1000 * DAY_MS);
	base_clock_set(NOW);
	tidy_tidy(fixture);
	tidy_expect_all(fixture, "default", 1, 1, 2);
}

Test(tidy, keeps_each_kind_for_its_days)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const struct {
		const char *settings;
		gint64 emails, contents, events;
	} cases[] = {
	    /* one is 11 days old, one 9; one day more or less decides */
	    {"[retention]\nemails = 10\n", 1, 1, 2},
	    {"[retention]\nemails = 8\n", 0, 0, 0},
	    {"[retention]\nemails = 12\n", 2, 2, 4},
	    {"[retention]\nbodies = 10\n", 2, 1, 4},
	    {"[retention]\nbodies = 8\n", 2, 0, 4},
	    {"[retention]\nevents = 10\n", 2, 2, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(&script, cases[i].settings);
		/* Ids of a process only grow. */
		gint64 now = NOW + (gint64)i * 100 * DAY_MS;

		fixture->is_altered = true;
		deliver_at(fixture, now - 11 * DAY_MS);
		deliver_at(fixture, now - 9 * DAY_MS);
		base_clock_set(now);
		tidy_tidy(fixture);
		tidy_expect_all(fixture, cases[i].settings, cases[i].emails, cases[i].contents,
		    cases[i].events);
	}
}

/* Days count from when an execution finished, be it old or young. */
Test(tidy, keeps_executions_for_their_days)
{
	static const struct {
		const char *settings;
		gint64 want;
	} cases[] = {
	    {NULL, 3},
	    {"[retention]\nexecutions = 12\n", 3},
	    {"[retention]\nexecutions = 10\n", 2},
	    {"[retention]\nexecutions = 8\n", 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, cases[i].settings);

		/* Three executions: one runs, one ended 11 days ago, and one 9 days ago. */
		for (guint n = 0; n < 3; n++) {
			struct base_id id = base_id_floor(NOW - 20 * DAY_MS);
			char text[ID_TEXT_SIZE];
			g_autofree char *sql = g_strdup_printf(
			    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id,"
			    " event_id, email, version, status, step_id, step_count, step_time,"
			    " created, updated, completed) SELECT CAST(CAST('%s' AS UUID) AS"
			    " BINARY(16)), id, id, id, id, 'a@x.org', 1, %d, 's', 1, 1, 1, 1, %s"
			    " FROM workspace",
			    (id.bytes[15] = (guint8)n, base_id_format(&id, text)), n == 0 ? 2 : 3,
			    n == 0   ? "NULL"
			    : n == 1 ? "1800000000000 - 11 * 86400000"
				     : "1800000000000 - 9 * 86400000");
			test_db_plain(fixture->db, sql);
		}
		base_clock_set(NOW);
		tidy_tidy(fixture);
		tidy_expect(fixture, cases[i].settings ? cases[i].settings : "default",
		    "SELECT COUNT(*) FROM execution", cases[i].want);
	}
}

/* Contacts of 11 and of 9 days ago wait; one waits since a second confirmation, after it had left,
   and one has confirmed. The links of old confirmations are gone with them. */
static void
put_pending(struct fixture *fixture)
{
	static const struct {
		const char *name;
		int pending, confirmed, asked; /* days ago; pending 0: it does not wait */
	} people[] = {
	    {"old", 11, 0, 11}, {"young", 9, 0, 9}, {"again", 9, 0, 11}, {"in", 0, 10, 11}};

	test_db_plain(fixture->db, "INSERT INTO audience (id, workspace_id, name, created, updated)"
				   " SELECT UNHEX(MD5('a')), id, 'A', 1, 1 FROM workspace");
	for (guint i = 0; i < G_N_ELEMENTS(people); i++) {
		const char *name = people[i].name;
		g_autofree char *contact = g_strdup_printf(
		    "INSERT INTO contact (audience_id, address, id, workspace_id, email,"
		    " is_subscribed, created, updated, pending) SELECT UNHEX(MD5('a')), '%s@x.org',"
		    " UNHEX(MD5('%s')), id, '', %d, 1, 1, %s%" G_GINT64_FORMAT " FROM workspace",
		    name, name, people[i].pending == 0, people[i].pending ? "" : "NULL + ",
		    NOW - people[i].pending * DAY_MS);
		g_autofree char *asked = g_strdup_printf(
		    "INSERT INTO confirmation SELECT UNHEX(MD5('c%s')), id, UNHEX(MD5('a')),"
		    " UNHEX(MD5('%s')), NULL, '%s@x.org', '{}', %" G_GINT64_FORMAT
		    ", NULL, NULL FROM workspace",
		    name, name, name, NOW - people[i].asked * DAY_MS);

		test_db_plain(fixture->db, contact);
		test_db_plain(fixture->db, asked);
	}
}

Test(tidy, keeps_who_waits_for_its_days)
{
	static const struct {
		const char *settings;
		gint64 contacts, confirmations, removed;
	} cases[] = {
	    {NULL, 4, 4, 0},
	    {"[retention]\npending = 12\n", 4, 4, 0},
	    {"[retention]\npending = 10\n", 3, 1, 1},
	    {"[retention]\npending = 8\n", 2, 0, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, cases[i].settings);
		const char *name = cases[i].settings ? cases[i].settings : "default";

		fixture->is_altered = true;
		put_pending(fixture);
		base_clock_set(NOW);
		tidy_tidy(fixture);
		tidy_expect(fixture, name, "SELECT COUNT(*) FROM contact", cases[i].contacts);
		tidy_expect(fixture, name, "SELECT COUNT(*) FROM contact WHERE is_subscribed", 1);
		tidy_expect(
		    fixture, name, "SELECT COUNT(*) FROM confirmation", cases[i].confirmations);
		tidy_expect(fixture, name,
		    "SELECT COUNT(*) FROM consent WHERE kind = 8 AND author = 3", cases[i].removed);
	}
}

Test(tidy, never_touches_what_still_has_to_leave)
{
	AUTO(fixture) fixture =
	    fixture_open(NULL, "[retention]\nemails = 1\nbodies = 1\nevents = 1\n");

	base_clock_set(NOW - 10 * DAY_MS);
	posting_submit(fixture, "a@x.org b@x.org");
	base_clock_set(NOW);
	tidy_tidy(fixture);
	tidy_expect_all(fixture, "waiting", 1, 1, 0);
}

Test(tidy, removes_more_than_a_batch)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, "[retention]\nemails = 1\n");

	fixture->is_altered = true;
	base_clock_set(NOW - 10 * DAY_MS);
	for (guint i = 0; i < 230; i++)
		posting_submit(fixture, "a@x.org b@x.org");
	test_db_plain(fixture->db, "DELETE FROM outbox");
	base_clock_set(NOW);
	tidy_tidy(fixture);
	tidy_expect_all(fixture, "230 emails", 0, 0, 0);
}

Test(tidy, removes_what_too_little_was_proved_of_after_90_days)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	cr_assert(db_run(fixture->db,
	    "INSERT INTO hearsay (email_id, recipient, verdict, workspace_id, created)"
	    " SELECT ?, seq, 1, ?, ? FROM seq_1_to_1001",
	    DB_VALUES(
		db_id(&fixture->key.workspace_id), db_id(&fixture->key.workspace_id), db_int(NOW)),
	    NULL, NULL));
	base_clock_set(NOW + 90 * DAY_MS - 60000);
	tidy_tidy(fixture);
	tidy_expect(fixture, "before", "SELECT COUNT(*) FROM hearsay", 1001);
	base_clock_set(NOW + 90 * DAY_MS + 60000);
	tidy_tidy(fixture);
	tidy_expect(fixture, "after", "SELECT COUNT(*) FROM hearsay", 0);
}

Test(tidy, removes_keys_a_week_after_they_signed)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autoptr(GError) error = NULL;

	base_clock_set(NOW);
	cr_assert(domain_keys_rotate(
		      fixture->service, &fixture->key.workspace_id, &fixture->domain->id, &error),
	    "%s", error ? error->message : "");
	/* The clock runs on: a minute before, and a moment after. */
	base_clock_set(NOW + 7 * DAY_MS - 60000);
	tidy_tidy(fixture);
	tidy_expect(fixture, "before", "SELECT COUNT(*) FROM domain_key", 4);
	base_clock_set(NOW + 7 * DAY_MS + 60000);
	tidy_tidy(fixture);
	tidy_expect(fixture, "after", "SELECT COUNT(*) FROM domain_key", 2);
	tidy_expect(fixture, "after", "SELECT COUNT(*) FROM domain_key WHERE state = 1", 2);
}

#define DAY ((gint64)24 * 60 * 60 * 1000)
#define MINUTE ((gint64)60 * 1000)
#define NOON (20000 * DAY + DAY / 2)

Test(warmup, is_enough_after_days_and_mail_without_bounces)
{
	static const struct {
		const char *name;
		struct store_warmup warmup;
		bool want;
	} cases[] = {
	    {"nothing", {0, 0, 0}, false},
	    {"just enough", {14, 1000, 0}, true},
	    {"a day less", {13, 100000, 0}, false},
	    {"an email less", {100, 999, 0}, false},
	    {"52 of 1052 bounced", {14, 1000, 52}, true},
	    {"53 of 1053 bounced", {14, 1000, 53}, false},
	    {"5 % bounced", {14, 1900, 100}, false},
	    {"less than 5 % bounced", {14, 1901, 100}, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(upkeep_retention_is_warmed_up(&cases[i].warmup), cases[i].want, "%s",
		    cases[i].name);
}

Test(warmup, is_looked_at_when_it_could_be_enough)
{
	static const struct {
		gint64 days;
		gint64 want; /* from noon of day 20000 */
	} cases[] = {
	    {0, 13 * DAY - DAY / 2},
	    {1, 12 * DAY - DAY / 2},
	    {12, DAY - DAY / 2},
	    {13, 10 * MINUTE},
	    {14, 10 * MINUTE},
	    {1000, 10 * MINUTE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct store_warmup warmup = {cases[i].days, 5000, 5000};
		gint64 got = upkeep_retention_next_warmup(&warmup, NOON) - NOON;

		cr_expect_eq(got, cases[i].want, "%d days: got %d min, want %d min",
		    (int)cases[i].days, (int)(got / MINUTE), (int)(cases[i].want / MINUTE));
	}
}

static void
tidy_look(struct fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	bool more;

	cr_assert(upkeep_retention_warmups(fixture->service, &more, &error), "%s",
	    error ? error->message : "");
	cr_expect_not(more);
}

#define WARM "SELECT COUNT(*) FROM domain WHERE warmed_up_at IS NOT NULL"

Test(warmup, comes_with_two_weeks_of_mail)
{
	static const struct smtp_script script = {
	    .rules = {REPLY("RCPT*b@x*", 0, "550 5.1.1 no such user")}};
	AUTO(fixture) fixture = fixture_open(&script, "[smtp]\nfinal = yes\n");

	for (guint day = 1; day <= 14; day++) {
		base_clock_set(NOON + day * DAY);
		tidy_look(fixture);
		cr_expect_eq(test_db_number(fixture->db, WARM), 0, "before day %u", day);
		posting_submit(fixture, day == 5 ? "a@x.org b@x.org" : "a@x.org c@x.org");
		posting_deliver(fixture);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT SUM(delivered) FROM domain_day"), 27);
	cr_expect_eq(test_db_number(fixture->db, "SELECT SUM(bounced) FROM domain_day"), 1);
	base_clock_set(base_clock_now() + 11 * MINUTE);
	tidy_look(fixture);
	cr_expect_eq(test_db_number(fixture->db, WARM), 0, "too little mail");

	test_db_plain(fixture->db, "UPDATE domain_day SET delivered = 40 * delivered");
	tidy_look(fixture);
	cr_expect_eq(test_db_number(fixture->db, WARM), 0, "not looked at again yet");
	base_clock_set(base_clock_now() + 11 * MINUTE);
	gint64 now = base_clock_now();
	tidy_look(fixture);
	cr_expect_eq(test_db_number(fixture->db, WARM), 1, "enough");
	gint64 at = test_db_number(fixture->db, "SELECT warmed_up_at FROM domain");
	cr_expect(at >= now && at < now + MINUTE);

	posting_submit(fixture, "d@x.org");
	posting_deliver(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM domain_day"), 0);
}

/* Somebody else's server reports this of the email's only recipient. */
static void
tidy_report(struct fixture *fixture, const struct base_id *id, const char *action)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_email) email = store_email_get(
	    fixture->db, &fixture->key.workspace_id, id, (enum store_email_part_role)0, &error);
	cr_assert(email, "%s", error ? error->message : "");
	g_autofree char *path = link_return_path(fixture->service, email, 0);
	g_autofree char *text = g_strdup_printf(
	    "From: MAILER-DAEMON@mx.example.net\nTo: %s\n"
	    "Content-Type: multipart/report; boundary=b\n\n--b\n\nHello.\n--b\n"
	    "Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example.net\n\n"
	    "Final-Recipient: rfc822;a@x.org\nAction: %s\nStatus: 5.2.2\n\n--b--\n",
	    path, action);
	const char *const envelope[] = {path, NULL};
	struct feedback_report_result result;

	cr_assert(feedback_report(fixture->service, text, strlen(text), envelope, &result, &error),
	    "%s", error ? error->message : "");
	cr_expect_eq(result.outcome, REPORT_RECORDED, "%s", action);
}

Test(warmup, counts_what_reports_tell)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id arrived = posting_submit(fixture, "a@x.org"),
		       lost = posting_submit(fixture, "a@x.org");

	posting_deliver(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM domain_day"), 0, "sent");
	tidy_report(fixture, &arrived, "delivered");
	tidy_report(fixture, &lost, "failed");
	cr_expect_eq(test_db_number(fixture->db, "SELECT SUM(delivered) FROM domain_day"), 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT SUM(bounced) FROM domain_day"), 1);
}

/* Drafts that were not touched for 30 days go; filters of lists stay. */
Test(tidy, keeps_drafts_for_their_days)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	test_db_plain(fixture->service->db,
	    "INSERT INTO note (user_id, kind, name, workspace_id, data, created, updated)"
	    " SELECT id, kind, n.name, id, '{}', 1, updated FROM workspace JOIN (SELECT 1 AS kind,"
	    " 'old' AS name, 1800000000000 - 30 * 86400000 - 1 AS updated"
	    " UNION SELECT 1, 'young', 1800000000000 - 30 * 86400000 + 60000"
	    " UNION SELECT 5, 'people', 1) n");
	base_clock_set(NOW);
	tidy_tidy(fixture);
	g_autofree char *left =
	    test_db_text(fixture->service->db, "SELECT GROUP_CONCAT(name ORDER BY name) FROM note");
	cr_expect_str_eq(left, "people,young", "%s", left);
}

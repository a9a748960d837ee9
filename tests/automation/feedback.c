/* SPDX-License-Identifier: MIT */
/* Tests the feedback on workflow emails as events of contacts. */
#include "automation/feedback.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "db/transaction.h"
#include "link/engagement.h"
#include "service/service.h"
#include "store/email/event.h"
#include "store/upkeep/retention.h"
#include "tests/automation/fixture.h"

#define MAIL(id) NODE(id, "send_email", "'subject': '" id "', 'html': '<p>Hello</p>'")
#define ON(event) NODE("t", "trigger", "'eventName': '" event "', 'dedupe_window': 300000")

static bool
feedback_insert(struct db *db, void *context, GError **error)
{
	return store_event_insert(db, context, 1, error);
}

/* Records an event of the last email, now. */
static void
feedback_happen(struct fixture *fixture, enum store_event_status status, const char *link)
{
	AUTO(db_rows) rows = db_select(fixture->db,
	    "SELECT id, workspace_id, type FROM email ORDER BY id DESC LIMIT 1", NULL, 0, NULL);
	struct store_event event = {.status = status, .timestamp = base_clock_now(), .link = link};
	g_autoptr(GError) error = NULL;

	cr_assert(rows && db_rows_next(rows));
	db_rows_id(rows, 0, &event.email_id);
	db_rows_id(rows, 1, &event.workspace_id);
	event.type = (enum store_email_type)db_rows_int(rows, 2);
	cr_assert(db_transact(fixture->db, feedback_insert, &event, &error), "%s",
	    error ? error->message : "");
}

static char *
feedback_names(struct fixture *fixture)
{
	return test_db_text(
	    fixture->db, "SELECT GROUP_CONCAT(name ORDER BY timestamp, id) FROM automation_event");
}

Test(feedback, becomes_events_of_the_contact)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," MAIL("a"), EDGE("t", "a"));
	fixture_event(fixture, "order", "{'link': 'mine'}");
	fixture_run(fixture);
	for (guint i = EVENT_SENT; i <= EVENT_FAILED; i++)
		feedback_happen(fixture, (enum store_event_status)i,
		    i == EVENT_CLICKED ? "https://x.org/" : NULL);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 7);
	fixture_run(fixture);
	fixture_expect("names", feedback_names(fixture),
	    "order,email.sent,email.delivered,email.complained,email.opened,email.clicked,"
	    "email.unsubscribed,email.bounced");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
	fixture_expect("not merged", fixture_properties(fixture), "{\"link\":\"mine\"}");
	fixture_expect("contact",
	    test_db_text(fixture->db, "SELECT CONCAT(last_event, event_count) FROM person"),
	    "email.bounced8");
	cr_expect_eq(
	    test_db_number(fixture->db,
		"SELECT COUNT(*) FROM automation_event v JOIN execution_email x ON"
		" JSON_VALUE(v.properties, '$.email_id') = CAST(x.email_id AS UUID)"
		" AND JSON_VALUE(v.properties, '$.workflow_id') = CAST(x.workflow_id AS UUID)"
		" AND JSON_VALUE(v.properties, '$.execution_id') = CAST(x.execution_id AS UUID)"),
	    7);
	fixture_expect("link",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(CONCAT(name, JSON_VALUE(properties, '$.link')))"
		" FROM automation_event WHERE name LIKE 'email.%'"),
	    "email.clickedhttps://x.org/");
}

Test(feedback, is_of_no_email_that_no_workflow_sent)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," MAIL("a"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	test_db_plain(fixture->db, "DELETE FROM execution_email");
	feedback_happen(fixture, EVENT_SENT, NULL);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
	test_db_plain(fixture->db, "UPDATE email SET type = 1");
	feedback_happen(fixture, EVENT_OPENED, NULL);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
}

Test(feedback, releases_and_triggers)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," MAIL("a") "," NODE("w", "wait_for_event",
		"'eventName': 'email.opened', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("y",
		"exit", "") "," NODE("n", "exit", ""),
	    EDGE("t", "a") "," EDGE("a", "w") "," EDGE_BY("w", "event", "y") "," EDGE_BY(
		"w", "timeout", "n"));
	fixture_workflow(fixture, ON("email.opened"), "");
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_at(5);
	feedback_happen(fixture, EVENT_OPENED, NULL);
	fixture_run(fixture);
	fixture_expect("both", fixture_show(fixture), "COMPLETED y 4\nCOMPLETED t 1\n");
	feedback_happen(fixture, EVENT_OPENED, NULL);
	fixture_run(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 2,
	    "once for each email");
}

/* An email starts a workflow once by its opens and once by its clicks, so that a thousand clicks do
   not send a thousand emails. The first ones need not match. */
Test(feedback, starts_a_workflow_once_for_each_email)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," MAIL("a"), EDGE("t", "a"));
	fixture_workflow(fixture, ON("email.opened") "," MAIL("o"), EDGE("t", "o"));
	fixture_workflow(fixture,
	    NODE("t", "trigger",
		"'eventName': 'email.clicked', 'filter': {'match': 'all', 'rules': [{'property': "
		"'event.link', 'operator': 'equals', 'value': 'https://x.org/'}]}") "," MAIL("c"),
	    EDGE("t", "c"));
	for (guint round = 1; round <= 2; round++) {
		fixture_event(fixture, "order", NULL);
		fixture_run(fixture);
		AUTO(db_rows) rows = db_select(fixture->db,
		    "SELECT id, workspace_id FROM email WHERE subject = 'a' ORDER BY id DESC LIMIT "
		    "1",
		    NULL, 0, NULL);
		struct store_event event = {.type = EMAIL_AUTOMATION};
		cr_assert(rows && db_rows_next(rows));
		db_rows_id(rows, 0, &event.email_id);
		db_rows_id(rows, 1, &event.workspace_id);
		for (guint i = 0; i < 20; i++) {
			fixture_at(round * 100 + i);
			event.timestamp = base_clock_now();
			event.status = i % 2 ? EVENT_OPENED : EVENT_CLICKED;
			event.link = i % 2 ? NULL : i < 4 ? "https://y.org/" : "https://x.org/";
			cr_assert(db_transact(fixture->db, feedback_insert, &event, NULL));
			if (i % 5 == 0)
				fixture_run(fixture);
		}
		fixture_run(fixture);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM email WHERE subject = 'o'"),
		    round, "opened");
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM email WHERE subject = 'c'"),
		    round, "clicked");
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM workflow_opened"), 4);
}

/* Consecutive waits for opens of one email are each released by another open. */
Test(feedback, releases_each_time)
{
	g_autofree char *nodes = g_strdup_printf(TRIGGER "," MAIL("a") ",%s,%s",
	    NODE("v", "wait_for_event", "'eventName': 'email.opened'"),
	    NODE("w", "wait_for_event", "'eventName': 'email.opened'"));
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(
	    fixture, nodes, EDGE("t", "a") "," EDGE("a", "v") "," EDGE_BY("v", "event", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	for (guint i = 1; i <= 2; i++) {
		fixture_at(5 * i);
		feedback_happen(fixture, EVENT_OPENED, NULL);
		fixture_run(fixture);
	}
	fixture_expect("both", fixture_show(fixture), "COMPLETED w 4\n");
}

/* The engine runs after the timeout, with or without a timely event still in the queue. */
Test(feedback, in_the_queue_comes_before_the_timeout)
{
	static const struct {
		const char *name;
		gint64 opened;
		const char *want;
	} cases[] = {
	    {"in time", DAY - 1, "COMPLETED y 4\n"},
	    {"too late", DAY + 1, "COMPLETED n 4\n"},
	};
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		fixture_clear(fixture);
		fixture_workflow(fixture,
		    TRIGGER "," MAIL("a") "," NODE("w", "wait_for_event",
			"'eventName': 'email.opened', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("y",
			"exit", "") "," NODE("n", "exit", ""),
		    EDGE("t", "a") "," EDGE("a", "w") "," EDGE_BY("w", "event", "y") "," EDGE_BY(
			"w", "timeout", "n"));
		fixture_event(fixture, "order", NULL);
		fixture_run(fixture);
		fixture_at(cases[i].opened);
		feedback_happen(fixture, EVENT_OPENED, NULL);
		/* Another transaction holds the queue row. */
		AUTO(db) other = test_db_open(fixture->house->settings);
		test_db_plain(other, "START TRANSACTION");
		test_db_plain(other, "SELECT * FROM automation_feedback FOR UPDATE");
		fixture_at(DAY + 2);
		fixture_run(fixture);
		if (cases[i].opened < DAY)
			fixture_expect(
			    "not taken", fixture_show(fixture), "WAITING w 3 until 1440\n");
		test_db_plain(other, "ROLLBACK");
		fixture_at(DAY + 3);
		fixture_run(fixture);
		fixture_expect(cases[i].name, fixture_show(fixture), cases[i].want);
	}
}

Test(feedback, never_starts_the_workflow_that_sent_the_email)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, ON("email.sent") "," MAIL("a"), EDGE("t", "a"));
	fixture_workflow(fixture, TRIGGER "," MAIL("b"), EDGE("t", "b"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	feedback_happen(fixture, EVENT_SENT, NULL);
	fixture_run(fixture);
	fixture_expect("one", fixture_mails(fixture), "ann@example.org b\nann@example.org a\n");
	feedback_happen(fixture, EVENT_SENT, NULL);
	fixture_run(fixture);
	fixture_expect("no more", fixture_mails(fixture), "ann@example.org b\nann@example.org a\n");
}

Test(feedback, ends_a_chain_after_five)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," MAIL("z"), EDGE("t", "z"));
	fixture_workflow(fixture, ON("email.sent") "," MAIL("a"), EDGE("t", "a"));
	fixture_workflow(fixture, ON("email.sent") "," MAIL("b"), EDGE("t", "b"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	/* Record an event for each new email until there is none. */
	for (guint told = 0; told < 100; told++) {
		g_autofree char *sql = g_strdup_printf(
		    "SELECT id, workspace_id FROM email ORDER BY id LIMIT %u, 1", told);
		AUTO(db_rows) rows = db_select(fixture->db, g_intern_string(sql), NULL, 0, NULL);
		struct store_event event = {.status = EVENT_SENT, .timestamp = base_clock_now()};

		if (!db_rows_next(rows))
			break;
		db_rows_id(rows, 0, &event.email_id);
		db_rows_id(rows, 1, &event.workspace_id);
		cr_assert(db_transact(fixture->db, feedback_insert, &event, NULL));
		fixture_run(fixture);
	}
	/* z starts a and b, and each of these starts the other. */
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 1 + 2 + 2 + 2 + 2);
	cr_expect_eq(test_db_number(fixture->db, "SELECT MAX(depth) FROM execution"), 4);
}

/* Events are removed at the same age as emails, except those that an execution still needs. */
Test(feedback, and_other_events_go_when_they_are_old)
{
	AUTO(fixture) fixture = fixture_open();
	guint count;

	fixture_workflow(fixture, TRIGGER "," MAIL("a") "," NODE("w", "wait", WAIT_DATA),
	    EDGE("t", "a") "," EDGE("a", "w"));
	fixture_event(fixture, "visit", NULL);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	feedback_happen(fixture, EVENT_SENT, NULL);
	cr_assert(store_retention_automation_events(fixture->db, FIXTURE_START, &count, NULL));
	cr_expect_eq(count, 0, "young");
	gint64 later = FIXTURE_START + (gint64)DAY * 60000;
	cr_assert(store_retention_automation_events(fixture->db, later, &count, NULL));
	fixture_expect("needed", feedback_names(fixture), "order");
	cr_assert(store_retention_feedback(fixture->db, later, &count, NULL));
	cr_expect_eq(count, 0, "queued");
	test_db_plain(fixture->db, "DELETE FROM person");
	cr_assert(store_retention_feedback(fixture->db, FIXTURE_START, &count, NULL));
	cr_expect_eq(count, 0, "queued, of a contact that is gone, young");
	cr_assert(store_retention_feedback(fixture->db, later, &count, NULL));
	cr_expect_eq(count, 1, "queued, of a contact that is gone");
	test_db_plain(fixture->db, "UPDATE execution SET status = 3");
	cr_assert(store_retention_automation_events(fixture->db, later, &count, NULL));
	cr_expect_eq(count, 1, "needed no more");
}

static gint64
count(struct fixture *fixture, const char *table)
{
	g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM %s", table);

	return test_db_number(fixture->db, sql);
}

/* The queue rows go with their execution, email or contact. */
Test(feedback, goes_with_its_execution)
{
	AUTO(fixture) fixture = fixture_open();
	guint removed;

	fixture_workflow(fixture, TRIGGER "," MAIL("a"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	feedback_happen(fixture, EVENT_SENT, NULL);
	gint64 later = FIXTURE_START + (gint64)DAY * 60000;
	cr_assert(store_retention_executions(fixture->db, FIXTURE_START, &removed, NULL));
	cr_expect_eq(removed, 0, "young");
	cr_assert(store_retention_executions(fixture->db, later, &removed, NULL));
	cr_expect_eq(removed, 1);
	cr_expect_eq(count(fixture, "automation_feedback"), 0);
	cr_expect_eq(count(fixture, "execution_email") + count(fixture, "execution"), 0);
	feedback_happen(fixture, EVENT_OPENED, NULL);
	cr_expect_eq(count(fixture, "automation_feedback"), 0, "nor does it come later");

	fixture_event(fixture, "visit", NULL);
	fixture_workflow(fixture, ON("visit") "," MAIL("b"), EDGE("t", "b"));
	fixture_event(fixture, "visit", NULL);
	fixture_run(fixture);
	feedback_happen(fixture, EVENT_SENT, NULL);
	test_db_plain(fixture->db, "DELETE FROM execution");
	cr_assert(store_retention_feedback(fixture->db, later, &removed, NULL));
	cr_expect_eq(removed, 1, "of an execution that is gone");

	feedback_happen(fixture, EVENT_SENT, NULL);
	test_db_plain(fixture->db, "DELETE FROM outbox");
	cr_assert(store_retention_emails(fixture->db, later, &removed, NULL));
	cr_expect_eq(count(fixture, "automation_feedback"), 0, "of an email that is gone");
}

/* Retention leaves running executions of any age; rows of others go in batches. */
Test(feedback, leaves_executions_that_run)
{
	AUTO(fixture) fixture = fixture_open();
	gint64 later = FIXTURE_START + (gint64)DAY * 60000;
	guint removed, all = 0;

	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait_for_event", "'eventName': 'paid'"),
	    EDGE("t", "w"));
	for (guint i = 0; i < 130; i++) {
		g_autofree char *email = g_strdup_printf("p%u@example.org", i);
		fixture_event_of(fixture, email, "order", NULL);
	}
	fixture_run(fixture);
	cr_assert(store_retention_executions(fixture->db, later, &removed, NULL));
	cr_expect_eq(removed, 0, "all wait");
	for (guint i = 0; i < 129; i++) {
		g_autofree char *email = g_strdup_printf("p%u@example.org", i);
		fixture_event_of(fixture, email, "paid", NULL);
	}
	fixture_run(fixture);
	do {
		cr_assert(store_retention_executions(fixture->db, later, &removed, NULL));
		cr_expect(removed <= 100);
		all += removed;
	} while (removed > 0);
	cr_expect_eq(all, 129);
	fixture_expect("the last", fixture_show(fixture), "WAITING w 2\n");
}

Test(feedback, of_a_contact_that_is_gone_is_dropped)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," MAIL("a"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	test_db_plain(fixture->db, "DELETE FROM person");
	feedback_happen(fixture, EVENT_SENT, NULL);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
	fixture_run(fixture);
}

#define READS                                                                                         \
	TRIGGER "," MAIL("a") "," NODE("w", "wait_for_event",                                         \
	    "'eventName': 'email.clicked', 'timeout': {'duration': 1, 'unit': 'days'}") "," NODE("y", \
	    "exit", "") "," NODE("n", "exit", ""),                                                    \
	    EDGE("t", "a") "," EDGE("a", "w") "," EDGE_BY("w", "event", "y") "," EDGE_BY(             \
		"w", "timeout", "n")

/* The last email. */
static struct base_id
last_email(struct fixture *fixture)
{
	AUTO(db_rows) rows =
	    db_select(fixture->db, "SELECT id FROM email ORDER BY id DESC LIMIT 1", NULL, 0, NULL);
	struct base_id id;

	cr_assert(rows && db_rows_next(rows));
	db_rows_id(rows, 0, &id);
	return id;
}

/* Records a click, now, on one of two links. */
static void
click(struct fixture *fixture, const struct base_id *email, const char *agent, const char *link)
{
	const struct link_token token = {TOKEN_CLICK, *email, 0, 2};
	struct link_engagement *engagement =
	    link_engagement_new(&token, base_clock_now(), NULL, agent, link);
	g_autoptr(GError) error = NULL;
	bool done = link_engagement_record(fixture->service, &engagement, 1, &error);

	cr_assert(done, "%s", error ? error->message : "");
	link_engagement_free(engagement);
}

/* A click of a program, and the clicks of a sweep, are no events of the contact. */
Test(feedback, is_not_made_of_what_programs_do)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, READS);
	fixture_workflow(fixture, ON("email.clicked"), "");
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	struct base_id email = last_email(fixture);
	fixture_at(5);
	click(fixture, &email, "curl/8.5.0", "https://x.org/");
	fixture_at(20);
	fixture_run(fixture);
	fixture_expect("a program", fixture_show(fixture), "WAITING w 3 until 1440\n");
	feedback_happen(fixture, EVENT_DELIVERED, NULL);
	click(fixture, &email, "Firefox", "https://x.org/");
	fixture_run(fixture);
	fixture_expect("held", fixture_show(fixture), "WAITING w 3 until 1440\n");
	base_clock_set(base_clock_now() + ENGAGEMENT_SWEEP_MS / 2);
	click(fixture, &email, "Firefox", "https://y.org/");
	fixture_at(40);
	fixture_run(fixture);
	fixture_expect("a sweep", fixture_show(fixture), "WAITING w 3 until 1440\n");
	fixture_expect("names", feedback_names(fixture), "order,email.delivered");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM automation_feedback"), 0);
	click(fixture, &email, "Firefox", "https://x.org/");
	fixture_run(fixture);
	fixture_expect("a person", fixture_show(fixture), "COMPLETED y 4\nCOMPLETED t 1\n");
	fixture_expect("names", feedback_names(fixture), "order,email.delivered,email.clicked");
}

/* A click right after the delivery waits until no sweep can come. */
Test(feedback, waits_for_the_end_of_a_sweep)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, READS);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	struct base_id email = last_email(fixture);
	fixture_at(5);
	feedback_happen(fixture, EVENT_DELIVERED, NULL);
	click(fixture, &email, "Firefox", "https://x.org/");
	fixture_run(fixture);
	fixture_expect("held", fixture_show(fixture), "WAITING w 3 until 1440\n");
	base_clock_set(base_clock_now() + 2 * ENGAGEMENT_SWEEP_MS);
	fixture_run(fixture);
	fixture_expect("released", fixture_show(fixture), "COMPLETED y 4\n");
}

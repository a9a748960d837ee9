/* SPDX-License-Identifier: MIT */
/* Tests executions node by node, on a clock that the test sets. */
#include "automation/engine.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/process.h"
#include "email/compose.h"
#include "person/suppress.h"
#include "service/metrics.h"
#include "service/service.h"
#include "store/automation/execution.h"
#include "store/consent/consent.h"
#include "store/email/email.h"
#include "store/workspace/limit.h"
#include "store/workspace/workspace.h"
#include "tests/automation/fixture.h"
#include "upkeep/metrics_text.h"

#define MAIL(id, subject) NODE(id, "send_email", "'subject': '" subject "', 'html': '<p>Hello</p>'")
#define SET(id, name) NODE(id, "update_contact", "'set': {'" name "': true}")
#define FOR(event, more) "'eventName': '" event "'" more
#define IN_A_DAY ", 'timeout': {'duration': 1, 'unit': 'days'}"

static char *
engine_sql_text(struct fixture *fixture, const char *sql)
{
	return test_db_text(fixture->db, sql);
}

Test(engine, sends_waits_and_completes)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," MAIL("a", "First") "," NODE("w", "wait", WAIT_DATA) "," MAIL("b", "Second"),
	    EDGE("t", "a") "," EDGE("a", "w") "," EDGE("w", "b"));
	fixture_event(fixture, "order", NULL);
	fixture_expect("started", fixture_show(fixture), "IN_PROGRESS t 1 due 0\n");
	fixture_run(fixture);
	fixture_expect("waits", fixture_show(fixture), "WAITING w 3 until 1440\n");
	fixture_expect("first", fixture_mails(fixture), "ann@example.org First\n");
	fixture_at(DAY - 1);
	fixture_run(fixture);
	fixture_expect("early", fixture_show(fixture), "WAITING w 3 until 1440\n");
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_expect("done", fixture_show(fixture), "COMPLETED b 4\n");
	fixture_expect(
	    "both", fixture_mails(fixture), "ann@example.org First\nann@example.org Second\n");
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT completed = updated AND completed > created FROM execution"),
	    1);
}

/* The rules of sending that a design has go with its mailings, and with no other email. */
Test(engine, gives_its_mailings_the_rules_of_the_design)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    NODE("t", "trigger", "'eventName': 'order', 'hours': 'any'") "," NODE("a", "send_email",
		"'subject': 'A', 'html': 'a', 'priority': 'high', 'ignoreCap': true") "," NODE("b",
		"send_email", "'subject': 'B', 'html': 'b', 'kind': 'transactional'"),
	    EDGE("t", "a") "," EDGE("a", "b"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("both", fixture_mails(fixture), "ann@example.org A\nann@example.org B\n");
	fixture_expect("rules",
	    engine_sql_text(fixture, "SELECT GROUP_CONCAT(e.subject, s.rules) FROM email_sending s"
				     " JOIN email e ON e.id = s.email_id"),
	    "A{\"hours\":\"any\",\"ignore_cap\":true,\"priority\":\"high\"}");
}

/* Each branch of each node, run to its end. */
static const struct {
	const char *name, *nodes, *edges;
	const char *event; /* properties */
	gint64 at;	   /* minutes at which the engine runs */
	const char *want, *properties;
} walks[] = {
    {"trigger alone", TRIGGER, "", NULL, 0, "COMPLETED t 1\n", "{}"},
    {"exit", TRIGGER "," EXIT, EDGE("t", "x"), NULL, 0, "COMPLETED x 2\n", "{}"},
    {"yes", TRIGGER "," NODE("c", "condition", RULES_DATA) "," SET("y", "yes") "," SET("n", "no"),
	EDGE("t", "c") "," EDGE_BY("c", "yes", "y") "," EDGE_BY("c", "no", "n"), "{'plan': 'pro'}",
	0, "COMPLETED y 3\n", "{\"plan\":\"pro\",\"yes\":true}"},
    {"no", TRIGGER "," NODE("c", "condition", RULES_DATA) "," SET("y", "yes") "," SET("n", "no"),
	EDGE("t", "c") "," EDGE_BY("c", "yes", "y") "," EDGE_BY("c", "no", "n"), NULL, 0,
	"COMPLETED n 3\n", "{\"no\":true}"},
    {"no way on", TRIGGER "," NODE("c", "condition", RULES_DATA) "," SET("y", "yes"),
	EDGE("t", "c") "," EDGE_BY("c", "yes", "y"), NULL, 0, "COMPLETED c 2\n", "{}"},
    {"event's property",
	TRIGGER "," NODE("c", "condition",
	    "'rules': [{'property': 'event.total', 'operator': 'greater_than', 'value': "
	    "10}]") "," SET("y", "yes"),
	EDGE("t", "c") "," EDGE_BY("c", "yes", "y"), "{'total': 11}", 0, "COMPLETED y 3\n",
	"{\"total\":11,\"yes\":true}"},
    {"update", TRIGGER "," NODE("u", "update_contact", "'set': {'a.b': 2, 'gone': null}"),
	EDGE("t", "u"), "{'a': {'c': 1}, 'gone': 1}", 0, "COMPLETED u 2\n",
	"{\"a\":{\"c\":1,\"b\":2}}"},
    {"split",
	TRIGGER "," NODE("s", "split", "'weights': {'l': 1, 'r': 0}") "," SET("l", "left") "," SET(
	    "r", "right"),
	EDGE("t", "s") "," EDGE_BY("s", "l", "l") "," EDGE_BY("s", "r", "r"), NULL, 0,
	"COMPLETED l 3\n", "{\"left\":true}"},
    {"wait until a time", TRIGGER "," NODE("w", "wait", "'until': '2027-01-15T09:00:00Z'"),
	EDGE("t", "w"), NULL, 0, "WAITING w 2 until 60\n", "{}"},
    {"wait until a time that has passed",
	TRIGGER "," NODE("w", "wait", "'until': '2027-01-15T07:00:00Z'") "," SET("u", "on"),
	EDGE("t", "w") "," EDGE("w", "u"), NULL, 0, "COMPLETED u 3\n", "{\"on\":true}"},
    {"wait until a property", TRIGGER "," NODE("w", "wait", "'until': 'due'"), EDGE("t", "w"),
	"{'due': '2027-01-15T10:00:00+01:00'}", 0, "WAITING w 2 until 60\n",
	"{\"due\":\"2027-01-15T10:00:00+01:00\"}"},
    {"wait until the event's property", TRIGGER "," NODE("w", "wait", "'until': 'event.due'"),
	EDGE("t", "w"), "{'due': '2027-01-15T09:00:00Z'}", 0, "WAITING w 2 until 60\n",
	"{\"due\":\"2027-01-15T09:00:00Z\"}"},
    {"wait until a property that is missing", TRIGGER "," NODE("w", "wait", "'until': 'due'"),
	EDGE("t", "w"), NULL, 0,
	"FAILED w 2 w: property due, whose time is to be waited for, is missing\n", "{}"},
    {"wait until a property that is no time", TRIGGER "," NODE("w", "wait", "'until': 'due'"),
	EDGE("t", "w"), "{'due': 'soon'}", 0,
	"FAILED w 2 w: property due holds no ISO 8601 time to wait for\n", "{\"due\":\"soon\"}"},
    {"waits that ended count from one another, not from when the engine comes",
	TRIGGER "," NODE("v", "wait", WAIT_DATA) "," NODE("w", "wait", WAIT_DATA),
	EDGE("t", "v") "," EDGE("v", "w"), NULL, DAY + 600, "WAITING w 3 until 2880\n", "{}"},
    {"several waits over at once",
	TRIGGER "," NODE("v", "wait", WAIT_DATA) "," NODE("w", "wait", WAIT_DATA),
	EDGE("t", "v") "," EDGE("v", "w"), NULL, 5 * DAY, "COMPLETED w 3\n", "{}"},
    {"wait for an event, without end", TRIGGER "," NODE("w", "wait_for_event", FOR("paid", "")),
	EDGE("t", "w"), NULL, 5 * DAY, "WAITING w 2\n", "{}"},
    {"wait for an event", TRIGGER "," NODE("w", "wait_for_event", FOR("paid", IN_A_DAY)),
	EDGE("t", "w"), NULL, 0, "WAITING w 2 until 1440\n", "{}"},
    {"timeout",
	TRIGGER "," NODE("w", "wait_for_event", FOR("paid", IN_A_DAY)) "," SET("y", "yes") "," SET(
	    "n", "no"),
	EDGE("t", "w") "," EDGE_BY("w", "event", "y") "," EDGE_BY("w", "timeout", "n"), NULL,
	DAY + 1, "COMPLETED n 3\n", "{\"no\":true}"},
    {"timeout's time is the next step's",
	TRIGGER
	"," NODE("w", "wait_for_event", FOR("paid", IN_A_DAY)) "," NODE("v", "wait", WAIT_DATA),
	EDGE("t", "w") "," EDGE_BY("w", "timeout", "v"), NULL, DAY + 700,
	"WAITING v 3 until 2880\n", "{}"},
    {"the event that triggered it does not count",
	TRIGGER "," NODE("w", "wait_for_event", FOR("order", IN_A_DAY)), EDGE("t", "w"), NULL, 0,
	"WAITING w 2 until 1440\n", "{}"},
};

Test(engine, walks_each_node)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(walks); i++) {
		fixture_clear(fixture);
		fixture_workflow(fixture, walks[i].nodes, walks[i].edges);
		fixture_event(fixture, "order", walks[i].event);
		fixture_at(walks[i].at);
		fixture_run(fixture);
		fixture_expect(walks[i].name, fixture_show(fixture), walks[i].want);
		fixture_expect(walks[i].name, fixture_properties(fixture), walks[i].properties);
	}
}

#define WAITER                                                                                     \
	TRIGGER "," NODE("w", "wait_for_event",                                                    \
	    FOR("paid", ", 'filter': {'rules': [{'property': 'event.sum', 'operator':"             \
			" 'greater_than', 'value': 5}]}" IN_A_DAY)) "," NODE("v", "wait",          \
	    WAIT_DATA) "," SET("n", "no")
#define WAITER_EDGES EDGE("t", "w") "," EDGE_BY("w", "event", "v") "," EDGE_BY("w", "timeout", "n")

/* An event against a timeout of a day, and the time at which the engine first runs after the start.
 */
static const struct {
	const char *name;
	gint64 looks;  /* minutes; -1: never before the event */
	gint64 occurs; /* the event, in minutes; -1: never */
	const char *properties;
	gint64 at; /* the engine runs again */
	const char *want;
} waits[] = {
    {"released while it waits", 0, 100, "{'sum': 6}", 101, "WAITING v 3 until 1540\n"},
    {"released, found late", 0, 100, "{'sum': 6}", DAY + 60, "WAITING v 3 until 1540\n"},
    {"before the engine came", -1, 100, "{'sum': 6}", 200, "WAITING v 3 until 1540\n"},
    {"before the engine came, which was late", -1, 100, "{'sum': 6}", DAY + 90,
	"WAITING v 3 until 1540\n"},
    {"filtered out", 0, 100, "{'sum': 5}", 200, "WAITING w 2 until 1440\n"},
    {"filtered out, then timeout", 0, 100, "{'sum': 5}", DAY + 1, "COMPLETED n 3\n"},
    {"after the timeout, which was not taken yet", 0, DAY + 1, "{'sum': 6}", DAY + 2,
	"COMPLETED n 3\n"},
    {"after the timeout, and the engine never came before", -1, DAY + 1, "{'sum': 6}", DAY + 2,
	"COMPLETED n 3\n"},
};

Test(engine, decides_between_event_and_timeout_by_their_times)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(waits); i++) {
		fixture_clear(fixture);
		fixture_workflow(fixture, WAITER, WAITER_EDGES);
		fixture_event(fixture, "order", NULL);
		if (waits[i].looks >= 0) {
			fixture_at(waits[i].looks);
			fixture_run(fixture);
		}
		fixture_at(waits[i].occurs);
		fixture_event(fixture, "paid", waits[i].properties);
		fixture_at(waits[i].at);
		fixture_run(fixture);
		fixture_expect(waits[i].name, fixture_show(fixture), waits[i].want);
		fixture_expect(waits[i].name,
		    engine_sql_text(fixture, "SELECT CONCAT(COUNT(*)) FROM execution_wait w JOIN"
					     " execution x ON x.id = w.execution_id"
					     " WHERE x.step_id <> 'w' OR x.status <> 2"),
		    "0");
	}
}

Test(engine, shows_what_an_event_released_as_in_progress)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, WAITER, WAITER_EDGES);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_at(10);
	fixture_event(fixture, "paid", "{'sum': 6}");
	fixture_expect("released", fixture_show(fixture), "IN_PROGRESS w 2 due 10\n");
	fixture_event(fixture, "paid", "{'sum': 7}");
	fixture_expect("once", fixture_show(fixture), "IN_PROGRESS w 2 due 10\n");
}

Test(engine, releases_one_wait_after_the_other_by_one_event_each)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("v", "wait_for_event", FOR("paid", "")) "," NODE(
		"w", "wait_for_event", FOR("paid", "")),
	    EDGE("t", "v") "," EDGE_BY("v", "event", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_event(fixture, "paid", NULL);
	fixture_run(fixture);
	fixture_expect("one", fixture_show(fixture), "WAITING w 3\n");
	fixture_event(fixture, "paid", NULL);
	fixture_run(fixture);
	fixture_expect("two", fixture_show(fixture), "COMPLETED w 3\n");
}

/* Each of two executions of a person waits for the payment of its own order. */
Test(engine, releases_the_wait_whose_starting_event_has_the_value)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait_for_event",
		FOR("paid", ", 'filter': {'rules': [{'property': 'event.id', 'operator': 'equals', "
			    "'value': {'var': 'event.id'}}]}")),
	    EDGE("t", "w"));
	fixture_event(fixture, "order", "{'id': 1}");
	fixture_at(10);
	fixture_event(fixture, "order", "{'id': 2}");
	fixture_run(fixture);
	fixture_event(fixture, "paid", "{'id': '2'}");
	fixture_run(fixture);
	fixture_expect("the second", fixture_show(fixture), "WAITING w 2\nCOMPLETED w 2\n");
	fixture_at(20);
	fixture_event(fixture, "order", "{'id': 3}");
	fixture_at(30);
	fixture_event(fixture, "paid", "{'id': 3}");
	fixture_run(fixture);
	fixture_expect("one that was not stepped before the event", fixture_show(fixture),
	    "WAITING w 2\nCOMPLETED w 2\nCOMPLETED w 2\n");
}

Test(engine, deletes_the_contact_and_cancels_its_other_executions)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("c", "condition",
		"'rules': [{'property': 'event.gone', 'operator': 'exists'}]") "," NODE("w",
		"wait_for_event",
		FOR("paid", "")) "," SET("s", "set") "," NODE("d", "delete_contact", ""),
	    EDGE("t", "c") "," EDGE_BY("c", "yes", "s") "," EDGE("s", "d") "," EDGE_BY(
		"c", "no", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_at(10);
	/* The three of one batch, of which the second removes the person. */
	fixture_event(fixture, "order", NULL);
	fixture_at(20);
	fixture_event(fixture, "order", "{'gone': 1}");
	fixture_at(30);
	fixture_event(fixture, "order", NULL);
	fixture_event_of(fixture, "bob@example.org", "order", NULL);
	fixture_run(fixture);
	fixture_expect("the person is gone", fixture_show(fixture),
	    "CANCELLED w 3 contact_deleted\nCANCELLED w 3 contact_deleted\nCOMPLETED d 4\n"
	    "CANCELLED t 1 contact_deleted\nWAITING w 3\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM person"), 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_wait"), 1);
	fixture_event(fixture, "paid", NULL);
	fixture_run(fixture);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE status = 2"), 1);
}

Test(engine, waits_for_a_time_on_the_clock_of_the_person)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_event(fixture, "hello", NULL);
	test_db_plain(fixture->db, "UPDATE person SET time_zone = 'Europe/Berlin'");
	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait", "'time': '17:30'") "," NODE("c", "condition",
		"'rules': [{'property': 'contact.time_zone', 'operator': 'equals', 'value': "
		"'Europe/Berlin'}]") "," NODE("x", "exit", "") "," NODE("y", "exit", ""),
	    EDGE("t", "w") "," EDGE("w", "c") "," EDGE_BY("c", "yes", "x") "," EDGE_BY(
		"c", "no", "y"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("until 16:30 UTC", fixture_show(fixture), "WAITING w 2 until 510\n");
	fixture_at(510);
	fixture_run(fixture);
	fixture_expect("then", fixture_show(fixture), "COMPLETED x 4\n");
}

Test(engine, keeps_a_contact_on_its_side_of_a_split)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    NODE("t", "trigger", "'eventName': 'order', 'dedupe_window': 0") "," NODE("s", "split",
		"'weights': {'l': 1, 'r': 1}") "," NODE("l", "exit", "") "," NODE("r", "exit", ""),
	    EDGE("t", "s") "," EDGE_BY("s", "l", "l") "," EDGE_BY("s", "r", "r"));
	for (guint i = 0; i < 5; i++)
		fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 5);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(DISTINCT step_id) FROM execution"), 1);
}

Test(engine, ends_after_a_thousand_steps)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait", "'duration': 2, 'unit': 'minutes'"),
	    EDGE("t", "w") "," EDGE("w", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_at(1997);
	fixture_run(fixture);
	fixture_expect("a thousand", fixture_show(fixture), "WAITING w 1000 until 1998\n");
	fixture_at(2001);
	fixture_run(fixture);
	fixture_expect(
	    "one more", fixture_show(fixture), "FAILED w 1001 w: more than 1000 steps\n");
}

static const struct store_consent_act by_api = {
    .source = CONSENT_BY_API, .author = CONSENT_OF_OPERATOR};

Test(engine, skips_emails_to_who_is_suppressed_and_goes_on)
{
	static const enum store_suppression_scope scopes[] = {
	    SUPPRESSION_ALL, SUPPRESSION_AUTOMATION};

	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(scopes); i++) {
		fixture_clear(fixture);
		AUTO(store_suppression) entry = person_suppress_add(fixture->service,
		    &fixture->house->workspace, "Ann@example.org",
		    &(struct store_suppression_state){SUPPRESSION_UNSUBSCRIBED, scopes[i]}, &by_api,
		    NULL);

		cr_assert(entry);
		fixture_workflow(fixture, TRIGGER "," MAIL("a", "First") "," SET("u", "on"),
		    EDGE("t", "a") "," EDGE("a", "u"));
		fixture_event(fixture, "order", NULL);
		fixture_event_of(fixture, "bob@example.org", "order", NULL);
		fixture_run(fixture);
		fixture_expect("goes on", fixture_show(fixture), "COMPLETED u 3\nCOMPLETED u 3\n");
		fixture_expect("skipped", fixture_mails(fixture), "bob@example.org First\n");
	}
}

Test(engine, fails_at_once_where_trying_again_is_no_use)
{
	static const struct {
		const char *name, *sql, *want;
	} cases[] = {
	    {"template gone", "DELETE FROM template", "FAILED a 2 a: Template not found\n"},
	    {"domain not verified", "UPDATE domain SET trusted = 0, status = 1",
		"FAILED a 2 a: Domain example.com is not verified\n"},
	};

	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		fixture_clear(fixture);
		fixture_template(fixture, "hello", "Hello", "<p>{{name}}</p>", NULL);
		fixture_workflow(fixture,
		    TRIGGER "," NODE("a", "send_email", "'templateId': 'hello'"), EDGE("t", "a"));
		fixture_event(fixture, "order", NULL);
		test_db_plain(fixture->db, cases[i].sql);
		fixture_run(fixture);
		fixture_expect(cases[i].name, fixture_show(fixture), cases[i].want);
	}
}

/* Opens a fixture with a damaged template, which an operator can repair. */
static struct fixture *
engine_damaged(void)
{
	struct fixture *fixture = fixture_open();

	fixture_template(fixture, "hello", "Hello", "<p>{{name}}</p>", NULL);
	fixture_workflow(
	    fixture, TRIGGER "," NODE("a", "send_email", "'templateId': 'hello'"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	test_db_plain(fixture->db, "UPDATE template SET variables = '?'");
	return fixture;
}

Test(engine, tries_again_what_may_pass_after_1_5_15_and_60_minutes)
{
	static const gint64 at[] = {0, 2, 8, 24, 85}, due[] = {1, 7, 23, 84};
	AUTO(fixture) fixture = engine_damaged();

	for (guint i = 0; i < G_N_ELEMENTS(at); i++) {
		g_autofree char *name = g_strdup_printf("attempt %u", i + 1);
		g_autofree char *want =
		    i + 1 < G_N_ELEMENTS(at)
			? g_strdup_printf("IN_PROGRESS a 2 due %" G_GINT64_FORMAT "\n", due[i])
			: NULL;

		fixture_at(at[i]);
		fixture_run(fixture);
		if (want)
			fixture_expect(name, fixture_show(fixture), want);
	}
	g_autofree char *end = fixture_show(fixture);
	cr_expect(g_str_has_prefix(end, "FAILED a 2 a: "), "got %s", end);
}

Test(engine, goes_on_when_it_has_passed)
{
	AUTO(fixture) fixture = engine_damaged();

	fixture_run(fixture);
	test_db_plain(fixture->db, "UPDATE template SET variables = '{}'");
	fixture_run(fixture);
	fixture_expect("not yet", fixture_mails(fixture), "");
	fixture_at(2);
	fixture_run(fixture);
	fixture_expect("sent", fixture_mails(fixture), "ann@example.org Hello\n");
	fixture_expect("done", fixture_show(fixture), "COMPLETED a 2\n");
}

/* An execution that makes its transaction fail is delayed, and does not delay the others. */
Test(engine, steps_the_others_past_one_that_breaks_its_batch)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," MAIL("a", "First"), EDGE("t", "a"));
	fixture_event_of(fixture, "bad@example.org", "order", NULL);
	fixture_event(fixture, "order", NULL);
	test_db_plain(fixture->db,
	    "CREATE TRIGGER bad BEFORE INSERT ON recipient FOR EACH ROW"
	    " IF NEW.address = 'bad@example.org' THEN SIGNAL SQLSTATE '45000'; END IF");
	fixture_run(fixture);
	fixture_expect("others", fixture_show(fixture), "IN_PROGRESS t 1 due 1\nCOMPLETED a 2\n");
	fixture_expect("sent", fixture_mails(fixture), "ann@example.org First\n");
	test_db_plain(fixture->db, "DROP TRIGGER bad");
	fixture_at(2);
	fixture_run(fixture);
	fixture_expect("then", fixture_show(fixture), "COMPLETED a 2\nCOMPLETED a 2\n");
}

/* Those that the engine gives up are counted too, and each run of a transaction but the last is
 * not.
 */
Test(engine, counts_what_has_ended)
{
	AUTO(fixture) fixture = engine_damaged();
	g_autoptr(GError) error = NULL;
	static const char *const want[] = {
	    "posthouse_executions_ended_total{status=\"cancelled\"} 0\n",
	    "posthouse_executions_ended_total{status=\"completed\"} 2\n",
	    "posthouse_executions_ended_total{status=\"failed\"} 3\n",
	    "posthouse_executions{state=\"in_progress\"} 0\n",
	    "posthouse_executions{state=\"waiting\"} 1\n",
	};

	for (gint64 at = 0; at < 100; at += 10) {
		fixture_at(at);
		fixture_run(fixture);
	}
	fixture_workflow(fixture, TRIGGER "," MAIL("a", "First"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	/* The count that follows takes long, so what changes from here on is added to it. */
	service_metrics_flush(fixture->service, true);
	test_db_plain(fixture->db, "REPLACE INTO metric (name, labels, stripe, value) VALUES"
				   " (15, '', 0, 9000000000000), (15, 'pause', 0, 60000)");
	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w"));
	fixture_event_of(fixture, "w@example.org", "order", NULL);
	for (gint64 at = 100; at < 400; at += 10) {
		fixture_at(at);
		fixture_run(fixture);
	}
	service_metrics_flush(fixture->service, true);
	g_autofree char *text = upkeep_metrics_text(fixture->service, &error);
	for (gsize i = 0; i < G_N_ELEMENTS(want); i++)
		cr_expect(
		    strstr(text, want[i]), "no %s in %s\n%s", want[i], text, fixture_show(fixture));
}

/* An execution with so many deaths is stepped in a child process, which counts for itself. */
Test(engine, counts_what_ends_in_a_child_process)
{
	AUTO(fixture) fixture = fixture_open();
	g_autoptr(GError) error = NULL;
	static const char *const want[] = {
	    "posthouse_executions_ended_total{status=\"completed\"} 2\n",
	    "posthouse_executions_ended_total{status=\"failed\"} 0\n",
	};

	fixture_workflow(fixture, TRIGGER "," MAIL("a", "First"), EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	fixture_event_of(fixture, "bob@example.org", "order", NULL);
	g_autofree char *deaths =
	    g_strdup_printf("UPDATE execution SET deaths = %d LIMIT 1", LIMIT_DEATHS);
	test_db_plain(fixture->db, deaths);
	fixture_run(fixture);
	fixture_expect("both", fixture_show(fixture), "COMPLETED a 2\nCOMPLETED a 2\n");
	service_metrics_flush(fixture->service, true);
	g_autofree char *text = upkeep_metrics_text(fixture->service, &error);
	for (gsize i = 0; i < G_N_ELEMENTS(want); i++)
		cr_expect(strstr(text, want[i]), "no %s in %s", want[i], text);
}

/* Older executions of one workspace leave room for another workspace's in one run of the engine. */
Test(engine, takes_turns_among_workspaces)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id ours = fixture->house->workspace, theirs;
	g_autoptr(GError) error = NULL, trouble = NULL;
	guint count;

	fixture_workflow(fixture, TRIGGER "," NODE("x", "exit", ""), EDGE("t", "x"));
	fixture_event(fixture, "order", NULL);
	test_db_plain(fixture->db,
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, ready_at, created, updated)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, workflow_id, contact_id,"
	    " event_id, email, version, status, step_id, step_count, step_time, ready_at - 1000,"
	    " created, updated FROM execution, seq_1_to_2000");
	cr_assert(store_workspace_create(fixture->db, "theirs", NULL, &theirs, &error));
	fixture->house->workspace = theirs;
	fixture_workflow(fixture, TRIGGER "," NODE("x", "exit", ""), EDGE("t", "x"));
	fixture_event_of(fixture, "bob@example.org", "order", NULL);
	fixture->house->workspace = ours;
	cr_assert(automation_engine_run(fixture->engine, &count, &trouble, &error));
	cr_expect_leq(count, 500, "stepped %u", count);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT status FROM execution WHERE email = 'bob@example.org'"),
	    EXECUTION_COMPLETED);
	cr_expect_geq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE completed IS NULL"),
	    1500);
	fixture_run(fixture);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE completed IS NULL"),
	    0);
}

Test(engine, fills_in_properties_of_contact_and_event)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_template(fixture, "hello",
	    "{{name}} {{address.city}} {{items.0}} {{event.total}} {{contact.email}} {{vip}}",
	    "<p>{{name}}</p>", NULL);
	fixture_template(fixture, "defaults",
	    "{{none|fallback}} {{color}} {{event.none|?}} {{name}}.", "<p>{{name}}</p>",
	    "{\"color\":\"red\",\"name\":\"nobody\"}");
	fixture_workflow(fixture,
	    TRIGGER "," NODE("a", "send_email", "'templateId': 'hello'") "," NODE(
		"b", "send_email", "'templateId': 'defaults'"),
	    EDGE("t", "a") "," EDGE("a", "b"));
	fixture_event(fixture, "order",
	    "{'name': 'Ann', 'address': {'city': 'Ulm'}, 'items': ['ink'], 'total': 1.50,"
	    " 'vip': true}");
	fixture_run(fixture);
	fixture_expect("subjects", fixture_mails(fixture),
	    "ann@example.org Ann Ulm ink 1.50 ann@example.org true\n"
	    "ann@example.org fallback red ? Ann.\n");
	fixture_expect("kept",
	    engine_sql_text(fixture, "SELECT JSON_VALUE(variables, '$.name') FROM email LIMIT 1"),
	    "Ann");
	fixture_expect("sender", engine_sql_text(fixture, "SELECT sender FROM email LIMIT 1"),
	    "Posthouse <me@example.com>");
	cr_expect_eq(test_db_number(fixture->db, "SELECT MIN(type) FROM email"), EMAIL_AUTOMATION);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM execution_email x JOIN execution e ON e.id ="
			 " x.execution_id AND e.workflow_id = x.workflow_id AND e.contact_id ="
			 " x.contact_id JOIN email m ON m.id = x.email_id JOIN outbox o ON"
			 " o.email_id = m.id WHERE x.step_id IN ('a', 'b')"),
	    2);
}

/* A contact's own property unsubscribe_url is not used. */
Test(engine, sends_emails_that_say_how_to_unsubscribe)
{
	AUTO(fixture) fixture = fixture_open();
	g_autoptr(GError) error = NULL;

	fixture_workflow(fixture,
	    TRIGGER "," NODE("a", "send_email",
		"'subject': 'A', 'html': '<a href=\\'{{unsubscribe_url}}\\'>no more</a>'"),
	    EDGE("t", "a"));
	fixture_event(fixture, "order", "{'unsubscribe_url': 'https://x.org/mine'}");
	fixture_run(fixture);
	AUTO(db_rows) rows = db_select(fixture->db, "SELECT id FROM email", NULL, 0, NULL);
	struct base_id id;
	cr_assert(rows && db_rows_next(rows) && db_rows_id(rows, 0, &id));
	AUTO(store_email) email =
	    store_email_get(fixture->db, &fixture->house->workspace, &id, PART_TEXT, &error);
	g_autoptr(GBytes) message =
	    email ? email_compose(fixture->service, email, 0, NULL, &error) : NULL;
	cr_assert(message, "%s", error ? error->message : "");
	g_autofree char *text =
	    g_strndup(g_bytes_get_data(message, NULL), g_bytes_get_size(message));
	cr_expect(strstr(text, "List-Unsubscribe: "), "%s", text);
	cr_expect(strstr(text, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "%s", text);
	cr_expect(strstr(text, "http://127.0.0.1/t/u/"), "%s", text);
	cr_expect_not(strstr(text, "https://x.org/mine"), "%s", text);
}

/* The search for due executions reads no waiting ones. */
Test(engine, reads_no_row_that_is_not_due)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(fixture, TRIGGER, "");

	/* The server reads the statistics of a table that it opens for the first time. */
	fixture_run(fixture);
	fixture_event(fixture, "order", NULL);
	cr_assert(db_run(fixture->db,
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, ready_at, created, updated)"
	    " SELECT UNHEX(LPAD(HEX(s.seq), 32, '0')), c.workspace_id, ?, c.id, '', '', 1, 2, 't',"
	    " 1, 1, 4000000000000, 1, 1 FROM seq_1_to_2000 s JOIN person c",
	    DB_VALUES(db_id(&id)), NULL, NULL));
	test_db_plain(fixture->db, "FLUSH STATUS");
	fixture_run(fixture);
	gint64 reads = test_db_number(fixture->db,
	    "SELECT SUM(VARIABLE_VALUE) FROM information_schema.SESSION_STATUS"
	    " WHERE VARIABLE_NAME LIKE 'Handler_read%' AND VARIABLE_NAME <> "
	    "'Handler_read_rnd_next'");
	cr_expect_lt(reads, 40, "got %" G_GINT64_FORMAT, reads);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE status = 3"), 1);
}

Test(engine, takes_what_an_email_says_of_itself)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_template(fixture, "hello", "Hello", "<p>{{name}}</p>", NULL);
	fixture_workflow(fixture,
	    TRIGGER "," NODE("a", "send_email",
		"'templateId': 'hello', 'subject': 'Mine', 'from': 'You <you@example.com>',"
		" 'replyTo': 'r@example.net', 'text': 'T'"),
	    EDGE("t", "a"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("subject", fixture_mails(fixture), "ann@example.org Mine\n");
	fixture_expect(
	    "from", engine_sql_text(fixture, "SELECT sender FROM email"), "You <you@example.com>");
	fixture_expect(
	    "reply", engine_sql_text(fixture, "SELECT reply_to FROM email"), "r@example.net");
}

static void
engine_set_quota(struct fixture *fixture, gint64 value)
{
	const enum config_setting limit = SETTING_LIMITS_EMAILS_PER_HOUR;

	cr_assert(
	    store_limit_set(fixture->db, &fixture->house->workspace, &limit, &value, 1, NULL));
}

/* A step over the quota of its workspace waits for the next hour, repeatedly if need be. */
Test(engine, waits_for_a_quota)
{
	AUTO(fixture) fixture = fixture_open();

	engine_set_quota(fixture, 2);
	fixture_workflow(fixture, TRIGGER "," MAIL("a", "First") "," MAIL("b", "Second"),
	    EDGE("t", "a") "," EDGE("a", "b"));
	fixture_event_of(fixture, "one@example.org", "order", NULL);
	fixture_event_of(fixture, "two@example.org", "order", NULL);
	fixture_event_of(fixture, "three@example.org", "order", NULL);
	fixture_run(fixture);
	fixture_expect("first hour", fixture_mails(fixture),
	    "one@example.org First\none@example.org Second\n");
	fixture_expect("two wait", fixture_show(fixture),
	    "COMPLETED b 3\nIN_PROGRESS a 2 due 60\nIN_PROGRESS a 2 due 60\n");
	fixture_at(HOUR);
	fixture_run(fixture);
	fixture_expect("one waits", fixture_show(fixture),
	    "COMPLETED b 3\nCOMPLETED b 3\nIN_PROGRESS a 2 due 120\n");
	for (gint64 hour = 2; hour < 10; hour++) {
		engine_set_quota(fixture, hour == 9 ? 3 : 2);
		/* Another sender uses up the quota each hour. */
		g_autofree char *sql =
		    g_strdup_printf("INSERT INTO email_quota SELECT id, 0, %" G_GINT64_FORMAT
				    ", 2, 2 FROM workspace",
			FIXTURE_START + hour * HOUR * 60000);
		test_db_plain(fixture->db, sql);
		fixture_at(hour * HOUR);
		fixture_run(fixture);
	}
	fixture_expect("between two steps", fixture_show(fixture),
	    "COMPLETED b 3\nCOMPLETED b 3\nIN_PROGRESS b 3 due 600\n");
	engine_set_quota(fixture, 0);
	fixture_at(10 * HOUR);
	fixture_run(fixture);
	fixture_expect(
	    "no quota", fixture_show(fixture), "COMPLETED b 3\nCOMPLETED b 3\nCOMPLETED b 3\n");
}

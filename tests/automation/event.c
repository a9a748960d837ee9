/* SPDX-License-Identifier: MIT */
/* Tests the effects of events on contacts, properties and workflows. */
#include "automation/event.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "automation/execution.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/workflow.h"
#include "config/settings.h"
#include "json/value.h"
#include "service/service.h"
#include "store/workspace/idempotency.h"
#include "tests/automation/fixture.h"
#include "tests/support/proxy.h"
#include "tests/support/settings.h"

#define TRIGGER_OF(more) NODE("t", "trigger", "'eventName': 'order'" more)
#define NO_WINDOW ", 'dedupe_window': 0"

static char *
event_sql_text(struct fixture *fixture, const char *sql)
{
	return test_db_text(fixture->db, sql);
}

static gint64
automation_event_count(struct fixture *fixture, const char *table)
{
	g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM %s", table);

	return test_db_number(fixture->db, g_intern_string(sql));
}

Test(event, makes_a_contact_and_then_changes_it)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_event_of(fixture, "Ann@Example.ORG", " Order.PLACED ", "{'a': {'b': 1}, 'c': 2}");
	fixture_expect(
	    "name", event_sql_text(fixture, "SELECT name FROM automation_event"), "order.placed");
	fixture_expect(
	    "as given", event_sql_text(fixture, "SELECT email FROM person"), "Ann@Example.ORG");
	fixture_at(5);
	fixture_event_of(
	    fixture, "ann@example.org", "visit", "{'a': {'d': null, 'e': 3}, 'c': null}");
	fixture_expect("merged", fixture_properties(fixture), "{\"a\":{\"b\":1,\"e\":3}}");
	fixture_expect("contact",
	    event_sql_text(fixture,
		"SELECT CONCAT_WS(' ', email, event_count, last_event, (last_seen -"
		" first_seen) DIV 60000, (SELECT MAX(timestamp) FROM automation_event)"
		" = last_seen) FROM person"),
	    "Ann@Example.ORG 2 visit 4 1");
	fixture_expect("event as given",
	    event_sql_text(fixture, "SELECT properties FROM automation_event WHERE name = 'visit'"),
	    "{\"a\":{\"d\":null,\"e\":3},\"c\":null}");
}

/* Only contacts that have entered a workflow are searched for in workflows. */
Test(event, remembers_who_has_been_in_a_workflow)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_event(fixture, "visit", NULL);
	fixture_expect(
	    "not yet", event_sql_text(fixture, "SELECT CONCAT(entered) FROM person"), "0");
	fixture_workflow(fixture,
	    TRIGGER_OF(", 'reentry': 'once'" NO_WINDOW) "," NODE("e", "exit", ""), EDGE("t", "e"));
	fixture_event(fixture, "visit", NULL);
	fixture_expect(
	    "still not", event_sql_text(fixture, "SELECT CONCAT(entered) FROM person"), "0");
	fixture_event(fixture, "order", NULL);
	fixture_expect(
	    "entered", event_sql_text(fixture, "SELECT CONCAT(entered) FROM person"), "1");
	fixture_event(fixture, "visit", NULL);
	fixture_event(fixture, "order", NULL);
	fixture_expect(
	    "for good", event_sql_text(fixture, "SELECT CONCAT(entered) FROM person"), "1");
	cr_expect_eq(automation_event_count(fixture, "execution"), 1, "%d executions",
	    (int)automation_event_count(fixture, "execution"));
	fixture_event_of(fixture, "new@example.org", "order", NULL);
	fixture_expect("at once",
	    event_sql_text(fixture, "SELECT CONCAT(entered) FROM person WHERE address LIKE 'new%'"),
	    "1");
}

static struct {
	const char *name, *event_name, *email, *want;
	gsize properties; /* bytes of them; 0: none */
} refused[] = {
    {"no name", " ", "a@x.org", "event_name must be 1 to 100 characters", 0},
    {"reserved", "Email.opened", "a@x.org", "event_name must not begin with email.", 0},
    {"no address", "order", "a", NULL, 0},
    {"largest", "order", "a@x.org", "", LIMIT_EVENT_PROPERTIES_BYTES},
    {"too large", "order", "a@x.org", "properties must be at most 65536 bytes",
	LIMIT_EVENT_PROPERTIES_BYTES + 1},
};

static struct json *
sized(gsize size)
{
	g_autofree char *filler = g_strnfill(size - strlen("{\"a\":\"\"}"), 'x');
	g_autofree char *text = g_strdup_printf("{'a':'%s'}", filler);

	return sample_json(text);
}

Test(event, is_refused_naming_what_is_wrong)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(refused); i++) {
		AUTO(json) given = refused[i].properties ? sized(refused[i].properties) : NULL;
		const struct automation_event_input input = {
		    refused[i].event_name, refused[i].email, given};
		g_autoptr(GError) error = NULL;
		struct automation_recording *event = fixture_record(
		    fixture->service, &fixture->house->workspace, &input, NULL, &error);

		if (event)
			service_once_free(&event->request);
		const char *got = error ? error->message : "";
		if (refused[i].want)
			cr_expect_str_eq(got, refused[i].want, "%s: got %s", refused[i].name, got);
		else
			cr_expect(
			    g_str_has_prefix(got, "email "), "%s: got %s", refused[i].name, got);
		cr_expect(!error || error->code == PH_ERROR_INVALID, "%s", refused[i].name);
	}
	cr_expect_eq(automation_event_count(fixture, "automation_event"), 1);
}

/* An error at any point leaves no row behind. */
Test(event, is_taken_in_as_a_whole_or_not_at_all)
{
	AUTO(fixture) fixture = fixture_open();
	const struct automation_event_input input = {"order", "ann@example.org", NULL};

	fixture_workflow(fixture, TRIGGER, "");
	test_db_plain(fixture->db, "CREATE TRIGGER bad BEFORE INSERT ON execution FOR EACH ROW"
				   " SIGNAL SQLSTATE '45000'");
	cr_expect_null(
	    fixture_record(fixture->service, &fixture->house->workspace, &input, NULL, NULL));
	cr_expect_eq(automation_event_count(fixture, "person"), 0);
	cr_expect_eq(automation_event_count(fixture, "automation_event"), 0);
	cr_expect_eq(automation_event_count(fixture, "workflow_entry"), 0);
	test_db_plain(fixture->db, "DROP TRIGGER bad");
	fixture_event(fixture, "order", NULL);
	cr_expect_eq(automation_event_count(fixture, "execution"), 1);
}

Test(event, keeps_a_contact_within_its_limit)
{
	AUTO(fixture) fixture = fixture_open();
	gsize size = 0;

	for (guint i = 0; i < 5; i++) {
		g_autofree char *filler = g_strnfill(60000, 'x');
		g_autofree char *text = g_strdup_printf("{'p%u':'%s'}", i, filler);
		AUTO(json) given = sample_json(text);
		const struct automation_event_input input = {"order", "ann@example.org", given};
		g_autoptr(GError) error = NULL;
		struct automation_recording *event = fixture_record(
		    fixture->service, &fixture->house->workspace, &input, NULL, &error);

		size += strlen(text);
		cr_expect_eq(event != NULL, size <= LIMIT_CONTACT_PROPERTIES_BYTES, "%u: %s", i,
		    error ? error->message : "taken");
		if (event)
			service_once_free(&event->request);
	}
	cr_expect_eq(automation_event_count(fixture, "automation_event"), 4);
}

Test(event, starts_each_workflow_that_matches)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER, "");
	fixture_workflow(fixture, NODE("u", "trigger", "'eventName': ' ORDER '"), "");
	fixture_workflow(fixture, NODE("v", "trigger", "'eventName': 'visit'"), "");
	fixture_workflow(fixture,
	    NODE("f", "trigger",
		"'eventName': 'order', 'filter': {'rules': [{'property': 'event.total',"
		" 'operator': 'greater_than', 'value': 5}]}"),
	    "");
	cr_expect_not(fixture_event(fixture, "Order", "{'total': 5}"));
	fixture_expect("two",
	    event_sql_text(fixture, "SELECT GROUP_CONCAT(step_id ORDER BY step_id) FROM"
				    " execution"),
	    "t,u");
	fixture_event_of(fixture, "bob@example.org", "order", "{'total': 6}");
	fixture_expect("three",
	    event_sql_text(fixture, "SELECT GROUP_CONCAT(step_id ORDER BY step_id) FROM"
				    " execution WHERE email LIKE 'bob%'"),
	    "f,t,u");
}

/* A second event some minutes after the first: whether it starts an execution, or is deduplicated.
 */
static const struct {
	const char *name, *trigger, *first, *second;
	gint64 after;
	bool deduplicated;
	gint64 starts;
} seconds[] = {
    {"within the window", "", "order", "order", 4, true, 1},
    {"after it", "", "order", "order", 6, false, 2},
    {"window off", NO_WINDOW, "order", "order", 0, false, 2},
    {"another's window", ", 'dedupe_window': 60000", "order", "order", 2, false, 2},
    {"another event", "", "visit", "order", 1, false, 1},
    {"once", ", 'reentry': 'once', 'dedupe_window': 0", "order", "order", DAY, false, 1},
    {"once, within the window", ", 'reentry': 'once'", "order", "order", 1, true, 1},
    {"after finish", ", 'reentry': 'after_finish', 'dedupe_window': 0", "order", "order", DAY,
	false, 1},
};

Test(event, starts_again_as_the_trigger_says)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < G_N_ELEMENTS(seconds); i++) {
		g_autofree char *nodes = g_strdup_printf("{'id': 't', 'type': 'trigger', 'data':"
							 " {'eventName': 'order'%s}}",
		    seconds[i].trigger);

		fixture_clear(fixture);
		fixture_workflow(fixture, nodes, "");
		fixture_event(fixture, seconds[i].first, NULL);
		fixture_at(seconds[i].after);
		bool got = fixture_event(fixture, seconds[i].second, "{'second': true}");
		cr_expect_eq(got, seconds[i].deduplicated, "%s: got %d", seconds[i].name, got);
		cr_expect_eq(automation_event_count(fixture, "execution"), seconds[i].starts,
		    "%s: got %" G_GINT64_FORMAT, seconds[i].name,
		    automation_event_count(fixture, "execution"));
		cr_expect_eq(
		    automation_event_count(fixture, "automation_event"), 2, "%s", seconds[i].name);
		fixture_expect(seconds[i].name, fixture_properties(fixture), "{\"second\":true}");
	}
}

Test(event, counts_the_window_from_the_last_start)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER, "");
	fixture_event(fixture, "order", NULL);
	fixture_at(4);
	cr_expect(fixture_event(fixture, "order", NULL));
	fixture_at(8);
	cr_expect_not(fixture_event(fixture, "order", NULL));
	fixture_at(12);
	cr_expect(fixture_event(fixture, "order", NULL));
	cr_expect_eq(automation_event_count(fixture, "execution"), 2);
}

Test(event, is_processed_when_one_of_several_was_not_held_back)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER, "");
	fixture_workflow(fixture, TRIGGER_OF(NO_WINDOW), "");
	fixture_event(fixture, "order", NULL);
	cr_expect_not(fixture_event(fixture, "order", NULL));
	cr_expect_eq(automation_event_count(fixture, "execution"), 3);
}

Test(event, releases_waits_though_its_start_is_held_back)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, TRIGGER "," NODE("w", "wait_for_event", "'eventName': 'order'"),
	    EDGE("t", "w"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	cr_expect(fixture_event(fixture, "order", NULL));
	fixture_run(fixture);
	fixture_expect("released", fixture_show(fixture), "COMPLETED w 2\n");
}

Test(event, starts_after_finish_when_it_has_finished)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER_OF(", 'reentry': 'after_finish', 'dedupe_window': 0") "," NODE(
		"w", "wait", WAIT_DATA) "," NODE("u", "wait", "'until': 'never'"),
	    EDGE("t", "w") "," EDGE("w", "u"));
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_event(fixture, "order", NULL);
	cr_expect_eq(automation_event_count(fixture, "execution"), 1);
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_expect("FAILED is finished",
	    event_sql_text(fixture, "SELECT CONCAT(status) FROM execution"), "4");
	fixture_event(fixture, "order", NULL);
	cr_expect_eq(automation_event_count(fixture, "execution"), 2);
	fixture_run(fixture);
	test_db_plain(
	    fixture->db, "UPDATE execution SET status = 5, exclusive = NULL, ready_at = NULL");
	fixture_event(fixture, "order", NULL);
	cr_expect_eq(automation_event_count(fixture, "execution"), 3, "CANCELLED is finished");
}

/* An execution that an older version with another re-entry started counts as unfinished too. */
Test(event, starts_after_finish_of_those_of_older_versions_too)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id id = fixture_workflow(
	    fixture, TRIGGER_OF(NO_WINDOW) "," NODE("w", "wait", WAIT_DATA), EDGE("t", "w"));

	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	fixture_expect("changed",
	    fixture_change(
		fixture, &id, NULL, TRIGGER_OF(", 'reentry': 'after_finish'" NO_WINDOW), ""),
	    "(none)");
	fixture_event(fixture, "order", NULL);
	cr_expect_eq(automation_event_count(fixture, "execution"), 1);
	fixture_at(DAY + 1);
	fixture_run(fixture);
	fixture_event(fixture, "order", NULL);
	cr_expect_eq(automation_event_count(fixture, "execution"), 2);
}

/* Events of one millisecond get different times, in their order. */
/* The last one by the value has ended, and one before it has not. */
Test(event, starts_after_finish_of_all_by_the_value)
{
	AUTO(fixture) fixture = fixture_open();
	const char *rest = "," NODE("w", "wait", WAIT_DATA);
	g_autofree char *every =
	    g_strconcat(TRIGGER_OF(", 'key': 'event.id'" NO_WINDOW), rest, NULL);
	g_autofree char *after = g_strconcat(
	    TRIGGER_OF(", 'key': 'event.id', 'reentry': 'after_finish'" NO_WINDOW), rest, NULL);
	struct base_id id = fixture_workflow(fixture, every, EDGE("t", "w"));

	fixture_event(fixture, "order", "{'id': 7}");
	fixture_event(fixture, "order", "{'id': '7.0'}");
	struct base_id last = fixture_execution(fixture);
	cr_assert(
	    automation_execution_cancel(fixture->service, &fixture->house->workspace, &last, NULL));
	cr_assert_null(fixture_change(fixture, &id, NULL, after, EDGE("t", "w")));
	fixture_event(fixture, "order", "{'id': '7'}");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 2);
	fixture_event(fixture, "order", "{'id': 8}");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 3);
}

Test(event, has_a_time_of_its_own)
{
	AUTO(fixture) fixture = fixture_open();

	for (guint i = 0; i < 20; i++)
		fixture_event(fixture, "visit", NULL);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT COUNT(DISTINCT timestamp) FROM automation_event"),
	    20);
	/* The clock went back, or belongs to another machine. */
	base_clock_set(FIXTURE_START - 60000);
	fixture_event(fixture, "late", NULL);
	cr_expect_eq(
	    test_db_number(fixture->db,
		"SELECT name = 'late' FROM automation_event ORDER BY timestamp DESC LIMIT 1"),
	    1);
}

/* Else it depends on one ms whether an execution that the event starts counts them. */
Test(event, comes_before_the_changes_that_it_makes)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, NODE("t", "trigger", "'eventName': 'person.updated'"), "");
	fixture_event(fixture, "visit", "{'n': -1}");
	for (guint i = 0; i < 20; i++) {
		g_autofree char *properties = g_strdup_printf("{'n': %u}", i);

		fixture_event(fixture, "visit", properties);
		cr_expect_eq(test_db_number(fixture->db,
				 "SELECT (SELECT MAX(timestamp) FROM automation_feedback) >"
				 " (SELECT MAX(timestamp) FROM automation_event)"),
		    1);
	}
}

static char *
write_status(const struct service_once *request)
{
	const struct automation_recording *event = (const struct automation_recording *)request;

	return g_strdup(event->deduplicated ? "deduplicated" : "processed");
}

static void
event_expect_key(struct fixture *fixture, const char *name, const char *key, const char *body,
    bool want_replayed, const char *want_error)
{
	const struct automation_event_input input = {"order", "ann@example.org", NULL};
	struct service_idempotency idempotency = {
	    .key = {.workspace_id = fixture->house->workspace, .name = key}, .write = write_status};
	g_autoptr(GError) error = NULL;

	store_idempotency_digest(&idempotency.key, "/v1/events", body, strlen(body));
	struct automation_recording *event = fixture_record(
	    fixture->service, &fixture->house->workspace, &input, &idempotency, &error);
	AUTO(service_once) request = event ? &event->request : NULL;
	const char *got = error ? error->message : "";
	cr_expect_str_eq(got, want_error, "%s: got %s", name, got);
	cr_expect_eq(request && request->replayed, want_replayed, "%s", name);
	cr_expect(!request || strcmp(request->answer, "processed") == 0, "%s", name);
}

Test(event, is_taken_once_by_its_key)
{
	AUTO(fixture) fixture = fixture_open();

	event_expect_key(fixture, "first", "k", "{}", false, "");
	event_expect_key(fixture, "again", "k", "{}", true, "");
	event_expect_key(fixture, "another body", "k", "{ }", false,
	    "This Idempotency-Key was used for another request");
	event_expect_key(fixture, "another key", "l", "{}", false, "");
	cr_expect_eq(automation_event_count(fixture, "automation_event"), 2);
}

/* Opens the fixture's database through a proxy. */
static struct service *
open_through(struct fixture *fixture, const char *path, struct config_settings **settings_r)
{
	g_autofree char *name = g_strdup_printf("through_%d", (int)getpid());
	g_autofree char *text =
	    g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n[service]\n"
			    "url = http://127.0.0.1\n",
		path, config_settings_text(fixture->house->settings, SETTING_DATABASE_NAME));
	g_autoptr(GError) error = NULL;

	*settings_r = test_settings_load(test_mariadb_dir(NULL), name, text);
	struct service *service = service_open(*settings_r);
	cr_assert(service_ensure(service, &error), "%s", error ? error->message : "");
	return service;
}

static void
expect_order(struct service *service, struct fixture *fixture, const char *name, const char *email)
{
	const struct automation_event_input input = {"order", email, NULL};
	g_autoptr(GError) error = NULL;
	char id[ID_TEXT_SIZE];
	struct automation_recording *event =
	    fixture_record(service, &fixture->house->workspace, &input, NULL, &error);
	AUTO(service_once) request = event ? &event->request : NULL;

	cr_assert(event, "%s: %s", name, error ? error->message : "");
	/* The answer agrees with the stored row. */
	g_autofree char *where =
	    g_strdup_printf("automation_event WHERE LOWER(HEX(id)) = REPLACE('%s', '-', '')",
		base_id_format(&event->event_id, id));
	cr_expect_eq(automation_event_count(fixture, where), 1, "%s: another is answered", name);
}

/* The first COMMIT has no reply; it takes effect, fails, or takes effect after the check for the
 * event. */
Test(event, is_taken_once_though_commit_had_no_answer)
{
	static const struct {
		const char *name;
		enum test_proxy_fault fault;
		bool is_new;
	} cases[] = {
	    {"answer lost", TEST_PROXY_CUT_ANSWER, false},
	    {"answer lost, new contact", TEST_PROXY_CUT_ANSWER, true},
	    {"command lost", TEST_PROXY_CUT_COMMAND, false},
	    {"command lost, new contact", TEST_PROXY_CUT_COMMAND, true},
	    {"obeyed late, new contact", TEST_PROXY_LATE, true},
	};
	AUTO(fixture) fixture = fixture_open();
	g_autofree char *path = g_strdup_printf("%s/q%d", test_mariadb_dir(NULL), (int)getpid());
	g_autofree char *target = test_mariadb_socket(NULL);
	AUTO(test_proxy) proxy = test_proxy_start(path, target);
	struct config_settings *settings;
	AUTO(service) service = open_through(fixture, path, &settings);

	fixture_workflow(fixture, TRIGGER_OF(NO_WINDOW), "");
	/* The design is in the cache from now on; the rows of a new contact come with COMMIT. */
	expect_order(service, fixture, "first", "ann@example.org");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *email = g_strdup_printf("ann%d@example.org", (int)i);
		const char *name = cases[i].name;
		gint64 want = (gint64)i + 2;

		if (!cases[i].is_new)
			fixture_event_of(fixture, email, "visit", NULL);
		test_proxy_break(proxy, cases[i].fault, TEST_PROXY_COMMIT, "", 0);
		expect_order(service, fixture, name, email);
		cr_expect_eq(
		    automation_event_count(fixture, "automation_event WHERE name = 'order'"), want,
		    "%s", name);
		cr_expect_eq(automation_event_count(fixture, "execution"), want, "%s", name);
		cr_expect_eq(automation_event_count(fixture, "person"), want, "%s", name);
	}
	g_clear_pointer(&service, service_close);
	config_settings_free(settings);
}

/* Records an event that happened some minutes after FIXTURE_START. */
static bool
happened(struct fixture *fixture, const char *name, gint64 minutes)
{
	const struct automation_event_input input = {.name = name,
	    .email = "ann@example.org",
	    .timestamp = FIXTURE_START + minutes * 60000,
	    .timed = true};
	g_autoptr(GError) error = NULL;
	struct automation_recording *event =
	    fixture_record(fixture->service, &fixture->house->workspace, &input, NULL, &error);

	cr_assert(event, "%s", error ? error->message : "");
	bool deduplicated = event->deduplicated;
	service_once_free(&event->request);
	return deduplicated;
}

/* The window of 5 minutes reaches to both sides of the last start, which does not move back. */
Test(event, of_before_is_held_back_by_starts_near_its_time)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(
	    fixture, NODE("t", "trigger", "'eventName': 'order', 'dedupe_window': 300000"), "");
	fixture_at(100);
	cr_expect_not(fixture_event(fixture, "order", NULL));
	cr_expect(happened(fixture, "order", 96), "4 minutes before");
	cr_expect_not(happened(fixture, "order", 94), "6 minutes before");
	cr_expect(fixture_event(fixture, "order", NULL), "the last start is still the latest");
	fixture_expect("contact",
	    test_db_text(fixture->db,
		"SELECT CONCAT((last_seen - 1800000000000) DIV 60000, ' ',"
		" (first_seen - 1800000000000) DIV 60000, ' ', event_count) FROM person"),
	    "100 94 4");
	fixture_expect("order of ids",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT((timestamp - 1800000000000) DIV 60000 ORDER BY id)"
		" FROM automation_event"),
	    "94,96,100,100");
}

/* A wait counts from the time of the event, and is released by an event that came after it. */
Test(event, of_before_starts_and_releases_waits)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    TRIGGER "," NODE("w", "wait", "'duration': 2, 'unit': 'hours'") "," NODE(
		"p", "wait_for_event", "'eventName': 'paid'") "," NODE("x", "exit", ""),
	    EDGE("t", "w") "," EDGE("w", "p") "," EDGE_BY("p", "event", "x"));
	fixture_at(100);
	happened(fixture, "order", 10);
	fixture_run(fixture);
	fixture_expect("waits", fixture_show(fixture), "WAITING w 2 until 130\n");
	fixture_at(200);
	fixture_run(fixture);
	fixture_expect("waits for an event", fixture_show(fixture), "WAITING p 3\n");
	happened(fixture, "paid", 129);
	fixture_run(fixture);
	fixture_expect("before the wait", fixture_show(fixture), "WAITING p 3\n");
	happened(fixture, "paid", 131);
	fixture_run(fixture);
	fixture_expect("in the wait", fixture_show(fixture), "COMPLETED x 4\n");
}

/* A clock that is fast does not bring later events behind its own. */
Test(event, that_is_ahead_happens_now)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_at(10);
	happened(fixture, "order", 15);
	cr_expect_eq(test_db_number(fixture->db, "SELECT (timestamp - 1800000000000) DIV 60000"
						 " FROM automation_event"),
	    10);
}

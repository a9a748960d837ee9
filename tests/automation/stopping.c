/* SPDX-License-Identifier: MIT */
/* Tests goals, exits and keys of executions, and waits that are found by a value. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "service/service.h"
#include "store/common/schema.h"
#include "store/upkeep/retention.h"
#include "tests/automation/fixture.h"

#define START(more) NODE("t", "trigger", "'eventName': 'order', 'dedupe_window': 0" more)
#define WAITS NODE("w", "wait", WAIT_DATA)
#define PAID "{'eventName': 'paid'}"
#define THIS                                                                                       \
	"'filter': {'rules': [{'property': 'event.id', 'operator': 'equals', 'value': {'var': "    \
	"'event.id'}}]}"
#define PRO "{'rules': [{'property': 'plan', 'operator': 'equals', 'value': 'pro'}]}"
#define REST "," WAITS "," EXIT
#define WAY EDGE("t", "w") "," EDGE("w", "x")

/* Plays a script: "@60" sets the clock to so many minutes, "!" runs the engine, and any other word
   is an event, NAME or NAME:JSON. */
static void
stopping_play(struct fixture *fixture, const char *script)
{
	g_auto(GStrv) words = g_strsplit(script, " ", -1);

	for (char **word = words; *word && **word; word++) {
		g_auto(GStrv) parts = g_strsplit(*word, ":", 2);

		if (**word == '@')
			fixture_at(g_ascii_strtoll(*word + 1, NULL, 10));
		else if (**word == '!')
			fixture_run(fixture);
		else
			fixture_event(fixture, parts[0], parts[1]);
	}
}

/* The reasons of the steps at which executions ended, with completion and cancellation. */
static char *
stopping_ends(struct fixture *fixture)
{
	return test_db_text(fixture->db,
	    "SELECT COALESCE(GROUP_CONCAT(CONCAT(COALESCE(e.completion, 0), ' ',"
	    " COALESCE(e.cancellation, 0), ' ', COALESCE(s.why, '-')) ORDER BY e.id SEPARATOR '|'),"
	    " '') FROM execution e LEFT JOIN execution_step s ON s.execution_id = e.id"
	    " AND s.sequence = e.step_count");
}

static const struct {
	const char *name, *nodes, *edges, *script, *want, *ends;
} cases[] = {
    {"goal by an event", START(", 'goal': {'any': [" PAID "]}") REST, WAY, "order ! paid",
	"COMPLETED w 2\n", "1 0 goal: paid came"},
    {"exit by an event", START(", 'exit': [" PAID "]") REST, WAY, "order ! paid",
	"CANCELLED w 2 exit\n", "0 4 exit: paid came"},
    {"goal before exit", START(", 'goal': {'any': [" PAID "]}, 'exit': [" PAID "]") REST, WAY,
	"order ! paid", "COMPLETED w 2\n", "1 0 goal: paid came"},
    {"another event", START(", 'exit': [" PAID "]") REST, WAY, "order ! seen",
	"WAITING w 2 until 1440\n", "0 0 -"},
    {"before the first step", START(", 'exit': [" PAID "]") REST, WAY, "order paid !",
	"CANCELLED t 1 exit\n", "0 4 exit: paid came"},
    {"the event that started it does not count", START(", 'exit': [{'eventName': 'order'}]") REST,
	WAY, "order !", "WAITING w 2 until 1440\n", "0 0 -"},
    {"filter that fails", START(", 'exit': [{'eventName': 'paid', " THIS "}]") REST, WAY,
	"order:{'id':1} ! paid:{'id':2}", "WAITING w 2 until 1440\n", "0 0 -"},
    {"filter with a value of the execution",
	START(", 'exit': [{'eventName': 'paid', " THIS "}]") REST, WAY,
	"order:{'id':1} order:{'id':2} ! paid:{'id':'2.0'}",
	"WAITING w 2 until 1440\nCANCELLED w 2 exit\n", "0 0 -|0 4 exit: paid came"},
    {"an exit by the trigger's event begins anew",
	START(", 'reentry': 'after_finish', 'exit': [{'eventName': 'order'}]") REST, WAY,
	"order ! @60 order !", "CANCELLED w 2 exit\nWAITING w 2 until 1500\n",
	"0 4 exit: order came|0 0 -"},
    {"rules at an event", START(", 'exit': [" PRO "]") REST, WAY, "order ! seen:{'plan':'pro'}",
	"CANCELLED w 2 exit\n", "0 4 exit: plan is \"pro\""},
    {"rules before a step",
	START(", 'goal': {'any': [" PRO "]}") "," NODE(
	    "u", "update_contact", "'set': {'plan': 'pro'}") REST,
	EDGE("t", "u") "," EDGE("u", "w") "," EDGE("w", "x"), "order !", "COMPLETED w 3\n",
	"1 0 goal: plan is \"pro\""},
    {"rules hold already", START(", 'goal': {'any': [" PRO "]}") REST, WAY,
	"order:{'plan':'pro'} !", "", ""},
    {"rules that ask for the event that started it",
	START(", 'exit': [{'rules': [{'property': 'event.id', 'operator': 'equals', 'value': "
	      "{'var': 'last'}}]}]") REST,
	WAY, "order:{'id':1} order:{'id':2} ! seen:{'last':2}",
	"WAITING w 2 until 1440\nCANCELLED w 2 exit\n", "0 0 -|0 4 exit: event.id is 2"},
    {"a goal that ends nothing", START(", 'goal': {'any': [" PAID "], 'ends': false}") REST, WAY,
	"order ! paid @1441 !", "COMPLETED x 3\n", "0 0 -"},
    {"a wait for the same event is not released",
	START(", 'goal': {'any': [" PAID "]}") "," NODE(
	    "v", "wait_for_event", "'eventName': 'paid'") "," EXIT,
	EDGE("t", "v") "," EDGE_BY("v", "event", "x"), "order ! paid !", "COMPLETED v 2\n",
	"1 0 goal: paid came"},
    {"a condition is one of several", START(", 'exit': [" PAID ", {'eventName': 'gone'}]") REST,
	WAY, "order ! gone", "CANCELLED w 2 exit\n", "0 4 exit: gone came"},
};

Test(stopping, ends_executions)
{
	AUTO(fixture) fixture = fixture_open();

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		fixture_clear(fixture);
		fixture_workflow(fixture, cases[i].nodes, cases[i].edges);
		stopping_play(fixture, cases[i].script);
		fixture_expect(cases[i].name, fixture_show(fixture), cases[i].want);
		fixture_expect(cases[i].name, stopping_ends(fixture), cases[i].ends);
	}
}

/* The first execution makes the rules hold when both waits are over. */
Test(stopping, leaves_a_wait_when_it_is_over)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    START(", 'exit': [" PRO "]") "," WAITS "," NODE(
		"u", "update_contact", "'set': {'plan': 'pro'}") "," EXIT,
	    EDGE("t", "w") "," EDGE("w", "u") "," EDGE("u", "x"));
	stopping_play(fixture, "order @1 order ! @2000 !");
	fixture_expect("ends", fixture_show(fixture), "CANCELLED x 4 exit\nCANCELLED w 2 exit\n");
	g_autofree char *query = g_strdup_printf("SELECT GROUP_CONCAT((left_at - %" G_GINT64_FORMAT
						 ") DIV 60000 ORDER BY execution_id)"
						 " FROM execution_step WHERE step_id = 'w'",
	    FIXTURE_START);
	fixture_expect("times", test_db_text(fixture->db, query), "1440,1441");
}

/* The times of goals, in minutes. */
static char *
stopping_goals(struct fixture *fixture)
{
	g_autofree char *query = g_strdup_printf(
	    "SELECT COALESCE(GROUP_CONCAT(COALESCE((goal_at - %" G_GINT64_FORMAT ") DIV 60000, '-')"
	    " ORDER BY id), '') FROM execution",
	    FIXTURE_START);

	return test_db_text(fixture->db, query);
}

#define WITHIN(more)                                                                               \
	"'goal': {'any': [" PAID "], 'within': {'duration': 3, 'unit': 'days'}" more "}"

Test(stopping, counts_goals_within_their_time)
{
	static const struct {
		const char *name, *goal, *script, *show, *goals;
	} times[] = {
	    {"while it runs", WITHIN(""), "order ! @60 paid", "COMPLETED w 2\n", "60"},
	    {"behind its end", WITHIN(""), "order ! @1441 ! @2000 paid @2001 paid",
		"COMPLETED x 3\n", "2000"},
	    {"in the last minute", WITHIN(""), "order ! @1441 ! @4319 paid", "COMPLETED x 3\n",
		"4319"},
	    {"too late", WITHIN(""), "order ! @1441 ! @4321 paid", "COMPLETED x 3\n", "-"},
	    {"without within it does not count behind the end", "'goal': {'any': [" PAID "]}",
		"order ! @1441 ! @2000 paid", "COMPLETED x 3\n", "-"},
	    {"noted once", WITHIN(", 'ends': false"), "order ! @60 paid @90 paid",
		"WAITING w 2 until 1440\n", "60"},
	};
	AUTO(fixture) fixture = fixture_open();

	for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
		g_autofree char *nodes = g_strdup_printf(START(", %s") REST, times[i].goal);

		fixture_clear(fixture);
		fixture_workflow(fixture, nodes, WAY);
		stopping_play(fixture, times[i].script);
		fixture_expect(times[i].name, fixture_show(fixture), times[i].show);
		fixture_expect(times[i].name, stopping_goals(fixture), times[i].goals);
	}
}

/* Parked executions end too, and leave nothing. */
Test(stopping, ends_what_is_parked)
{
	AUTO(fixture) fixture = fixture_open();
	struct base_id workflow =
	    fixture_workflow(fixture, START(", 'exit': [" PAID "]") REST, WAY);

	stopping_play(fixture, "order !");
	g_free(fixture_change(fixture, &workflow, "paused", NULL, NULL));
	stopping_play(fixture, "@1441 ! paid");
	fixture_expect("parked", fixture_show(fixture), "CANCELLED w 2 exit\n");
	g_free(fixture_change(fixture, &workflow, "active", NULL, NULL));
	stopping_play(fixture, "!");
	fixture_expect("resumed", fixture_show(fixture), "CANCELLED w 2 exit\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_watch"), 0);
}

static const struct {
	const char *name, *trigger, *script, *want, *keys;
} keyed[] = {
    {"once for each value", START(", 'reentry': 'once', 'key': 'event.id'"),
	"order:{'id':7} order:{'id':'7.0'} order:{'id':8} order:{'id':'x'} order",
	"WAITING w 2 until 1440\nWAITING w 2 until 1440\nWAITING w 2 until 1440\n"
	"WAITING w 2 until 1440\n",
	"7,8,x,"},
    {"after_finish for each value", START(", 'reentry': 'after_finish', 'key': 'event.id'"),
	"order:{'id':7} order:{'id':7} order:{'id':8} ! @1500 ! order:{'id':7.0}",
	"COMPLETED x 3\nCOMPLETED x 3\nWAITING w 2 until 2940\n", "7,8,7.0"},
    {"window for each value", NODE("t", "trigger", "'eventName': 'order', 'key': 'event.id'"),
	"order:{'id':1} order:{'id':1} order:{'id':2} @6 order:{'id':1}",
	"WAITING w 2 until 1440\nWAITING w 2 until 1440\nWAITING w 2 until 1446\n", "1,2,1"},
    {"no value, an object, an array", START(", 'reentry': 'once', 'key': 'event.id'"),
	"order order:{'id':{'a':1}} order:{'id':[1]} order:{'id':null}", "WAITING w 2 until 1440\n",
	""},
    {"true is not its word", START(", 'reentry': 'once', 'key': 'event.id'"),
	"order:{'id':true} order:{'id':'true'} order:{'id':true}",
	"WAITING w 2 until 1440\nWAITING w 2 until 1440\n", "true,true"},
};

Test(stopping, counts_entries_by_key)
{
	AUTO(fixture) fixture = fixture_open();

	for (gsize i = 0; i < G_N_ELEMENTS(keyed); i++) {
		g_autofree char *nodes = g_strconcat(keyed[i].trigger, REST, NULL);

		fixture_clear(fixture);
		fixture_workflow(fixture, nodes, WAY);
		stopping_play(fixture, keyed[i].script);
		fixture_run(fixture);
		fixture_expect(keyed[i].name, fixture_show(fixture), keyed[i].want);
		fixture_expect(keyed[i].name,
		    test_db_text(fixture->db,
			"SELECT COALESCE(GROUP_CONCAT(entry_key ORDER BY id), '-') FROM execution"),
		    keyed[i].keys);
	}
}

/* A key of 255 bytes is shown, and a longer one is its hash. */
Test(stopping, shows_long_keys_as_their_hash)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, START(", 'key': 'event.id'") REST, WAY);
	for (guint length = 255; length <= 256; length++) {
		g_autofree char *value = g_strnfill(length, 'k');
		g_autofree char *properties = g_strdup_printf("{'id': '%s'}", value);
		g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, value, -1);

		fixture_event(fixture, "order", properties);
		fixture_expect("key",
		    test_db_text(
			fixture->db, "SELECT entry_key FROM execution ORDER BY id DESC LIMIT 1"),
		    length > 255 ? hash : value);
	}
}

#define WAIT_THIS(more)                                                                            \
	NODE("v", "wait_for_event",                                                                \
	    "'eventName': 'paid', 'filter': {'match': 'all', 'rules': [{'property': 'event.id', "  \
	    "'operator': 'equals', 'value': {'var': 'event.id'}}" more "]}")

Test(stopping, releases_waits_by_their_value)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    START("") "," WAIT_THIS(
		", {'property': 'event.paid', 'operator': 'equals', 'value': true}") "," EXIT,
	    EDGE("t", "v") "," EDGE_BY("v", "event", "x"));
	stopping_play(fixture, "order:{'id':1} order:{'id':2} order !");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_watch"), 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_wait"), 0);
	stopping_play(fixture, "paid:{'id':2,'paid':false} paid:{'id':3,'paid':true} paid !");
	fixture_expect("none", fixture_show(fixture), "WAITING v 2\nWAITING v 2\nWAITING v 2\n");
	stopping_play(fixture, "paid:{'id':'2.0','paid':true} !");
	fixture_expect(
	    "the second", fixture_show(fixture), "WAITING v 2\nCOMPLETED x 3\nWAITING v 2\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_watch"), 2);
}

/* The result of a step does not change while the execution waits; a step that has none waits for an
   event without the value. */
Test(stopping, releases_waits_by_results_of_steps)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    START("") "," NODE("c", "wait_for_event", "'eventName': 'chosen'") "," NODE("v",
		"wait_for_event",
		"'eventName': 'paid', 'filter': {'rules': [{'property': 'event.id',"
		" 'operator': 'equals', 'value': {'var': 'step.c.event.id'}}]}") "," EXIT,
	    EDGE("t", "c") "," EDGE_BY("c", "event", "v") "," EDGE_BY("v", "event", "x"));
	stopping_play(fixture, "order ! chosen:{'id':7} !");
	cr_expect_eq(test_db_number(
			 fixture->db, "SELECT COUNT(*) FROM execution_watch WHERE property = 'id'"),
	    1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_wait"), 0);
	stopping_play(fixture, "paid:{'id':8} paid !");
	fixture_expect("none", fixture_show(fixture), "WAITING v 3\n");
	stopping_play(fixture, "paid:{'id':'7.0'} !");
	fixture_expect("released", fixture_show(fixture), "COMPLETED x 4\n");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution_watch"), 0);
}

/* Rows that the statements of this connection have read. */
static gint64
stopping_reads(struct fixture *fixture)
{
	return test_db_number(fixture->db,
	    "SELECT SUM(variable_value) FROM information_schema.session_status"
	    " WHERE variable_name LIKE 'Handler_read%'");
}

/* The reads of an event that releases a wait of one execution, of so many. */
static gint64
stopping_cost(struct fixture *fixture, guint count)
{
	g_autofree char *others = g_strdup_printf(
	    "INSERT INTO execution_watch (contact_id, event_name, property, hash, execution_id, "
	    "kind,"
	    " workspace_id) SELECT e.contact_id, 'paid', 'id', UNHEX(MD5(seq)), e.id, 1,"
	    " e.workspace_id FROM execution e, seq_1_to_%u",
	    count);

	fixture_clear(fixture);
	test_db_plain(fixture->db, "DELETE FROM execution_watch");
	fixture_workflow(fixture, START("") "," WAIT_THIS("") "," EXIT,
	    EDGE("t", "v") "," EDGE_BY("v", "event", "x"));
	stopping_play(fixture, "order:{'id':1} !");
	/* The figures of a connection that is long open are those of a table that was small. */
	test_db_plain(fixture->db, "ANALYZE TABLE execution_watch PERSISTENT FOR ALL");
	test_db_plain(fixture->db, others);
	gint64 before = stopping_reads(fixture);
	stopping_play(fixture, "paid:{'id':1}");
	gint64 reads = stopping_reads(fixture) - before;
	stopping_play(fixture, "!");
	fixture_expect("released", fixture_show(fixture), "COMPLETED x 3\n");
	return reads;
}

Test(stopping, finds_one_of_many_waits_by_index)
{
	AUTO(fixture) fixture = fixture_open();

	stopping_cost(fixture, 1);
	gint64 few = stopping_cost(fixture, 1), many = stopping_cost(fixture, 10000);
	cr_expect_leq(many, few + 20,
	    "one of 10,000 took %" G_GINT64_FORMAT " reads, one alone %" G_GINT64_FORMAT, many,
	    few);
}

/* Counted on the day, and once for each execution. */
Test(stopping, counts_figures)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    START(", 'goal': {'any': [" PAID "]}, 'exit': [{'eventName': 'gone'}]") REST, WAY);
	stopping_play(fixture, "order ! paid order ! gone order ! @1441 !");
	fixture_expect("executions",
	    test_db_text(fixture->db,
		"SELECT CONCAT_WS(' ', SUM(accepted), SUM(sent), SUM(delivered), SUM(bounced),"
		" SUM(complained), SUM(opened)) FROM figure WHERE dimension = 9"),
	    "3 2 1 1 0 0");
	fixture_expect("steps",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(CONCAT(name, ' ', entered) ORDER BY name SEPARATOR ' ')"
		" FROM (SELECT name, SUM(accepted) AS entered FROM figure WHERE dimension = 10"
		" GROUP BY name) f"),
	    "t 3 w 3 x 1");
}

/* A version hears the own events of its goals and exits; rules hear of changes of the person. */
Test(stopping, hears_own_events)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture,
	    START(", 'goal': {'any': [{'eventName': 'topic.joined'}, " PAID "]}, 'exit': [" PRO "]")
		REST,
	    WAY);
	fixture_expect("names",
	    test_db_text(fixture->db,
		"SELECT GROUP_CONCAT(event_name ORDER BY event_name) FROM workflow_heard"),
	    "person.updated,topic.joined");
}

/* Names that were stored before goals counted behind the last execution. */
Test(stopping, hears_goals_of_versions_that_were_active)
{
	static const char within[] =
	    "SELECT GROUP_CONCAT(event_name, ' ', goal_within ORDER BY event_name SEPARATOR ', ')"
	    " FROM workflow_heard";
	static const struct {
		const char *nodes, *want;
	} versions[] = {
	    {START(", 'goal': {'any': [{'eventName': ' Topic.joined '}, " PAID
		   "], 'within': {'duration': 2, 'unit': 'days'}}, 'exit': [{'eventName': "
		   "'topic.left'}]") REST,
		"topic.joined 172800000, topic.left 0"},
	    {START(", 'goal': {'any': [" PRO "], 'within': {'duration': 3, 'unit': 'hours'}}") REST,
		"person.updated 10800000"},
	    {START(", 'goal': {'any': [" PRO "]}") REST, "person.updated 0"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(versions); i++) {
		AUTO(fixture) fixture = fixture_open();

		fixture_workflow(fixture, versions[i].nodes, WAY);
		fixture_expect("stored", test_db_text(fixture->db, within), versions[i].want);
		test_db_plain(fixture->db, "UPDATE workflow_heard SET goal_within = 0");
		test_db_plain(fixture->db, "DELETE FROM schema_version WHERE version = 470");
		cr_assert(store_schema_migrate(fixture->db, NULL, NULL, NULL));
		fixture_expect("repaired", test_db_text(fixture->db, within), versions[i].want);
	}
}

/* Retention takes the executions, and their figures stay. */
Test(stopping, keeps_figures_when_executions_go)
{
	static const char figures[] =
	    "SELECT GROUP_CONCAT(CONCAT_WS(' ', dimension, name, accepted, sent, delivered,"
	    " bounced) ORDER BY dimension, name, day, stripe) FROM figure WHERE dimension IN (9,"
	    " 10)";
	AUTO(fixture) fixture = fixture_open();
	guint removed;

	fixture_workflow(fixture,
	    START(", 'goal': {'any': [" PAID "]}, 'exit': [{'eventName': 'gone'}]") REST, WAY);
	stopping_play(fixture, "order ! paid order ! gone order ! @1441 !");
	g_autofree char *before = test_db_text(fixture->db, figures);
	cr_assert(store_retention_executions(
	    fixture->db, FIXTURE_START + 2 * (gint64)DAY * 60000, &removed, NULL));
	cr_expect_eq(removed, 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), 0);
	fixture_expect("kept", test_db_text(fixture->db, figures), before);
}

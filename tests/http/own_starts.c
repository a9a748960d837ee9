/* SPDX-License-Identifier: MIT */
/* Workflows that segments, dates and schedules start. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "service/metrics.h"
#include "tests/http/alone.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

FIXTURE_SUITE(own_starts, 900);

#define LOOK_MS ((gint64)301 * 1000)
#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define COUNTED_MS 20000
#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8000"

static char *
own_starts_ask(const char *method, const char *path, const char *body, const char *member)
{
	const struct exchange exchange = {body ? body : path, method, path, body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return member ? g_strdup(answer_text(answer, member)) : NULL;
}

static gint64
own_starts_counted(const char *source)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT COALESCE(SUM(value), 0) FROM metric WHERE name = %d AND labels = '%s'",
	    METRIC_STARTS, source);

	return test_db_number(fixture->db, sql);
}

/* Expects so many starts in the figures, which processes store every few seconds. */
static void
own_starts_expect_counted(const char *source, gint64 want)
{
	gint64 end = g_get_monotonic_time() / 1000 + COUNTED_MS;

	while (own_starts_counted(source) < want && g_get_monotonic_time() / 1000 < end)
		g_usleep(50000);
	cr_expect_eq(own_starts_counted(source), want, "%s", source);
}

/* Makes an active workflow whose executions wait; data: the members of its trigger's. */
static char *
own_starts_make(const char *data)
{
	g_autofree char *body = g_strdup_printf(
	    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger','data':{%s"
	    "}},{'id':'p','type':'wait','data':{'duration':30,'unit':'days'}}],'edges':[{'source':"
	    "'t','target':'p'}]}}",
	    data);
	g_autofree char *id = own_starts_ask("POST", "/v1/workflows", body, "workflow_id");

	return g_strconcat("/v1/workflows/", id, NULL);
}

static void
own_starts_person(const char *email, const char *properties)
{
	g_autofree char *body = g_strdup_printf(
	    "{'email':'%s','time_zone':'Europe/Berlin','properties':%s}", email, properties);

	g_free(own_starts_ask("POST", "/v1/people", body, NULL));
}

static void
own_starts_change(const char *email, const char *properties)
{
	g_autofree char *path = g_strconcat("/v1/people/", email, NULL);
	g_autofree char *body = g_strdup_printf("{'properties':%s}", properties);

	g_free(own_starts_ask("PATCH", path, body, NULL));
}

/* The addresses of all executions, in order. */
static void
own_starts_expect(const char *what, const char *want)
{
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT COALESCE(GROUP_CONCAT(LEFT(email, 1) ORDER BY email SEPARATOR ''), '')"
	    " FROM execution WHERE workspace_id = @workspace");

	cr_expect_str_eq(got, want, "%s: got %s, want %s", what, got, want);
}

static char *
own_starts_segment(void)
{
	return own_starts_ask("POST", "/v1/segments",
	    "{'name':'Pro','rules':{'match':'all','rules':[{'property':'plan','operator':"
	    "'equals','value':'pro'}]}}",
	    "id");
}

Test(own_starts, by_segments)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *segment = own_starts_segment();
	own_starts_person("ann@example.net", "{'plan':'pro'}");
	own_starts_person("bob@example.net", "{}");
	g_autofree char *data =
	    g_strdup_printf("'eventName':'segment.entered','segmentId':'%s'", segment);
	g_autofree char *left = g_strdup_printf(
	    "'eventName':'segment.left','segmentId':'%s','reentry':'once'", segment);
	g_autofree char *path = own_starts_make(data);
	g_autofree char *other = own_starts_make(left);
	g_autofree char *of = g_strconcat("/v1/segments/", segment, NULL);
	const struct exchange used = {
	    "in use", "DELETE", of, NULL, 409, "{'message':'Segment is in use'}"};

	alone_spool(fixture, 0);
	own_starts_expect("the first look only stores", "");
	own_starts_change("bob@example.net", "{'plan':'pro'}");
	own_starts_person("cyd@example.net", "{'plan':'pro'}");
	alone_spool(fixture, 1000);
	own_starts_expect("no look is due", "");
	alone_spool(fixture, LOOK_MS);
	alone_spool(fixture, LOOK_MS);
	own_starts_expect("entered", "bc");
	g_autofree char *properties = test_db_text(fixture->db,
	    "SELECT MAX(properties) FROM automation_event WHERE workspace_id = @workspace AND name"
	    " = 'segment.entered'");
	g_autofree char *want = g_strdup_printf("{\"segment_id\":\"%s\"}", segment);
	cr_expect_str_eq(properties, want);
	own_starts_change("ann@example.net", "{'plan':'free'}");
	alone_spool(fixture, 2 * LOOK_MS);
	alone_spool(fixture, 2 * LOOK_MS);
	own_starts_expect("left", "abc");
	answer_free(exchange_expect(fixture, &used));
	g_free(own_starts_ask("PATCH", of,
	    "{'rules':{'match':'all','rules':[{'property':'plan','operator':'exists'}]}}", NULL));
	alone_spool(fixture, 3 * LOOK_MS);
	alone_spool(fixture, 3 * LOOK_MS);
	own_starts_expect("an edit starts nobody", "abc");
	g_free(own_starts_ask("PATCH", path, "{'status':'paused'}", NULL));
	g_free(own_starts_ask("PATCH", other, "{'status':'draft'}", NULL));
	answer_free(exchange_expect(fixture, &used));
	own_starts_person("eve@example.net", "{'plan':'x'}");
	alone_spool(fixture, 4 * LOOK_MS);
	alone_spool(fixture, 4 * LOOK_MS);
	own_starts_expect("paused", "abc");
	g_free(own_starts_ask("PATCH", path, "{'status':'draft'}", NULL));
	g_free(own_starts_ask("DELETE", of, NULL, NULL));
}

Test(own_starts, by_all_who_are_in)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *segment = own_starts_segment();
	own_starts_person("ann@example.net", "{'plan':'pro'}");
	g_autofree char *data = g_strdup_printf(
	    "'eventName':'segment.entered','segmentId':'%s','include':'all'", segment);
	gint64 counted = own_starts_counted("segment");
	g_autofree char *path = own_starts_make(data);
	g_autofree char *starts = g_strconcat(path, "/starts", NULL);
	const struct exchange exchange = {"start", "GET", starts, NULL, 200,
	    .want = {"count = 1", "starts[0].source = 'segment'", "starts[0].status = 'done'",
		"starts[0].counts.started = 1"}};

	alone_spool(fixture, 0);
	own_starts_expect("all", "a");
	g_free(own_starts_ask("PATCH", path, "{'status':'paused'}", NULL));
	g_free(own_starts_ask("PATCH", path, "{'status':'active'}", NULL));
	alone_spool(fixture, 0);
	answer_free(exchange_expect(fixture, &exchange));
	own_starts_expect("once", "a");
	own_starts_expect_counted("segment", counted + 1);
}

Test(own_starts, by_dates)
{
	ALONE_SET(fixture, NULL);
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autoptr(GDateTime) soon = g_date_time_add_days(now, 3);
	g_autofree char *date = g_date_time_format(soon, "{'ends':'%Y-%m-%d'}");
	g_autofree char *time = g_date_time_format(soon, "{'ends':'%Y-%m-%dT12:00:00Z'}");
	g_autofree char *yearly = g_date_time_format(soon, "{'ends':'--%m-%d'}");
	g_autofree char *path =
	    own_starts_make("'eventName':'date.reached','date':{'property':'ends','days':-1,"
			    "'at':'08:30'},'reentry':'every'");

	own_starts_person("ann@example.net", date);
	own_starts_person("bob@example.net", time);
	own_starts_person("cyd@example.net", yearly);
	own_starts_person("dan@example.net", "{'ends':'soon'}");
	own_starts_person("eve@example.net", "{}");
	alone_spool(fixture, 0);
	own_starts_expect("not yet", "");
	alone_spool(fixture, 3 * DAY_MS);
	alone_spool(fixture, 3 * DAY_MS);
	own_starts_expect("late", "ab");
	g_autofree char *event = test_db_text(fixture->db,
	    "SELECT MIN(properties) FROM automation_event WHERE workspace_id = @workspace AND name"
	    " = 'date.reached'");
	g_autoptr(GDateTime) day = g_date_time_add_days(soon, -1);
	g_autofree char *want = g_date_time_format(soon, "\"value\":\"%Y-%m-%d\"");
	g_autofree char *on = g_date_time_format(day, "\"date\":\"%Y-%m-%d\"");
	cr_expect(strstr(event, "{\"property\":\"ends\","), "%s", event);
	cr_expect(strstr(event, want) && strstr(event, on), "%s", event);
	static const struct exchange unlisted = {"told to one workflow", "GET",
	    "/v1/automation/contacts/ann@example.net/events", NULL, 200, .want = {"count = 0"}};
	answer_free(exchange_expect(fixture, &unlisted));
	own_starts_change("ann@example.net", "{'ends':null}");
	own_starts_change("ann@example.net", date);
	alone_spool(fixture, 4 * DAY_MS);
	alone_spool(fixture, 4 * DAY_MS);
	own_starts_expect("once", "ab");
}

Test(own_starts, by_schedules)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *segment = own_starts_segment();
	own_starts_person("ann@example.net", "{'plan':'pro'}");
	own_starts_person("bob@example.net", "{}");
	g_autofree char *data = g_strdup_printf(
	    "'eventName':'schedule.due','schedule':{'cron':'0 9 * * *'},'segmentId':'%s'", segment);
	g_autofree char *path = own_starts_make(data);
	g_autofree char *starts = g_strconcat(path, "/starts", NULL);
	const struct exchange exchange = {"start", "GET", starts, NULL, 200,
	    .want = {"count = 1", "starts[0].source = 'schedule'", "starts[0].status = 'done'",
		"starts[0].scheduled_at : integer", "starts[0].counts.started = 1"}};

	alone_spool(fixture, 0);
	own_starts_expect("before", "");
	alone_spool(fixture, 3 * DAY_MS);
	answer_free(exchange_expect(fixture, &exchange));
	own_starts_expect("the latest tick", "a");
	g_autofree char *event = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(name, ' ', properties) FROM automation_event"
	    " WHERE workspace_id = @workspace");
	cr_expect(g_str_has_prefix(event, "schedule.due {\"scheduled_at\":"), "%s", event);
	alone_spool(fixture, 3 * DAY_MS);
	answer_free(exchange_expect(fixture, &exchange));
}

/* A tick that has passed, and of which the spool knows nothing yet, outlives a change of its
   workflow: the change makes its start. */
Test(own_starts, by_schedules_that_change)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *segment = own_starts_segment();
	own_starts_person("ann@example.net", "{'plan':'pro'}");
	static const struct {
		const char *name, *change;
		guint want; /* starts */
		const char *status;
	} cases[] = {
	    {"a name", "{'name':'V'}", 1, "done"},
	    {"a version",
		"{'design':{'nodes':[{'id':'t','type':'trigger','data':{%s}}],'edges':[]}}", 1,
		"done"},
	    {"another trigger",
		"{'design':{'nodes':[{'id':'t','type':'trigger','data':{'eventName':'x'}}],"
		"'edges':[]}}",
		1, "done"},
	    {"a pause", "{'status':'paused'}", 1, "pending"},
	};
	gint64 counted = own_starts_counted("schedule");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *data = g_strdup_printf(
		    "'eventName':'schedule.due','schedule':{'cron':'0 0 1 1 *'},'segmentId':'%s'",
		    segment);
		g_autofree char *path = own_starts_make(data);
		g_autofree char *starts = g_strconcat(path, "/starts", NULL);
		/* clang-format off */
		g_autofree char *change = strstr(cases[i].change, "%s")
			? g_strdup_printf("{'design':{'nodes':[{'id':'t','type':'trigger','data':{%s}}],"
					  "'edges':[]}}", data)
			: g_strdup(cases[i].change);
		/* clang-format on */
		const struct exchange patch = {cases[i].name, "PATCH", path, change, 200};
		const struct exchange pause = {"stop", "PATCH", path, "{'status':'draft'}", 200};
		g_autofree char *count = g_strdup_printf("count = %u", cases[i].want);
		g_autofree char *status =
		    g_strdup_printf("starts[0].status = '%s'", cases[i].status);
		const struct exchange made = {cases[i].name, "GET", starts, NULL, 200,
		    .want = {count, status, "starts[0].source = 'schedule'"}};

		test_db_plain(fixture->db,
		    "UPDATE workflow_schedule SET next_at = (UNIX_TIMESTAMP() - 30) DIV 60 * 60000"
		    " WHERE workspace_id = @workspace");
		answer_free(exchange_expect(fixture, &patch));
		alone_spool(fixture, 0);
		alone_spool(fixture, 0);
		answer_free(exchange_expect(fixture, &made));
		answer_free(exchange_expect(fixture, &pause));
	}
	own_starts_expect_counted("schedule", counted + G_N_ELEMENTS(cases));
}

/* A tick whose predecessor still runs begins nobody. */
Test(own_starts, by_schedules_whose_last_start_still_runs)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *segment = own_starts_segment();
	own_starts_person("ann@example.net", "{'plan':'pro'}");
	g_autofree char *data = g_strdup_printf("'eventName':'schedule.due','schedule':{'cron':'0 "
						"0 1 1 *'},'segmentId':'%s','reentry':'once'",
	    segment);
	g_autofree char *path = own_starts_make(data);
	g_autofree char *starts = g_strconcat(path, "/starts", NULL);
	const struct exchange shown = {"starts", "GET", starts, NULL, 200,
	    .want = {"count = 2", "starts[0].status = 'skipped'", "starts[0].source = 'schedule'",
		"starts[0].completed_at : integer", "starts[0].counts.people = 0",
		"starts[1].status = 'done'", "starts[1].counts.started = 1"}};

	test_db_plain(fixture->db,
	    "UPDATE workflow_schedule SET next_at = UNIX_TIMESTAMP() * 1000 - 180000"
	    " WHERE workspace_id = @workspace");
	alone_spool(fixture, 0);
	own_starts_expect("the first tick", "a");
	test_db_plain(fixture->db, "UPDATE workflow_start SET status = 2, completed = NULL"
				   " WHERE workspace_id = @workspace");
	test_db_plain(fixture->db,
	    "UPDATE workflow_schedule SET next_at = UNIX_TIMESTAMP() * 1000 - 30000"
	    " WHERE workspace_id = @workspace");
	alone_spool(fixture, 0);
	own_starts_expect("the second tick", "a");
	answer_free(exchange_expect(fixture, &shown));
}

/* The last look is in the metrics, in seconds. */
Test(own_starts, tell_how_long_a_look_took)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *segment = own_starts_segment();
	g_autofree char *data =
	    g_strdup_printf("'eventName':'segment.entered','segmentId':'%s'", segment);
	g_autofree char *counted = g_strdup_printf(
	    "SELECT COUNT(*) FROM metric WHERE name = %d AND value >= 0", METRIC_LOOK_SECONDS);

	/* Workflows of other tests hear nothing from now on. */
	test_db_plain(fixture->db, "DELETE FROM workflow_heard");
	test_db_plain(fixture->db, "DELETE FROM metric");
	alone_spool(fixture, 0);
	cr_expect_eq(test_db_number(fixture->db, counted), 0, "nothing is heard");
	g_free(own_starts_make(data));
	alone_spool(fixture, 0);
	cr_expect_eq(test_db_number(fixture->db, counted), 1, "heard");
}

Test(own_starts, are_checked)
{
	ALONE_SET(fixture, NULL);
	static const struct {
		const char *data, *want;
	} cases[] = {
	    {"'eventName':'segment.entered'", "data.segmentId is required"},
	    {"'eventName':'segment.left','segmentId':'x'", "data.segmentId is not a segment"},
	    {"'eventName':'segment.left','segmentId':'" UNKNOWN "'",
		"data.segmentId is not a segment"},
	    {"'eventName':'signed_up','segmentId':'" UNKNOWN "'",
		"data.segmentId does not go with data.eventName signed_up"},
	    {"'eventName':'segment.left','segmentId':'" UNKNOWN "','include':'all'",
		"data.include does not go with data.eventName segment.left"},
	    {"'eventName':'segment.entered','segmentId':'" UNKNOWN "','include':'some'",
		"data.include must be new or all"},
	    {"'eventName':'date.reached'", "data.date is required"},
	    {"'eventName':'date.reached','date':{}", "data.date.property is required"},
	    {"'eventName':'date.reached','date':{'property':'x','at':'9'}",
		"data.date.at must be a time such as 09:00"},
	    {"'eventName':'date.reached','date':{'property':'x','zone':'Mars'}",
		"data.date.zone must be an IANA time zone"},
	    {"'eventName':'date.reached','date':{'property':'x','repeat':'daily'}",
		"data.date.repeat must be once or yearly"},
	    {"'eventName':'schedule.due'", "data.schedule is required"},
	    {"'eventName':'schedule.due','schedule':{'cron':'0 0 30 2 *'}",
		"data.schedule.cron never comes"},
	    {"'eventName':'schedule.due','schedule':{'cron':'0 9 * *'}",
		"data.schedule.cron must have five fields, such as 0 9 * * 1"},
	    {"'eventName':'schedule.due','schedule':{'cron':'0 9 * * 1'}",
		"exactly one of data.audienceId, data.segmentId is required"},
	    {"'eventName':'schedule.due','schedule':{'cron':'0 9 * * 1'},'audienceId':'" UNKNOWN
	     "'",
		"data.audienceId is not an audience"},
	    {"'eventName':'schedule.due','schedule':{'cron':'0 9 * * 1'},'segmentId':'" UNKNOWN "'",
		"data.segmentId is not a segment"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger',"
		    "'data':{%s}}],'edges':[]}}",
		    cases[i].data);
		g_autofree char *want =
		    g_strdup_printf("{'message':'node \\\"t\\\": %s'}", cases[i].want);
		const struct exchange exchange = {
		    cases[i].data, "POST", "/v1/workflows", body, 400, want};

		answer_free(exchange_expect(fixture, &exchange));
	}
}

/* Nobody enters or leaves a frozen segment: no trigger, wait, goal or exit can hear of it. */
Test(own_starts, of_frozen_segments_are_refused)
{
	ALONE_SET(fixture, NULL);
	static const struct {
		const char *nodes, *path;
	} cases[] = {
	    {"{'id':'t','type':'trigger','data':{'eventName':'segment.entered',%s}}", ""},
	    {"{'id':'t','type':'trigger','data':{'eventName':'a','exit':[{'eventName':"
	     "'segment.left',%s}]}}",
		"exit[0]."},
	    {"{'id':'t','type':'trigger','data':{'eventName':'a','goal':{'any':[{'eventName':'b'},"
	     "{'eventName':'segment.entered',%s}]}}}",
		"goal.any[1]."},
	};
	g_autofree char *id = own_starts_ask("POST", "/v1/segments",
	    "{'name':'S','rules':{'rules':[{'property':'a','operator':'exists'}]}}", "id");
	g_autofree char *freeze = g_strdup_printf("/v1/segments/%s/freeze", id);
	g_autofree char *frozen = own_starts_ask("POST", freeze, "{'name':'F'}", "id");
	g_autofree char *segments[] = {
	    g_strdup_printf("'segmentId':'%s'", id), g_strdup_printf("'segmentId':'%s'", frozen)};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize j = 0; j < G_N_ELEMENTS(segments); j++) {
			g_auto(GStrv) parts = g_strsplit(cases[i].nodes, "%s", 2);
			g_autofree char *body = g_strdup_printf(
			    "{'name':'W','status':'active','design':{'nodes':[%s%s%s],'edges':[]}}",
			    parts[0], segments[j], parts[1]);
			g_autofree char *want = g_strdup_printf(
			    "{'message':'node \\\"t\\\": data.%ssegmentId is frozen'}",
			    cases[i].path);
			const struct exchange exchange = {body, "POST", "/v1/workflows", body,
			    j == 0 ? 200 : 400, j == 0 ? NULL : want};

			answer_free(exchange_expect(fixture, &exchange));
		}
}

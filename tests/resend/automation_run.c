/* SPDX-License-Identifier: MIT */
/* Runs of automations under /resend, from the event to the end. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/person.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/exchange.h"

#define DAY_MS (24 * 60 * 60 * 1000LL)
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(resend_automation_run, 900);

static struct answer *
resend_automation_run_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, method, path, body, status};

	return exchange_expect(fixture, &exchange);
}

static void
resend_automation_run_happen(const char *body)
{
	answer_free(resend_automation_run_ask("POST", "/resend/events/send", body, 202));
}

/* The path of an automation that waits for a day, asks for the plan and sends an email. */
static char *
resend_automation_run_start(void)
{
	answer_free(resend_automation_run_ask("POST", "/resend/templates",
	    "{'name':'T','alias':'hello','html':'<p>{{{NAME}}} has {{PLAN}}, {{N}} times',"
	    "'subject':'Hi {{{NAME}}}','from':'Me <me@example.com>','variables':["
	    "{'key':'NAME','type':'string','fallback_value':'you'},"
	    "{'key':'PLAN','type':'string'},{'key':'N','type':'number'}]}",
	    201));
	answer_free(
	    resend_automation_run_ask("POST", "/resend/templates/hello/publish", NULL, 200));
	AUTO(answer) answer = resend_automation_run_ask("POST", "/resend/automations",
	    "{'name':'Trial','status':'enabled','steps':["
	    "{'key':'start','type':'trigger','config':{'event_name':'trial.started'}},"
	    "{'key':'name','type':'contact_update','config':{'first_name':{'var':'event.name'},"
	    "'properties':{'seen':true}}},"
	    "{'key':'pause','type':'delay','config':{'duration':'1 day'}},"
	    "{'key':'paid','type':'wait_for_event','config':{'event_name':'paid','timeout':"
	    "'2 days'}},"
	    "{'key':'large','type':'condition','config':{'type':'rule','field':'event.seats',"
	    "'operator':'gte','value':5}},"
	    "{'key':'mail','type':'send_email','config':{'template':{'id':'hello','variables':{"
	    "'NAME':{'var':'contact.first_name'},'PLAN':{'var':'event.plan'},'N':3}}}},"
	    "{'key':'none','type':'contact_update','config':{'properties':{'small':true}}}],"
	    "'connections':[{'from':'start','to':'name'},{'from':'name','to':'pause'},"
	    "{'from':'pause','to':'paid','type':'default'},"
	    "{'from':'paid','to':'large','type':'timeout'},"
	    "{'from':'large','to':'mail','type':'condition_met'},"
	    "{'from':'large','to':'none','type':'condition_not_met'}]}",
	    201);

	return g_strconcat("/resend/automations/", answer_text(answer, "id"), NULL);
}

/* The path of the newest run. */
static char *
automation_run_run(const char *automation)
{
	g_autofree char *path = g_strconcat(automation, "/runs", NULL);
	AUTO(answer) list = resend_automation_run_ask("GET", path, NULL, 200);

	return g_strconcat(path, "/", answer_text(list, "data[0].id"), NULL);
}

static void
expect_steps(const char *path, const char *status, const char *want)
{
	g_autofree char *status_is = g_strdup_printf("status = '%s'", status);
	const struct exchange get = {path, "GET", path, .want_status = 200,
	    .want = {"object = 'automation_run'", status_is, "started_at : string",
		"created_at : string", "steps[0].started_at : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &get);
	const struct json *steps = answer_at(answer, "steps");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(steps); i++) {
		const struct json *step = json_array_at(steps, i);

		g_string_append_printf(
		    got, "%s%s", i ? " " : "", json_string(json_member_get(step, "status"), NULL));
		/* A step that was not entered has the time of the run. */
		if (json_kind(json_member_get(step, "started_at")) == JSON_NULL)
			cr_expect_str_eq(json_string(json_member_get(step, "created_at"), NULL),
			    answer_text(answer, "created_at"), "%s: %zu", path, i);
	}
	cr_expect_str_eq(got->str, want, "%s: got %s, want %s", path, got->str, want);
}

Test(resend_automation_run, goes_from_event_to_email)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *automation = resend_automation_run_start();
	resend_automation_run_happen("{'event':'Trial.Started','email':'ada@example.net','payload':"
				     "{'name':'Ada','seats':5,'plan':'pro & more'}}");
	g_autofree char *path = automation_run_run(automation);

	expect_steps(path, "running", "running pending pending pending pending pending pending");
	alone_spool(fixture, 0);
	expect_steps(
	    path, "running", "completed completed waiting pending pending pending pending");
	alone_spool(fixture, DAY_MS + 1000);
	expect_steps(
	    path, "running", "completed completed completed waiting pending pending pending");
	alone_spool(fixture, 3 * DAY_MS + 2000);
	expect_steps(path, "completed",
	    "completed completed completed completed completed completed skipped");
	const struct exchange exchanges[] = {
	    {"the run", "GET", path, .want_status = 200,
		.want = {"completed_at : string", "steps[1].key = 'name'",
		    "steps[1].type = 'contact_update'", "steps[1].output : null",
		    "steps[1].error : null", "steps[1].started_at : string",
		    "steps[1].completed_at : string", "steps[5].completed_at : string",
		    "steps[6].started_at : null", "steps[6].created_at : string"}},
	    {"the contact", "GET", "/v1/automation/contacts/ada@example.net", .want_status = 200,
		.want = {"properties = {'seen':true}"}},
	    {"the person", "GET", "/v1/people/ada@example.net", .want_status = 200,
		.want = {"first_name = 'Ada'", "last_name = null"}},
	};
	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) emails = resend_automation_run_ask("GET", "/resend/emails", NULL, 200);
	cr_expect_str_eq(answer_text(emails, "data[0].subject"), "Hi Ada");
	cr_expect_str_eq(answer_text(emails, "data[0].from"), "Me <me@example.com>");
	g_autofree char *email =
	    g_strconcat("/resend/emails/", answer_text(emails, "data[0].id"), NULL);
	AUTO(answer) sent = resend_automation_run_ask("GET", email, NULL, 200);
	cr_expect_str_eq(answer_text(sent, "html"), "<p>Ada has pro &amp; more, 3 times");
	AUTO(arrival) arrival = arrival_wait(fixture, answer_text(emails, "data[0].id"));
	cr_expect(arrival_has_line(arrival, "List-Unsubscribe: <http"), "no List-Unsubscribe");
}

Test(resend_automation_run, takes_the_other_ways)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *automation = resend_automation_run_start();
	resend_automation_run_happen(
	    "{'event':'trial.started','email':'ada@example.net','payload':{'seats':4}}");
	g_autofree char *small = automation_run_run(automation);
	exchange_next_moment();
	resend_automation_run_happen(
	    "{'event':'trial.started','email':'bob@example.net','payload':{'seats':6}}");
	g_autofree char *failed = automation_run_run(automation);
	exchange_next_moment();
	/* Each event counts. */
	resend_automation_run_happen("{'event':'trial.started','email':'bob@example.net'}");
	g_autofree char *paid = automation_run_run(automation);

	cr_expect_str_neq(paid, failed);
	alone_spool(fixture, 0);
	alone_spool(fixture, DAY_MS + 1000);
	alone_spool(fixture, 3 * DAY_MS + 2000);
	expect_steps(small, "completed",
	    "completed completed completed completed completed skipped completed");
	expect_steps(
	    failed, "failed", "completed completed completed completed completed failed skipped");
	const struct exchange exchanges[] = {
	    {"its error", "GET", failed, .want_status = 200,
		.want = {"steps[5].error.message : string", "steps[5].completed_at : string",
		    "completed_at : string"}},
	};
	EXPECT_ALL(fixture, exchanges);
	g_autofree char *runs = g_strconcat(automation, "/runs", NULL);
	g_autofree char *first = g_strconcat(runs, "?limit=1", NULL);
	g_autofree char *some = g_strconcat(runs, "?status=failed&status=cancelled", NULL);
	g_autofree char *none = g_strconcat(runs, "?status=running", NULL);
	g_autofree char *bad = g_strconcat(runs, "?status=failed,x", NULL);
	g_autofree char *unknown = g_strconcat(runs, "/" UNKNOWN, NULL);
	const struct exchange lists[] = {
	    {"all", "GET", runs, .want_status = 200,
		.want = {"object = 'list'", "has_more = false", "data[0].status = 'completed'",
		    "data[1].status = 'failed'", "data[2].status = 'completed'",
		    "data[2].steps : absent", "data[3] : null"}},
	    {"one", "GET", first, .want_status = 200,
		.want = {"has_more = true", "data[0].id : string", "data[1] : null"}},
	    {"failed", "GET", some, .want_status = 200,
		.want = {"data[0].status = 'failed'", "data[1] : null"}},
	    {"running", "GET", none, .want_status = 200, .want = {"data = []"}},
	    {"unknown status", "GET", bad, .want_status = 422},
	    {"unknown run", "GET", unknown, .want_status = 404,
		.want = {"message = 'Automation run not found'"}},
	};
	EXPECT_ALL(fixture, lists);
}

Test(resend_automation_run, ends_with_the_automation)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *automation = resend_automation_run_start();
	resend_automation_run_happen("{'event':'trial.started','email':'ada@example.net'}");
	g_autofree char *path = automation_run_run(automation);
	g_autofree char *stop = g_strconcat(automation, "/stop", NULL);

	alone_spool(fixture, 0);
	answer_free(resend_automation_run_ask("POST", stop, NULL, 200));
	expect_steps(
	    path, "cancelled", "completed completed skipped skipped skipped skipped skipped");
	resend_automation_run_happen("{'event':'trial.started','email':'ada@example.net'}");
	g_autofree char *same = automation_run_run(automation);
	cr_expect_str_eq(same, path, "a stopped automation has started");
	answer_free(resend_automation_run_ask("PATCH", automation, "{'status':'enabled'}", 200));
	resend_automation_run_happen("{'event':'trial.started','email':'ada@example.net'}");
	g_autofree char *next = automation_run_run(automation);
	alone_spool(fixture, 0);
	expect_steps(
	    next, "running", "completed completed waiting pending pending pending pending");
}

/* The text with a name of the greatest length for each asterisk. */
static char *
automation_run_fill(const char *text)
{
	g_autofree char *name = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	g_auto(GStrv) parts = g_strsplit(text, "*", -1);

	return g_strjoinv(name, parts);
}

/* Each event, and the names that the contact has afterwards. */
Test(resend_automation_run, changes_the_names_of_a_contact)
{
	static const struct {
		const char *payload, *status, *first, *last;
	} cases[] = {
	    {"{'first':'Ada','last':'Byron'}", "completed", "'Ada'", "'Byron'"},
	    {"{'first':7,'last':true}", "completed", "'7'", "'true'"},
	    {"{'first':null,'last':''}", "completed", "null", "null"},
	    {"{'first':'Grace','last':'Hopper'}", "completed", "'Grace'", "'Hopper'"},
	    {"{'first':{},'last':'x'}", "failed", "'Grace'", "'Hopper'"},
	    {"{'first':'*','last':'x'}", "completed", "'*'", "'x'"},
	    {"{'first':'a','last':'*n'}", "failed", "'*'", "'x'"},
	};

	ALONE_SET(fixture, NULL);
	AUTO(answer) hook = resend_automation_run_ask("POST", "/resend/webhooks",
	    "{'endpoint':'https://hook.invalid/','events':['contact.updated']}", 201);
	g_autofree char *told =
	    g_strdup_printf("/resend/webhooks/%s/events", answer_text(hook, "id"));
	AUTO(answer) segment =
	    resend_automation_run_ask("POST", "/resend/segments", "{'name':'S'}", 201);
	g_autofree char *member = g_strdup_printf(
	    "{'email':'ada@example.net','properties':{'plan':'pro'},'segments':[{'id':'%s'}]}",
	    answer_text(segment, "id"));
	answer_free(resend_automation_run_ask("POST", "/resend/contacts", member, 201));
	AUTO(answer) answer = resend_automation_run_ask("POST", "/resend/automations",
	    "{'name':'Names','status':'enabled','steps':["
	    "{'key':'start','type':'trigger','config':{'event_name':'named'}},"
	    "{'key':'names','type':'contact_update','config':{'first_name':{'var':'event.first'},"
	    "'last_name':{'var':'event.last'}}}],'connections':[{'from':'start','to':'names'}]}",
	    201);
	g_autofree char *automation =
	    g_strconcat("/resend/automations/", answer_text(answer, "id"), NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *payload = automation_run_fill(cases[i].payload);
		g_autofree char *event = g_strdup_printf(
		    "{'event':'named','email':'ada@example.net','payload':%s}", payload);
		g_autofree char *first = automation_run_fill(cases[i].first);
		g_autofree char *first_is = g_strconcat("first_name = ", first, NULL);
		g_autofree char *last_is = g_strconcat("last_name = ", cases[i].last, NULL);
		g_autofree char *status_is = g_strdup_printf("status = '%s'", cases[i].status);

		exchange_next_moment();
		resend_automation_run_happen(event);
		g_autofree char *path = automation_run_run(automation);
		alone_spool(fixture, 0);
		const struct exchange exchanges[] = {
		    {event, "GET", path, .want_status = 200, .want = {status_is}},
		    {event, "GET", "/resend/contacts/ada@example.net", .want_status = 200,
			.want = {first_is, last_is, "properties.plan.value = 'pro'",
			    "properties.first : absent"}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
	/* Each change, of the contact of the segment and of the person, but none for the events
	   that fail. */
	const struct exchange updated = {"told", "GET", told, .want_status = 200,
	    .want = {"data[9].type = 'contact.updated'", "data[10] : null"}};
	answer_free(exchange_expect(fixture, &updated));
}

static void
expect_test(const char *contact, const char *events)
{
	g_autofree char *event =
	    g_strdup_printf("{'event':'tested','email':'%s','payload':{'plan':'pro'}}", contact);

	exchange_next_moment();
	resend_automation_run_happen(event);
	alone_spool(fixture, 0);
	alone_spool(fixture, 1000);
	AUTO(answer) emails = resend_automation_run_ask("GET", "/resend/emails", NULL, 200);
	cr_expect_str_eq(answer_text(emails, "data[0].to[0]"), contact);
	alone_expect_events(fixture, contact, answer_text(emails, "data[0].id"), 0, events);
}

/* Nothing leaves for addresses @resend.dev. */
Test(resend_automation_run, has_test_addresses)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *automation = resend_automation_run_start();
	AUTO(answer) answer = resend_automation_run_ask("POST", "/resend/automations",
	    "{'name':'Tests','status':'enabled','steps':["
	    "{'key':'start','type':'trigger','config':{'event_name':'tested'}},"
	    "{'key':'mail','type':'send_email','config':{'template':{'id':'hello','variables':{"
	    "'PLAN':{'var':'event.plan'},'N':3}}}}],'connections':[{'from':'start','to':'mail'}]}",
	    201);
	g_autofree char *tested =
	    g_strconcat("/resend/automations/", answer_text(answer, "id"), NULL);

	expect_test("delivered@resend.dev", "sent,delivered");
	expect_test("bounced@resend.dev", "sent,bounced 550 5.1.1 test address 5.1.1 Permanent");
	expect_test("complained@resend.dev", "sent,delivered,complained");
	exchange_next_moment();
	resend_automation_run_happen(
	    "{'event':'tested','email':'other@resend.dev','payload':{'plan':'pro'}}");
	alone_spool(fixture, 0);
	g_autofree char *failed = automation_run_run(tested);
	const struct exchange exchanges[] = {
	    {"another name", "GET", failed, .want_status = 200, .want = {"status = 'failed'"}},
	    {"no suppressions", "GET", "/resend/suppressions", .want_status = 200,
		.want = {"data = []"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

Test(resend_automation_run, sees_the_fields_of_a_contact)
{
	ALONE_SET(fixture, NULL);
	answer_free(resend_automation_run_ask("POST", "/resend/contacts",
	    "{'email':'Ada@example.net','first_name':'Ada','last_name':'Byron'}", 201));
	answer_free(resend_automation_run_ask("POST", "/resend/contacts",
	    "{'email':'bob@example.net','first_name':'Ada','properties':{'first_name':'Bob'}}",
	    201));
	AUTO(answer) answer = resend_automation_run_ask("POST", "/resend/automations",
	    "{'name':'Fields','status':'enabled','steps':["
	    "{'key':'start','type':'trigger','config':{'event_name':'came'}},"
	    "{'key':'ada','type':'condition','config':{'type':'and','rules':["
	    "{'type':'rule','field':'contact.first_name','operator':'eq','value':'Ada'},"
	    "{'type':'rule','field':'contact.email','operator':'ends_with','value':"
	    "'@example.net'}]}},"
	    "{'key':'copy','type':'contact_update','config':{'last_name':{'var':"
	    "'contact.first_name'},'properties':{'mail':{'var':'contact.email'}}}},"
	    "{'key':'wait','type':'wait_for_event','config':{'event_name':'paid','timeout':"
	    "'1 day','filter_rule':{'type':'rule','field':'contact.last_name','operator':'eq',"
	    "'value':'Ada'}}},"
	    "{'key':'seen','type':'contact_update','config':{'properties':{'seen':true}}}],"
	    "'connections':[{'from':'start','to':'ada'},"
	    "{'from':'ada','to':'copy','type':'condition_met'},{'from':'copy','to':'wait'},"
	    "{'from':'wait','to':'seen','type':'event_received'}]}",
	    201);
	g_autofree char *automation =
	    g_strconcat("/resend/automations/", answer_text(answer, "id"), NULL);

	resend_automation_run_happen("{'event':'came','email':'new@example.net'}");
	g_autofree char *unnamed = automation_run_run(automation);
	exchange_next_moment();
	resend_automation_run_happen("{'event':'came','email':'bob@example.net'}");
	g_autofree char *other = automation_run_run(automation);
	exchange_next_moment();
	resend_automation_run_happen("{'event':'came','email':'ada@example.net'}");
	g_autofree char *ada = automation_run_run(automation);
	alone_spool(fixture, 0);
	expect_steps(unnamed, "completed", "completed completed skipped skipped skipped");
	expect_steps(other, "completed", "completed completed skipped skipped skipped");
	expect_steps(ada, "running", "completed completed completed waiting pending");
	resend_automation_run_happen("{'event':'paid','email':'ada@example.net'}");
	alone_spool(fixture, 0);
	expect_steps(ada, "completed", "completed completed completed completed completed");
	const struct exchange get = {"the contact", "GET", "/resend/contacts/ada@example.net",
	    .want_status = 200,
	    .want = {"first_name = 'Ada'", "last_name = 'Ada'",
		"properties.mail.value = 'Ada@example.net'", "properties.seen : object"}};
	answer_free(exchange_expect(fixture, &get));
}

/* The moment of a member, epoch ms. */
static gint64
moment(const struct answer *answer, const char *path)
{
	g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(answer_text(answer, path), NULL);

	return g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000;
}

Test(resend_automation_run, tells_the_last_of_too_many_visits)
{
	ALONE_SET(fixture, NULL);
	AUTO(answer) workflow = resend_automation_run_ask("POST", "/v1/workflows",
	    "{'name':'Loop','status':'active','design':{'nodes':["
	    "{'id':'t','type':'trigger','data':{'eventName':'loop'}},"
	    "{'id':'w','type':'wait','data':{'duration':1,'unit':'minutes'}}],'edges':["
	    "{'id':'a','source':'t','target':'w'},{'id':'b','source':'w','target':'w'}]}}",
	    200);
	g_autofree char *automation =
	    g_strconcat("/resend/automations/", answer_text(workflow, "workflow_id"), NULL);

	resend_automation_run_happen("{'event':'loop','email':'ada@example.net'}");
	g_autofree char *path = automation_run_run(automation);
	alone_spool(fixture, DAY_MS);
	expect_steps(path, "failed", "completed failed");
	AUTO(answer) answer = resend_automation_run_ask("GET", path, NULL, 200);
	cr_expect_str_eq(answer_text(answer, "steps[1].error.message"), "more than 1000 steps");
	/* The second visit is the first of the wait, so visit 1001 comes 999 minutes later. */
	cr_expect_eq(moment(answer, "steps[1].started_at") - moment(answer, "steps[0].started_at"),
	    999 * 60000LL);
}

/* Goals and exits are those of /v1. */
Test(resend_automation_run, ends_by_goal_and_exit)
{
	ALONE_SET(fixture, NULL);
	AUTO(answer)
	made = resend_automation_run_ask("POST", "/v1/workflows",
	    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger','data':"
	    "{'eventName':'order','goal':{'any':[{'eventName':'paid'}]},"
	    "'exit':[{'eventName':'gone'}]}},"
	    "{'id':'w','type':'wait','data':{'duration':1,'unit':'days'}}],"
	    "'edges':[{'id':'a','source':'t','target':'w'}]}}",
	    200);
	g_autofree char *runs =
	    g_strdup_printf("/resend/automations/%s/runs", answer_text(made, "workflow_id"));
	const struct exchange list = {"runs", "GET", runs, .want_status = 200,
	    .want = {"data[0].status = 'completed'", "data[0].completed_at : string",
		"data[1].status = 'cancelled'", "data[1].completed_at : string", "data[2] : null"}};

	resend_automation_run_happen("{'event':'order','email':'ada@example.net'}");
	exchange_next_moment();
	resend_automation_run_happen("{'event':'order','email':'bob@example.net'}");
	alone_spool(fixture, 0);
	resend_automation_run_happen("{'event':'gone','email':'ada@example.net'}");
	resend_automation_run_happen("{'event':'paid','email':'bob@example.net'}");
	AUTO(answer) answer = exchange_expect(fixture, &list);
	for (guint i = 0; i < 2; i++) {
		g_autofree char *member = g_strdup_printf("data[%u].id", i);
		g_autofree char *path = g_strdup_printf("%s/%s", runs, answer_text(answer, member));
		const struct exchange one = {"a run", "GET", path, .want_status = 200,
		    .want = {i == 0 ? "status = 'completed'" : "status = 'cancelled'",
			"steps[0].key = 't'", "steps[0].type = 'trigger'",
			"steps[0].status = 'completed'", "steps[1].key = 'w'",
			"steps[1].type = 'delay'"}};

		answer_free(exchange_expect(fixture, &one));
	}
}

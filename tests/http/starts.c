/* SPDX-License-Identifier: MIT */
/* Starts of workflows by request. tests/spool/starts.c has those of many people. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/workflow.h"
#include "tests/http/automation.h"
#include "tests/support/db.h"

FIXTURE_SUITE(starts, 900);

#define UNKNOWN "01890a5d-ac96-774b-bcce-b302099a8000"
#define ONE_OF "{'message':'exactly one of email, emails, audience_id, segment_id is required'}"

/* Makes a workflow whose executions wait; trigger: members of its data behind the event's name. The
   caller owns its path. */
static char *
starts_make(const char *status, const char *trigger)
{
	g_autofree char *body = g_strdup_printf(
	    "{'name':'W','status':'%s','design':{'nodes':[{'id':'start','type':'trigger','data':{"
	    "'eventName':'workflow.started'%s}},{'id':'pause','type':'wait','data':{'duration':30,"
	    "'unit':'days'}}],'edges':[{'id':'e','source':'start','target':'pause'}]}}",
	    status, trigger);
	const struct exchange exchange = {status, "POST", "/v1/workflows", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strconcat("/v1/workflows/", answer_text(answer, "workflow_id"), NULL);
}

static struct answer *
starts_ask(const char *name, const char *path, const char *body, guint status, const char *want)
{
	const struct exchange exchange = {name, "POST", path, body, status, .want = {want}};

	return exchange_expect(fixture, &exchange);
}

static char *
starts_id(const char *path, const char *body)
{
	AUTO(answer) answer = starts_ask(body, path, body, 200, NULL);

	return g_strdup(answer_text(answer, "id"));
}

static gint64
starts_count(const char *table)
{
	g_autofree char *sql =
	    g_strdup_printf("SELECT COUNT(*) FROM %s WHERE workspace_id = @workspace", table);

	return test_db_number(fixture->db, sql);
}

Test(starts, are_checked)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	g_autofree char *long_text = g_strnfill(LIMIT_EVENT_PROPERTIES_BYTES - 8, 'x');
	g_autofree char *at =
	    g_strdup_printf("{'email':'a@x.org','properties':{'p':'%s'}}", long_text);
	g_autofree char *past =
	    g_strdup_printf("{'email':'a@x.org','properties':{'p':'%sx'}}", long_text);
	const struct {
		const char *body;
		guint status;
		const char *want;
	} cases[] = {
	    {"{}", 400, ONE_OF},
	    {"{'email':null}", 400, ONE_OF},
	    {"{'email':'a@x.org','emails':['b@x.org']}", 400, ONE_OF},
	    {"{'audience_id':'" UNKNOWN "','segment_id':'" UNKNOWN "'}", 400, ONE_OF},
	    {"{'audience_id':'first'}", 400, "{'message':'audience_id is not an audience'}"},
	    {"{'audience_id':'" UNKNOWN "'}", 400, "{'message':'audience_id is not an audience'}"},
	    {"{'segment_id':'first'}", 400, "{'message':'segment_id is not a segment'}"},
	    {"{'segment_id':'" UNKNOWN "'}", 400, "{'message':'segment_id is not a segment'}"},
	    {"{'email':'ada'}", 400,
		"{'message':'email must be a valid email address: \\'ada\\' has no domain'}"},
	    {"{'emails':['a@x.org','ada']}", 400,
		"{'message':'emails[1] must be a valid email address: \\'ada\\' has no domain'}"},
	    {"{'emails':['a@x.org',7]}", 400, NULL},
	    {"{'emails':[]}", 400, NULL},
	    {"{'email':'a@x.org','properties':[]}", 400, NULL},
	    {at, 200, NULL},
	    {past, 400, "{'message':'properties must be at most 65536 bytes'}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange exchange = {
		    cases[i].body, "POST", path, cases[i].body, cases[i].status, cases[i].want};

		answer_free(exchange_expect(fixture, &exchange));
	}
	cr_expect_eq(starts_count("workflow_start"), 1);
}

Test(starts, name_a_thousand_people_at_most)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	g_autoptr(GString) emails = g_string_new("{'emails':[");

	for (guint i = 0; i < LIMIT_START_EMAILS; i++)
		g_string_append_printf(emails, "%s'u%u@x.org'", i == 0 ? "" : ",", i);
	g_autofree char *most = g_strconcat(emails->str, "]}", NULL);
	g_autofree char *past = g_strconcat(emails->str, ",'u@x.org']}", NULL);
	answer_free(starts_ask("1000", path, most, 200, "status = 'pending'"));
	answer_free(starts_ask("1001", path, past, 400, NULL));
	cr_expect_eq(starts_count("workflow_start_address"), LIMIT_START_EMAILS);
}

Test(starts, need_an_active_workflow)
{
	g_autofree char *draft = starts_make("draft", "");
	g_autofree char *path = g_strconcat(draft, "/executions", NULL);
	const struct exchange exchanges[] = {
	    {"a draft", "POST", path, "{'email':'a@x.org'}", 409,
		"{'message':'Workflow is draft'}"},
	    {"paused", "PATCH", draft, "{'status':'active'}", 200},
	    {"paused", "PATCH", draft, "{'status':'paused'}", 200},
	    {"a paused one", "POST", path, "{'email':'a@x.org'}", 409,
		"{'message':'Workflow is paused'}"},
	    {"for many", "POST", path, "{'emails':['a@x.org','b@x.org']}", 409,
		"{'message':'Workflow is paused'}"},
	    {"fields come first", "POST", path, "{}", 400, ONE_OF},
	    {"an unknown one", "POST", "/v1/workflows/" UNKNOWN "/executions",
		"{'email':'a@x.org'}", 404, "{'message':'Workflow not found'}"},
	    {"no id", "POST", "/v1/workflows/x/executions", "{'email':'a@x.org'}", 404,
		"{'message':'Workflow not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(starts_count("workflow_start"), 0);
	cr_expect_eq(starts_count("person"), 0);
}

/* The answer has the execution, which has the start; the person is an automation contact, and the
   event is not listed. */
Test(starts, begin_one_person_at_once)
{
	g_autofree char *workflow = starts_make("active", ",'reentry':'once'");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	AUTO(answer)
	first = starts_ask("first", path, "{'email':'Ada@x.org','properties':{'plan':'pro'}}", 200,
	    "status = 'done'");
	g_autofree char *execution =
	    g_strconcat("/v1/executions/", answer_text(first, "execution_id"), NULL);
	g_autofree char *start_id = g_strdup_printf("start_id = '%s'", answer_text(first, "id"));
	g_autofree char *row_id =
	    g_strdup_printf("executions[0].start_id = '%s'", answer_text(first, "id"));
	g_autofree char *start = g_strconcat(workflow, "/starts/", answer_text(first, "id"), NULL);
	g_autofree char *starts = g_strconcat(workflow, "/starts", NULL);
	g_autofree char *cancel = g_strconcat(start, "/cancel", NULL);
	const struct exchange exchanges[] = {
	    {"the execution", "GET", execution, NULL, 200,
		.want = {start_id, "completion_reason = null", "key = null", "goal_at = null",
		    "context.email = 'Ada@x.org'"}},
	    {"its row", "GET", path, NULL, 200, .want = {row_id, "count = 1"}},
	    {"the start", "GET", start, NULL, 200,
		.want = {"source = 'api'", "status = 'done'", "audience_id = null",
		    "segment_id = null", "scheduled_at = null", "created : integer",
		    "completed_at : integer", "execution_id : string", "reason = null",
		    "error = null", "counts = {'people':1,'started':1,'filter':0,'reentry':0}"}},
	    {"again", "POST", path, "{'email':'ada@x.org'}", 200,
		.want = {"status = 'done'", "execution_id = null", "reason = 'reentry'",
		    "counts = {'people':1,'started':0,'filter':0,'reentry':1}"}},
	    {"newest first", "GET", starts, NULL, 200,
		.want = {"count = 2", "cursor = null", "starts[0].reason = 'reentry'",
		    "starts[1].reason = null"}},
	    {"the contact", "GET", "/v1/automation/contacts/ada@x.org", NULL, 200,
		.want = {"properties = {}"}},
	    {"no event", "GET", "/v1/automation/contacts/ada@x.org/events", NULL, 200,
		.want = {"count = 0"}},
	    {"is over", "POST", cancel, NULL, 409, "{'message':'Start is done'}"},
	    {"in the audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'start.created'", "audit[1].action = 'start.created'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(starts_count("execution"), 1);
}

Test(starts, ask_the_filter)
{
	g_autofree char *workflow =
	    starts_make("active", ",'reentry':'after_finish','filter':{'match':'all','rules':[{'"
				  "property':'event.plan','operator':'equals',"
				  "'value':'pro'}]}");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	const struct exchange exchanges[] = {
	    {"kept out", "POST", path, "{'email':'ada@x.org','properties':{'plan':'free'}}", 200,
		.want = {"execution_id = null", "reason = 'filter'",
		    "counts = {'people':1,'started':0,'filter':1,'reentry':0}"}},
	    {"is a contact", "GET", "/v1/automation/contacts/ada@x.org", NULL, 200},
	    {"goes in", "POST", path, "{'email':'ada@x.org','properties':{'plan':'pro'}}", 200,
		.want = {"execution_id : string", "reason = null"}},
	    {"runs still", "POST", path, "{'email':'ada@x.org','properties':{'plan':'pro'}}", 200,
		.want = {"execution_id = null", "reason = 'reentry'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A workflow that another event starts can be begun by hand, too. */
Test(starts, begin_any_workflow)
{
	g_autofree char *id = automation_start(fixture, "signed_up");
	g_autofree char *path = g_strdup_printf("/v1/workflows/%s/executions", id);

	answer_free(starts_ask("any", path, "{'email':'a@x.org'}", 200, "execution_id : string"));
}

Test(starts, are_idempotent)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	struct exchange exchange = {"first", "POST", path, "{'emails':['a@x.org','A@x.org']}", 200,
	    .headers = {"Idempotency-Key: k1"}};
	AUTO(answer) first = exchange_expect(fixture, &exchange);
	exchange.name = "second";
	exchange.want_header[0] = "Idempotent-Replayed: true";
	AUTO(answer) second = exchange_expect(fixture, &exchange);

	cr_expect_str_eq(first->body, second->body);
	exchange.want_header[0] = NULL;
	exchange.body = "{'email':'b@x.org'}";
	exchange.want_status = 409;
	answer_free(exchange_expect(fixture, &exchange));
	cr_expect_eq(starts_count("workflow_start"), 1);
	cr_expect_eq(starts_count("workflow_start_address"), 1);
}

Test(starts, are_cancelled)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	g_autofree char *id = starts_id(path, "{'emails':['a@x.org','b@x.org']}");
	g_autofree char *start = g_strconcat(workflow, "/starts/", id, NULL);
	g_autofree char *cancel = g_strconcat(start, "/cancel", NULL);
	g_autofree char *unknown = g_strconcat(workflow, "/starts/" UNKNOWN, NULL);
	g_autofree char *no_id = g_strconcat(workflow, "/starts/x/cancel", NULL);
	const struct exchange exchanges[] = {
	    {"cancelled", "POST", cancel, NULL, 200,
		.want = {"status = 'cancelled'", "completed_at : integer"}},
	    {"stays so", "GET", start, NULL, 200, .want = {"status = 'cancelled'"}},
	    {"again", "POST", cancel, NULL, 409, "{'message':'Start is cancelled'}"},
	    {"unknown", "GET", unknown, NULL, 404, "{'message':'Start not found'}"},
	    {"no id", "POST", no_id, NULL, 404, "{'message':'Start not found'}"},
	    {"in the audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'start.changed'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(starts_count("workflow_start_address"), 0);
}

Test(starts, are_a_hundred_at_most)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	g_autofree char *id = NULL;

	for (guint i = 0; i < LIMIT_STARTS; i++) {
		g_free(id);
		id = starts_id(path, "{'emails':['a@x.org']}");
	}
	g_autofree char *cancel = g_strdup_printf("%s/starts/%s/cancel", workflow, id);
	const struct exchange exchanges[] = {
	    {"101", "POST", path, "{'emails':['a@x.org']}", 409,
		"{'message':'Limit reached: at most 100 starts'}"},
	    {"one is over at once", "POST", path, "{'email':'a@x.org'}", 200},
	    {"one less", "POST", cancel, NULL, 200},
	    {"100", "POST", path, "{'emails':['a@x.org']}", 200},
	};
	EXPECT_ALL(fixture, exchanges);
}

Test(starts, hold_their_segment)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	const struct exchange segment = {"segment", "POST", "/v1/segments",
	    "{'name':'S','rules':{'match':'all','rules':[{'property':'plan','operator':'equals',"
	    "'value':'pro'}]}}",
	    200};
	AUTO(answer) made = exchange_expect(fixture, &segment);
	g_autofree char *body = g_strdup_printf("{'segment_id':'%s'}", answer_text(made, "id"));
	g_autofree char *at = g_strconcat("/v1/segments/", answer_text(made, "id"), NULL);
	g_autofree char *id = starts_id(path, body);
	g_autofree char *cancel = g_strdup_printf("%s/starts/%s/cancel", workflow, id);
	const struct exchange exchanges[] = {
	    {"in use", "DELETE", at, NULL, 409, "{'message':'Segment is in use'}"},
	    {"cancelled", "POST", cancel, NULL, 200},
	    {"free", "DELETE", at, NULL, 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(starts, keep_their_names)
{
	static const char *const own[] = {"person.created", "contact.created", "contact.confirmed",
	    "contact.updated", "contact.unsubscribed", "contact.deleted", "topic.joined",
	    "topic.left", "form.submitted", "person.updated", "segment.entered", "segment.left",
	    "date.reached", "schedule.due", "workflow.started"};

	for (gsize i = 0; i < G_N_ELEMENTS(own); i++) {
		g_autofree char *upper = g_ascii_strup(own[i], -1);
		g_autofree char *body =
		    g_strdup_printf("{'event_name':' %s','email':'a@x.org'}", upper);
		g_autofree char *want = g_strdup_printf(
		    "{'message':'event_name %s is told by Posthouse itself'}", own[i]);
		g_autofree char *send = g_strdup_printf("{'event':'%s','email':'a@x.org'}", own[i]);
		g_autofree char *declared = g_strdup_printf("{'name':'%s'}", own[i]);
		const struct exchange exchanges[] = {
		    {own[i], "POST", "/v1/events", body, 400, want},
		    {own[i], "POST", "/resend/events/send", send, 422},
		    {own[i], "POST", "/resend/events", declared, 422},
		};

		EXPECT_ALL(fixture, exchanges);
	}
	static const struct exchange exchange = {
	    "free", "POST", "/v1/events", "{'event_name':'contact.viewed','email':'a@x.org'}", 200};
	exchange_expect_all(fixture, &exchange, 1);
}

Test(starts, are_not_awaited)
{
	static const struct exchange exchange = {"wait", "POST", "/v1/workflows",
	    "{'name':'W','status':'active','design':{'nodes':[{'id':'start','type':'trigger',"
	    "'data':{'eventName':'a'}},{'id':'w','type':'wait_for_event','data':{'eventName':"
	    "'workflow.started'}}],'edges':[{'id':'e','source':'start','target':'w'}]}}",
	    400};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	cr_expect(strstr(answer->body, "data.eventName workflow.started cannot be awaited"), "%s",
	    answer->body);
}

Test(starts, go_with_an_erased_person)
{
	g_autofree char *workflow = starts_make("active", "");
	g_autofree char *path = g_strconcat(workflow, "/executions", NULL);
	g_autofree char *id = starts_id(path, "{'emails':['a@x.org','b@x.org']}");
	static const struct exchange erase = {
	    "erase", "DELETE", "/v1/people/a@x.org?erase=true", NULL, 200};

	cr_expect(*id);
	answer_free(exchange_ask(fixture, &erase));
	cr_expect_eq(starts_count("workflow_start_address"), 1);
}

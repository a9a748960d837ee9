/* SPDX-License-Identifier: MIT */
/* A workflow from the event that starts it to the email that it sends, as its owner reads it. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/automation.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

#define HOUR_MS (60 * 60 * 1000)
#define ADA "/v1/automation/contacts/ada@example.net"

FIXTURE_SUITE(automation_run, 900);

static struct answer *
automation_run_ask(const char *method, const char *path, const char *body)
{
	const struct exchange exchange = {path, method, path, body, 200};

	return exchange_expect(fixture, &exchange);
}

/* Waits an hour, and sends what data says. The caller owns its id. */
static char *
automation_run_start(const char *data)
{
	g_autofree char *body =
	    g_strdup_printf("{'name':'W','status':'active','design':{'nodes':["
			    "{'id':'start','type':'trigger','data':{'eventName':'signed_up'}},"
			    "{'id':'pause','type':'wait','data':{'duration':60,'unit':'minutes'}},"
			    "{'id':'mail','type':'send_email','data':%s},"
			    "{'id':'end','type':'exit','data':{}}],'edges':["
			    "{'id':'e1','source':'start','target':'pause'},"
			    "{'id':'e2','source':'pause','target':'mail'},"
			    "{'id':'e3','source':'mail','target':'end'}]}}",
		data);
	AUTO(answer) answer = automation_run_ask("POST", "/v1/workflows", body);

	return g_strdup(answer_text(answer, "workflow_id"));
}

/* Sends the event; its time. */
static gint64
automation_run_happen(void)
{
	answer_free(automation_run_ask("POST", "/v1/events",
	    "{'event_name':'signed_up','email':'Ada@example.net','properties':{'name':'Ada'}}"));
	AUTO(answer) contact = automation_run_ask("GET", ADA, NULL);

	return json_integer(answer_at(contact, "last_seen"));
}

/* The path of the only execution. */
static char *
execution(void)
{
	AUTO(answer) list = automation_run_ask("GET", ADA "/executions", NULL);

	cr_assert_eq(json_integer(answer_at(list, "count")), 1, "got %s", list->body);
	return g_strconcat(
	    "/v1/executions/", answer_text(list, "executions[0].execution_id"), NULL);
}

Test(automation_run, goes_from_event_to_email)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *workflow =
	    automation_run_start("{'from':'a@" FIXTURE_DOMAIN "','subject':'Hello {{name}}','html':"
				 "'<p>{{contact.email}} {{unsubscribe_url}}</p>'}");
	gint64 time = automation_run_happen();
	g_autofree char *path = execution();
	g_autofree char *until = g_strdup_printf("wait_until = %" G_GINT64_FORMAT, time + HOUR_MS);
	const struct exchange waiting = {"waiting", "GET", path, NULL, 200,
	    .want = {"status = 'WAITING'", "current_step_id = 'pause'", until,
		"context.stepCount = 2", "completed_at = null"}};
	const struct exchange done = {"done", "GET", path, NULL, 200,
	    .want = {"status = 'COMPLETED'", "current_step_id = 'end'", "context.stepCount = 4",
		"completed_at : integer", "wait_until = null", "error = null"}};

	alone_spool(fixture, 0);
	answer_free(exchange_expect(fixture, &waiting));
	alone_spool(fixture, HOUR_MS + 1000);
	answer_free(exchange_expect(fixture, &done));
	g_autofree char *emails = g_strdup_printf("/v1/workflows/%s/emails", workflow);
	g_autofree char *own = g_strconcat(path, "/emails", NULL);
	const struct exchange listed = {"emails", "GET", emails, NULL, 200,
	    .want = {"count = 1", "emails[0].subject = 'Hello Ada'",
		"emails[0].recipient = 'Ada@example.net'", "emails[0].events[0].status = 'sent'",
		"emails[0].events[1].status = 'delivered'"}};
	const struct exchange of_execution = {"emails of the execution", "GET", own, NULL, 200,
	    .want = {
		"count = 1", "emails[0].subject = 'Hello Ada'", "emails[0].recipient : absent"}};
	AUTO(answer) list = exchange_expect(fixture, &listed);
	answer_free(exchange_expect(fixture, &of_execution));
	const char *id = answer_text(list, "emails[0].email_id");
	AUTO(answer) email = email_get(fixture, id);
	cr_expect_str_eq(answer_text(email, "type"), "automation");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	cr_expect(arrival_has_line(arrival, "List-Unsubscribe: <http"), "no List-Unsubscribe");
	cr_expect(arrival_has_line(arrival, "List-Unsubscribe-Post: List-Unsubscribe=One-Click"),
	    "no List-Unsubscribe-Post");
}

/* If a contact has no value, the default of the property's definition stands. A stored template
   is filled likewise; a value of the contact goes first, then the template's own default. */
Test(automation_run, fills_in_defaults_of_properties)
{
	ALONE_SET(fixture, NULL);
	static const struct exchange define[] = {
	    {"plan", "POST", "/v1/properties", "{'key':'plan','type':'string','default':'basic'}",
		200},
	    {"seats", "POST", "/v1/properties", "{'key':'seats','type':'number','default':2}", 200},
	    {"name", "POST", "/v1/properties", "{'key':'name','type':'string','default':'you'}",
		200},
	    {"vip", "POST", "/v1/properties", "{'key':'vip','type':'boolean'}", 200},
	    {"size", "POST", "/v1/properties", "{'key':'size','type':'string','default':'S'}", 200},
	    {"template", "POST", "/v1/templates",
		"{'id':'hello','name':'N','variables':{'size':'XL','name':'nobody'},"
		"'subject':'{{plan}} {{seats}} {{name}} {{vip|no}} {{size}}',"
		"'html':'<p>{{#if seats}}{{seats}} seats{{/if}} {{unsubscribe_url}}</p>'}",
		200},
	};

	EXPECT_ALL(fixture, define);
	g_autofree char *workflow =
	    automation_run_start("{'from':'a@" FIXTURE_DOMAIN "','templateId':'hello'}");
	automation_run_happen();
	alone_spool(fixture, 0);
	alone_spool(fixture, HOUR_MS + 1000);
	g_autofree char *emails = g_strdup_printf("/v1/workflows/%s/emails", workflow);
	const struct exchange listed = {"emails", "GET", emails, NULL, 200,
	    .want = {"count = 1", "emails[0].subject = 'basic 2 Ada no XL'"}};
	AUTO(answer) list = exchange_expect(fixture, &listed);
	AUTO(answer) email = email_get(fixture, answer_text(list, "emails[0].email_id"));
	cr_expect(strstr(answer_text(email, "html"), "2 seats"), "%s", email->body);
}

/* Fields of the contact are variables, too: the short ones where no property is called so, and
   before the default of a definition. */
Test(automation_run, fills_in_fields_of_the_contact)
{
	ALONE_SET(fixture, NULL);
	static const struct exchange define[] = {
	    {"nick", "POST", "/v1/properties",
		"{'key':'last_name','type':'string','default':'nobody'}", 200},
	    {"person", "POST", "/v1/people",
		"{'email':'Ada@example.net','first_name':'Augusta','last_name':'King',"
		"'language':'en-GB','properties':{'first_name':'Countess'}}",
		200},
	};

	EXPECT_ALL(fixture, define);
	g_autofree char *workflow = automation_run_start(
	    "{'from':'a@" FIXTURE_DOMAIN "','subject':'{{first_name}} {{last_name}}','html':'"
	    "{{email}} {{contact.first_name}} {{contact.language}} "
	    "{{contact.time_zone|none}} {{contact.subscribed}} {{contact.x|-}}'}");
	automation_run_happen();
	alone_spool(fixture, 0);
	alone_spool(fixture, HOUR_MS + 1000);
	g_autofree char *emails = g_strdup_printf("/v1/workflows/%s/emails", workflow);
	const struct exchange listed = {"emails", "GET", emails, NULL, 200,
	    .want = {"count = 1", "emails[0].subject = 'Countess King'"}};
	AUTO(answer) list = exchange_expect(fixture, &listed);
	AUTO(answer) email = email_get(fixture, answer_text(list, "emails[0].email_id"));
	cr_expect_str_eq(answer_text(email, "html"), "Ada@example.net Augusta en-GB none true -");
}

/* The fate of the email becomes an event of the contact. */
Test(automation_run, feeds_back)
{
	ALONE_SET(fixture, NULL);
	g_free(automation_run_start("{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':'x'}"));
	automation_run_happen();
	alone_spool(fixture, 0);
	alone_spool(fixture, HOUR_MS + 1000);
	alone_spool(fixture, HOUR_MS + 2000);
	g_autofree char *path = execution();
	g_autofree char *id = g_path_get_basename(path);
	g_autofree char *of = g_strdup_printf("events[0].properties.execution_id = '%s'", id);
	const struct exchange exchanges[] = {
	    {"events", "GET", ADA "/events", NULL, 200,
		.want = {"count = 3", "events[0].event_name = 'email.delivered'",
		    "events[1].event_name = 'email.sent'", of,
		    "events[0].properties.email_id : string",
		    "events[0].properties.workflow_id : string",
		    "events[2].event_name = 'signed_up'"}},
	    {"contact", "GET", ADA, NULL, 200,
		.want = {"event_count = 3", "last_event = 'email.delivered'",
		    "properties = {'name':'Ada'}"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The template was deleted meanwhile. */
/* Whether the contact has an event of this name, with this text in it. */
static void
expect_told(const char *name, const char *text)
{
	AUTO(answer) list = automation_run_ask("GET", ADA "/events", NULL);
	g_autofree char *member = g_strdup_printf("\"event_name\":\"%s\"", name);

	cr_expect(strstr(list->body, member) && strstr(list->body, text), "no %s with %s in %s",
	    name, text, list->body);
}

#define READER "User-Agent: Mozilla/5.0 (X11; Linux) Firefox/128"

/* Workflows see opens and clicks of their emails. */
Test(automation_run, hears_of_its_readers)
{
	ALONE_SET(fixture, NULL);
	tracking_enable(fixture, true, true);
	g_autofree char *workflow =
	    automation_run_start("{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':"
				 "'<a href=\\u0022http://x.org/\\u0022>x</a>"
				 "<a href=\\u0022{{unsubscribe_url}}\\u0022>out</a>'}");
	automation_run_happen();
	alone_spool(fixture, 0);
	alone_spool(fixture, HOUR_MS + 1000);
	g_autofree char *emails = g_strdup_printf("/v1/workflows/%s/emails", workflow);
	AUTO(answer) list = automation_run_ask("GET", emails, NULL);
	const char *id = answer_text(list, "emails[0].email_id");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	g_autofree char *link = tracking_path(fixture, html, "a href", "/t/c/");
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	const struct exchange visits[] = {
	    {"pixel", "GET", pixel, NULL, 200, .headers = {READER}},
	    {"link", "GET", link, NULL, 302, .headers = {READER}},
	    {"button", "POST", page, "List-Unsubscribe=One-Click", 200},
	};

	EXPECT_ALL(fixture, visits);
	answer_free(tracking_wait(fixture, id, 5));
	alone_spool(fixture, HOUR_MS + 2000);
	expect_told("email.opened", id);
	expect_told("email.clicked", "\"link\":\"http://x.org/\"");
	expect_told("email.unsubscribed", id);
	/* The contact gets no further email. */
	automation_run_happen();
	alone_spool(fixture, 2 * HOUR_MS + 5000);
	AUTO(answer) after = automation_run_ask("GET", emails, NULL);
	cr_expect_eq(json_integer(answer_at(after, "count")), 1, "got %s", after->body);
}

Test(automation_run, tells_of_a_step_that_fails)
{
	ALONE_SET(fixture, NULL);
	answer_free(automation_run_ask(
	    "POST", "/v1/templates", "{'id':'gone','name':'N','html':'x','subject':'S'}"));
	g_autofree char *workflow =
	    automation_run_start("{'from':'a@" FIXTURE_DOMAIN "','templateId':'gone'}");
	automation_run_happen();
	/* A request is refused while the workflow is active. */
	test_db_plain(fixture->db, "DELETE FROM template WHERE id = 'gone' AND workspace_id ="
				   " @workspace");
	alone_spool(fixture, 0);
	alone_spool(fixture, HOUR_MS + 1000);
	g_autofree char *path = execution();
	g_autofree char *failed =
	    g_strdup_printf("/v1/workflows/%s/executions?status=FAILED", workflow);
	const struct exchange exchanges[] = {
	    {"execution", "GET", path, NULL, 200,
		.want = {"status = 'FAILED'", "error.step_id = 'mail'",
		    "error.message = 'Template not found'", "completed_at : integer",
		    "cancellation_reason = null"}},
	    {"list", "GET", failed, NULL, 200,
		.want = {"count = 1", "executions[0].error.step_id = 'mail'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A paused workflow stands still and goes on when active again; a cancelled execution does not. */
Test(automation_run, stands_still_while_it_is_paused)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *workflow =
	    automation_run_start("{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':'x'}");
	g_autofree char *path = g_strconcat("/v1/workflows/", workflow, NULL);
	automation_run_happen();
	g_autofree char *run = execution();
	const struct exchange still = {
	    "still", "GET", run, NULL, 200, .want = {"current_step_id = 'pause'"}};
	const struct exchange done = {
	    "done", "GET", run, NULL, 200, .want = {"status = 'COMPLETED'"}};

	alone_spool(fixture, 0);
	answer_free(automation_run_ask("PATCH", path, "{'status':'paused'}"));
	alone_spool(fixture, 2 * HOUR_MS);
	answer_free(exchange_expect(fixture, &still));
	answer_free(automation_run_ask("PATCH", path, "{'status':'active'}"));
	alone_spool(fixture, 2 * HOUR_MS);
	answer_free(exchange_expect(fixture, &done));
}

/* SPDX-License-Identifier: MIT */
/* Choices of people whose mail leaves later: by a workflow, or at its time. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "tests/http/alone.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"

#define HOUR_MS (60 * 60 * 1000)

FIXTURE_SUITE(consent_runs, 900);

static char *
consent_runs_ask(
    const char *method, const char *path, const char *body, guint status, const char *place)
{
	const struct exchange exchange = {path, method, path, body, status};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return place ? g_strdup(answer_text(answer, place)) : NULL;
}

enum leaving { NOTHING, ALL, TOPIC, AUDIENCE, BLOCKED, LEAVINGS };
static const char *const addresses[LEAVINGS] = {"nothing@example.net", "all@example.net",
    "topic@example.net", "audience@example.net", "blocked@example.net"};

/* Leaves the topic by the button of an email about it. */
static void
leave_topic(const char *topic)
{
	g_autofree char *change =
	    g_strdup_printf("'html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>out</a></p>',"
			    "'to':'%s','topic_id':'%s'",
		addresses[TOPIC], topic);
	g_autofree char *id = email_send(fixture, change);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	const struct exchange exchange = {"button", "POST", page, "List-Unsubscribe=One-Click", 200,
	    .headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"}};

	answer_free(exchange_expect(fixture, &exchange));
}

static void
consent_runs_leave(const char *topic)
{
	g_autofree char *audience = audience_new(fixture, "A");

	g_free(audience_add(
	    fixture, audience, "{'email':'audience@example.net','is_subscribed':false}"));
	leave_topic(topic);
	consent_runs_ask("POST", "/v1/suppressions",
	    "{'email':'all@example.net','reason':'unsubscribed'}", 200, NULL);
	consent_runs_ask("POST", "/v1/suppressions",
	    "{'email':'blocked@example.net','reason':'bounced'}", 200, NULL);
}

/* want: a letter for each way of having left, "g" where the email goes and "s" where it stops. */
static const struct {
	const char *name, *data, *want;
	bool linked; /* has {{unsubscribe_url}} */
	bool topic;
	bool unsubscribes; /* has List-Unsubscribe */
} kinds[] = {
    {"none", "", "gsggs", false, false, true},
    {"marketing", ",'kind':'marketing'", "gsggs", false, false, true},
    {"transactional", ",'kind':'transactional'", "ggggs", false, false, false},
    {"transactional, linked", ",'kind':'transactional'", "gsggs", true, false, true},
    {"topic", "", "gssgs", false, true, true},
    {"marketing, topic", ",'kind':'marketing'", "gssgs", true, true, true},
};

/* Makes an active workflow of one email; its id, which the caller owns. */
static char *
consent_runs_start(guint kind, const char *topic)
{
	g_autofree char *body =
	    g_strdup_printf("{'name':'W','status':'active','design':{'nodes':["
			    "{'id':'start','type':'trigger','data':{'eventName':'k%u'}},"
			    "{'id':'mail','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN
			    "','subject':'S','html':'<p>x%s</p>'%s%s%s%s}},"
			    "{'id':'end','type':'exit','data':{}}],'edges':["
			    "{'id':'e1','source':'start','target':'mail'},"
			    "{'id':'e2','source':'mail','target':'end'}]}}",
		kind, kinds[kind].linked ? "{{unsubscribe_url}}" : "", kinds[kind].data,
		kinds[kind].topic ? ",'topicId':'" : "", kinds[kind].topic ? topic : "",
		kinds[kind].topic ? "'" : "");

	return consent_runs_ask("POST", "/v1/workflows", body, 200, "workflow_id");
}

/* Expects which people a workflow has sent its email to, and its header. */
static void
consent_runs_judge(guint kind, const char *workflow)
{
	g_autofree char *path = g_strdup_printf("/v1/workflows/%s/emails", workflow);
	const struct exchange exchange = {kinds[kind].name, "GET", path, NULL, 200};
	AUTO(answer) list = exchange_expect(fixture, &exchange);

	for (guint i = 0; i < LEAVINGS; i++) {
		g_autofree char *recipient = g_strdup_printf("\"%s\"", addresses[i]);

		cr_expect_eq(strstr(list->body, recipient) != NULL, kinds[kind].want[i] == 'g',
		    "%s, %s: %s", kinds[kind].name, addresses[i], list->body);
	}
	AUTO(arrival) arrival = arrival_wait(fixture, answer_text(list, "emails[0].email_id"));
	g_autofree char *feedback = g_strdup_printf("Feedback-ID: %s:", workflow);
	cr_expect_eq(arrival_has_line(arrival, "List-Unsubscribe-Post: "), kinds[kind].unsubscribes,
	    "%s", kinds[kind].name);
	cr_expect_eq(
	    arrival_has_line(arrival, feedback), kinds[kind].unsubscribes, "%s", kinds[kind].name);
}

/* Executions go on, whoever gets the email. */
static void
expect_completed(guint kind, const char *address)
{
	g_autofree char *path = g_strdup_printf("/v1/automation/contacts/%s/executions", address);
	const struct exchange exchange = {
	    address, "GET", path, NULL, 200, .want = {"executions[0].status = 'COMPLETED'"}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(consent_runs, are_heeded_by_workflows)
{
	char *workflows[G_N_ELEMENTS(kinds)];

	ALONE_SET(fixture, NULL);
	g_autofree char *topic =
	    consent_runs_ask("POST", "/v1/topics", "{'name':'News'}", 200, "id");
	consent_runs_leave(topic);
	ALONE_SET(fixture, "service.mode=spool");
	for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
		workflows[k] = consent_runs_start(k, topic);
		for (guint i = 0; i < LEAVINGS; i++) {
			g_autofree char *event =
			    g_strdup_printf("{'event_name':'k%u','email':'%s'}", k, addresses[i]);

			consent_runs_ask("POST", "/v1/events", event, 200, NULL);
		}
	}
	alone_spool(fixture, 1000);
	alone_spool(fixture, 2000);
	for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
		consent_runs_judge(k, workflows[k]);
		expect_completed(k, addresses[k % LEAVINGS]);
		g_free(workflows[k]);
	}
}

Test(consent_runs, refuse_an_unknown_kind)
{
	ALONE_SET(fixture, NULL);
	consent_runs_ask("POST", "/v1/workflows",
	    "{'name':'W','status':'active','design':{'nodes':["
	    "{'id':'start','type':'trigger','data':{'eventName':'k'}},"
	    "{'id':'mail','type':'send_email','data':{'subject':'S','html':'x','kind':'other'}}],"
	    "'edges':[{'id':'e1','source':'start','target':'mail'}]}}",
	    400, NULL);
}

/* A draft may name a topic that is not there; it cannot be active. */
Test(consent_runs, refuse_a_topic_that_is_not_there)
{
	ALONE_SET(fixture, NULL);
#define OF_NO_TOPIC(status)                                                                        \
	"{'name':'W','status':'" status "','design':{'nodes':["                                    \
	"{'id':'start','type':'trigger','data':{'eventName':'k'}},"                                \
	"{'id':'mail','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN                       \
	"','subject':'S','html':'x','topicId':'0198c0de-0000-7000-8000-000000000000'}}],"          \
	"'edges':[{'id':'e1','source':'start','target':'mail'}]}}"
	static const struct exchange exchanges[] = {
	    {"active", "POST", "/v1/workflows", OF_NO_TOPIC("active"), 400,
		"{'message':'node \\\"mail\\\": data.topicId is not a topic'}"},
	    {"draft", "POST", "/v1/workflows", OF_NO_TOPIC("draft"), 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Sends an email at a time (epoch ms), or in a batch if it is 0; its id, which the caller owns. */
static char *
consent_runs_send_later(const char *change, gint64 time)
{
	g_autofree char *timed =
	    g_strdup_printf("%s,'scheduled_at':%" G_GINT64_FORMAT, change, time);

	if (time)
		return email_send(fixture, timed);
	g_autofree char *email = exchange_merged(EMAIL, change, NULL);
	g_autofree char *body = g_strdup_printf("{\"emails\":[%s]}", email);
	return consent_runs_ask("POST", "/v1/emails/batch", body, 201, "emails[0].id");
}

static void
expect_outcome(const char *name, const char *id, const char *want)
{
	g_autofree char *got = alone_events(fixture, id, 0);

	cr_expect(g_str_has_prefix(got, want), "%s: got %s", name, got);
	cr_expect(!strstr(got, ",suppressed"), "%s: once: %s", name, got);
}

/* A choice is looked at when the message leaves: one that was made since counts, one that was taken
   back does not. */
Test(consent_runs, are_heeded_when_a_message_leaves)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *topic =
	    consent_runs_ask("POST", "/v1/topics", "{'name':'News'}", 200, "id");
	g_autofree char *secret =
	    consent_runs_ask("POST", "/v1/topics", "{'name':'Secret','opt_in':true}", 200, "id");
	consent_runs_leave(topic);
	const struct {
		const char *name, *to, *topic;
		const char *want;
	} cases[] = {
	    {"left before", "blocked@example.net", NULL, "suppressed"},
	    {"left since", "late@example.net", NULL, "suppressed"},
	    {"back since", "all@example.net", NULL, "sent"},
	    {"topic left", "topic@example.net", topic, "suppressed"},
	    {"not chosen", "nothing@example.net", secret, "suppressed"},
	    {"goes", "nothing@example.net", topic, "sent"},
	};
	char *ids[G_N_ELEMENTS(cases)][2];

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change =
		    g_strdup_printf("'html':'<p>{{unsubscribe_url}}</p>','to':'%s'%s%s%s",
			cases[i].to, cases[i].topic ? ",'topic_id':'" : "",
			cases[i].topic ? cases[i].topic : "", cases[i].topic ? "'" : "");

		ids[i][0] = consent_runs_send_later(change, base_clock_now() + HOUR_MS);
		ids[i][1] = consent_runs_send_later(change, 0);
	}
	consent_runs_ask("POST", "/v1/suppressions",
	    "{'email':'late@example.net','reason':'unsubscribed'}", 200, NULL);
	consent_runs_ask("DELETE", "/v1/suppressions/all@example.net", NULL, 200, NULL);
	alone_spool(fixture, HOUR_MS + 5000);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint way = 0; way < 2; way++) {
			expect_outcome(cases[i].name, ids[i][way], cases[i].want);
			g_free(ids[i][way]);
		}
}

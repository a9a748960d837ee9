/* SPDX-License-Identifier: MIT */
/* Goals, exits, keys and digests of workflows, as their owner reads them, and mailings that do not
   leave. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/unit.h"
#include "service/metrics.h"
#include "tests/http/alone.h"
#include "tests/http/automation.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define HOUR_MS (60 * 60 * 1000)
#define EXECUTIONS "/v1/automation/contacts/ada@example.net/executions"

FIXTURE_SUITE(stopping, 900);

static struct answer *
stopping_ask(const char *method, const char *path, const char *body, guint status)
{
	const struct exchange exchange = {path, method, path, body, status};

	return exchange_expect(fixture, &exchange);
}

static void
stopping_happen(const char *name, const char *properties)
{
	g_autofree char *body = g_strdup_printf(
	    "{'event_name':'%s','email':'ada@example.net','properties':%s}", name, properties);

	answer_free(stopping_ask("POST", "/v1/events", body, 200));
}

#define MAIL(id, kind)                                                                             \
	"{'id':'" id "','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN                     \
	"','subject':'S','html':'x','kind':'" kind "'}}"

/* Sends a mailing and an email, then waits a day; its id, which the caller owns. */
static char *
stopping_start(const char *trigger)
{
	g_autofree char *body = g_strdup_printf(
	    "{'name':'W','status':'active','design':{'nodes':["
	    "{'id':'start','type':'trigger','data':{'eventName':'order'%s}}," MAIL("mailing",
		"marketing") "," MAIL("bill", "transactional") ","
							       "{'id':'pause','type':'wait','data':"
							       "{'duration':1,'unit':'days'}}],"
							       "'edges':[{'id':'a','source':"
							       "'start','target':'mailing'},"
							       "{'id':'b','source':'mailing',"
							       "'target':'bill'},"
							       "{'id':'c','source':'bill','target':"
							       "'pause'}]}}",
	    trigger);
	AUTO(answer) answer = stopping_ask("POST", "/v1/workflows", body, 200);

	return g_strdup(answer_text(answer, "workflow_id"));
}

static gint64
stopping_counted(void)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT COALESCE(SUM(value), 0) FROM metric WHERE name = %d AND labels = 'ended'",
	    METRIC_MAILINGS_SKIPPED);

	return test_db_number(fixture->db, sql);
}

/* Runs a workflow whose emails wait for their relay until the event paid has come. */
static void
stopping_run(const char *trigger, const char *mailing, const char *const *want)
{
	ALONE_SET(fixture, "smtp.port=1");
	g_autofree char *workflow = stopping_start(trigger);
	g_autofree char *emails = g_strdup_printf("/v1/workflows/%s/emails", workflow);
	g_autofree char *stats =
	    g_strdup_printf("/v1/stats?group_by=step&workflow_id=%s", workflow);

	stopping_happen("order", "{'id':7}");
	alone_spool(fixture, 2000);
	stopping_happen("paid", "{'id':'7.0'}");
	AUTO(answer) list = stopping_ask("GET", EXECUTIONS, NULL, 200);
	g_autofree char *path =
	    g_strconcat("/v1/executions/", answer_text(list, "executions[0].execution_id"), NULL);
	g_autofree char *steps = g_strconcat(path, "/steps", NULL);
	struct exchange shown = {"shown", "GET", path, NULL, 200};
	const struct exchange exchanges[] = {
	    {"steps", "GET", steps, NULL, 200,
		.want = {"steps[3].step_id = 'pause'", want[0], want[1],
		    "steps[3].left_at : integer"}},
	    {"figures", "GET", "/v1/stats?group_by=execution", NULL, 200,
		.want = {"stats[0].started = 1", want[2], "stats[0].failed = 0",
		    "stats[0].key : string", "stats[0].day = null"}},
	    {"figures of steps", "GET", stats, NULL, 200,
		.want = {"count = 4", "stats[0].key = 'bill'", "stats[0].entered = 1",
		    "stats[0].skipped = 0", "stats[0].failed = 0"}},
	};
	for (guint i = 0; want[3 + i]; i++)
		shown.want[i] = want[3 + i];
	answer_free(exchange_expect(fixture, &shown));
	EXPECT_ALL(fixture, exchanges);
	ALONE_SET(fixture, NULL);
	gint64 counted = stopping_counted();
	alone_spool(fixture, HOUR_MS);
	cr_expect_eq(stopping_counted(), counted + 1);
	AUTO(answer) sent = stopping_ask("GET", emails, NULL, 200);
	for (guint i = 0; i < 2; i++) {
		g_autofree char *place = g_strdup_printf("emails[%u].email_id", i);
		AUTO(answer) email = email_get(fixture, answer_text(sent, place));

		cr_expect_str_eq(answer_text(email, "last_event.status"),
		    i == 0 ? "delivered" : "suppressed", "%s", email->body);
		if (i == 1)
			cr_expect_str_eq(answer_text(email, "last_event.smtp_response"), mailing);
	}
	g_autofree char *remove = g_strdup_printf("/v1/workflows/%s", workflow);
	answer_free(stopping_ask("DELETE", remove, NULL, 200));
}

#define PAID                                                                                       \
	"{'eventName':'paid','filter':{'match':'all','rules':[{'property':'event.id','operator':"  \
	"'equals','value':{'var':'event.id'}}]}}"

Test(stopping, by_an_exit_keeps_mailings_back)
{
	static const char *const want[] = {"steps[3].why = 'exit: paid came'",
	    "steps[3].result = 'skipped'", "stats[0].exited = 1", "status = 'CANCELLED'",
	    "cancellation_reason = 'exit'", "completion_reason = null", "key = '7'",
	    "goal_at = null", "start_id = null", "current_step_id = 'pause'", NULL};

	stopping_run(",'key':'event.id','exit':[" PAID "]", "workflow: exit", want);
}

Test(stopping, by_a_goal_keeps_mailings_back)
{
	static const char *const want[] = {"steps[3].why = 'goal: paid came'",
	    "steps[3].result = 'done'", "stats[0].goals = 1", "status = 'COMPLETED'",
	    "completion_reason = 'goal'", "cancellation_reason = null", "key = null",
	    "goal_at : integer", "start_id = null", NULL};

	stopping_run(",'goal':{'any':[" PAID "]}", "workflow: goal", want);
}

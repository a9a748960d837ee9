/* SPDX-License-Identifier: MIT */
/* Pauses of mailings, as mail that leaves later heeds them: by a workflow, a broadcast, at its
 * time.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "service/metrics.h"
#include "tests/http/alone.h"
#include "tests/http/audience.h"
#include "tests/http/broadcast.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define ADA "/v1/people/ada@example.net"
#define MAILING "'to':'ada@example.net','html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>x</a>'"

FIXTURE_SUITE(snooze_runs, 900);

static void
snooze_runs_make_ada(void)
{
	g_free(
	    broadcast_ask(fixture, "POST", "/v1/people", "{'email':'ada@example.net'}", 200, NULL));
}

static void
snooze_runs_put(gint64 until)
{
	g_autofree char *body = g_strdup_printf("{'until':%" G_GINT64_FORMAT "}", until);

	g_free(broadcast_ask(fixture, "PUT", ADA "/snooze", body, 200, NULL));
}

/* The events of an email's recipient, and the text of a snooze. */
static void
snooze_runs_expect_mail(const char *name, const char *id, gint64 until)
{
	g_autofree char *got = alone_events(fixture, id, 0);
	char time[CLOCK_ISO_SIZE];
	g_autofree char *want =
	    g_strdup_printf("suppressed snoozed until %s", base_clock_format(until, time));

	if (until)
		cr_expect_str_eq(got, want, "%s", name);
	else
		cr_expect(g_str_has_prefix(got, "sent"), "%s: %s", name, got);
}

/* The number of mailings that snoozes have stopped. */
static gint64
snooze_runs_metric(void)
{
	g_autofree char *sql = g_strdup_printf(
	    "SELECT COALESCE(SUM(value), 0) FROM metric WHERE name = %d AND labels = 'snoozed'",
	    METRIC_MAILINGS_SKIPPED);

	return test_db_number(fixture->db, sql);
}

/* A mailing that is accepted now stops in either mode; other mail goes. */
Test(snooze_runs, stops_mailings)
{
	static const char *const modes[] = {"service.mode=sync", "service.mode=spool"};
	gint64 week = base_clock_now() + 7 * DAY_MS;

	ALONE_SET(fixture, NULL);
	snooze_runs_make_ada();
	snooze_runs_put(week);
	for (gsize i = 0; i < G_N_ELEMENTS(modes); i++) {
		ALONE_SET(fixture, modes[i]);
		g_autofree char *mailing = email_send(fixture, MAILING);
		g_autofree char *two = email_send(fixture,
		    "'to':['b@example.net','ADA@example.net'],'html':'<p>{{unsubscribe_url}}</p>'");
		g_autofree char *plain = email_send(fixture, "'to':'ada@example.net'");
		alone_spool(fixture, 1000);
		snooze_runs_expect_mail(modes[i], mailing, week);
		snooze_runs_expect_mail("other mail", plain, 0);
		snooze_runs_expect_mail("another recipient", two, 0);
		g_autofree char *second = alone_events(fixture, two, 1);
		cr_expect(g_str_has_prefix(second, "suppressed snoozed until"), "%s", second);
	}
	/* One that waits is looked at when it leaves. */
	g_autofree char *change = g_strdup_printf(
	    MAILING ",'scheduled_at':%" G_GINT64_FORMAT, base_clock_now() + 2 * DAY_MS);
	g_autofree char *late = g_strdup_printf(
	    MAILING ",'scheduled_at':%" G_GINT64_FORMAT, base_clock_now() + 8 * DAY_MS);
	g_autofree char *waiting = email_send(fixture, change);
	g_autofree char *after = email_send(fixture, late);
	alone_spool(fixture, 2 * DAY_MS + 5000);
	snooze_runs_expect_mail("it waited", waiting, week);
	alone_spool(fixture, 8 * DAY_MS + 5000);
	snooze_runs_expect_mail("it has ended by itself", after, 0);
}

/* A step is skipped and tells why; a transactional one sends. */
Test(snooze_runs, skips_steps)
{
	gint64 week = base_clock_now() + 7 * DAY_MS;
	char time[CLOCK_ISO_SIZE];
	static const char design[] =
	    "{'name':'W','status':'active','design':{'nodes':["
	    "{'id':'start','type':'trigger','data':{'eventName':'k'}},"
	    "{'id':'mail','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN
	    "','subject':'S','html':'<p>x'}},"
	    "{'id':'plain','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN
	    "','subject':'S','html':'<p>x','kind':'transactional'}},"
	    "{'id':'end','type':'exit','data':{}}],'edges':["
	    "{'id':'e1','source':'start','target':'mail'},"
	    "{'id':'e2','source':'mail','target':'plain'},"
	    "{'id':'e3','source':'plain','target':'end'}]}}";

	ALONE_SET(fixture, "service.mode=spool");
	snooze_runs_make_ada();
	snooze_runs_put(week);
	g_free(broadcast_ask(fixture, "POST", "/v1/workflows", design, 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/events",
	    "{'event_name':'k','email':'ada@example.net'}", 200, NULL));
	gint64 before = snooze_runs_metric();
	alone_spool(fixture, 1000);
	alone_spool(fixture, 2000);
	g_autofree char *execution =
	    broadcast_ask(fixture, "GET", "/v1/automation/contacts/ada@example.net/executions",
		NULL, 200, "executions[0].execution_id");
	g_autofree char *steps = g_strdup_printf("/v1/executions/%s/steps", execution);
	g_autofree char *why =
	    g_strdup_printf("steps[1].why = 'snoozed until %s'", base_clock_format(week, time));
	const struct exchange exchange = {"steps", "GET", steps, NULL, 200,
	    .want = {"steps[1].step_id = 'mail'", "steps[1].result = 'skipped'", why,
		"steps[2].result = 'done'", "steps[2].email_id : string"}};
	answer_free(exchange_expect(fixture, &exchange));
	cr_expect_eq(snooze_runs_metric(), before + 1);
}

/* A person who has snoozed is excluded at the start, and skipped after it; a test goes all the
 * same. */
Test(snooze_runs, leaves_out_of_broadcasts)
{
	gint64 week = base_clock_now() + 7 * DAY_MS;

	ALONE_SET(fixture, "service.mode=spool");
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'ada@example.net'}");
	g_free(audience_add(fixture, audience, "{'email':'b@example.net'}"));
	g_autofree char *members =
	    g_strdup_printf("'subject':'S','html':'" OUT "','audiences':['%s']", audience);
	g_free(broadcast_ask(fixture, "POST", "/v1/people",
	    "{'email':'c@example.net','subscribed':true}", 200, NULL));
	g_autofree char *segment = broadcast_ask(fixture, "POST", "/v1/segments",
	    "{'name':'S','rules':{'match':'all','rules':[]}}", 200, "id");
	g_autofree char *count = g_strdup_printf("/v1/segments/%s/count", segment);
	const struct exchange all = {
	    "before", "GET", count, NULL, 200, "{'count':3,'reachable':3}"};
	const struct exchange fewer = {
	    "without them", "GET", count, NULL, 200, "{'count':3,'reachable':2}"};

	answer_free(exchange_expect(fixture, &all));
	snooze_runs_put(week);
	answer_free(exchange_expect(fixture, &fewer));
	g_autofree char *first = broadcast_new(fixture, members);
	g_autofree char *recipients = g_strconcat(first, "/recipients", NULL);
	alone_spool(fixture, 0);
	const struct exchange excluded[] = {
	    {"excluded", "GET", first, NULL, 200,
		.want = {"counts.excluded = 1", "counts.recipients = 1"}},
	    {"one", "GET", recipients, NULL, 200, .want = {"count = 1"}},
	    {"woken", "DELETE", ADA "/snooze", NULL, 200},
	};
	EXPECT_ALL(fixture, excluded);

	g_autofree char *draft =
	    g_strdup_printf("{'name':'B','from':'a@" FIXTURE_DOMAIN "',%s}", members);
	g_autofree char *id = broadcast_ask(fixture, "POST", "/v1/broadcasts", draft, 200, "id");
	g_autofree char *second = g_strconcat("/v1/broadcasts/", id, NULL);
	g_autofree char *send = g_strconcat(second, "/send", NULL);
	g_autofree char *spread = g_strdup_printf("{'spread':%" G_GINT64_FORMAT "}", DAY_MS);
	g_free(broadcast_ask(fixture, "POST", send, spread, 200, NULL));
	g_autofree char *later = g_strconcat(second, "/recipients", NULL);
	g_autofree char *skipped = g_strconcat(second, "/recipients?status=skipped", NULL);
	gint64 before = snooze_runs_metric();
	alone_spool(fixture, 0);
	test_db_plain(fixture->db, "UPDATE broadcast_recipient SET due = due + 3600000"
				   " WHERE workspace_id = @workspace AND queue IS NOT NULL");
	snooze_runs_put(week);
	alone_spool(fixture, 2 * DAY_MS);
	const struct exchange after[] = {
	    {"all are in", "GET", later, NULL, 200,
		.want = {"count = 2", "recipients[0].status = 'skipped'",
		    "recipients[1].status = 'delivered'"}},
	    {"skipped", "GET", skipped, NULL, 200,
		.want = {"count = 1", "recipients[0].email = 'ada@example.net'",
		    "recipients[0].reason = 'snoozed'"}},
	};
	EXPECT_ALL(fixture, after);
	cr_expect_eq(snooze_runs_metric(), before + 1);
}

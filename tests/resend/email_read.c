/* SPDX-License-Identifier: MIT */
/* /resend/emails: how emails are shown, counted, listed, moved and cancelled. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "tests/http/arrival.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/letter.h"
#include "tests/resend/unserved.h"
#include "tests/support/db.h"

FIXTURE_SUITE(resend_email_read, 900);

Test(resend_email_read, are_shown)
{
	g_autofree char *id = letter_send(fixture,
	    "'from':'Ann B <a@" FIXTURE_DOMAIN
	    ">','to':['Bob <b@example.net>','c@example.net'],'cc':'d@example.net',"
	    "'reply_to':['e@example.net'],'text':'T "
	    "{{x}}','tags':[{'name':'z','value':'1'},{'name':'a','value':'2'}],"
	    "'unknown':7,'html':'<p>{{x|y}} {{{unsubscribe_url}}}</p>','subject':'{{S}} {{{'");
	g_autofree char *message_id = g_strdup_printf("message_id = '<%s@" FIXTURE_DOMAIN ">'", id);
	g_autofree char *same = g_strdup_printf("id = '%s'", id);

	EXPECT_EMAIL(fixture, id, "object = 'email'", same, message_id,
	    "from = 'Ann B <a@" FIXTURE_DOMAIN ">'", "to = ['b@example.net','c@example.net']",
	    "cc = ['d@example.net']", "bcc = []", "reply_to = ['e@example.net']",
	    "subject = '{{S}} {{{'", "html = '<p>{{x|y}} {{{unsubscribe_url}}}</p>'",
	    "text = 'T {{x}}'", "tags = [{'name':'z','value':'1'},{'name':'a','value':'2'}]",
	    "created_at : string", "scheduled_at : null", "topic_id : null", "last_event : string");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	cr_expect_str_eq(arrival_header(arrival, "Subject"), "{{S}} {{{");
	g_autofree char *text = arrival_content(arrival, 0, NULL);
	g_autofree char *html = arrival_content(arrival, 1, NULL);
	cr_expect(g_str_has_prefix(text, "T {{x}}"), "%s", text);
	cr_expect(g_str_has_prefix(html, "<p>{{x|y}} {{{unsubscribe_url}}}</p>"), "%s", html);
}

/* Whatever its form, the name is in the message, and lists find it by its address. */
Test(resend_email_read, have_the_sender_as_it_was_given)
{
	static const struct {
		const char *given, *want, *name;
	} senders[] = {
	    {"\\\"Ann\\\"   <own@" FIXTURE_DOMAIN ">", NULL, "Ann"},
	    {"  <own@" FIXTURE_DOMAIN "> ", "<own@" FIXTURE_DOMAIN ">", ""},
	    {"Ann \u00dc. <own@" FIXTURE_DOMAIN ">", NULL, "Ann \u00dc."},
	    {"=?utf-8?q?A=C3=9C?= <own@" FIXTURE_DOMAIN ">", NULL, "A\u00dc"},
	    {"Ann <own@EXAMPLE.com>", "Ann <own@" FIXTURE_DOMAIN ">", "Ann"},
	    {"own@" FIXTURE_DOMAIN " (Ann)", "own@" FIXTURE_DOMAIN, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(senders); i++) {
		g_autofree char *change = g_strdup_printf("'from':'%s'", senders[i].given);
		g_autofree char *id = letter_send(fixture, change);
		g_autofree char *from = g_strdup_printf(
		    "from = '%s'", senders[i].want ? senders[i].want : senders[i].given);
		g_autofree char *row = g_strdup_printf("emails[0].id = '%s'", id);
		const struct exchange list = {senders[i].given, "GET",
		    "/v1/emails?from=own@" FIXTURE_DOMAIN, NULL, 200, .want = {row}};
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		InternetAddressList *all = g_mime_message_get_from(arrival->message);
		InternetAddress *one = internet_address_list_get_address(all, 0);

		cr_expect_str_eq(internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(one)),
		    "own@" FIXTURE_DOMAIN);
		cr_expect_str_eq(
		    internet_address_get_name(one), senders[i].name, "%s", senders[i].given);
		EXPECT_EMAIL(fixture, id, from);
		answer_free(exchange_expect(fixture, &list));
	}
}

Test(resend_email_read, may_have_text_alone)
{
	AUTO(answer) answer = letter_post(fixture, "'text':'T'", "html", 200, NULL);

	EXPECT_EMAIL(fixture, answer_text(answer, "id"), "html : null", "text = 'T'", "tags = []",
	    "cc = []", "reply_to = []");
}

Test(resend_email_read, are_found_by_a_uuid)
{
	const struct exchange exchanges[] = {
	    {"no UUID", "GET", "/resend/emails/x", .want_status = 422,
		.want_body = ERROR(422, "invalid_parameter", "The `id` must be a valid UUID.")},
	    {"unknown", "GET", "/resend/emails/" UNKNOWN, .want_status = 404,
		.want_body = ERROR(404, "not_found", "Email not found")},
	    {"cancel unknown", "POST", "/resend/emails/" UNKNOWN "/cancel", "", 404,
		ERROR(404, "not_found", "Email not found")},
	    {"attachments of unknown", "GET", "/resend/emails/" UNKNOWN "/attachments",
		.want_status = 404, .want_body = ERROR(404, "not_found", "Email not found")},
	    {"share", "POST", "/resend/emails/" UNKNOWN "/share", "{}", 501},
	    {"receiving", "GET", "/resend/emails/receiving", .want_status = 200,
		.want_body = "{'object':'list','has_more':false,'data':[]}"},
	    {"received", "GET", "/resend/emails/receiving/" UNKNOWN, .want_status = 404,
		.want_body = ERROR(404, "not_found", "Received email not found")},
	    {"attachments of received", "GET", "/resend/emails/receiving/" UNKNOWN "/attachments",
		.want_status = 404,
		.want_body = ERROR(404, "not_found", "Received email not found")},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Events of two hours: one email was opened twice, and by a machine. */
Test(resend_email_read, have_metrics_by_the_hour)
{
#define HOURLY "/resend/emails/metrics?granularity=hourly&start_date=2026-03-01&end_date=2026-03-02"
#define EVENT(id, status, minute, machine)                                                         \
	"INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp, automated)"  \
	" SELECT e.id, UNHEX('" id "'), e.workspace_id, 0, " #status ", 1772361000000 + " #minute  \
	" * 60000, " #machine " FROM email e"                                                      \
	" WHERE e.workspace_id = @workspace"
	static const char *const events[] = {
	    EVENT("00000000000000000000000000000001", 1, 0, 0),
	    EVENT("00000000000000000000000000000002", 2, 1, 0),
	    EVENT("00000000000000000000000000000003", 5, 2, 1),
	    EVENT("00000000000000000000000000000004", 5, 3, 0),
	    EVENT("00000000000000000000000000000005", 5, 40, 0),
	    EVENT("00000000000000000000000000000006", 6, 41, 0),
	};
	g_free(letter_send(fixture, "'subject':'S','text':'T','scheduled_at':'in 1 hour'"));
	/* Its id tells that it was made then. */
	test_db_plain(fixture->db, "DELETE FROM event WHERE workspace_id = @workspace");
	test_db_plain(fixture->db,
	    "UPDATE email SET id = CONCAT(UNHEX(LPAD(HEX(1772361000000), 12, '0')), RIGHT(id, 10))"
	    " WHERE workspace_id = @workspace");
	for (guint i = 0; i < G_N_ELEMENTS(events); i++)
		test_db_plain(fixture->db, events[i]);
	const struct exchange exchanges[] = {
	    {"by hour", "GET",
		HOURLY "&dimensions=period&metrics=sent,delivered,opened,clicked,"
		       "unique_opened,open_rate",
		NULL, 200,
		.want = {"granularity = 'hourly'",
		    "totals = {'sent':1,'delivered':1,'opened':2,'clicked':1,'unique_opened':1,"
		    "'open_rate':100.0}",
		    "data[0] = {'period':'2026-03-01T10:00:00.000Z','sent':1,'delivered':1,"
		    "'opened':1,'clicked':0,'unique_opened':1,'open_rate':100.0}",
		    "data[1] = {'period':'2026-03-01T11:00:00.000Z','sent':0,'delivered':0,"
		    "'opened':1,'clicked':1,'unique_opened':0,'open_rate':0.0}",
		    "data[2] : null"}},
	    {"by domain", "GET", HOURLY "&dimensions=domain&metrics=opened", NULL, 200,
		.want = {"data[0].domain_name = '" FIXTURE_DOMAIN "'", "data[0].opened = 2",
		    "data[1] : null"}},
	    {"of another domain", "GET", HOURLY "&metrics=opened&domain_id=" UNKNOWN, NULL, 200,
		.want = {"totals = {'opened':0}"}},
	    {"of broadcasts", "GET", HOURLY "&metrics=opened&dimensions=broadcast", NULL, 200,
		.want = {"totals = {'opened':0}", "data = []"}},
	    {"the first hour", "GET",
		"/resend/emails/metrics?granularity=hourly&metrics=opened"
		"&start_date=2026-03-01T10:00:00Z&end_date=2026-03-01T10:59:59Z",
		NULL, 200, .want = {"totals = {'opened':1}"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

Test(resend_email_read, have_metrics)
{
#define METRICS "/resend/emails/metrics"
#define WRONG(field, rule)                                                                         \
	422, ERROR(422, "validation_error",                                                        \
		 "Invalid `" field "` field. " field " must be " rule ".")
#define REFUSED(what) 501, UNSERVED(what " is not implemented by this service.")
	const struct exchange exchanges[] = {
	    {"all", "GET", METRICS, NULL, 200,
		.want = {"object = 'metrics'", "start_date : string", "end_date : string",
		    "metrics[0] = 'delivered'", "metrics[14] = 'unsubscribe_rate'",
		    "metrics[15] : null", "dimensions = []", "granularity = 'daily'",
		    "totals.sent = 0", "totals.open_rate = 0.0", "totals.received : absent",
		    "data : absent"}},
	    {"some", "GET",
		METRICS "?metrics=open_rate,sent,sent&dimensions=period,domain&granularity=weekly"
			"&timezone=UTC&start_date=2026-01-01&end_date=2026-02-01T00:00:00Z",
		NULL, 200,
		.want = {"metrics = ['open_rate','sent']", "dimensions = ['period','domain']",
		    "granularity = 'weekly'", "totals = {'open_rate':0.0,'sent':0}", "data = []",
		    "start_date = '2026-01-01T00:00:00.000Z'",
		    "end_date = '2026-02-01T00:00:00.000Z'"}},
	    {"repeated", "GET",
		METRICS "?metrics=sent&metrics=open_rate,opened&dimensions=period&metrics="
			"&dimensions[]=domain",
		NULL, 200,
		.want = {"metrics = ['sent','open_rate','opened']",
		    "dimensions = ['period','domain']"}},
	    {"with brackets", "GET",
		METRICS "?metrics%5B0%5D=sent&metrics%5B1%5D=opened&metricsx=y", NULL, 200,
		.want = {"metrics = ['sent','opened']"}},
	    {"one that is not kept", "GET", METRICS "?metrics=received,sent,failed", NULL, 200,
		.want = {"metrics = ['sent']", "totals = {'sent':0}"}},
	    {"of a broadcast", "GET", METRICS "?broadcast_id=" UNKNOWN "&dimensions=broadcast",
		NULL, 200, .want = {"data = []"}},
	    {"times", "GET", METRICS "?start_date=2026-02-01&end_date=2026-01-01", NULL,
		WRONG("start_date", "before end_date")},
	    {"time", "GET", METRICS "?end_date=soon", NULL,
		WRONG("end_date", "an ISO 8601 date or time")},
	    {"most days", "GET", METRICS "?start_date=2020-01-01&end_date=2023-01-04", NULL, 200},
	    {"more days", "GET", METRICS "?start_date=2020-01-01&end_date=2023-01-05", NULL,
		WRONG("start_date", "at most 1100 days before end_date")},
	    {"granularity", "GET", METRICS "?granularity=yearly", NULL,
		WRONG("granularity", "hourly, daily, weekly or monthly")},
	    {"metric", "GET", METRICS "?metrics=read", NULL,
		WRONG("metrics", "names of metrics with commas between them")},
	    {"dimension", "GET", METRICS "?dimensions=tag", NULL,
		WRONG("dimensions", "of period, domain and broadcast")},
	    {"id", "GET", METRICS "?domain_id=x", NULL,
		WRONG("domain_id", "UUIDs with commas between them")},
	    {"hours", "GET", METRICS "?granularity=hourly&dimensions=period", NULL, 200,
		.want = {"granularity = 'hourly'", "totals.sent = 0", "data = []"}},
	    {"most hours", "GET",
		METRICS "?granularity=hourly&start_date=2026-01-01T00:00:00Z"
			"&end_date=2026-01-31T00:00:00Z",
		NULL, 200},
	    {"more hours", "GET",
		METRICS "?granularity=hourly&start_date=2026-01-01T00:00:00Z"
			"&end_date=2026-01-31T00:00:01Z",
		NULL,
		WRONG("start_date", "at most 30 days before end_date where granularity is hourly")},
	    {"zone", "GET", METRICS "?timezone=Europe/Berlin", NULL,
		REFUSED("`timezone` Europe/Berlin")},
	    {"by email", "GET", METRICS "?dimensions=email", NULL, REFUSED("`dimensions` email")},
	    {"emails", "GET", METRICS "?email_id=" UNKNOWN, NULL,
		REFUSED("`email_id` with figures")},
	    {"a zone without an offset", "GET", METRICS "?timezone=Africa/Abidjan", NULL, 200,
		.want = {"totals.sent = 0"}},
	    {"in winter", "GET",
		METRICS "?timezone=Europe/London&start_date=2026-01-01&end_date=2026-02-01", NULL,
		200},
	    {"in summer", "GET",
		METRICS "?timezone=Europe/London&start_date=2026-03-01&end_date=2026-04-01", NULL,
		REFUSED("`timezone` Europe/London")},
	    {"no zone", "GET", METRICS "?timezone=Nowhere", NULL,
		WRONG("timezone", "an IANA time zone")},
	    {"crossed", "GET", METRICS "?dimensions=domain,broadcast", NULL, 200,
		.want = {"dimensions = ['domain','broadcast']", "data = []"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

static const char *
list_path(char **path_r, const char *query)
{
	return *path_r = g_strconcat("/resend/emails", query, NULL);
}

/* Expects the subjects of a list, separated by blanks, and has_more. */
static void
email_read_expect_list(const char *query, const char *subjects, bool has_more)
{
	g_autofree char *path = NULL;
	const struct exchange exchange = {query, "GET", list_path(&path, query), .want_status = 200,
	    .want = {"object = 'list'", has_more ? "has_more = true" : "has_more = false"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(data, i), "subject"), NULL));
	cr_expect_str_eq(got->str, subjects, "%s: got %s, want %s", query, got->str, subjects);
}

Test(resend_email_read, are_listed_in_both_directions)
{
	g_autofree char *a = letter_send(fixture, "'subject':'a'");
	g_autofree char *b = letter_send(fixture, "'subject':'b','cc':'x@example.net'");
	g_autofree char *c = letter_send(fixture, "'subject':'c','scheduled_at':'in 1 hour'");
	g_autofree char *after_c = g_strconcat("?limit=1&after=", c, NULL);
	g_autofree char *after_b = g_strconcat("?after=", b, NULL);
	g_autofree char *before_a = g_strconcat("?limit=1&before=", a, NULL);
	g_autofree char *before_b = g_strconcat("?before=", b, NULL);
	const struct exchange rows = {"rows", "GET", "/resend/emails", .want_status = 200,
	    .want = {"data[0].last_event = 'scheduled'", "data[0].scheduled_at : string",
		"data[0].object : absent", "data[0].html : absent", "data[0].tags : absent",
		"data[1].to = ['b@example.net']", "data[1].cc = ['x@example.net']",
		"data[1].bcc = []", "data[1].reply_to = []", "data[1].message_id : string",
		"data[1].from = 'a@" FIXTURE_DOMAIN "'", "data[1].topic_id : null",
		"data[1].created_at : string"}};

	email_read_expect_list("", "c b a", false);
	email_read_expect_list("?limit=2", "c b", true);
	email_read_expect_list(after_c, "b", true);
	email_read_expect_list(after_b, "a", false);
	email_read_expect_list(before_a, "b", true);
	email_read_expect_list(before_b, "c", false);
	answer_free(exchange_expect(fixture, &rows));
}

Test(resend_email_read, are_moved_and_cancelled)
{
	g_autofree char *id = letter_send(fixture, "'scheduled_at':'in 1 hour'");
	g_autofree char *now = letter_send(fixture, "'subject':'now'");
	g_autofree char *path = g_strconcat("/resend/emails/", id, NULL);
	g_autofree char *cancel = g_strconcat(path, "/cancel", NULL);
	g_autofree char *sent = g_strconcat("/resend/emails/", now, NULL);
	g_autofree char *answer = g_strdup_printf("{'object':'email','id':'%s'}", id);
	const struct exchange exchanges[] = {
	    {"move", "PATCH", path, "{'scheduled_at':'in 2 days'}", 200, answer},
	    {"move, nothing", "PATCH", path, "{}", 422, MISSING("scheduled_at")},
	    {"move, no time", "PATCH", path, "{'scheduled_at':'soon'}", 422, WHEN},
	    {"move, too far", "PATCH", path, "{'scheduled_at':'in 31 days'}", 422,
		INVALID("scheduled_at", "scheduled_at must be at most 30 days ahead")},
	    {"move, sent", "PATCH", sent, "{'scheduled_at':'in 1 hour'}", 422},
	    {"cancel", "POST", cancel, "", 200, answer},
	    {"cancel again", "POST", cancel, "{}", 422,
		ERROR(422, "validation_error", "Email is cancelled already")},
	    {"move, cancelled", "PATCH", path, "{'scheduled_at':'in 1 hour'}", 422},
	};

	EXPECT_EMAIL(fixture, id, "last_event = 'scheduled'", "scheduled_at : string");
	EXPECT_ALL(fixture, exchanges);
	EXPECT_EMAIL(fixture, id, "last_event = 'canceled'");
}

Test(resend_email_read, schedule_in_words)
{
	gint64 before = g_get_real_time() / 1000;
	g_autofree char *id = letter_send(fixture, "'scheduled_at':'In  1 HOUR'");
	g_autofree char *past = letter_send(fixture, "'scheduled_at':'2020-01-01T00:00:00.000Z'");
	g_autofree char *path = g_strconcat("/resend/emails/", id, NULL);
	const struct exchange exchange = {"get", "GET", path, .want_status = 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const char *text = answer_text(answer, "scheduled_at");
	gint64 at;

	cr_expect_eq(strlen(text), strlen("2026-11-20T08:00:00.000Z"), "%s", text);
	cr_assert(base_clock_parse(text, &at));
	cr_expect(at >= before + 3600000 && at < before + 3600000 + 60000, "%s", text);
	EXPECT_EMAIL(fixture, past, "scheduled_at : null");
}

/* SPDX-License-Identifier: MIT */
/* GET /v1/emails/{id}: each field, its type and its value. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/unit.h"
#include "json/value.h"
#include "json/writer.h"
#include "store/domain/domain.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

FIXTURE_SUITE(email_read, 900);

/* The names of an object's members, in their order, with spaces between. The caller owns it. */
static char *
email_read_names(const struct json *object)
{
	GString *text = g_string_new(NULL);
	struct json_iterator members = json_members(object);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value))
		g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", name);
	return g_string_free(text, FALSE);
}

static void
expect_names(const struct answer *answer, const char *place, const char *want)
{
	g_autofree char *got = email_read_names(*place ? answer_at(answer, place) : answer->json);

	cr_expect_str_eq(got, want, "members of \"%s\": got %s, want %s", place, got, want);
}

Test(email_read, shows_every_field)
{
	gint64 before = g_get_real_time() / 1000;
	g_autofree char *id = email_send(fixture,
	    "'from':'Ann <a@example.com>','to':['B <b@example.net>','c@example.net'],"
	    "'cc':'d@example.net','bcc':'e@example.net','reply_to':'f@example.net',"
	    "'subject':'Hello {{x}}','html':'<p>{{x}}</p>','text':'T "
	    "{{x}}','variables':{'x':'you'},"
	    "'tags':{'a':'1','b':'\u00e9'}");
	gint64 after = g_get_real_time() / 1000;
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchange = {"whole", "GET", path, NULL, 200, NULL,
	    {"type = 'transactional'", "to = ['b@example.net','c@example.net']",
		"cc = ['d@example.net']", "bcc = ['e@example.net']", "reply_to = ['f@example.net']",
		"subject = 'Hello you'", "template_id = null", "html = '<p>you</p>'",
		"text = 'T you'", "from = 'Ann <a@example.com>'", "created : integer",
		"scheduled_at = null", "email_sent_timestamp : integer",
		"tags = {'a':'1','b':'\u00e9'}", "last_event.status = 'delivered'",
		"last_event.timestamp : integer", "last_event.recipient : string",
		"last_event.ip = null", "last_event.user_agent = null", "last_event.link : absent",
		"recipient_statuses[0].recipient = 'b@example.net'",
		"recipient_statuses[1].recipient = 'c@example.net'",
		"recipient_statuses[2].recipient = 'd@example.net'",
		"recipient_statuses[3].recipient = 'e@example.net'", "recipient_statuses[4] = null",
		"recipient_statuses[0].events[0].status = 'sent'",
		"recipient_statuses[0].events[1].status = 'delivered'",
		"recipient_statuses[0].events[2] = null",
		"recipient_statuses[3].events[1].timestamp : integer"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	expect_names(answer, "",
	    "id type to cc bcc reply_to subject template_id domain_id html text from created "
	    "scheduled_at email_sent_timestamp tags last_event recipient_statuses");
	expect_names(answer, "last_event", "status timestamp recipient ip user_agent");
	expect_names(answer, "recipient_statuses[0]", "recipient events more");
	expect_names(answer, "recipient_statuses[0].events[0]", "status timestamp relay");
	cr_expect_str_eq(answer_text(answer, "id"), id);
	gint64 created = json_integer(answer_at(answer, "created"));
	gint64 sent = json_integer(answer_at(answer, "email_sent_timestamp"));
	gint64 delivered = json_integer(answer_at(answer, "last_event.timestamp"));
	cr_expect(before <= created && created <= sent && sent <= after + 1000,
	    "want %" G_GINT64_FORMAT " <= %" G_GINT64_FORMAT " <= %" G_GINT64_FORMAT, before,
	    created, sent);
	cr_expect(created <= delivered && delivered <= after, "got %" G_GINT64_FORMAT, delivered);
}

Test(email_read, names_the_domain)
{
	g_autofree char *id = email_send(fixture, "'from':'a@news.example.com'");
	AUTO(answer) answer = email_get(fixture, id);
	g_autoptr(GError) error = NULL;
	AUTO(store_domain) domain =
	    store_domain_find_sender(fixture->db, &fixture->id, FIXTURE_DOMAIN, NULL, &error);
	char want[ID_TEXT_SIZE];

	cr_assert(domain, "%s", error ? error->message : "");
	cr_expect_str_eq(answer_text(answer, "domain_id"), base_id_format(&domain->id, want));
}

/* Before the relay has the email: the time of acceptance, and no event. */
Test(email_read, shows_what_is_scheduled)
{
	g_autofree char *at =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);
	g_autofree char *id = email_send(fixture, at);
	AUTO(answer) answer = email_get(fixture, id);
	g_autofree char *got = json_print(answer_at(answer, "scheduled_at"));

	cr_expect_str_eq(got, strchr(at, ':') + 1, "got %s, want %s", got, at);
	cr_expect_eq(json_integer(answer_at(answer, "email_sent_timestamp")),
	    json_integer(answer_at(answer, "created")));
	cr_expect_eq(json_kind(answer_at(answer, "last_event")), JSON_NULL);
	cr_expect_eq(json_array_length(answer_at(answer, "recipient_statuses[0].events")), 0);
	cr_expect_eq(arrival_count(fixture, id), 0);
}

Test(email_read, takes_times_as_they_are_written)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autoptr(GDateTime) then = g_date_time_add_days(now, 2);
	g_autofree char *date = g_date_time_format(then, "%Y-%m-%d");
	g_autoptr(GDateTime) day = g_date_time_new_utc(g_date_time_get_year(then),
	    g_date_time_get_month(then), g_date_time_get_day_of_month(then), 10, 0, 0);
	gint64 ten = g_date_time_to_unix(day) * 1000;
	const struct {
		const char *time;
		gint64 want; /* 0: null, it is now */
	} cases[] = {
	    {"T10:00:00Z", ten},
	    {"T10:00:00.123Z", ten + 123},
	    {"T12:30:00+02:30", ten},
	    {"T10:00:00", ten},
	    {"T05:00:00-05:00", ten},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *change =
		    g_strdup_printf("'scheduled_at':'%s%s'", date, cases[i].time);
		g_autofree char *id = email_send(fixture, change);
		AUTO(answer) answer = email_get(fixture, id);
		gint64 got = json_integer(answer_at(answer, "scheduled_at"));
		cr_expect_eq(got, cases[i].want,
		    "%s: got %" G_GINT64_FORMAT ", want %" G_GINT64_FORMAT, cases[i].time, got,
		    cases[i].want);
	}
}

/* A time in the past is now. */
Test(email_read, sends_what_is_overdue)
{
	static const struct acceptance acceptances[] = {
	    {"long ago", "'scheduled_at':'2001-01-01T00:00:00Z'",
		{"scheduled_at = null", "last_event.status = 'delivered'"}},
	    {"before the epoch", "'scheduled_at':-1",
		{"scheduled_at = null", "last_event.status = 'delivered'"}},
	    {"zero", "'scheduled_at':0",
		{"scheduled_at = null", "last_event.status = 'delivered'"}},
	    {"when seconds counted so far", "'scheduled_at':1700000000",
		{"scheduled_at = null", "last_event.status = 'delivered'"}},
	};

	ACCEPT_ALL(fixture, acceptances);
}

/* Characters that are special in JSON, html or messages come back unchanged. */
Test(email_read, gives_bodies_back_as_they_were)
{
	static const struct acceptance acceptances[] = {
	    {"escapes", "'html':'\\u0022\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f','text':'\\u0022\\\\'",
		{"html = '\\'\\\\/\\b\\f\\n\\r\\t\\u0001\x7f'", "text = '\\'\\\\'"}},
	    {"other scripts", "'html':'\u5c71\u00e9\\u20ac\\ud83d\\ude00\\u2028'",
		{"html = '\u5c71\u00e9\u20ac\U0001f600\u2028'"}},
	    {"line ends", "'html':'a\\r\\nb\\nc\\rd','text':'a\\r\\nb\\nc\\rd'",
		{"html = 'a\\r\\nb\\nc\\rd'", "text = 'a\\r\\nb\\nc\\rd'"}},
	    {"dots", "'html':'.\\r\\n..\\r\\n.','text':'.\\n'",
		{"html = '.\\r\\n..\\r\\n.'", "text = '.\\n'"}},
	    {"no html at all", "'html':'just text'",
		{"html = 'just text'", "text = 'just text\\n'"}},
	};

	ACCEPT_ALL(fixture, acceptances);
}

/* A body of several rows, of which a multi-byte character straddles two. */
Test(email_read, gives_large_bodies_back)
{
	g_autoptr(GString) html = g_string_new("x");
	while (html->len < 3 * LIMIT_MIB)
		g_string_append(html, "\u5c71\u7530<p>\U0001f600");
	g_autofree char *change = g_strdup_printf("'html':'%s'", html->str);
	g_autofree char *id = email_send(fixture, change);
	AUTO(answer) answer = email_get(fixture, id);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	gsize size;
	g_autofree char *arrived = arrival_content(arrival, 1, &size);

	cr_expect(strcmp(answer_text(answer, "html"), html->str) == 0, "other html is read back");
	cr_expect(size == html->len && memcmp(arrived, html->str, size) == 0,
	    "other html of %zu bytes has arrived", size);
}

/* A message that posthouse sendmail took has a part of its own, beside the text that is shown. */
Test(email_read, shows_no_html_of_a_message_without_it)
{
	g_autofree char *id = email_send(
	    fixture, "'from':'a@example.com','to':'b@example.net','text':'x','html':null");
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	g_autofree char *message =
	    g_strdup_printf("INSERT INTO body (workspace_id, hash, size, data)"
			    " SELECT workspace_id, REPEAT('h', 32), 1, 'x' FROM email"
			    " WHERE id = UNHEX(REPLACE('%s', '-', ''))",
		id);
	g_autofree char *part =
	    g_strdup_printf("INSERT INTO email_part (email_id, number, workspace_id, role, body)"
			    " SELECT id, 9, workspace_id, 4, REPEAT('h', 32) FROM email"
			    " WHERE id = UNHEX(REPLACE('%s', '-', ''))",
		id);
	const struct exchange alone = {
	    "text alone", "GET", path, NULL, 200, NULL, {"html = ''", "text = 'x'"}};
	const struct exchange raw = {
	    "of sendmail", "GET", path, NULL, 200, NULL, {"html = null", "text = 'x'"}};

	answer_free(exchange_expect(fixture, &alone));
	test_db_plain(fixture->db, message);
	test_db_plain(fixture->db, part);
	answer_free(exchange_expect(fixture, &raw));
}

Test(email_read, keeps_workspaces_apart)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = email_send(fixture, NULL);
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchanges[] = {
	    {"another's email", "GET", path, NULL, 404, "{'message':'Email not found'}"},
	    {"cancelled by another", "DELETE", path, NULL, 404, "{'message':'Email not found'}"},
	    {"in no list of another's", "GET", "/v1/emails", NULL, 200,
		"{'emails':[],'count':0,'cursor':null}"},
	};

	EXPECT_ALL(other, exchanges);
	answer_free(email_get(fixture, id));
}

/* SPDX-License-Identifier: MIT */
/* GET /v1/emails/{id}/events, and what GET /v1/emails/{id} leaves to it. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

TENANT_SUITE(email_events, 120);

#define THREE "'to':['Ann <ann@example.net>','bob@example.net'],'cc':'Carl@Example.net'"

/* So many opens of the recipient; the Nth, from 1, at N. */
static void
visit(const char *id, guint recipient, guint visits)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp, ip,"
	    " user_agent) SELECT r.email_id, UNHEX(LPAD(HEX(seq * 1000 + r.number), 32, '0')),"
	    " r.workspace_id, r.number, 5, seq, '192.0.2.1', 'UA' FROM recipient r, seq_1_to_%u"
	    " WHERE r.email_id = UNHEX(REPLACE('%s', '-', '')) AND r.number = %u",
	    visits, id, recipient);

	test_db_plain(tenant->db, sql);
}

/* An email without events of its own: it leaves in an hour. */
static char *
send(const char *change)
{
	g_autofree char *whole = g_strdup_printf(
	    "%s,'scheduled_at':%" G_GINT64_FORMAT, change, g_get_real_time() / 1000 + 3600000);

	return email_send(tenant, whole);
}

static struct answer *
get_page(const char *id, const char *query, const char *cursor)
{
	g_autofree char *path = g_strdup_printf("/v1/emails/%s/events?%s%s%s", id, query,
	    cursor ? "&cursor=" : "", cursor ? cursor : "");
	const struct exchange exchange = {
	    path, "GET", path, NULL, 200, NULL, {"events : array", "count : integer"}};

	return exchange_expect(tenant, &exchange);
}

Test(email_events, tell_what_became_of_each_recipient)
{
	g_autofree char *id = email_send(tenant, THREE);
	g_autofree char *path = g_strconcat("/v1/emails/", id, "/events", NULL);
	g_autofree char *carl = g_strconcat(path, "?recipient=carl@example.net", NULL);
	const struct exchange exchanges[] = {
	    {"all", "GET", path, NULL, 200, NULL,
		{"count = 6", "cursor = null", "events[0].recipient = 'Carl@example.net'",
		    "events[0].status = 'delivered'", "events[0].timestamp : integer",
		    "events[0].ip : absent", "events[6] = null"}},
	    {"of one", "GET", carl, NULL, 200, NULL,
		{"count = 2", "cursor = null", "events[0].recipient = 'Carl@example.net'",
		    "events[0].status = 'delivered'", "events[1].status = 'sent'"}},
	};

	EXPECT_ALL(tenant, exchanges);
	AUTO(answer) answer = get_page(id, "recipient=bob@example.net", NULL);
	struct json_iterator members = json_members(answer_at(answer, "events[0]"));
	const struct json *value;
	const char *name = NULL;
	json_iterator_next(&members, &name, &value);
	cr_expect_str_eq(name, "recipient");
}

/* Walks from page to page; how many events there were, each older than the one before. */
static guint
walk(const char *id, const char *query)
{
	g_autofree char *cursor = NULL;
	gint64 last = G_MAXINT64;
	guint count = 0;

	do {
		AUTO(answer) answer = get_page(id, query, cursor);
		gsize size = json_array_length(answer_at(answer, "events"));

		cr_expect_eq(json_integer(answer_at(answer, "count")), size);
		for (gsize i = 0; i < size; i++) {
			g_autofree char *place = g_strdup_printf("events[%zu].timestamp", i);
			gint64 time = json_integer(answer_at(answer, place));

			cr_expect_leq(time, last, "%s: event %u", query, count);
			last = time;
			count++;
		}
		g_free(cursor);
		cursor = g_strdup(json_string(answer_at(answer, "cursor"), NULL));
		cr_assert(!cursor || size == LIMIT_PAGE);
	} while (cursor);
	return count;
}

Test(email_events, come_in_pages)
{
	static const struct {
		const char *query;
		guint want;
	} cases[] = {
	    {"", 3 * LIMIT_PAGE},
	    {"recipient=", 3 * LIMIT_PAGE},
	    {"recipient=ann@example.net", LIMIT_PAGE},
	    {"recipient=ANN@EXAMPLE.NET", LIMIT_PAGE},
	    {"recipient=bob@example.net", LIMIT_PAGE - 1},
	    {"recipient=carl@EXAMPLE.net", LIMIT_PAGE + 1},
	    {"recipient=dora@example.net", 0},
	};
	g_autofree char *id = send(THREE);

	visit(id, 0, LIMIT_PAGE);
	visit(id, 1, LIMIT_PAGE - 1);
	visit(id, 2, LIMIT_PAGE + 1);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint got = walk(id, cases[i].query);

		cr_expect_eq(got, cases[i].want, "%s: got %u", cases[i].query, got);
	}
}

Test(email_events, refuse_what_is_wrong)
{
	g_autofree char *id = send(THREE);
	g_autofree char *cursor = g_strdup_printf("/v1/emails/%s/events?cursor=", id);
	g_autofree char *word = g_strconcat(cursor, "x", NULL);
	g_autofree char *of_list = g_strconcat(cursor, id, NULL);
	g_autofree char *recipient = g_strdup_printf("/v1/emails/%s/events?recipient=x", id);
	g_autofree char *post = g_strdup_printf("/v1/emails/%s/events", id);
	const struct exchange exchanges[] = {
	    {"a word", "GET", word, NULL, 400, "{'message':'cursor is malformed'}"},
	    {"an id", "GET", of_list, NULL, 400, "{'message':'cursor is malformed'}"},
	    {"no address", "GET", recipient, NULL, 400,
		"{'message':'recipient must be an email address'}"},
	    {"no email", "GET", "/v1/emails/01890a5d-ac96-774b-bcce-b302099a8057/events", NULL, 404,
		"{'message':'Email not found'}"},
	    {"no id", "GET", "/v1/emails/x/events", NULL, 404, "{'message':'Email not found'}"},
	    {"another method", "POST", post, "{}", 405, "{'message':'Method not allowed'}"},
	};
	AUTO(tenant) other = tenant_open();
	const struct exchange theirs = {
	    "another's email", "GET", post, NULL, 404, "{'message':'Email not found'}"};

	EXPECT_ALL(tenant, exchanges);
	exchange_expect_all(other, &theirs, 1);
}

Test(email_events, are_the_newest_100_of_each_recipient_in_the_email)
{
	g_autofree char *id = send(THREE);
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchange = {"newest", "GET", path, NULL, 200, NULL,
	    {"recipient_statuses[0].more = false", "recipient_statuses[0].events[0].timestamp = 1",
		"recipient_statuses[0].events[99].timestamp = 100",
		"recipient_statuses[0].events[100] = null", "recipient_statuses[1].more = true",
		"recipient_statuses[1].events[0].timestamp = 2",
		"recipient_statuses[1].events[99].timestamp = 101",
		"recipient_statuses[1].events[100] = null", "recipient_statuses[2].more = false",
		"recipient_statuses[2].events = []", "last_event.recipient = 'bob@example.net'",
		"last_event.timestamp = 101"}};

	visit(id, 0, LIMIT_RECIPIENT_EVENTS);
	visit(id, 1, LIMIT_RECIPIENT_EVENTS + 1);
	answer_free(exchange_expect(tenant, &exchange));
}

/* More than are read at once. */
Test(email_events, of_many_recipients_with_many_visits_make_no_large_answer)
{
	g_autoptr(GString) to = g_string_new("'to':[");
	gsize shown = 0;

	for (guint i = 0; i < LIMIT_RECIPIENTS; i++)
		g_string_append_printf(to, "%s'r%u@example.net'", i > 0 ? "," : "", i);
	g_string_append_c(to, ']');
	g_autofree char *id = send(to->str);
	for (guint i = 0; i < LIMIT_RECIPIENTS; i++)
		visit(id, i, LIMIT_VISITS);
	AUTO(answer) answer = email_get(tenant, id);
	for (guint i = 0; i < LIMIT_RECIPIENTS; i++) {
		g_autofree char *place = g_strdup_printf("recipient_statuses[%u].events", i);
		shown += json_array_length(answer_at(answer, place));
	}
	cr_expect_eq(shown, LIMIT_RECIPIENTS * LIMIT_RECIPIENT_EVENTS, "got %zu", shown);
	cr_expect_lt(answer->size, LIMIT_MIB, "got %zu bytes", answer->size);
	cr_expect_eq(json_integer(answer_at(answer, "last_event.timestamp")), LIMIT_VISITS);
}

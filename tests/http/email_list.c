/* SPDX-License-Identifier: MIT */
/* GET /v1/emails and /v1/emails/{id}/events: pages, filters, rows. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/list.h"
#include "base/limits/unit.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

FIXTURE_SUITE(email_list, 900);

/* Sends emails that stay in the outbox, and appends their ids, oldest first. */
static void
email_list_fill(GPtrArray *ids, guint count)
{
	g_autofree char *later =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);

	while (count-- > 0) {
		g_ptr_array_add(ids, email_send(fixture, later));
		exchange_next_moment();
	}
}

/* Reads all pages, and expects these sizes and the ids, newest first. */
static void
email_list_expect_pages(const GPtrArray *ids, const char *filter, const guint *sizes, guint pages)
{
	g_autofree char *cursor = g_strdup("");
	guint left = ids->len;

	for (guint page = 0; page < pages; page++) {
		g_autofree char *path = g_strdup_printf("/v1/emails?%s&cursor=%s", filter, cursor);
		const struct exchange exchange = {"page", "GET", path, NULL, 200};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		gsize count = json_array_length(answer_at(answer, "emails"));

		cr_assert_eq(
		    count, sizes[page], "page %u: got %zu rows, want %u", page, count, sizes[page]);
		cr_expect_eq(json_integer(answer_at(answer, "count")), (gint64)count);
		for (guint i = 0; i < count; i++) {
			g_autofree char *place = g_strdup_printf("emails[%u].id", i);
			cr_assert_str_eq(answer_text(answer, place), ids->pdata[--left],
			    "page %u, row %u", page, i);
		}
		if (page == pages - 1) {
			cr_expect_eq(json_kind(answer_at(answer, "cursor")), JSON_NULL);
			break;
		}
		g_free(cursor);
		cursor = g_strdup(answer_text(answer, "cursor"));
		cr_expect_str_eq(cursor, ids->pdata[left], "cursor is not the last id");
	}
	cr_expect_eq(left, 0, "%u rows are missing", left);
}

Test(email_list, comes_in_pages)
{
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);

	email_list_expect_pages(ids, "", (const guint[]){0}, 1);
	email_list_fill(ids, 1);
	email_list_expect_pages(ids, "", (const guint[]){1}, 1);
	email_list_fill(ids, LIMIT_PAGE - 1);
	email_list_expect_pages(ids, "", (const guint[]){50}, 1);
	email_list_fill(ids, 1);
	email_list_expect_pages(ids, "", (const guint[]){50, 1}, 2);
	email_list_fill(ids, LIMIT_PAGE - 1);
	email_list_expect_pages(ids, "", (const guint[]){50, 50}, 2);
	email_list_expect_pages(ids, "to=b@example.net", (const guint[]){50, 50}, 2);
	email_list_fill(ids, 1);
	email_list_expect_pages(ids, "", (const guint[]){50, 50, 1}, 3);
	email_list_expect_pages(ids, "to=B@Example.NET", (const guint[]){50, 50, 1}, 3);
}

/* Emails with different fates at the relay, and others in between. */
Test(email_list, comes_in_pages_when_narrowed)
{
	g_autoptr(GPtrArray) sent = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) waiting = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i <= LIMIT_PAGE; i++) {
		g_ptr_array_add(
		    sent, email_send(fixture, "'to':['c@example.net','d@example.net']"));
		email_list_fill(waiting, i % 2);
	}
	email_list_expect_pages(sent, "status=delivered", (const guint[]){50, 1}, 2);
	email_list_expect_pages(sent, "to=d@example.net", (const guint[]){50, 1}, 2);
	email_list_expect_pages(
	    sent, "to=c@example.net&status=delivered", (const guint[]){50, 1}, 2);
	email_list_expect_pages(waiting, "to=b@example.net", (const guint[]){25}, 1);
}

/* Emails that arrive while a client pages are on no later page. */
Test(email_list, is_not_shifted_by_new_ones)
{
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
	const struct exchange first = {"first page", "GET", "/v1/emails", NULL, 200};

	email_list_fill(ids, LIMIT_PAGE + 1);
	AUTO(answer) page = exchange_expect(fixture, &first);
	email_list_fill(ids, 3);
	g_autofree char *path =
	    g_strconcat("/v1/emails?cursor=", answer_text(page, "cursor"), NULL);
	g_autofree char *want = g_strdup_printf("emails[0].id = '%s'", (char *)ids->pdata[0]);
	const struct exchange second = {
	    "second page", "GET", path, NULL, 200, NULL, {want, "count = 1", "cursor = null"}};
	answer_free(exchange_expect(fixture, &second));
}

Test(email_list, has_rows)
{
	g_autofree char *id = email_send(fixture,
	    "'to':['B <b@example.net>','c@example.net'],'bcc':'d@example.net','subject':'\u00e9'");
	g_autofree char *want_id = g_strdup_printf("emails[0].id = '%s'", id);
	const struct exchange exchange = {"row", "GET", "/v1/emails", NULL, 200, NULL,
	    {want_id, "emails[0].type = 'transactional'",
		"emails[0].to = ['b@example.net','c@example.net']", "emails[0].subject = '\u00e9'",
		"emails[0].last_event.status = 'delivered'",
		"emails[0].last_event.timestamp : integer",
		"emails[0].last_event.recipient : string", "emails[0].last_event.ip = null",
		"emails[0].last_event.user_agent = null",
		"emails[0].email_sent_timestamp : integer",
		"emails[0].recipient_statuses[0].recipient = 'b@example.net'",
		"emails[0].recipient_statuses[0].status = 'delivered'",
		"emails[0].recipient_statuses[0].timestamp : integer",
		"emails[0].recipient_statuses[2].recipient = 'd@example.net'",
		"emails[0].recipient_statuses[3] = null", "emails[0].html : absent",
		"emails[0].text : absent", "emails[0].recipient_statuses[0].events : absent",
		"count = 1", "cursor = null"}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(email_list, has_rows_without_events)
{
	g_autoptr(GPtrArray) ids = g_ptr_array_new_with_free_func(g_free);
	const struct exchange exchange = {"row", "GET", "/v1/emails", NULL, 200, NULL,
	    {"emails[0].last_event = null",
		"emails[0].recipient_statuses = "
		"[{'recipient':'b@example.net','status':null,'timestamp':null}]",
		"emails[0].email_sent_timestamp : integer"}};

	email_list_fill(ids, 1);
	answer_free(exchange_expect(fixture, &exchange));
}

#define NO_STATUS "{'message':'status must be the name of an email event'}"
#define NO_ADDRESS "{'message':'to must be an email address'}"
#define NO_CURSOR "{'message':'cursor is malformed'}"

/* A query and the ids that it lists. */
struct narrowing {
	const char *query;
	const char *want[4];
};

static void
expect_narrowed(const struct narrowing *cases, gsize number)
{
	for (gsize i = 0; i < number; i++) {
		g_autofree char *path = g_strconcat("/v1/emails?", cases[i].query, NULL);
		g_autofree char *places[4] = {NULL};
		struct exchange exchange = {cases[i].query, "GET", path, NULL, 200};
		guint count = 0;
		for (; count < 4 && cases[i].want[count]; count++)
			exchange.want[count] = places[count] =
			    g_strdup_printf("emails[%u].id = '%s'", count, cases[i].want[count]);
		g_autofree char *size = g_strdup_printf("count = %u", count);
		exchange.want[count] = size;
		answer_free(exchange_expect(fixture, &exchange));
		for (guint j = 0; j < 4; j++)
			g_clear_pointer(&places[j], g_free);
	}
}

Test(email_list, is_narrowed)
{
	g_autoptr(GPtrArray) waiting = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *a =
	    email_send(fixture, "'to':'x@example.net','cc':['y@example.net','x+news@example.net']");
	g_autofree char *b =
	    email_send(fixture, "'to':'y@example.net','bcc':'z@b\u00fccher.example'");
	email_list_fill(waiting, 1);
	const struct narrowing cases[] = {
	    {"", {waiting->pdata[0], b, a}},
	    {"status=delivered", {b, a}},
	    {"status=sent", {NULL}},
	    {"status=opened", {NULL}},
	    {"status=bounced", {NULL}},
	    {"status=suppressed", {NULL}},
	    {"to=x@example.net", {a}},
	    {"to=y@example.net", {b, a}},
	    {"to=Y%40EXAMPLE.net", {b, a}},
	    {"to=z@xn--bcher-kva.example", {b}},
	    {"to=z@b%C3%BCcher.example", {b}},
	    {"to=x%2Bnews@example.net", {a}},
	    {"to=x+news@example.net", {a}},
	    {"to=nobody@example.net", {NULL}},
	    {"to=y@example.net&status=delivered", {b, a}},
	    {"to=b@example.net&status=delivered", {NULL}},
	    {"to=b@example.net", {waiting->pdata[0]}},
	};

	expect_narrowed(cases, G_N_ELEMENTS(cases));
}

static gint64
created(const char *id)
{
	AUTO(answer) answer = email_get(fixture, id);

	return json_integer(answer_at(answer, "created"));
}

Test(email_list, is_narrowed_by_tag_sender_and_time)
{
	g_autofree char *a = email_send(fixture, "'tags':{'order':'7','kind':'a:b'}");
	exchange_next_moment();
	g_autofree char *b = email_send(fixture,
	    "'from':'B \\u00fc <B@" FIXTURE_DOMAIN ">','tags':{'order':'8','k:d':'x','':''}");
	exchange_next_moment();
	g_autofree char *c = email_send(fixture, "'to':'x@example.net'");
	gint64 time = created(b);
	g_autofree char *since = g_strdup_printf("since=%" G_GINT64_FORMAT, time),
			*past = g_strdup_printf("since=%" G_GINT64_FORMAT, time + 1),
			*until = g_strdup_printf("until=%" G_GINT64_FORMAT, time),
			*upto = g_strdup_printf("until=%" G_GINT64_FORMAT, time + 1);
	g_autoptr(GDateTime) when = g_date_time_new_from_unix_utc(time / 1000);
	g_autofree char *second = g_date_time_format(when, "%Y-%m-%dT%H:%M:%S");
	g_autofree char *iso = g_strdup_printf("since=%s.%03dZ&until=%s.%03dZ", second,
	    (int)(time % 1000), second, (int)(time % 1000) + 1);
	g_autofree char *all =
	    g_strconcat("tag=order&from=b@" FIXTURE_DOMAIN "&to=b@example.net&status=delivered&",
		since, "&", upto, NULL);
	g_autofree char *cursor = g_strconcat("tag=order&cursor=", b, NULL);
	const struct narrowing cases[] = {
	    {"tag=order", {b, a}},
	    {"tag=order:7", {a}},
	    {"tag=order%3A8", {b}},
	    {"tag=order:", {NULL}},
	    {"tag=Order", {NULL}},
	    {"tag=ord", {NULL}},
	    {"tag=kind:a:b", {a}},
	    {"tag=k:d:x", {NULL}},
	    {"tag=order&to=x@example.net", {NULL}},
	    {"from=a@" FIXTURE_DOMAIN, {c, a}},
	    {"from=A@Example.COM", {c, a}},
	    {"from=b@" FIXTURE_DOMAIN, {b}},
	    {"from=b@" FIXTURE_DOMAIN "&tag=order:7", {NULL}},
	    {"from=c@" FIXTURE_DOMAIN, {NULL}},
	    {since, {c, b}},
	    {past, {c}},
	    {until, {a}},
	    {upto, {b, a}},
	    {iso, {(int)(time % 1000) == 999 ? NULL : b}},
	    {"since=0", {c, b, a}},
	    {"until=0", {NULL}},
	    {"since=2999-01-01T00:00:00Z", {NULL}},
	    {"until=2999-01-01T00:00:00Z", {c, b, a}},
	    {all, {b}},
	    {cursor, {a}},
	};

	expect_narrowed(cases, G_N_ELEMENTS(cases));
}

Test(email_list, refuses_what_it_cannot_read)
{
	static const struct exchange exchanges[] = {
	    {"cursor", "GET", "/v1/emails?cursor=x", NULL, 400, NO_CURSOR},
	    {"cursor, number", "GET", "/v1/emails?cursor=50", NULL, 400, NO_CURSOR},
	    {"cursor, cut", "GET", "/v1/emails?cursor=01890a5d-ac96-774b-bcce-b302099a805", NULL,
		400, NO_CURSOR},
	    {"cursor, base64", "GET", "/v1/emails?cursor=AYkKXayWd0u8zrMCCZqAVw==", NULL, 400,
		NO_CURSOR},
	    {"status", "GET", "/v1/emails?status=gone", NULL, 400, NO_STATUS},
	    {"status, other case", "GET", "/v1/emails?status=Sent", NULL, 400, NO_STATUS},
	    {"to", "GET", "/v1/emails?to=nobody", NULL, 400, NO_ADDRESS},
	    {"to, other script", "GET", "/v1/emails?to=%C3%A9@example.net", NULL, 400, NO_ADDRESS},
	    {"to, two", "GET", "/v1/emails?to=a@x.org,b@x.org", NULL, 400, NO_ADDRESS},
	    {"from", "GET", "/v1/emails?from=nobody", NULL, 400,
		"{'message':'from must be an email address'}"},
	    {"from with a name", "GET", "/v1/emails?from=A%20%3Ca@x.org%3E", NULL, 400,
		"{'message':'from must be an email address'}"},
	    {"since", "GET", "/v1/emails?since=yesterday", NULL, 400,
		"{'message':'since must be a time'}"},
	    {"since, fraction", "GET", "/v1/emails?since=1.5", NULL, 400,
		"{'message':'since must be a time'}"},
	    {"a date", "GET", "/v1/emails?since=2026-01-01&until=2126-01-01", NULL, 200},
	    {"without seconds", "GET", "/v1/emails?since=2026-01-01T08:00Z", NULL, 200},
	    {"no day", "GET", "/v1/emails?since=2026-02-30", NULL, 400,
		"{'message':'since must be a time'}"},
	    {"until", "GET", "/v1/emails?until=x", NULL, 400, "{'message':'until must be a time'}"},
	    {"tag", "GET", "/v1/emails?tag=", NULL, 400, "{'message':'tag must not be empty'}"},
	    {"tag without name", "GET", "/v1/emails?tag=:x", NULL, 400,
		"{'message':'tag must not be empty'}"},
	    {"a cursor that is nobody's", "GET",
		"/v1/emails?cursor=00000000-0000-7000-8000-000000000000", NULL, 200,
		"{'emails':[],'count':0,'cursor':null}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define THREE "'to':['Ann <ann@example.net>','bob@example.net'],'cc':'Carl@Example.net'"

/* Inserts opens of the recipient, the Nth (from 1) at time N. */
static void
email_list_visit(const char *id, guint recipient, guint visits)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp, ip,"
	    " user_agent) SELECT r.email_id, UNHEX(LPAD(HEX(seq * 1000 + r.number), 32, '0')),"
	    " r.workspace_id, r.number, 5, seq, '192.0.2.1', 'UA' FROM recipient r, seq_1_to_%u"
	    " WHERE r.email_id = UNHEX(REPLACE('%s', '-', '')) AND r.number = %u",
	    visits, id, recipient);

	test_db_plain(fixture->db, sql);
}

/* An email without events of its own: it leaves in an hour. */
static char *
email_list_send(const char *change)
{
	g_autofree char *whole = g_strdup_printf(
	    "%s,'scheduled_at':%" G_GINT64_FORMAT, change, g_get_real_time() / 1000 + 3600000);

	return email_send(fixture, whole);
}

static struct answer *
get_page(const char *id, const char *query, const char *cursor)
{
	g_autofree char *path = g_strdup_printf("/v1/emails/%s/events?%s%s%s", id, query,
	    cursor ? "&cursor=" : "", cursor ? cursor : "");
	const struct exchange exchange = {
	    path, "GET", path, NULL, 200, NULL, {"events : array", "count : integer"}};

	return exchange_expect(fixture, &exchange);
}

Test(email_list, tell_what_became_of_each_recipient)
{
	g_autofree char *id = email_send(fixture, THREE);
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

	EXPECT_ALL(fixture, exchanges);
	AUTO(answer) answer = get_page(id, "recipient=bob@example.net", NULL);
	struct json_iterator members = json_members(answer_at(answer, "events[0]"));
	const struct json *value;
	const char *name = NULL;
	json_iterator_next(&members, &name, &value);
	cr_expect_str_eq(name, "recipient");
}

/* Reads all pages, and expects each event to be older than the one before. Returns their number. */
static guint
email_list_walk(const char *id, const char *query)
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

Test(email_list, come_in_pages)
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
	g_autofree char *id = email_list_send(THREE);

	email_list_visit(id, 0, LIMIT_PAGE);
	email_list_visit(id, 1, LIMIT_PAGE - 1);
	email_list_visit(id, 2, LIMIT_PAGE + 1);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint got = email_list_walk(id, cases[i].query);

		cr_expect_eq(got, cases[i].want, "%s: got %u", cases[i].query, got);
	}
}

Test(email_list, refuse_what_is_wrong)
{
	g_autofree char *id = email_list_send(THREE);
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
	    {"no id and a word", "GET", "/v1/emails/x/events?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"no id and no address", "GET", "/v1/emails/x/events?recipient=x", NULL, 400,
		"{'message':'recipient must be an email address'}"},
	    {"another method", "POST", post, "{}", 405, "{'message':'Method not allowed'}"},
	};
	AUTO(fixture) other = fixture_open();
	const struct exchange theirs = {
	    "another's email", "GET", post, NULL, 404, "{'message':'Email not found'}"};

	EXPECT_ALL(fixture, exchanges);
	exchange_expect_all(other, &theirs, 1);
}

Test(email_list, are_the_newest_100_of_each_recipient_in_the_email)
{
	g_autofree char *id = email_list_send(THREE);
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

	email_list_visit(id, 0, LIMIT_RECIPIENT_EVENTS);
	email_list_visit(id, 1, LIMIT_RECIPIENT_EVENTS + 1);
	answer_free(exchange_expect(fixture, &exchange));
}

/* More than are read at once. */
Test(email_list, of_many_recipients_with_many_visits_make_no_large_answer)
{
	g_autoptr(GString) to = g_string_new("'to':[");
	gsize shown = 0;

	for (guint i = 0; i < LIMIT_RECIPIENTS; i++)
		g_string_append_printf(to, "%s'r%u@example.net'", i > 0 ? "," : "", i);
	g_string_append_c(to, ']');
	g_autofree char *id = email_list_send(to->str);
	for (guint i = 0; i < LIMIT_RECIPIENTS; i++)
		email_list_visit(id, i, LIMIT_ENGAGEMENTS);
	AUTO(answer) answer = email_get(fixture, id);
	for (guint i = 0; i < LIMIT_RECIPIENTS; i++) {
		g_autofree char *place = g_strdup_printf("recipient_statuses[%u].events", i);
		shown += json_array_length(answer_at(answer, place));
	}
	cr_expect_eq(shown, LIMIT_RECIPIENTS * LIMIT_RECIPIENT_EVENTS, "got %zu", shown);
	cr_expect_lt(answer->size, LIMIT_MIB, "got %zu bytes", answer->size);
	cr_expect_eq(json_integer(answer_at(answer, "last_event.timestamp")), LIMIT_ENGAGEMENTS);
}

/* Emails of a workflow are of the type automation; here they become it. */
Test(email_list, is_narrowed_by_type)
{
	g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) automated = g_ptr_array_new_with_free_func(g_free);
	static const char *const faults[] = {"broadcast", "x", "Transactional"};

	email_list_fill(automated, LIMIT_PAGE + 1);
	test_db_plain(fixture->db, "UPDATE email SET type = 2 WHERE workspace_id = @workspace");
	email_list_fill(own, 2);
	email_list_expect_pages(automated, "type=automation", (const guint[]){50, 1}, 2);
	email_list_expect_pages(
	    automated, "type=automation&to=b@example.net", (const guint[]){50, 1}, 2);
	email_list_expect_pages(
	    automated, "type=automation&from=a@" FIXTURE_DOMAIN, (const guint[]){50, 1}, 2);
	email_list_expect_pages(own, "type=transactional", (const guint[]){2}, 1);
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strconcat("/v1/emails?type=", faults[i], NULL);
		const struct exchange exchange = {faults[i], "GET", path, NULL, 400,
		    "{'message':'type must be transactional or automation'}"};
		answer_free(exchange_expect(fixture, &exchange));
	}
	const struct exchange empty = {
	    "empty", "GET", "/v1/emails?type=", NULL, 200, .want = {"count = 50"}};
	answer_free(exchange_expect(fixture, &empty));
}

/* SPDX-License-Identifier: MIT */
/* Deliveries of a webhook: listed with their attempts, read, and replayed. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/list.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"
#include "tests/support/deliveries.h"

static struct fixture *fixture;
static struct base_id webhook;
static char *path; /* of the webhook's deliveries */

static void
webhook_deliveries_begin(void)
{
	fixture = fixture_open();
	AUTO(answer) made =
	    audience_ask(fixture, "POST", "{'url':'https://nobody.invalid/'}", "/v1/webhooks");
	cr_assert(base_id_parse(answer_text(made, "id"), &webhook));
	path = g_strdup_printf("/v1/webhooks/%s/deliveries", answer_text(made, "id"));
}

static void
webhook_deliveries_end(void)
{
	g_free(path);
	fixture_close(fixture);
}

TestSuite(webhook_deliveries, .init = webhook_deliveries_begin, .fini = webhook_deliveries_end,
    .timeout = 900);

#define AT G_GINT64_CONSTANT(1795174711000)

static void
webhook_deliveries_store(struct test_delivery *delivery)
{
	delivery->webhook = webhook;
	test_delivery_store(fixture->db, &fixture->id, delivery);
}

/* "NAME = 'ID'". The caller owns it. */
static char *
webhook_deliveries_is_id(const char *name, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	return g_strdup_printf("%s = '%s'", name, base_id_format(id, text));
}

Test(webhook_deliveries, are_listed_with_their_attempts)
{
	struct test_delivery old = {.created = AT, .status = DELIVERY_SUCCEEDED, .attempts = 2},
			     new = {.created = AT + 1,
				 .type = WEBHOOK_DOMAIN_FAILED,
				 .next_attempt = AT + 5000};

	webhook_deliveries_store(&old);
	webhook_deliveries_store(&new);
	test_db_plain(fixture->db,
	    "UPDATE webhook_attempt SET response_status = NULL, error = 'no',"
	    " response_body = '' WHERE workspace_id = @workspace AND number = 1");
	g_autofree char *old_id = webhook_deliveries_is_id("deliveries[1].id", &old.id),
			*event = webhook_deliveries_is_id("deliveries[1].event_id", &old.event),
			*hook = webhook_deliveries_is_id("deliveries[1].webhook_id", &webhook),
			*new_id = webhook_deliveries_is_id("deliveries[0].id", &new.id);
	const struct exchange exchange = {"list", "GET", path, NULL, 200,
	    .want = {"count = 2", "cursor = null", new_id, "deliveries[0].type = 'domain.failed'",
		"deliveries[0].status = 'pending'", "deliveries[0].created = 1795174711001",
		"deliveries[0].next_attempt = 1795174716000", "deliveries[0].attempts = []",
		"deliveries[0].payload : absent", old_id, event, hook,
		"deliveries[1].type = 'email.sent'", "deliveries[1].status = 'succeeded'",
		"deliveries[1].next_attempt = null",
		"deliveries[1].attempts[0] = {'timestamp':1795174712000,'response_status':null,"
		"'duration':1,'response_body':'','error':'no'}",
		"deliveries[1].attempts[1] = {'timestamp':1795174713000,'response_status':500,"
		"'duration':2,'response_body':'no 2','error':null}",
		"deliveries[1].attempts[2] : null", "deliveries[2] : null"}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(webhook_deliveries, are_filtered)
{
	static const struct {
		const char *query, *want;
	} cases[] = {
	    {"", "count = 3"},
	    {"?status=&type=&cursor=", "count = 3"},
	    {"?status=failed", "count = 2"},
	    {"?status=succeeded", "count = 0"},
	    {"?type=email.opened", "count = 2"},
	    {"?type=webhook.test", "count = 0"},
	    {"?type=email.opened&status=failed", "count = 1"},
	};
	static const struct {
		const char *query, *want;
	} refused[] = {
	    {"?status=FAILED", "status must be one of pending, succeeded, failed"},
	    {"?type=*", "type must be the name of an event"},
	    {"?type=opened", "type must be the name of an event"},
	    {"?cursor=x", "cursor is malformed"},
	    {"?cursor=01890a5d-ac96-774b-bcce-b302099a8057", "cursor is malformed"},
	    {"?Status=x", "Status is not a parameter of this request; did you mean status?"},
	};
	struct test_delivery rows[] = {
	    {.status = DELIVERY_FAILED},
	    {.status = DELIVERY_FAILED, .type = WEBHOOK_EMAIL_OPENED},
	    {.status = DELIVERY_PENDING, .type = WEBHOOK_EMAIL_OPENED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		webhook_deliveries_store(&rows[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *target = g_strconcat(path, cases[i].query, NULL);
		const struct exchange exchange = {
		    cases[i].query, "GET", target, NULL, 200, .want = {cases[i].want}};

		answer_free(exchange_expect(fixture, &exchange));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autofree char *want = g_strdup_printf("{'message':'%s'}", refused[i].want);

		audience_expect(fixture, "GET", NULL, 400, want, "%s%s", path, refused[i].query);
	}
}

/* Pages in the order of time, each delivery once, also of one time. */
Test(webhook_deliveries, are_walked_by_cursor)
{
	g_autofree char *cursor = g_strdup("");
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	gint64 before = G_MAXINT64;
	guint pages = 0;

	for (guint i = 0; i < 2 * LIMIT_PAGE; i++) {
		struct test_delivery delivery = {.created = AT + i / 4};
		webhook_deliveries_store(&delivery);
	}
	for (; cursor; pages++) {
		AUTO(answer) page =
		    audience_ask(fixture, "GET", NULL, "%s?cursor=%s", path, cursor);
		const struct json *rows = answer_at(page, "deliveries");

		cr_assert_eq(json_array_length(rows), (gsize)LIMIT_PAGE, "%s", page->body);
		for (gsize i = 0; i < json_array_length(rows); i++) {
			const struct json *row = json_array_at(rows, i);
			gint64 created = json_integer(json_member_get(row, "created"));
			cr_expect(created <= before);
			before = created;
			cr_expect(g_hash_table_add(
			    seen, g_strdup(json_string(json_member_get(row, "id"), NULL))));
		}
		g_free(cursor);
		cursor = g_strdup(json_string(answer_at(page, "cursor"), NULL));
		struct test_delivery later = {.created = AT + 1000};
		webhook_deliveries_store(&later);
	}
	cr_expect_eq(pages, 2u);
}

Test(webhook_deliveries, may_be_unknown)
{
	AUTO(answer) made =
	    audience_ask(fixture, "POST", "{'url':'https://nobody.invalid/'}", "/v1/webhooks");
	struct test_delivery theirs = {.status = DELIVERY_FAILED};
	char text[ID_TEXT_SIZE];

	cr_assert(base_id_parse(answer_text(made, "id"), &theirs.webhook));
	test_delivery_store(fixture->db, &fixture->id, &theirs);
	const char *const ids[] = {
	    "x", "01890a5d-ac96-774b-bcce-b302099a8057", base_id_format(&theirs.id, text)};
	for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
		audience_expect(fixture, "GET", NULL, 404, "{'message':'Delivery not found'}",
		    "%s/%s", path, ids[i]);
		audience_expect(fixture, "POST", NULL, 404, "{'message':'Delivery not found'}",
		    "%s/%s/replay", path, ids[i]);
	}
}

Test(webhook_deliveries, are_replayed)
{
	struct test_delivery failed = {.created = AT, .status = DELIVERY_FAILED, .attempts = 11};
	char text[ID_TEXT_SIZE];

	webhook_deliveries_store(&failed);
	g_autofree char *id = webhook_deliveries_is_id("id", &failed.id);
	g_autofree char *replay =
	    g_strdup_printf("%s/%s/replay", path, base_id_format(&failed.id, text));
	const struct exchange exchange = {"replay", "POST", replay, NULL, 200,
	    .want = {id, "status = 'pending'", "created = 1795174711000", "next_attempt : integer",
		"attempts[10].duration = 11", "attempts[11] : null"}};
	gint64 before = base_clock_now();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	gint64 next = json_integer(answer_at(answer, "next_attempt"));

	cr_expect(next >= before && next <= base_clock_now(), "%s", answer->body);
	cr_assert(db_run(fixture->db, "UPDATE webhook SET enabled = 0 WHERE id = ?",
	    DB_VALUES(db_id(&webhook)), NULL, NULL));
	audience_expect(
	    fixture, "POST", NULL, 409, "{'message':'Webhook is disabled'}", "%s", replay);
}

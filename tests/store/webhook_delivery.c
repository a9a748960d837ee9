/* SPDX-License-Identifier: MIT */
/* Deliveries: listed with their attempts, and replayed. */
#include "store/webhook/delivery.h"

#include "base/clock.h"
#include "base/limits/list.h"
#include "base/limits/webhook.h"
#include "store/common/listing.h"
#include "store/webhook/claim.h"
#include "store/webhook/retention.h"
#include "tests/store/fixture.h"
#include "tests/support/deliveries.h"

#define NOW 1800000000000

static struct fixture *fixture;
static struct base_id webhook;

static struct base_id
webhook_delivery_create(void)
{
	g_autoptr(GBytes) secret = g_bytes_new_static("sealed", 6);
	const struct store_webhook made = {.id = base_id_new(),
	    .workspace_id = fixture->workspace,
	    .url = (char *)"https://a.example/",
	    .enabled = true,
	    .description = (char *)"",
	    .secret = secret};

	MUST(store_webhook_create(fixture->db, &made, &error));
	return made.id;
}

static void
webhook_delivery_begin(void)
{
	fixture = fixture_open();
	base_clock_set(NOW);
	webhook = webhook_delivery_create();
}

static void
webhook_delivery_end(void)
{
	fixture_close(fixture);
}

TestSuite(
    webhook_delivery, .init = webhook_delivery_begin, .fini = webhook_delivery_end, .timeout = 900);

/* Stores a delivery; its id begins with the time created. */
static struct test_delivery
webhook_delivery_store(
    gint64 created, enum store_delivery_status status, enum store_webhook_type type)
{
	struct test_delivery delivery = {.webhook = webhook,
	    .id = base_id_at(created),
	    .created = created,
	    .status = status,
	    .type = type};

	test_delivery_store(fixture->db, &fixture->workspace, &delivery);
	return delivery;
}

/* The times of a page, less NOW. */
static char *
webhook_delivery_list(
    const struct store_webhook_delivery_filter *filter, guint limit, struct base_id *last_r)
{
	struct store_webhook_delivery_filter limited = *filter;
	struct store_rest rest;

	limited.limit = limit;
	g_autoptr(GPtrArray) page = MUST_GIVE(store_webhook_delivery_list(
	    fixture->db, &fixture->workspace, &webhook, &limited, &rest, &error));
	GString *times = g_string_new(NULL);

	for (guint i = 0; i < page->len; i++) {
		const struct store_webhook_delivery *delivery = page->pdata[i];

		g_string_append_printf(times, "%d ", (int)(delivery->created - NOW));
		*last_r = delivery->id;
	}
	return g_string_free(times, FALSE);
}

Test(webhook_delivery, is_listed_newest_first)
{
	static const struct {
		const char *name;
		struct store_webhook_delivery_filter filter;
		const char *want;
	} cases[] = {
	    {"all", {0}, "5 4 3 2 1 "},
	    {"failed", {.status = DELIVERY_FAILED}, "5 3 "},
	    {"sent", {.type = WEBHOOK_EMAIL_SENT}, "5 1 "},
	    {"both", {.status = DELIVERY_FAILED, .type = WEBHOOK_EMAIL_SENT}, "5 "},
	    {"none", {.type = WEBHOOK_TEST}, ""},
	};
	struct base_id last;
	struct base_id ours = webhook;

	/* stored in another order than that of their times */
	webhook_delivery_store(NOW + 3, DELIVERY_FAILED, WEBHOOK_EMAIL_OPENED);
	webhook_delivery_store(NOW + 1, DELIVERY_PENDING, WEBHOOK_EMAIL_SENT);
	webhook_delivery_store(NOW + 5, DELIVERY_FAILED, WEBHOOK_EMAIL_SENT);
	webhook_delivery_store(NOW + 2, DELIVERY_SUCCEEDED, WEBHOOK_EMAIL_OPENED);
	webhook_delivery_store(NOW + 4, DELIVERY_PENDING, WEBHOOK_EMAIL_OPENED);
	webhook = webhook_delivery_create();
	webhook_delivery_store(NOW + 6, DELIVERY_PENDING, WEBHOOK_EMAIL_SENT);
	webhook = ours;
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = webhook_delivery_list(&cases[i].filter, 10, &last);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
	}
	g_autofree char *first = webhook_delivery_list(&cases[0].filter, 2, &last);
	const struct store_webhook_delivery_filter next = {.before = &last};
	struct base_id end_of_list;
	g_autofree char *rest = webhook_delivery_list(&next, 10, &end_of_list);
	cr_expect_str_eq(first, "5 4 ");
	cr_expect_str_eq(rest, "3 2 1 ");
}

static void
list_all(void)
{
	const struct store_webhook_delivery_filter all = {0};
	struct base_id last;

	g_free(webhook_delivery_list(&all, 10, &last));
}

static void
list_failed(void)
{
	const struct store_webhook_delivery_filter failed = {.status = DELIVERY_FAILED};
	struct base_id last;

	g_free(webhook_delivery_list(&failed, 10, &last));
}

static void
list_pending(void)
{
	const struct store_webhook_delivery_filter pending = {.status = DELIVERY_PENDING};
	struct base_id last;

	g_free(webhook_delivery_list(&pending, 10, &last));
}

static void
find_due(void)
{
	static const struct base_id first;
	g_autoptr(GPtrArray) due =
	    MUST_GIVE(store_webhook_due_list(fixture->db, &first, NOW, 10, &error));

	cr_expect_eq(due->len, 0);
}

static void
remove_none(void)
{
	guint count;

	MUST(store_webhook_remove_done(fixture->db, NOW, &count, &error));
	cr_expect_eq(count, 0);
}

/* The work does not grow with the number of deliveries that were told. */
Test(webhook_delivery, is_found_among_many)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} cases[] = {{"all", list_all}, {"failed", list_failed}, {"pending", list_pending},
	    {"due", find_due}, {"old", remove_none}};
	gint64 work[2][G_N_ELEMENTS(cases)];

	webhook_delivery_store(NOW, DELIVERY_FAILED, WEBHOOK_EMAIL_SENT);
	for (guint round = 0; round < 2; round++) {
		for (guint i = 0; i < (round ? 2000 : 20); i++)
			webhook_delivery_store(NOW + i, DELIVERY_SUCCEEDED, WEBHOOK_EMAIL_SENT);
		for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
			fixture_work(fixture);
			cases[i].act();
			struct fixture_work did = fixture_work(fixture);
			work[round][i] = did.read + did.sorted;
		}
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect(work[1][i] <= work[0][i] + 5, "%s: got %d rows after %d", cases[i].name,
		    (int)work[1][i], (int)work[0][i]);
}

/* Stores deliveries that are newer than all others, with ids that end in first to last. */
static void
store_newer(
    guint first, guint last, enum store_delivery_status status, enum store_webhook_type type)
{
	g_autofree char *sql = g_strdup_printf(
	    "INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type, created,"
	    " status, attempts, next_attempt) SELECT ?, UNHEX(CONCAT('ff', LPAD(HEX(seq), 30, "
	    "'0'))),"
	    " ?, UNHEX(MD5(seq)), ?, 1, ?, 1, IF(? = 1, seq, NULL) FROM seq_%u_to_%u",
	    first, last);

	MUST(db_run(fixture->db, sql,
	    DB_VALUES(db_id(&webhook), db_id(&fixture->workspace), db_int(type), db_int(status),
		db_int(status)),
	    NULL, &error));
}

/* The number of deliveries on a page; *rest: what it did not look at. */
static guint
count_listed(struct store_webhook_delivery_filter filter, struct store_rest *rest)
{
	filter.limit = 51;
	g_autoptr(GPtrArray) page = MUST_GIVE(store_webhook_delivery_list(
	    fixture->db, &fixture->workspace, &webhook, &filter, rest, &error));

	return page->len;
}

/* The only delivery of a type has as many newer ones as a page looks at, then one more. */
Test(webhook_delivery, is_looked_for_among_so_many)
{
	static const struct {
		const char *name;
		struct store_webhook_delivery_filter filter;
		enum store_delivery_status status;
	} cases[] = {
	    {"type", {.type = WEBHOOK_EMAIL_OPENED}, DELIVERY_SUCCEEDED},
	    {"succeeded", {.status = DELIVERY_SUCCEEDED, .type = WEBHOOK_EMAIL_OPENED},
		DELIVERY_SUCCEEDED},
	    {"pending", {.status = DELIVERY_PENDING, .type = WEBHOOK_EMAIL_OPENED},
		DELIVERY_PENDING},
	};
	const guint most = LIMIT_DELIVERIES_LOOKED;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_webhook_delivery_filter filter = cases[i].filter;
		struct store_rest rest, end_of_list;

		test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
		webhook_delivery_store(NOW, cases[i].status, WEBHOOK_EMAIL_OPENED);
		store_newer(1, most - 1, cases[i].status, WEBHOOK_EMAIL_SENT);
		cr_expect_eq(count_listed(filter, &rest), 1, "%s", cases[i].name);
		cr_expect_not(rest.is_any, "%s", cases[i].name);
		store_newer(most, most, cases[i].status, WEBHOOK_EMAIL_SENT);
		cr_expect_eq(count_listed(filter, &rest), 0, "%s", cases[i].name);
		cr_assert(rest.is_any, "%s", cases[i].name);
		filter.before = &rest.id;
		cr_expect_eq(count_listed(filter, &end_of_list), 1, "%s", cases[i].name);
		cr_expect_not(end_of_list.is_any, "%s", cases[i].name);
	}
}

/* As many as a page looks at are sorted, behind any number of others. More are not: a page of them
   is one of all deliveries. */
Test(webhook_delivery, is_found_among_many_that_are_pending)
{
	const struct store_webhook_delivery_filter pending = {.status = DELIVERY_PENDING};
	const guint most = LIMIT_DELIVERIES_LOOKED;
	struct store_rest rest, end_of_list;

	store_newer(1, most, DELIVERY_PENDING, WEBHOOK_EMAIL_SENT);
	store_newer(most + 1, 2 * most, DELIVERY_SUCCEEDED, WEBHOOK_EMAIL_SENT);
	cr_expect_eq(count_listed(pending, &rest), 51);
	cr_expect_not(rest.is_any);
	webhook_delivery_store(NOW, DELIVERY_PENDING, WEBHOOK_EMAIL_SENT);
	cr_expect_eq(count_listed(pending, &rest), 0);
	cr_expect(rest.is_any);
	struct store_webhook_delivery_filter next = pending;
	next.before = &rest.id;
	fixture_work(fixture);
	cr_expect_eq(count_listed(next, &end_of_list), 51);
	cr_expect_leq(fixture_work(fixture).sorted, 51);
}

static struct store_webhook_delivery *
webhook_delivery_get(const struct base_id *id)
{
	return MUST_GIVE(
	    store_webhook_delivery_get(fixture->db, &fixture->workspace, &webhook, id, &error));
}

Test(webhook_delivery, has_its_newest_attempts)
{
	static const struct {
		guint stored, want_count, want_first;
	} cases[] = {
	    {0, 0, 0},
	    {1, 1, 1},
	    {LIMIT_DELIVERY_ATTEMPTS, LIMIT_DELIVERY_ATTEMPTS, 1},
	    {LIMIT_DELIVERY_ATTEMPTS + 1, LIMIT_DELIVERY_ATTEMPTS, 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct test_delivery stored = {
		    .webhook = webhook, .created = NOW, .attempts = cases[i].stored};
		test_delivery_store(fixture->db, &fixture->workspace, &stored);
		AUTO(store_webhook_delivery) got = webhook_delivery_get(&stored.id);
		cr_assert_eq(got->attempts->len, cases[i].want_count, "%u: got %u", cases[i].stored,
		    got->attempts->len);
		cr_expect(base_id_equal(&got->event_id, &stored.event));
		for (guint j = 0; j < got->attempts->len; j++) {
			const struct store_webhook_attempt *attempt = got->attempts->pdata[j];
			guint number = cases[i].want_first + j;
			g_autofree char *body = g_strdup_printf("no %u", number);

			cr_expect_eq(attempt->timestamp, NOW + 1000 * number);
			cr_expect_eq(attempt->duration, number);
			cr_expect_eq(attempt->response_status, 500u);
			cr_expect_str_eq(attempt->response_body, body);
			cr_expect_null(attempt->error);
		}
	}
}

Test(webhook_delivery, may_be_unknown)
{
	struct test_delivery stored =
	    webhook_delivery_store(NOW, DELIVERY_FAILED, WEBHOOK_EMAIL_SENT);
	struct base_id other = webhook_delivery_create(), nobody = base_id_new();
	const struct {
		const char *name;
		const struct base_id *workspace, *webhook, *id;
		const char *want;
	} cases[] = {
	    {"unknown", &fixture->workspace, &webhook, &nobody, "Delivery not found"},
	    {"of another webhook", &fixture->workspace, &other, &stored.id, "Delivery not found"},
	    {"of no webhook", &fixture->workspace, &nobody, &stored.id, "Webhook not found"},
	    {"of another workspace", &fixture->other, &webhook, &stored.id, "Webhook not found"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) read = NULL, replayed = NULL;

		cr_expect_null(store_webhook_delivery_get(
		    fixture->db, cases[i].workspace, cases[i].webhook, cases[i].id, &read));
		cr_expect_not(store_webhook_delivery_replay(
		    fixture->db, cases[i].workspace, cases[i].webhook, cases[i].id, &replayed));
		cr_expect(g_error_matches(read, PH_ERROR, PH_ERROR_NOT_FOUND));
		cr_expect(g_error_matches(replayed, PH_ERROR, PH_ERROR_NOT_FOUND));
		cr_expect_str_eq(read->message, cases[i].want, "%s", cases[i].name);
		cr_expect_str_eq(replayed->message, cases[i].want, "%s", cases[i].name);
	}
	struct store_rest rest;
	MUST_FAIL(store_webhook_delivery_list(fixture->db, &fixture->other, &webhook,
		      &(struct store_webhook_delivery_filter){.limit = 10}, &rest, &error),
	    PH_ERROR_NOT_FOUND);
}

static void
switch_off(void)
{
	static const bool no = false;
	const struct store_webhook_change off = {.enabled = &no};

	store_webhook_free(MUST_GIVE(
	    store_webhook_change(fixture->db, &fixture->workspace, &webhook, &off, &error)));
}

Test(webhook_delivery, is_replayed)
{
	struct test_delivery stored = {
	    .webhook = webhook, .created = NOW, .status = DELIVERY_FAILED, .attempts = 11};

	test_delivery_store(fixture->db, &fixture->workspace, &stored);
	test_db_plain(fixture->db, "UPDATE webhook_delivery SET batch_id = id");
	MUST(store_webhook_delivery_replay(
	    fixture->db, &fixture->workspace, &webhook, &stored.id, &error));
	AUTO(store_webhook_delivery) got = webhook_delivery_get(&stored.id);
	cr_expect_eq(got->status, DELIVERY_PENDING);
	cr_expect(got->next_attempt >= NOW && got->next_attempt <= base_clock_now());
	cr_expect_eq(got->attempts->len, 11u);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM webhook_delivery"
					     " WHERE attempts = 0 AND batch_id IS NULL"),
	    1);
	/* One that waits in a batch stays there. */
	test_db_plain(fixture->db, "UPDATE webhook_delivery SET batch_id = id, attempts = 3");
	MUST(store_webhook_delivery_replay(
	    fixture->db, &fixture->workspace, &webhook, &stored.id, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM webhook_delivery"
					     " WHERE attempts = 0 AND batch_id = id"),
	    1);
	switch_off();
	g_autoptr(GError) refusal = NULL;
	cr_expect_not(store_webhook_delivery_replay(
	    fixture->db, &fixture->workspace, &webhook, &stored.id, &refusal));
	cr_expect(g_error_matches(refusal, PH_ERROR, PH_ERROR_CONFLICT));
	cr_expect_str_eq(refusal->message, "Webhook is disabled");
}

static void
expect_span(
    const char *name, const struct store_webhook_delivery_span *span, guint want, bool want_more)
{
	struct store_webhook_replayed got;

	MUST(store_webhook_delivery_replay_span(
	    fixture->db, &fixture->workspace, &webhook, span, &got, &error));
	cr_expect_eq(got.count, want, "%s: got %u, want %u", name, got.count, want);
	cr_expect_eq(got.more, want_more, "%s: more", name);
}

Test(webhook_delivery, is_replayed_in_a_span)
{
	static const struct {
		const char *name;
		struct store_webhook_delivery_span span;
		guint want;
	} cases[] = {
	    {"from is in it, to is not", {NOW + 2, NOW + 4, 0}, 2},
	    {"with a status", {0, NOW + 9, DELIVERY_FAILED}, 2},
	    {"they are pending then", {0, NOW + 9, DELIVERY_FAILED}, 0},
	    {"none", {NOW + 4, NOW + 4, 0}, 0},
	    {"in the wrong order", {NOW + 9, NOW, 0}, 0},
	    {"all", {G_MININT64, G_MAXINT64, 0}, 4},
	};
	struct base_id ours = webhook;
	struct store_webhook_replayed got;

	webhook_delivery_store(NOW + 1, DELIVERY_FAILED, WEBHOOK_EMAIL_SENT);
	webhook_delivery_store(NOW + 2, DELIVERY_SUCCEEDED, WEBHOOK_EMAIL_SENT);
	webhook_delivery_store(NOW + 3, DELIVERY_SUCCEEDED, WEBHOOK_EMAIL_SENT);
	webhook_delivery_store(NOW + 4, DELIVERY_FAILED, WEBHOOK_EMAIL_SENT);
	webhook = webhook_delivery_create();
	webhook_delivery_store(NOW + 2, DELIVERY_FAILED, WEBHOOK_EMAIL_SENT);
	webhook = ours;
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_span(cases[i].name, &cases[i].span, cases[i].want, false);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM webhook_delivery WHERE status = 3"), 1);
	MUST_FAIL(store_webhook_delivery_replay_span(
		      fixture->db, &fixture->other, &webhook, &cases[5].span, &got, &error),
	    PH_ERROR_NOT_FOUND);
	switch_off();
	MUST_FAIL(store_webhook_delivery_replay_span(
		      fixture->db, &fixture->workspace, &webhook, &cases[5].span, &got, &error),
	    PH_ERROR_CONFLICT);
}

/* Stores so many failed deliveries, two at each time. */
static void
webhook_delivery_store_many(guint from, guint to)
{
	MUST(db_run(fixture->db,
	    "INSERT INTO webhook_delivery (workspace_id, webhook_id, id, event_id, type, created,"
	    " status, attempts) SELECT ?, ?,"
	    " UNHEX(RPAD(CONCAT(LPAD(HEX(1800000000000 + seq DIV 2), 12, '0'), '7',"
	    " LPAD(seq, 15, '0')), 32, '0')), '', 1, 1800000000000 + seq DIV 2, 3, 11 FROM "
	    "seq_0_to_20000 WHERE seq >= ? AND seq < ?",
	    DB_VALUES(db_id(&fixture->workspace), db_id(&webhook), db_int(from), db_int(to)), NULL,
	    &error));
}

Test(webhook_delivery, is_replayed_up_to_a_limit)
{
	const struct store_webhook_delivery_span failed = {0, G_MAXINT64, DELIVERY_FAILED},
						 all = {0, G_MAXINT64, 0};

	webhook_delivery_store_many(0, LIMIT_REPLAY);
	expect_span("at the limit", &all, LIMIT_REPLAY, false);
	test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
	webhook_delivery_store_many(0, LIMIT_REPLAY + 1);
	expect_span("past it", &all, LIMIT_REPLAY, true);
	cr_expect_eq(
	    fixture_number(fixture, "SELECT MIN(created) FROM webhook_delivery WHERE status = 3"),
	    NOW + LIMIT_REPLAY / 2);
	expect_span("the rest", &failed, 1, false);
	test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
	/* The limit divides two of the same time. */
	webhook_delivery_store_many(1, LIMIT_REPLAY + 3);
	expect_span("divided", &failed, LIMIT_REPLAY, true);
	expect_span("the others", &failed, 2, false);
}

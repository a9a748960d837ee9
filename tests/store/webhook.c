/* SPDX-License-Identifier: MIT */
/* Webhooks: stored, changed, listed and removed. */
#include "store/webhook/webhook.h"

#include "base/clock.h"
#include "tests/store/fixture.h"
#include "tests/support/deliveries.h"

#define NOW 1800000000000

FIXTURE_SUITE(webhook);

static struct base_id
tests_store_webhook_create(const struct base_id *workspace, const char *url)
{
	g_autoptr(GBytes) secret = g_bytes_new_static("sealed", 6);
	const struct store_webhook webhook = {.id = base_id_new(),
	    .workspace_id = *workspace,
	    .url = (char *)url,
	    .events = WEBHOOK_BIT(WEBHOOK_EMAIL_SENT),
	    .enabled = true,
	    .description = (char *)"Grüße",
	    .created = NOW,
	    .secret = secret};

	MUST(store_webhook_create(fixture->db, &webhook, &error));
	return webhook.id;
}

static void
webhook_run(const char *sql, const struct base_id *id)
{
	MUST(db_run(fixture->db, sql, DB_VALUES(db_id(id)), NULL, &error));
}

/* All of a webhook in one line. */
static char *
webhook_print(const struct store_webhook *w)
{
	const char *reason = store_webhook_reason_name(w->disabled_reason);

	return g_strdup_printf("%s %x %s%s%s %s %d %.*s %s %d %s %d %u %d", w->url,
	    (guint)w->events, w->enabled ? "on" : "off", w->batch ? " batch" : "", "",
	    w->description, (int)(w->created - NOW), (int)g_bytes_get_size(w->secret),
	    (const char *)g_bytes_get_data(w->secret, NULL), w->previous_secret ? "two" : "one",
	    (int)w->previous_expires, reason ? reason : "-", (int)w->failing_since, w->failures,
	    (int)w->rest_until);
}

static void
store_webhook_expect(
    const char *name, const struct base_id *workspace, const struct base_id *id, const char *want)
{
	AUTO(store_webhook) webhook =
	    MUST_GIVE(store_webhook_get(fixture->db, workspace, id, &error));
	g_autofree char *got = webhook_print(webhook);

	cr_expect(base_id_equal(&webhook->id, id));
	cr_expect(base_id_equal(&webhook->workspace_id, workspace));
	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(webhook, names_its_events)
{
	for (enum store_webhook_type type = WEBHOOK_EMAIL_SENT; type < WEBHOOK_TEST; type++)
		cr_expect_eq(store_webhook_type(store_webhook_name(type)), type);
	cr_expect_str_eq(store_webhook_name(WEBHOOK_TEST), "webhook.test");
	cr_expect_eq(store_webhook_type("webhook.test"), WEBHOOK_NONE);
	cr_expect_eq(store_webhook_type("email"), WEBHOOK_NONE);
	cr_expect_eq(store_webhook_type(""), WEBHOOK_NONE);
	cr_expect_null(store_webhook_reason_name(0));
}

Test(webhook, comes_back_as_it_was)
{
	struct base_id id = tests_store_webhook_create(&fixture->workspace, "https://a.example/");

	store_webhook_expect("new", &fixture->workspace, &id,
	    "https://a.example/ 2 on Grüße 0 sealed one 0 - 0 0 0");
	MUST_FAIL(store_webhook_get(fixture->db, &fixture->other, &id, &error), PH_ERROR_NOT_FOUND);
}

Test(webhook, is_changed_where_it_is_given)
{
	static const bool yes = true, no = false;
	static const struct {
		const char *name;
		struct store_webhook_change change;
		const char *want;
	} cases[] = {
	    {"nothing", {0}, "https://a.example/ 2 on Grüße 0 sealed one 0 - 0 0 0"},
	    {"url", {.url = "http://b.example/"},
		"http://b.example/ 2 on Grüße 0 sealed one 0 - 0 0 0"},
	    {"events", {.events = 6}, "http://b.example/ 6 on Grüße 0 sealed one 0 - 0 0 0"},
	    {"description", {.description = ""}, "http://b.example/ 6 on  0 sealed one 0 - 0 0 0"},
	    {"batch", {.batch = &yes}, "http://b.example/ 6 on batch  0 sealed one 0 - 0 0 0"},
	    {"no batch", {.batch = &no}, "http://b.example/ 6 on  0 sealed one 0 - 0 0 0"},
	    {"off", {.enabled = &no}, "http://b.example/ 6 off  0 sealed one 0 - 0 0 0"},
	    {"on", {.enabled = &yes}, "http://b.example/ 6 on  0 sealed one 0 - 0 0 0"},
	};
	struct base_id id = tests_store_webhook_create(&fixture->workspace, "https://a.example/"),
		       theirs = tests_store_webhook_create(&fixture->other, "https://c.example/");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(store_webhook) webhook = MUST_GIVE(store_webhook_change(
		    fixture->db, &fixture->workspace, &id, &cases[i].change, &error));
		g_autofree char *got = webhook_print(webhook);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
		store_webhook_expect(cases[i].name, &fixture->workspace, &id, cases[i].want);
		MUST_FAIL(store_webhook_change(
			      fixture->db, &fixture->workspace, &theirs, &cases[i].change, &error),
		    PH_ERROR_NOT_FOUND);
	}
	store_webhook_expect("theirs", &fixture->other, &theirs,
	    "https://c.example/ 2 on Grüße 0 sealed one 0 - 0 0 0");
}

#define FAILING                                                                                    \
	"UPDATE webhook SET enabled = 0, disabled_reason = 2, failing_since = 5, failures = 6,"    \
	" rest_until = 7 WHERE id = ?"

static gint64
webhook_due(const struct test_delivery *delivery)
{
	AUTO(db_rows) rows =
	    db_select(fixture->db, "SELECT next_attempt FROM webhook_delivery WHERE id = ?",
		DB_VALUES(db_id(&delivery->id)), NULL);

	cr_assert(rows && db_rows_next(rows));
	return db_rows_int(rows, 0);
}

Test(webhook, begins_anew_when_it_is_on_again)
{
	static const bool yes = true, no = false;
	const struct store_webhook_change on = {.enabled = &yes}, off = {.enabled = &no};
	struct base_id id = tests_store_webhook_create(&fixture->workspace, "https://a.example/"),
		       other =
			   tests_store_webhook_create(&fixture->workspace, "https://b.example/");
	struct test_delivery late = {.webhook = id, .next_attempt = NOW + 5000},
			     past = {.webhook = id, .next_attempt = NOW - 5000},
			     done = {.webhook = id, .status = DELIVERY_SUCCEEDED},
			     theirs = {.webhook = other, .next_attempt = NOW + 5000};

	base_clock_set(NOW);
	test_delivery_store(fixture->db, &fixture->workspace, &late);
	test_delivery_store(fixture->db, &fixture->workspace, &past);
	test_delivery_store(fixture->db, &fixture->workspace, &done);
	test_delivery_store(fixture->db, &fixture->workspace, &theirs);
	webhook_run(FAILING, &id);
	store_webhook_free(
	    MUST_GIVE(store_webhook_change(fixture->db, &fixture->workspace, &id, &off, &error)));
	store_webhook_expect("off", &fixture->workspace, &id,
	    "https://a.example/ 2 off Grüße 0 sealed one 0 failing 5 6 7");
	cr_expect_eq(webhook_due(&late), NOW + 5000);
	store_webhook_free(
	    MUST_GIVE(store_webhook_change(fixture->db, &fixture->workspace, &id, &on, &error)));
	store_webhook_expect(
	    "on", &fixture->workspace, &id, "https://a.example/ 2 on Grüße 0 sealed one 0 - 0 0 0");
	cr_expect(webhook_due(&late) >= NOW && webhook_due(&late) < NOW + 5000);
	cr_expect_eq(webhook_due(&past), NOW - 5000);
	cr_expect_eq(webhook_due(&done), 0);
	cr_expect_eq(webhook_due(&theirs), NOW + 5000);
	/* One that is on already keeps what is known of it. */
	webhook_run("UPDATE webhook SET failing_since = 5, failures = 1 WHERE id = ?", &id);
	store_webhook_free(
	    MUST_GIVE(store_webhook_change(fixture->db, &fixture->workspace, &id, &on, &error)));
	store_webhook_expect("still on", &fixture->workspace, &id,
	    "https://a.example/ 2 on Grüße 0 sealed one 0 - 5 1 0");
}

Test(webhook, keeps_one_secret_before)
{
	struct base_id id = tests_store_webhook_create(&fixture->workspace, "https://a.example/");
	g_autoptr(GBytes) second = g_bytes_new_static("second", 6),
			  third = g_bytes_new_static("third", 5);

	MUST(store_webhook_rotate(fixture->db, &fixture->workspace, &id, second, 8, &error));
	MUST(store_webhook_rotate(fixture->db, &fixture->workspace, &id, third, 9, &error));
	MUST_FAIL(store_webhook_rotate(fixture->db, &fixture->other, &id, third, 10, &error),
	    PH_ERROR_NOT_FOUND);
	AUTO(store_webhook) webhook =
	    MUST_GIVE(store_webhook_get(fixture->db, &fixture->workspace, &id, &error));
	cr_expect(g_bytes_equal(webhook->secret, third));
	cr_expect(g_bytes_equal(webhook->previous_secret, second));
	cr_expect_eq(webhook->previous_expires, 9);
}

Test(webhook, is_removed)
{
	struct base_id id = tests_store_webhook_create(&fixture->workspace, "https://a.example/");

	MUST_FAIL(
	    store_webhook_remove(fixture->db, &fixture->other, &id, &error), PH_ERROR_NOT_FOUND);
	MUST(store_webhook_remove(fixture->db, &fixture->workspace, &id, &error));
	MUST_FAIL(store_webhook_remove(fixture->db, &fixture->workspace, &id, &error),
	    PH_ERROR_NOT_FOUND);
}

Test(webhook, is_listed_newest_first)
{
	struct base_id last = {{0}};

	tests_store_webhook_create(&fixture->workspace, "https://a/");
	tests_store_webhook_create(&fixture->other, "https://theirs/");
	tests_store_webhook_create(&fixture->workspace, "https://b/");
	tests_store_webhook_create(&fixture->workspace, "https://c/");
	g_autoptr(GPtrArray) first =
	    MUST_GIVE(store_webhook_list(fixture->db, &fixture->workspace, NULL, 2, &error));
	cr_assert_eq(first->len, 2u);
	cr_expect_str_eq(((struct store_webhook *)first->pdata[0])->url, "https://c/");
	cr_expect_str_eq(((struct store_webhook *)first->pdata[1])->url, "https://b/");
	last = ((struct store_webhook *)first->pdata[1])->id;
	g_autoptr(GPtrArray) rest =
	    MUST_GIVE(store_webhook_list(fixture->db, &fixture->workspace, &last, 2, &error));
	cr_assert_eq(rest->len, 1u);
	cr_expect_str_eq(((struct store_webhook *)rest->pdata[0])->url, "https://a/");
}

/* SPDX-License-Identifier: MIT */
/* The fields of webhooks at their limits and past them, and their secrets. */
#include "webhook/webhook.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/webhook.h"
#include "base/secret.h"
#include "fetch/post.h"
#include "store/webhook/claim.h"
#include "tests/lib/fixture.h"
#include "tests/support/db.h"
#include "webhook/lease.h"

#define RULES "[fetch]\nallow = 10.1.0.0/16, 127.0.0.2/32\nports = 8443\n"

/* A URL of so many bytes. The caller owns it. */
static char *
webhook_url_of(gsize length)
{
	GString *url = g_string_new("https://example.com/");

	while (url->len < length)
		g_string_append_c(url, 'x');
	return g_string_free(url, FALSE);
}

static char *
lib_webhook_create(
    struct fixture *fixture, const char *url, struct store_webhook **webhook_r, GError **error)
{
	struct store_webhook *webhook = g_new0(struct store_webhook, 1);

	webhook->workspace_id = fixture->key.workspace_id;
	webhook->url = g_strdup(url);
	webhook->description = g_strdup("");
	webhook->events = WEBHOOK_ALL;
	webhook->enabled = true;
	*webhook_r = webhook;
	return webhook_create(fixture->service, webhook, error);
}

#define MALFORMED "url must be an absolute http or https URL"
#define PRIVATE "url must not lead to a private address"

Test(webhook, has_a_url_that_may_be_told)
{
	g_autofree char *longest = webhook_url_of(LIMIT_WEBHOOK_URL_BYTES),
			*past = webhook_url_of(LIMIT_WEBHOOK_URL_BYTES + 1);
	const struct {
		const char *url, *want; /* NULL: it is good */
	} cases[] = {
	    {"https://example.com/hooks?a=b", NULL},
	    {"http://example.com", NULL},
	    {longest, NULL},
	    {past, MALFORMED},
	    {"", MALFORMED},
	    {"example.com/hooks", MALFORMED},
	    {"//example.com/", MALFORMED},
	    {"ftp://example.com/", MALFORMED},
	    {"https://", MALFORMED},
	    {"https:///x", MALFORMED},
	    {"https://ann@example.com/", MALFORMED},
	    {"https://ann:secret@example.com/", MALFORMED},
	    {"https://example.com/a b", MALFORMED},
	    {"https://example.com:65536/", MALFORMED},
	    {"http://127.0.0.1/", PRIVATE},
	    {"http://127.1/", PRIVATE},
	    {"http://0x7f000001/", PRIVATE},
	    {"http://2130706433/", PRIVATE},
	    {"http://10.2.0.1/", PRIVATE},
	    {"http://[::1]/", PRIVATE},
	    {"http://[::ffff:127.0.0.1]/", PRIVATE},
	    {"http://localhost/", PRIVATE},
	    {"http://LOCALHOST./", PRIVATE},
	    {"http://a.localhost/", PRIVATE},
	    {"http://127.0.0.1:25/", PRIVATE},
	    {"http://10.1.2.3/", NULL},
	    {"http://10.1.2.3:25/", NULL},
	    {"http://127.0.0.2:9/", NULL},
	    {"https://example.com:443/", NULL},
	    {"https://example.com:80/", NULL},
	    {"https://example.com:8443/", NULL},
	    {"https://example.com:8444/", "url must not use port 8444"},
	    {"http://8.8.8.8:25/", "url must not use port 25"},
	};
	AUTO(fixture) fixture = fixture_open(NULL, RULES);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) made = NULL, changed = NULL;
		AUTO(store_webhook) webhook = NULL;
		g_autofree char *secret =
		    lib_webhook_create(fixture, cases[i].url, &webhook, &made);
		AUTO(store_webhook) after =
		    webhook_change(fixture->service, &fixture->key.workspace_id, &webhook->id,
			&(struct store_webhook_change){.url = cases[i].url}, &changed);

		cr_expect_eq(secret != NULL, cases[i].want == NULL, "%s: %s", cases[i].url,
		    made ? made->message : "no error");
		cr_expect_eq(after != NULL, cases[i].want == NULL, "%s", cases[i].url);
		if (!cases[i].want || !made || !changed)
			continue;
		cr_expect_str_eq(made->message, cases[i].want, "%s", cases[i].url);
		cr_expect_str_eq(changed->message, cases[i].want, "%s", cases[i].url);
		cr_expect(g_error_matches(made, PH_ERROR, PH_ERROR_INVALID));
	}
}

Test(webhook, is_told_events_by_name)
{
	static const struct {
		const char *names[4];
		const char *want; /* the names that come back, or "!" and the message */
	} cases[] = {
	    {{"*"}, "[\"*\"]"},
	    {{"email.sent"}, "[\"email.sent\"]"},
	    {{"email.complained", "email.bounced", "email.complained"},
		"[\"email.bounced\",\"email.complained\"]"},
	    {{"execution.failed", "*"}, "[\"*\"]"},
	    {{NULL}, "!events must not be empty"},
	    {{""}, "!events[0] must be the name of an event"},
	    {{"email.sent", "email.read"}, "!events[1] must be the name of an event"},
	    {{"Email.sent"}, "!events[0] must be the name of an event"},
	    {{"*", "webhook.test"}, "!events[1] must be the name of an event"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		guint64 events;
		bool good = webhook_events(cases[i].names, &events, &error);
		g_autofree char *got =
		    good ? webhook_event_names(events) : g_strconcat("!", error->message, NULL);

		cr_expect_str_eq(got, cases[i].want);
	}
}

Test(webhook, names_every_event)
{
	for (enum store_webhook_type type = WEBHOOK_EMAIL_SENT; type < WEBHOOK_TEST; type++) {
		g_autofree char *got = webhook_event_names(WEBHOOK_BIT(type));
		g_autofree char *want = g_strdup_printf("[\"%s\"]", store_webhook_name(type));

		cr_expect_str_eq(got, want);
	}
}

Test(webhook, deliveries_are_found_by_words)
{
	enum store_delivery_status status;
	enum store_webhook_type type;
	g_autoptr(GError) no_status = NULL, no_type = NULL;

	cr_expect(webhook_delivery_status("failed", &status, NULL));
	cr_expect_eq(status, DELIVERY_FAILED);
	cr_expect(webhook_delivery_status(NULL, &status, NULL));
	cr_expect_eq((int)status, 0);
	cr_expect_not(webhook_delivery_status("FAILED", &status, &no_status));
	cr_expect_str_eq(no_status->message, "status must be one of pending, succeeded, failed");
	cr_expect(webhook_delivery_type("webhook.test", &type, NULL));
	cr_expect_eq(type, WEBHOOK_TEST);
	cr_expect(webhook_delivery_type("email.sent", &type, NULL));
	cr_expect_eq(type, WEBHOOK_EMAIL_SENT);
	cr_expect(webhook_delivery_type(NULL, &type, NULL));
	cr_expect_eq(type, WEBHOOK_NONE);
	cr_expect_not(webhook_delivery_type("*", &type, &no_type));
	cr_expect_str_eq(no_type->message, "type must be the name of an event");
}

/* The texts of the keys in force, with a space between. */
static char *
secrets(struct fixture *fixture, const struct base_id *id)
{
	AUTO(store_webhook) webhook =
	    store_webhook_get(fixture->service->db, &fixture->key.workspace_id, id, NULL);
	GString *texts = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	GBytes *keys[2];
	guint count;

	cr_assert(webhook_secrets(fixture->service, webhook, keys, &count, &error), "%s",
	    error ? error->message : "");
	for (guint i = 0; i < count; i++) {
		gsize size;
		const guchar *data = g_bytes_get_data(keys[i], &size);
		g_autofree char *text = g_base64_encode(data, size);

		cr_expect_eq(size, (gsize)WEBHOOK_KEY_BYTES);
		g_string_append_printf(texts, "%swhsec_%s", i ? " " : "", text);
		g_bytes_unref(keys[i]);
	}
	return g_string_free(texts, FALSE);
}

static void
expect_secrets(
    struct fixture *fixture, const struct base_id *id, const char *first, const char *second)
{
	g_autofree char *got = secrets(fixture, id);
	g_autofree char *want = second ? g_strdup_printf("%s %s", first, second) : g_strdup(first);

	cr_expect_str_eq(got, want);
}

Test(webhook, signs_with_two_secrets_for_a_day)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	const struct base_id *workspace = &fixture->key.workspace_id;
	AUTO(store_webhook) webhook = NULL;
	gint64 now = G_GINT64_CONSTANT(1800000000000), expires;

	base_clock_set(now);
	g_autofree char *first =
	    lib_webhook_create(fixture, "https://example.com/", &webhook, NULL);
	cr_assert(first && g_regex_match_simple("^whsec_[A-Za-z0-9+/]{43}=$", first, 0, 0));
	expect_secrets(fixture, &webhook->id, first, NULL);
	g_autofree char *second =
	    webhook_rotate(fixture->service, workspace, &webhook->id, &expires, NULL);
	cr_expect(expires >= now + LIMIT_WEBHOOK_SECRET_MS &&
		  expires < now + 60000 + LIMIT_WEBHOOK_SECRET_MS);
	expect_secrets(fixture, &webhook->id, second, first);
	g_autofree char *third =
	    webhook_rotate(fixture->service, workspace, &webhook->id, &expires, NULL);
	expect_secrets(fixture, &webhook->id, third, second);
	base_clock_set(expires - 5000);
	expect_secrets(fixture, &webhook->id, third, second);
	base_clock_set(expires);
	expect_secrets(fixture, &webhook->id, third, NULL);
	AUTO(store_webhook) after = store_webhook_get(fixture->db, workspace, &webhook->id, NULL);
	cr_expect_eq(webhook_previous_expires(after), 0);
}

/* The key is not in the row as it is, and does not fit another row. */
Test(webhook, has_a_secret_that_is_encrypted)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	AUTO(store_webhook) webhook = NULL;
	g_autofree char *secret =
	    lib_webhook_create(fixture, "https://example.com/", &webhook, NULL);
	const char *base64 = secret + strlen("whsec_");
	g_autoptr(GBytes) key = base_secret_base64_decode(base64, strlen(base64));
	gsize size, sealed_size;
	const void *data = g_bytes_get_data(key, &size),
		   *sealed = g_bytes_get_data(webhook->secret, &sealed_size);
	g_autoptr(GError) error = NULL;
	GBytes *keys[2];
	guint count;

	cr_expect_eq(size, (gsize)WEBHOOK_KEY_BYTES);
	cr_expect_null(memmem(sealed, sealed_size, data, size));
	webhook->id = base_id_new();
	cr_expect_not(webhook_secrets(fixture->service, webhook, keys, &count, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED));
}

/* A process whose clock is ahead may take a lease that is in use. It makes batches of its own. */
Test(webhook, sends_no_batch_once_another_has_its_lease)
{
	static const struct fetch_rules rules;
	AUTO(fixture) fixture = fixture_open(NULL, RULES);
	AUTO(store_webhook) webhook = NULL;
	AUTO(fetch_poster) poster = fetch_poster_new(&rules, 1, 1, NULL);
	const struct webhook_means means = {fixture->service, poster, 1};
	struct db *db = fixture->service->db;
	g_autoptr(GError) error = NULL;

	g_free(lib_webhook_create(fixture, "http://127.0.0.2:8443/", &webhook, &error));
	test_db_plain(db, "UPDATE webhook SET batch = 1, token = 7");
	test_db_plain(db, "INSERT INTO webhook_event (id, workspace_id, created, type, data)"
			  " SELECT id, workspace_id, 1, 13, '{}' FROM webhook");
	test_db_plain(db, "INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id,"
			  " type, created, status, attempts, next_attempt)"
			  " SELECT id, id, workspace_id, id, 13, 1, 1, 0, 1 FROM webhook");
	struct store_webhook_state *state =
	    store_webhook_state_read(db, NULL, &webhook->id, &error);
	cr_assert(state, "%s", error ? error->message : "");
	struct webhook_lease *hold = webhook_lease_new(&means, state, 7);
	cr_assert(webhook_lease_renew(hold, NULL, &error));
	test_db_plain(db, "UPDATE webhook SET token = 8");
	cr_assert(webhook_lease_serve(hold, &error), "%s", error ? error->message : "");
	cr_expect_eq(hold->number, 2, "the delivery, and the batch: %d", (int)hold->number);
	cr_expect_eq(hold->under_way, 0);
	cr_expect(webhook_lease_is_over(hold));
	webhook_lease_free(hold);
}

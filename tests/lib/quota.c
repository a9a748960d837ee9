/* SPDX-License-Identifier: MIT */
/* Quotas of recipients: at the limit and past it, in one hour and the next, and by many at once. */
#include "service/quota.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "email/draft.h"
#include "store/workspace/idempotency.h"
#include "store/workspace/limit.h"
#include "store/workspace/quota.h"
#include "submit/submit.h"
#include "tests/lib/fixture.h"
#include "tests/support/db.h"

#define START G_GINT64_CONSTANT(1800000000000) /* 08:00:00 UTC */
#define MINUTE_MS ((gint64)60 * 1000)
#define HOUR_MS (60 * MINUTE_MS)
#define PER_HOUR "Quota reached: at most 3 recipients per hour"

static void
quota_set(struct fixture *fixture, enum config_setting limit, gint64 value)
{
	g_autoptr(GError) error = NULL;

	cr_assert(
	    store_limit_set(fixture->db, &fixture->key.workspace_id, &limit, &value, 1, &error),
	    "%s", error ? error->message : "");
}

/* The last error of send_to in this thread has it. */
static _Thread_local struct base_error_excess excess;

/* "ok", or what is wrong. The caller owns it. */
static char *
send_to(struct fixture *fixture, struct service *service, const char **to,
    const struct service_idempotency *idempotency)
{
	struct email_submission submission = fixture_submission();
	g_autoptr(GError) error = NULL;

	submission.to = to;
	struct submit_sending *sending = submit_send_check(
	    service, &fixture->key.workspace_id, &submission, idempotency, false, &error);
	AUTO(service_once) request = sending ? &sending->request : NULL;
	if (request && service_once_store_one(service, request, &error))
		return g_strdup("ok");
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_LIMITED), "%s", error->message);
	cr_assert(base_error_excess(error));
	excess = *base_error_excess(error);
	return g_strdup(error->message);
}

static char *
write_nothing(const struct service_once *request)
{
	return g_strdup("{}");
}

#define TO(...) ((const char *[]){__VA_ARGS__, NULL})

static void
quota_expect(struct fixture *fixture, const char *name, const char **to, const char *want)
{
	g_autofree char *got = send_to(fixture, fixture->service, to, NULL);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(quota, counts_each_address_once_an_email)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	base_clock_set(START);
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_HOUR, 3);
	quota_expect(
	    fixture, "one past it", TO("a@x.org", "b@x.org", "c@x.org", "d@x.org"), PER_HOUR);
	quota_expect(fixture, "two, one of them twice", TO("a@x.org", "b@x.org", "A@x.org"), "ok");
	quota_expect(fixture, "two where one is left", TO("a@x.org", "b@x.org"), PER_HOUR);
	cr_expect_eq(excess.left, 1);
	cr_expect_eq(excess.end, START + HOUR_MS);
	cr_expect_eq(excess.length_s, 3600);
	quota_expect(fixture, "the last one", TO("a@x.org"), "ok");
	quota_expect(fixture, "one past it", TO("a@x.org"), PER_HOUR);
	cr_expect_eq(excess.left, 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email"), 2);
	cr_expect_eq(test_db_number(fixture->db, "SELECT used FROM email_quota"), 3);
}

Test(quota, begins_anew_with_the_hour_and_the_day)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autoptr(GError) error = NULL;
	guint count = 0;

	base_clock_set(START + HOUR_MS - 1000);
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_HOUR, 3);
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_DAY, 4);
	quota_expect(fixture, "first hour", TO("a@x.org", "b@x.org", "c@x.org"), "ok");
	quota_expect(fixture, "used up", TO("a@x.org"), PER_HOUR);
	base_clock_set(START + HOUR_MS);
	quota_expect(fixture, "two in the next", TO("a@x.org", "b@x.org"),
	    "Quota reached: at most 4 recipients per day");
	cr_expect_eq(excess.end, START + 16 * HOUR_MS);
	quota_expect(fixture, "next hour", TO("a@x.org"), "ok");
	base_clock_set(START + 16 * HOUR_MS);
	quota_expect(fixture, "next day", TO("a@x.org", "b@x.org", "c@x.org"), "ok");
	base_clock_set(START);
	quota_expect(fixture, "a clock that was set back", TO("a@x.org"),
	    "Quota reached: at most 4 recipients per day");
	cr_expect(store_quota_sweep(fixture->db, START + 24 * HOUR_MS, &count, &error));
	cr_expect_eq(count, 5);
}

Test(quota, costs_nothing_where_none_is_set)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (guint i = 0; i < 5; i++)
		quota_expect(fixture, "no quota", TO("a@x.org", "b@x.org"), "ok");
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email_quota"), 0);
}

Test(quota, of_the_settings_gives_way_to_the_own)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[limits]\nemails_per_hour = 3\n");

	base_clock_set(START);
	quota_expect(fixture, "settings", TO("a@x.org", "b@x.org", "c@x.org", "d@x.org"), PER_HOUR);
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_HOUR, 0);
	quota_expect(fixture, "none", TO("a@x.org", "b@x.org", "c@x.org", "d@x.org"), "ok");
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_HOUR, -1);
	quota_expect(fixture, "settings again", TO("a@x.org", "b@x.org", "c@x.org"), "ok");
	quota_expect(fixture, "and used up", TO("a@x.org"), PER_HOUR);
}

Test(quota, does_not_count_replays)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct service_idempotency key = {
	    .key = {.workspace_id = fixture->key.workspace_id, .name = "k"},
	    .write = write_nothing};

	base_clock_set(START);
	store_idempotency_digest(&key.key, "/v1/emails", "{}", 2);
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_HOUR, 1);
	for (guint i = 0; i < 3; i++) {
		g_autofree char *got = send_to(fixture, fixture->service, TO("a@x.org"), &key);
		cr_expect_str_eq(got, "ok");
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email"), 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT used FROM email_quota"), 1);
}

#define CLIENTS 6
#define EACH 10

struct client {
	struct fixture *fixture;
	struct service *service;
	guint sent;
};

static void *
send_many(void *context)
{
	struct client *client = context;

	for (guint i = 0; i < EACH; i++) {
		g_autofree char *got =
		    send_to(client->fixture, client->service, TO("a@x.org", "b@x.org"), NULL);
		client->sent += strcmp(got, "ok") == 0;
	}
	return NULL;
}

Test(quota, is_exact_among_many, .timeout = 900)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct client clients[CLIENTS];
	GThread *threads[CLIENTS];
	guint sent = 0;

	base_clock_set(START);
	quota_set(fixture, SETTING_LIMITS_EMAILS_PER_HOUR, 51);
	for (guint i = 0; i < CLIENTS; i++) {
		clients[i] = (struct client){fixture, service_open(fixture->settings), 0};
		cr_assert(service_ensure(clients[i].service, NULL));
		threads[i] = g_thread_new("client", send_many, &clients[i]);
	}
	for (guint i = 0; i < CLIENTS; i++) {
		g_thread_join(threads[i]);
		sent += clients[i].sent;
		service_close(clients[i].service);
	}
	cr_expect_eq(sent, 25, "%u", sent);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email"), 25);
	cr_expect_eq(test_db_number(fixture->db, "SELECT used FROM email_quota"), 50);
}

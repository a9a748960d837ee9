/* SPDX-License-Identifier: MIT */
/* Scheduled emails: moved by PATCH, cancelled by DELETE and by POST. */
#include <criterion/criterion.h>

#include "tests/http/email.h"
#include "tests/support/db.h"

#define HOUR_MS (60 * 60 * (gint64)1000)
#define DAY_MS (24 * HOUR_MS)
#define NO_EMAIL "{'message':'Email not found'}"
#define NOT_SCHEDULED "{'message':'Email is not scheduled'}"
#define CANCELLED "{'message':'Email is cancelled already'}"
#define LEFT "{'message':'Email has left already'}"

FIXTURE_SUITE(email_schedule, 900);

static gint64
now(void)
{
	return g_get_real_time() / 1000;
}

static char *
email_schedule_schedule(void)
{
	g_autofree char *later =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, now() + HOUR_MS);

	return email_send(fixture, later);
}

/* Sends the request to cancel, by either method. */
static void
email_schedule_expect_cancel(
    const char *method, const char *name, const char *id, guint status, const char *body)
{
	bool by_post = *method == 'P';
	g_autofree char *path = g_strconcat("/v1/emails/", id, by_post ? "/cancel" : NULL, NULL);
	const struct exchange exchange = {name, method, path, by_post ? "" : NULL, status, body};

	answer_free(exchange_expect(fixture, &exchange));
}

/* A time that GET shows; 0 for null, and where it shows none. */
static gint64
email_schedule_shown(const char *id, const char *member)
{
	AUTO(answer) answer = email_get(fixture, id);
	const struct json *value = answer_at(answer, member);

	return !value || json_kind(value) == JSON_NULL ? 0 : json_integer(value);
}

static const char *const methods[] = {"DELETE", "POST"};

Test(email_schedule, is_taken_back)
{
	for (gsize i = 0; i < G_N_ELEMENTS(methods); i++) {
		const char *method = methods[i];
		g_autofree char *id = email_schedule_schedule(), *other = email_schedule_schedule();
		gint64 before = now();

		cr_expect_eq(email_schedule_shown(id, "cancelled"), 0);
		email_schedule_expect_cancel(
		    method, "scheduled", id, 200, "{'message':'Email cancelled'}");
		gint64 time = email_schedule_shown(id, "cancelled");
		cr_expect(time >= before && time <= now(), "got %d ms after", (int)(time - before));
		email_schedule_expect_cancel(method, "twice", id, 409, CANCELLED);
		cr_expect_eq(email_schedule_shown(id, "cancelled"), time);
		email_schedule_expect_cancel(
		    method, "another", other, 200, "{'message':'Email cancelled'}");
	}
}

Test(email_schedule, is_not_taken_back_of_others)
{
	g_autofree char *sent = email_send(fixture, NULL);
	g_autofree char *overdue = email_send(fixture, "'scheduled_at':1000");

	for (gsize i = 0; i < G_N_ELEMENTS(methods); i++) {
		const char *method = methods[i];

		email_schedule_expect_cancel(method, "sent", sent, 409, NOT_SCHEDULED);
		email_schedule_expect_cancel(method, "overdue", overdue, 409, NOT_SCHEDULED);
		email_schedule_expect_cancel(
		    method, "unknown", "01890a5d-ac96-774b-bcce-b302099a8057", 404, NO_EMAIL);
		email_schedule_expect_cancel(method, "no id", "x", 404, NO_EMAIL);
	}
}

/* Moves an email; time is JSON. The caller owns the answer. */
static struct answer *
http_email_schedule_move(
    const char *name, const char *id, const char *time, guint status, const char *body)
{
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	g_autofree char *change = g_strdup_printf("{'scheduled_at':%s}", time);
	const struct exchange exchange = {name, "PATCH", path, change, status, body};

	return exchange_expect(fixture, &exchange);
}

/* The statement for the rows of the fixture alone. The caller owns it. */
static char *
of_tenant(const char *sql)
{
	return g_strdup_printf("%s AND workspace_id = (SELECT id FROM workspace WHERE name = '%s')",
	    sql, fixture->name);
}

static void
expect_moved(const char *name, const char *id, const char *time, gint64 want)
{
	AUTO(answer) answer = http_email_schedule_move(name, id, time, 200, NULL);
	gint64 got = json_integer(answer_at(answer, "scheduled_at"));

	cr_expect_str_eq(answer_text(answer, "id"), id, "%s", name);
	cr_expect_eq(json_member_count(answer->json), 2, "%s: %s", name, answer->body);
	cr_expect(want ? got == want : got <= now() && got > now() - HOUR_MS,
	    "%s: got %" G_GINT64_FORMAT, name, got);
	cr_expect_eq(email_schedule_shown(id, "scheduled_at"), got, "%s", name);
	g_autofree char *sql = of_tenant("SELECT MAX(ready_at) FROM outbox WHERE ready_at = since");
	cr_expect_eq(test_db_number(fixture->db, sql), got, "%s", name);
}

static char *
email_schedule_number(gint64 time)
{
	return g_strdup_printf("%" G_GINT64_FORMAT, time);
}

Test(email_schedule, is_moved)
{
	g_autofree char *id = email_schedule_schedule();
	gint64 last = now() + 30 * DAY_MS;
	g_autofree char *later = email_schedule_number(now() + 2 * HOUR_MS),
			*latest = email_schedule_number(last);

	expect_moved("later", id, later, g_ascii_strtoll(later, NULL, 10));
	expect_moved("the same", id, later, g_ascii_strtoll(later, NULL, 10));
	expect_moved("as late as can be", id, latest, last);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(last / 1000 - 60);
	g_autofree char *text = g_date_time_format(time, "'%Y-%m-%dT%H:%M:%SZ'");
	expect_moved("as text", id, text, last / 1000 * 1000 - 60000);
	expect_moved("past", id, "1000000000000", 0);
	g_autofree char *sooner = email_schedule_number(now() + HOUR_MS);
	expect_moved("later again", id, sooner, g_ascii_strtoll(sooner, NULL, 10));
	email_schedule_expect_cancel("POST", "moved", id, 200, "{'message':'Email cancelled'}");
	answer_free(http_email_schedule_move("cancelled", id, later, 409, CANCELLED));
}

Test(email_schedule, is_moved_to_times_alone)
{
	g_autofree char *id = email_schedule_schedule();
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	g_autofree char *late = email_schedule_number(now() + 30 * DAY_MS + 60000),
			*seconds = email_schedule_number(now() / 1000 + 3600);
	gint64 at = email_schedule_shown(id, "scheduled_at");
	const struct exchange none = {
	    "no time", "PATCH", path, "{}", 400, "{'message':'scheduled_at is required'}"};
	const struct {
		const char *name, *time, *want;
	} cases[] = {
	    {"null", "null", "{'message':'scheduled_at is required'}"},
	    {"a word", "'soon'",
		"{'message':'scheduled_at must be epoch milliseconds or an ISO 8601 time'}"},
	    {"too late", late, "{'message':'scheduled_at must be at most 30 days ahead'}"},
	    {"seconds", seconds,
		"{'message':'scheduled_at must be in milliseconds, not in seconds'}"},
	};

	answer_free(exchange_expect(fixture, &none));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		answer_free(
		    http_email_schedule_move(cases[i].name, id, cases[i].time, 400, cases[i].want));
		answer_free(http_email_schedule_move(
		    cases[i].name, "x", cases[i].time, 400, cases[i].want));
	}
	cr_expect_eq(email_schedule_shown(id, "scheduled_at"), at);
}

Test(email_schedule, is_not_moved_of_others)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = email_schedule_schedule(), *sent = email_send(fixture, NULL);
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	g_autofree char *post = g_strconcat(path, "/cancel", NULL);
	const struct exchange exchanges[] = {
	    {"moved by another", "PATCH", path, "{'scheduled_at':1000000000000}", 404, NO_EMAIL},
	    {"cancelled by another", "DELETE", path, NULL, 404, NO_EMAIL},
	    {"cancelled by another, POST", "POST", post, "", 404, NO_EMAIL},
	};

	EXPECT_ALL(other, exchanges);
	answer_free(http_email_schedule_move("no id", "x", "1000000000000", 404, NO_EMAIL));
	answer_free(
	    http_email_schedule_move("not scheduled", sent, "1000000000000", 409, NOT_SCHEDULED));
	g_autofree char *claim = of_tenant("UPDATE outbox SET owner = 'me', token = 1 WHERE TRUE");
	test_db_plain(fixture->db, claim);
	answer_free(http_email_schedule_move("claimed", id, "1000000000000", 409, LEFT));
	email_schedule_expect_cancel("POST", "claimed", id, 409, LEFT);
}

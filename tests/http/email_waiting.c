/* SPDX-License-Identifier: MIT */
/* GET /v1/emails/{id}/waiting tells why an email waits, POST /v1/emails/{id}/release lets it leave.
 */
#include <criterion/criterion.h>

#include "tests/http/email.h"
#include "tests/support/db.h"

#define UNKNOWN "/v1/emails/01a1f8d1-2ace-718f-96bc-82c241916947"
#define MISSING "{'message':'Email not found'}"
#define NONE "{'waiting':[],'count':0,'cursor':null}"

FIXTURE_SUITE(email_waiting, 900);

static char *
email_waiting_send_later(void)
{
	g_autofree char *at =
	    g_strdup_printf("'scheduled_at':%" G_GINT64_FORMAT, g_get_real_time() / 1000 + 3600000);

	return email_send(fixture, at);
}

/* Changes the outbox entries of an email. */
static void
email_waiting_set(const char *id, const char *change)
{
	g_autofree char *sql = g_strdup_printf("UPDATE outbox SET %s WHERE workspace_id ="
					       " @workspace AND email_id ="
					       " UNHEX(REPLACE('%s', '-', ''))",
	    change, id);

	test_db_plain(fixture->db, sql);
}

Test(email_waiting, tells_the_reason)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = email_waiting_send_later();
	g_autofree char *path = g_strconcat("/v1/emails/", id, "/waiting", NULL);
	const struct exchange scheduled[] = {
	    {"scheduled", "GET", path, NULL, 200,
		.want = {"count = 1", "cursor = null", "waiting[0].state = 'scheduled'",
		    "waiting[0].reason = null", "waiting[0].attempts = 0",
		    "waiting[0].since : integer", "waiting[0].next_attempt : integer",
		    "waiting[0].recipients = ['b@example.net']", "waiting[1] = null"}},
	};
	EXPECT_ALL(fixture, scheduled);
	EXPECT_ALL(other, ((const struct exchange[]){{"other", "GET", path, NULL, 404, MISSING}}));
	email_waiting_set(id,
	    "attempts = 2, reason = 'paced: x.org, 1 attempts a minute', since = 5,"
	    " ready_at = 9000000000000, turn_at = ready_at");
	const struct exchange delayed[] = {
	    {"delayed", "GET", path, NULL, 200,
		"{'waiting':[{'state':'delayed','reason':'paced: x.org, 1 attempts a minute',"
		"'attempts':2,'since':5,'next_attempt':9000000000000,"
		"'recipients':['b@example.net']}],'count':1,'cursor':null}"},
	};
	EXPECT_ALL(fixture, delayed);
	email_waiting_set(id, "owner = 'me', token = 1");
	const struct exchange sending[] = {
	    {"sending", "GET", path, NULL, 200,
		.want = {"waiting[0].state = 'sending'", "waiting[0].next_attempt = null"}},
	};
	EXPECT_ALL(fixture, sending);
	email_waiting_set(id, "owner = NULL, token = NULL, ready_at = NULL, turn_at = NULL");
	const struct exchange held[] = {
	    {"held", "GET", path, NULL, 200,
		.want = {"waiting[0].state = 'held'", "waiting[0].next_attempt = null"}},
	};
	EXPECT_ALL(fixture, held);
	test_db_plain(fixture->db, "DELETE FROM outbox WHERE workspace_id = @workspace");
	EXPECT_ALL(fixture, ((const struct exchange[]){{"left", "GET", path, NULL, 200, NONE}}));
}

Test(email_waiting, is_for_those_who_read)
{
	g_autofree char *key = fixture_new_key(fixture, "send", NULL);
	g_autofree char *reader = fixture_new_key(fixture, "read", NULL);
	g_autofree char *sends = g_strconcat("Authorization: Bearer ", key, NULL);
	g_autofree char *reads = g_strconcat("Authorization: Bearer ", reader, NULL);
	const struct exchange exchanges[] = {
	    {"unknown", "GET", UNKNOWN "/waiting", NULL, 404, MISSING},
	    {"no id", "GET", "/v1/emails/x/waiting", NULL, 404, MISSING},
	    {"scope", "GET", UNKNOWN "/waiting", NULL, 403, .headers = {sends}},
	    {"reader", "GET", UNKNOWN "/waiting", NULL, 404, .headers = {reads}},
	    {"release unknown", "POST", UNKNOWN "/release", NULL, 404, MISSING},
	    {"release no id", "POST", "/v1/emails/x/release", NULL, 404, MISSING},
	    {"release by a reader", "POST", UNKNOWN "/release", NULL, 403, .headers = {reads}},
	    {"method", "GET", UNKNOWN "/release", NULL, 405},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* It is due at its own time again, and who released it is known. */
Test(email_waiting, ends_by_release)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = email_waiting_send_later();
	g_autofree char *waiting = g_strconcat("/v1/emails/", id, "/waiting", NULL);
	g_autofree char *release = g_strconcat("/v1/emails/", id, "/release", NULL);
	g_autofree char *target =
	    g_strdup_printf("audit[0].target = {'type':'email','id':'%s','name':null}", id);
	const struct exchange refused = {
	    "not held", "POST", release, NULL, 409, "{'message':'Email is not held'}"};

	answer_free(exchange_expect(fixture, &refused));
	email_waiting_set(id, "ready_at = NULL, turn_at = NULL");
	EXPECT_ALL(
	    other, ((const struct exchange[]){{"other", "POST", release, NULL, 404, MISSING}}));
	const struct exchange exchanges[] = {
	    {"still held", "GET", waiting, NULL, 200, .want = {"waiting[0].state = 'held'"}},
	    {"released", "POST", release, NULL, 200, "{'message':'Email released'}"},
	    {"scheduled", "GET", waiting, NULL, 200,
		.want = {"waiting[0].state = 'scheduled'", "waiting[0].next_attempt : integer"}},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'email.changed'", "audit[0].actor.type = 'key'",
		    target}},
	};
	EXPECT_ALL(fixture, exchanges);
	answer_free(exchange_expect(fixture, &refused));
}

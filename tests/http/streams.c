/* SPDX-License-Identifier: MIT */
/* Streams: the way of an email, and pause, pace and figures of each. */
#include <criterion/criterion.h>

#include "base/limits/stream.h"
#include "store/email/stream.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

#define PATH "/v1/streams"
#define NEVER "'paused':false,'per_hour':0,'reason':null,'changed':null,'waiting':0"

FIXTURE_SUITE(streams, 900);

static gint64
stream_of_newest(void)
{
	return test_db_number(fixture->db,
	    "SELECT type FROM email WHERE workspace_id = @workspace ORDER BY id DESC LIMIT 1");
}

Test(streams, are_always_three)
{
	const struct exchange exchanges[] = {
	    {"the three", "GET", PATH, NULL, 200,
		"{'streams':[{'name':'transactional'," NEVER "},{'name':'automation'," NEVER
		"},{'name':'broadcast'," NEVER "}],'count':3,'cursor':null}"},
	    {"no body", "PATCH", PATH "/automation", "{}", 200, "{'name':'automation'," NEVER "}"},
	    {"unknown", "PATCH", PATH "/receipts", "{'paused':true}", 404,
		"{'message':'Stream not found'}"},
	    {"its words as they are", "PATCH", PATH "/Broadcast", "{'paused':true}", 404,
		"{'message':'Stream not found'}"},
	    {"method", "DELETE", PATH "/broadcast", NULL, 405},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(streams, are_read_and_changed_by_those_who_may)
{
	static const struct {
		const char *scope;
		guint read, changed;
	} cases[] = {{"full", 200, 200}, {"read", 200, 403}, {"send", 403, 403}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *key = fixture_new_key(fixture, cases[i].scope, NULL);
		g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
		const struct exchange exchanges[] = {
		    {cases[i].scope, "GET", PATH, NULL, cases[i].read, .headers = {header}},
		    {cases[i].scope, "PATCH", PATH "/broadcast", "{'per_hour':5}", cases[i].changed,
			.headers = {header}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM audit WHERE workspace_id ="
						 " @workspace AND action = 'stream.changed'"),
	    1);
}

Test(streams, take_what_is_within_limits)
{
	g_autofree char *fits = g_strnfill(LIMIT_STREAM_REASON_LENGTH, 'x'),
			*fitting = g_strdup_printf("{'reason':'%s'}", fits),
			*past = g_strdup_printf("{'reason':'%sx'}", fits);
	const struct exchange exchanges[] = {
	    {"reason at the limit", "PATCH", PATH "/broadcast", fitting, 200},
	    {"reason past it", "PATCH", PATH "/broadcast", past, 400,
		"{'message':'reason must be at most 500 characters'}"},
	    {"per_hour at the limit", "PATCH", PATH "/broadcast", "{'per_hour':10000000}", 200,
		.want = {"per_hour = 10000000", "paused = false", "changed : integer"}},
	    {"per_hour past it", "PATCH", PATH "/broadcast", "{'per_hour':10000001}", 400,
		"{'message':'per_hour must be between 0 and 10000000'}"},
	    {"per_hour below 0", "PATCH", PATH "/broadcast", "{'per_hour':-1}", 400,
		"{'message':'per_hour must be between 0 and 10000000'}"},
	    {"null changes nothing", "PATCH", PATH "/broadcast", "{'per_hour':null,'paused':null}",
		200, .want = {"per_hour = 10000000", "paused = false"}},
	    {"a text is no truth", "PATCH", PATH "/broadcast", "{'paused':'yes'}", 400,
		"{'message':'paused must be a boolean'}"},
	    {"no pace", "PATCH", PATH "/broadcast", "{'per_hour':0}", 200,
		.want = {"per_hour = 0"}},
	    {"paused", "PATCH", PATH "/broadcast", "{'paused':true}", 200,
		.want = {"paused = true", "reason = null"}},
	    {"why", "PATCH", PATH "/broadcast", "{'paused':true,'reason':'complaints'}", 200,
		.want = {"paused = true", "reason = 'complaints'"}},
	    {"it stays", "PATCH", PATH "/broadcast", "{'per_hour':7}", 200,
		.want = {"reason = 'complaints'"}},
	    {"an empty reason is none", "PATCH", PATH "/broadcast", "{'reason':''}", 200,
		.want = {"reason = null", "paused = true"}},
	    {"the others are as they were", "GET", PATH, NULL, 200,
		.want = {"streams[0].changed = null", "streams[1].changed = null",
		    "streams[2].per_hour = 7"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(streams, are_named_by_a_request)
{
	static const struct {
		const char *name, *change;
		gint64 type;
	} cases[] = {
	    {"none", "'stream':null", 1},
	    {"transactional", "'stream':'transactional'", 1},
	    {"automation", "'stream':'automation'", EMAIL_BY_AUTOMATION},
	    {"broadcast", "'stream':'broadcast'", EMAIL_BY_BROADCAST},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *id = email_send(fixture, cases[i].change);
		g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
		const struct exchange exchange = {
		    cases[i].name, "GET", path, NULL, 200, .want = {"type = 'transactional'"}};

		answer_free(exchange_expect(fixture, &exchange));
		cr_expect_eq(stream_of_newest(), cases[i].type, "%s", cases[i].name);
	}
#define GIVEN "'from':'a@example.com','to':'b@x.org','subject':'s','html':'h'"
	const struct exchange exchanges[] = {
	    {"unknown", "POST", "/v1/emails", "{" GIVEN ",'stream':'newsletter'}", 400,
		"{'message':'stream must be transactional, broadcast or automation'}"},
	    {"empty", "POST", "/v1/emails", "{" GIVEN ",'stream':''}", 400,
		"{'message':'stream must be transactional, broadcast or automation'}"},
	    {"no text", "POST", "/v1/emails", "{" GIVEN ",'stream':1}", 400,
		"{'message':'stream must be a string'}"},
	    {"a batch", "POST", "/v1/emails/batch",
		"{'emails':[{" GIVEN ",'stream':'broadcast'},{" GIVEN ",'stream':'x'}]}", 400},
	    {"a good batch", "POST", "/v1/emails/batch",
		"{'emails':[{" GIVEN "},{" GIVEN ",'stream':'broadcast'}]}", 201},
	    {"all are listed", "GET", "/v1/emails?type=transactional", NULL, 200,
		.want = {"count = 6", "emails[0].type = 'transactional'",
		    "emails[1].type = 'transactional'"}},
	    {"and of no other type", "GET", "/v1/emails?type=automation", NULL, 200,
		.want = {"count = 0"}},
	    {"figures", "GET", "/v1/stats?group_by=stream", NULL, 200,
		.want = {"count = 3", "stats[0].key = 'automation'", "stats[0].accepted = 1",
		    "stats[0].day = null", "stats[1].key = 'broadcast'", "stats[1].accepted = 2",
		    "stats[2].key = 'transactional'", "stats[2].accepted = 3"}},
	    {"figures of days", "GET", "/v1/stats?group_by=stream,day", NULL, 200,
		.want = {"count = 3", "stats[0].key = 'automation'", "stats[0].day : string",
		    "stats[0].accepted = 1"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

Test(streams, that_are_paused_accept_all)
{
	const struct exchange pause = {"pause", "PATCH", PATH "/broadcast",
	    "{'paused':true,'reason':'complaints'}", 200, .want = {"waiting = 0"}};
	answer_free(exchange_expect(fixture, &pause));
	g_autofree char *id = email_send(fixture, "'stream':'broadcast'");
	g_autofree char *other = email_send(fixture, "'stream':'automation'");
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchanges[] = {
	    {"it has no event", "GET", path, NULL, 200, .want = {"last_event = null"}},
	    {"it waits", "GET", PATH, NULL, 200,
		.want = {"streams[2].waiting = 1", "streams[2].reason = 'complaints'"}},
	    {"why", "GET", "/v1/waiting", NULL, 200,
		.want = {"reasons[0].reason = 'paused: the stream broadcast is paused'",
		    "reasons[0].state = 'delayed'"}},
	    {"resume", "PATCH", PATH "/broadcast", "{'paused':false}", 200,
		.want = {"paused = false", "reason = null"}},
	};
	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE workspace_id = @workspace"
			 " AND reason IS NOT NULL"),
	    0);
}

Test(streams, have_relays_of_their_own)
{
	g_autofree char *id = test_db_text(fixture->db,
	    "SELECT INSERT(INSERT(INSERT(INSERT(LOWER(HEX(id)), 9, 0, '-'), 14, 0, '-'), 19, 0,"
	    " '-'), 24, 0, '-') FROM domain WHERE workspace_id = @workspace");
	g_autofree char *path = g_strdup_printf("/v1/domains/%s/relays", id);
	g_autofree char *broadcast = g_strconcat(path, "?stream=broadcast", NULL);
	g_autofree char *automation = g_strconcat(path, "?stream=automation", NULL);
	g_autofree char *transactional = g_strconcat(path, "?stream=transactional", NULL);
	g_autofree char *unknown = g_strconcat(path, "?stream=x", NULL);

	test_db_plain(fixture->db,
	    "UPDATE domain SET relays_broadcast = 'own' WHERE workspace_id = @workspace");
	test_db_plain(fixture->db,
	    "UPDATE workspace SET relays = 'mine', relays_automation = 'other'"
	    " WHERE id = @workspace");
	const struct exchange exchanges[] = {
	    {"of domain and stream", "GET", broadcast, NULL, 200,
		.want = {"route = 'domain'", "relays[0].relay = 'own'", "relays[1] = null"}},
	    {"of workspace and stream", "GET", automation, NULL, 200,
		.want = {"route = 'workspace'", "relays[0].relay = 'other'"}},
	    {"of the workspace", "GET", transactional, NULL, 200,
		.want = {"route = 'workspace'", "relays[0].relay = 'mine'"}},
	    {"transactional by default", "GET", path, NULL, 200,
		.want = {"route = 'workspace'", "relays[0].relay = 'mine'"}},
	    {"unknown", "GET", unknown, NULL, 400,
		"{'message':'stream must be transactional, broadcast or automation'}"},
	    {"all of them", "GET", "/v1/waiting", NULL, 200,
		.want = {"relays[0].relay : string", "relays[2].relay : string",
		    "relays[3] = null"}},
	};
	EXPECT_ALL(fixture, exchanges);
}

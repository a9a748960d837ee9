/* SPDX-License-Identifier: MIT */
/* The conventions of /resend: paths, methods, keys, scopes, bodies, headers. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/id.h"
#include "base/limits/request.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/unserved.h"

#define LOST                                                                                       \
	"{'statusCode':404,'name':'not_found','message':'The requested endpoint does not exist.'}"
#define METHOD                                                                                     \
	"{'statusCode':405,'name':'method_not_allowed',"                                           \
	"'message':'The method is not allowed for this endpoint.'}"
#define MISSING                                                                                    \
	"{'statusCode':401,'name':'missing_api_key',"                                              \
	"'message':'Missing API key in the authorization header.'}"
#define WRONG "{'statusCode':403,'name':'invalid_api_key','message':'API key is invalid.'}"
#define ONLY_SEND                                                                                  \
	"{'statusCode':401,'name':'restricted_api_key',"                                           \
	"'message':'This API key is restricted to only send emails.'}"
#define ONLY_READ                                                                                  \
	"{'statusCode':401,'name':'restricted_api_key',"                                           \
	"'message':'This API key is restricted to only read.'}"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(resend_conventions, 900);

Test(resend_conventions, find_paths_and_methods)
{
	g_autofree char *rest = g_strnfill(LIMIT_PATH_BYTES, 'a');
	g_autofree char *over = g_strconcat("/resend/", rest, NULL);
	const struct exchange exchanges[] = {
	    {"past the limit", "GET", over, .want_status = 404, .want_body = LOST},
	    {"the front alone", "GET", "/resend", .want_status = 404, .want_body = LOST},
	    {"nothing", "GET", "/resend/nothing", .want_status = 404, .want_body = LOST},
	    {"the other front", "GET", "/resend/v1/emails", .want_status = 404, .want_body = LOST},
	    {"without a key", "GET", "/resend/nothing", .want_status = 404, .want_body = LOST,
		.headers = {"Authorization:"}},
	    {"a final slash", "GET", "/resend/domains/", .want_status = 200},
	    {"a method", "PUT", "/resend/domains", .want_status = 405, .want_body = METHOD,
		.want_header = {"Allow: POST, GET, HEAD"}},
	    {"a method without a key", "DELETE", "/resend/domains", .want_status = 405,
		.want_body = METHOD, .headers = {"Authorization:"}},
	    {"a fixed word", "GET", "/resend/emails/batch", .want_status = 405,
		.want_header = {"Allow: POST"}},
	    {"PUT", "PUT", "/resend/inboxes/a/threads/b/labels", "{}", 501},
	    {"main", "GET", "/nothing", .want_status = 404, .want_body = "{'message':'Not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_conventions, check_keys)
{
	g_autofree char *x_key = g_strconcat("X-API-Key: ", fixture->key, NULL);
	const struct exchange exchanges[] = {
	    {"none", "GET", "/resend/domains", .want_status = 401, .want_body = MISSING,
		.headers = {"Authorization:"}, .want_header = {"WWW-Authenticate: Bearer"}},
	    {"wrong", "GET", "/resend/domains", .want_status = 403, .want_body = WRONG,
		.headers = {"Authorization: Bearer re_123"}},
	    {"X-API-Key", "GET", "/resend/domains", .want_status = 200, .headers = {x_key}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Paths of older and of other clients. */
Test(resend_conventions, know_other_paths)
{
	const struct exchange exchanges[] = {
	    {"send", "POST", "/resend/email",
		"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'s','text':'t'}",
		200, .want = {"id : string"}},
	    {"list", "GET", "/resend/email", NULL, 200,
		.want = {"object = 'list'", "data[0].subject = 's'"}},
	    {"a method", "PUT", "/resend/email", NULL, 405, METHOD,
		.want_header = {"Allow: POST, GET, HEAD"}},
	    {"batch", "POST", "/resend/email/batch", "{}", 400},
	    {"get", "GET", "/resend/email/" UNKNOWN, NULL, 404, .want = {"name = 'not_found'"}},
	    {"cancel", "POST", "/resend/email/" UNKNOWN "/cancel", "{}", 404},
	    {"another word", "GET", "/resend/emailx", NULL, 404, LOST},
	    {"within another", "GET", "/resend/contacts/x@x.org/email", NULL, 404},
	    {"received", "GET", "/resend/received-emails", NULL, 501,
		UNSERVED("emails.receiving.list is not implemented by this service.")},
	    {"received one", "GET", "/resend/received-emails/" UNKNOWN, NULL, 501},
	    {"its attachments", "GET", "/resend/received-emails/" UNKNOWN "/attachments", NULL,
		501},
	    {"claims", "GET", "/resend/domains/claims", NULL, 501,
		UNSERVED("domains.claims.get is not implemented by this service.")},
	    {"claim", "POST", "/resend/domains/claims", "{}", 501},
	    {"a claim", "GET", "/resend/domains/claims/" UNKNOWN, NULL, 501},
	    {"verify a claim", "POST", "/resend/domains/claims/" UNKNOWN "/verify", "{}", 501},
	    {"a domain's claims", "GET", "/resend/domains/" UNKNOWN "/claims", NULL, 501},
	    {"verify a domain's", "POST", "/resend/domains/" UNKNOWN "/claims/verify", "{}", 501},
	    {"compose", "POST", "/resend/editor/compose", "{}", 501,
		UNSERVED("editor is not implemented by this service.")},
	    {"content", "GET", "/resend/editor/content?id=" UNKNOWN, NULL, 501},
	    {"connection", "DELETE", "/resend/editor/connections/x", NULL, 501},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* An operation that is not served says so once the key is good and its scope suffices. */
Test(resend_conventions, check_scopes)
{
	g_autofree char *send = fixture_new_key(fixture, "send", NULL);
	g_autofree char *read = fixture_new_key(fixture, "read", NULL);
	g_autofree char *as_sender = g_strconcat("Authorization: Bearer ", send, NULL);
	g_autofree char *as_reader = g_strconcat("Authorization: Bearer ", read, NULL);
	const struct exchange exchanges[] = {
	    {"send reads", "GET", "/resend/domains", .want_status = 401, .want_body = ONLY_SEND,
		.headers = {as_sender}},
	    {"send reads usage", "GET", "/resend/usage", .want_status = 401, .want_body = ONLY_SEND,
		.headers = {as_sender}},
	    {"read reads", "GET", "/resend/domains", .want_status = 200, .headers = {as_reader}},
	    {"read writes", "DELETE", "/resend/domains/" UNKNOWN, .want_status = 401,
		.want_body = ONLY_READ, .headers = {as_reader}},
	    {"read sends", "POST", "/resend/emails", "{}", 401, ONLY_READ, .headers = {as_reader}},
	    {"read reads usage", "GET", "/resend/usage", .want_status = 501,
		.want_body = UNSERVED("usage.get is not implemented by this service."),
		.headers = {as_reader}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_conventions, give_each_answer_a_uuid)
{
	static const char *const paths[] = {"/resend/domains", "/resend/nothing", "/resend/usage"};
	g_autofree char *last = g_strdup("");

	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
		const struct exchange exchange = {paths[i], "GET", paths[i]};
		AUTO(answer) answer = exchange_ask(fixture, &exchange);
		char *id = answer_header(answer, "X-Request-Id");
		g_autofree char *type = answer_header(answer, "Content-Type");
		struct base_id parsed;

		cr_expect(id && base_id_parse(id, &parsed), "%s: %s", paths[i], id);
		cr_expect_str_neq(id, last);
		cr_expect_str_eq(type, "application/json; charset=utf-8");
		g_free(last);
		last = id;
	}
}

static void
conventions_set_limit(const char *limit)
{
	g_free(
	    TEST_RUN(fixture->instance, "posthouse", "workspace", "limit", fixture->name, limit));
}

/* The rate of the key is the narrower one, and the one that is told. */
Test(resend_conventions, tell_of_a_rate_that_is_set)
{
	const struct exchange without = {"none is set", "GET", "/resend/domains",
	    .want_status = 200,
	    .want_header = {"ratelimit-limit:", "ratelimit-policy:", "RateLimit:"}};
	const struct exchange with = {"both are set", "GET", "/resend/usage", .want_status = 501,
	    .want_header = {"ratelimit-limit: 2", "ratelimit-remaining: 1",
		"ratelimit-policy: 2;w=2", "RateLimit:"}};
	const struct exchange second = {"the second", "GET", "/resend/domains", .want_status = 200,
	    .want_header = {"ratelimit-remaining: 0"}};
	const struct exchange third = {"the third", "GET", "/resend/domains", .want_status = 429,
	    .want = {"name = 'rate_limit_exceeded'", "statusCode = 429"},
	    .want_header = {"ratelimit-remaining: 0", "Retry-After: 1"}};

	answer_free(exchange_expect(fixture, &without));
	conventions_set_limit("requests_per_second=10");
	conventions_set_limit("burst=10");
	conventions_set_limit("key_requests_per_second=1");
	conventions_set_limit("key_burst=2");
	g_autofree char *key = fixture_new_key(fixture, "full", NULL);
	g_free(fixture->key);
	fixture->key = g_steal_pointer(&key);
	answer_free(exchange_expect(fixture, &with));
	answer_free(exchange_expect(fixture, &second));
	answer_free(exchange_expect(fixture, &third));
}

Test(resend_conventions, read_bodies)
{
	const struct exchange exchanges[] = {
	    {"blanks", "POST", "/resend/domains", " \n", 422,
		.want = {"name = 'missing_required_field'"}},
	    {"null", "POST", "/resend/domains", "null", 400, .want = {"name = 'validation_error'"}},
	    {"a key before JSON", "POST", "/resend/domains", "{", 401, MISSING,
		.headers = {"Authorization:"}},
	    {"without a type", "POST", "/resend/domains", "{'name':'x.example.net'}", 201,
		.headers = {"Content-Type: text/plain"}},
	    {"a malformed query", "GET", "/resend/domains?limit=%zz", .want_status = 422,
		.want = {"name = 'validation_error'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

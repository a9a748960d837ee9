/* SPDX-License-Identifier: MIT */
/* /resend/emails/batch, strict and permissive. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define GOOD(to) "{'from':'a@" FIXTURE_DOMAIN "','to':'" to "','subject':'S','html':'H'}"
#define NO_TO "{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':'H'}"
#define OTHER_DOMAIN "{'from':'a@example.org','to':'b@example.net','subject':'S','html':'H'}"
#define BY_PATH                                                                                    \
	"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','html':'H',"            \
	"'attachments':[{'path':'https://x.org/a'}]}"
#define RICH                                                                                       \
	"{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','html':'H',"            \
	"'scheduled_at':'in 1 hour','attachments':[{'filename':'a.txt','content':'YQ=='}]}"
#define MISSING_TO "Missing `to` field."
#define UNVERIFIED "The example.org domain is not verified. Please, add and verify your domain"

FIXTURE_SUITE(resend_batch, 900);

#define STRICT "x-batch-validation: strict"
#define PERMISSIVE "x-batch-validation: permissive"
#define POST(name, mode, body, ...)                                                                \
	{                                                                                          \
		name, "POST", "/resend/emails/batch", body, __VA_ARGS__, .headers = { mode }       \
	}

Test(resend_batch, is_stored_whole_or_not_at_all)
{
	const struct exchange exchanges[] = {
	    POST("good", NULL, "[" GOOD("b@example.net") "," GOOD("c@example.net") "]", 200,
		.want = {"data[0].id : string", "data[1].id : string", "data[2] : null",
		    "errors : absent", "data[0].index : absent"}),
	    POST("rich", STRICT, "[" RICH "]", 200, .want = {"data[0].id : string"}),
	    POST("one bad", STRICT, "[" GOOD("d@example.net") "," NO_TO "," OTHER_DOMAIN "]", 422,
		"{'statusCode':422,'name':'missing_required_field','message':'" MISSING_TO
		"','errors':[{'index':1,'message':'" MISSING_TO
		"'},{'index':2,'message':'" UNVERIFIED "'}]}"),
	    POST("domain", STRICT, "[" OTHER_DOMAIN "]", 403,
		"{'statusCode':403,'name':'validation_error','message':'" UNVERIFIED
		"','errors':[{'index':0,'message':'" UNVERIFIED "'}]}"),
	    POST("by path", NULL, "[" BY_PATH "]", 422,
		.want = {"name = 'invalid_attachment'", "errors[0].index = 0"}),
	    POST("no object", NULL, "[7]", 422, .want = {"errors[0].index = 0"}),
	    {"list", "GET", "/resend/emails", .want_status = 200,
		.want = {"data[2].to = ['b@example.net']", "data[3] : null",
		    "data[0].last_event = 'scheduled'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_batch, may_be_permissive)
{
	const struct exchange exchanges[] = {
	    POST("all good", PERMISSIVE, "[" GOOD("b@example.net") "]", 200,
		.want = {"data[0].id : string", "errors = []"}),
	    POST("some", PERMISSIVE, "[" NO_TO "," GOOD("c@example.net") "," OTHER_DOMAIN "]", 200,
		.want = {"data[0].id : string", "data[1] : null",
		    "errors = [{'index':0,'message':'" MISSING_TO
		    "'},{'index':2,'message':'" UNVERIFIED "'}]"}),
	    POST("none", PERMISSIVE, "[" NO_TO "]", 200,
		"{'data':[],'errors':[{'index':0,'message':'" MISSING_TO "'}]}"),
	    POST("another mode", "x-batch-validation: loose", "[" GOOD("d@example.net") "]", 422,
		"{'statusCode':422,'name':'validation_error','message':"
		"'Invalid `x-batch-validation` header. It must be strict or permissive.'}"),
	    {"list", "GET", "/resend/emails", .want_status = 200,
		.want = {"data[0].to = ['c@example.net']", "data[1].to = ['b@example.net']",
		    "data[2] : null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* So many emails. */
static char *
batch_many(guint count)
{
	GString *body = g_string_new("[");

	for (guint i = 0; i < count; i++)
		g_string_append_printf(body, "%s%s", i > 0 ? "," : "", GOOD("b@example.net"));
	g_string_append_c(body, ']');
	return g_string_free(body, FALSE);
}

Test(resend_batch, has_1_to_100_emails)
{
	g_autofree char *most = batch_many(LIMIT_BATCH);
	g_autofree char *more = batch_many(LIMIT_BATCH + 1);
	const struct exchange exchanges[] = {
	    POST("none", NULL, "[]", 422,
		"{'statusCode':422,'name':'validation_error',"
		"'message':'The batch must have 1 to 100 emails, not 0.'}"),
	    POST("none, permissive", PERMISSIVE, "[]", 422),
	    POST("most", NULL, most, 200, .want = {"data[99].id : string"}),
	    POST("more", NULL, more, 422),
	    POST("more, permissive", PERMISSIVE, more, 422),
	    POST("an object", NULL, "{'emails':[]}", 400),
	    POST("nothing", NULL, "", 400),
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Posts with a key and returns the body, which the caller owns. */
static char *
batch_post_with_key(const char *mode, const char *body, guint status, bool replayed)
{
	const struct exchange exchange = {mode, "POST", "/resend/emails/batch", body, status,
	    .headers = {"Idempotency-Key: k", mode},
	    .want_header = {replayed ? "Idempotent-Replayed: true" : "Idempotent-Replayed:"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer->body);
}

Test(resend_batch, is_stored_once_with_a_key)
{
	const char *body = "[" GOOD("b@example.net") "," NO_TO "]";
	g_autofree char *refused = batch_post_with_key(STRICT, body, 422, false);
	g_autofree char *first = batch_post_with_key(PERMISSIVE, body, 200, false);
	g_autofree char *again = batch_post_with_key(PERMISSIVE, body, 200, true);
	g_autofree char *other = batch_post_with_key(PERMISSIVE, "[" NO_TO "]", 409, false);

	cr_expect_str_eq(first, again);
	cr_expect(strstr(other, "invalid_idempotent_request"), "%s", other);
}

Test(resend_batch, of_bad_emails_alone_is_kept_with_its_key)
{
	g_autofree char *first = batch_post_with_key(PERMISSIVE, "[" NO_TO "]", 200, false);
	g_autofree char *again = batch_post_with_key(PERMISSIVE, "[" NO_TO "]", 200, true);

	cr_expect_str_eq(first, again);
}

/* SPDX-License-Identifier: MIT */
/* /resend/suppressions */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/report.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define NOT_FOUND FAILURE(404, "not_found", "Suppression not found")

FIXTURE_SUITE(resend_suppressions, 900);

/* Suppresses an address, and returns its id, which the caller owns. */
static char *
resend_suppressions_add(const char *email)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);
	const struct exchange exchange = {email, "POST", "/resend/suppressions", body, 201,
	    .want = {"object = 'suppression'", "id : string"}};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

static void
suppressions_post(const char *path, const char *body)
{
	const struct exchange exchange = {path, "POST", path, body, 200};

	exchange_next_moment();
	answer_free(exchange_expect(fixture, &exchange));
}

/* Expects a list to have these emails, separated by blanks. */
static void
suppressions_expect_list(const char *query, const char *emails)
{
	g_autofree char *path = g_strconcat("/resend/suppressions", query, NULL);
	const struct exchange exchange = {
	    path, "GET", path, .want_status = 200, .want = {"object = 'list'"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(data, i), "email"), NULL));
	cr_expect_str_eq(got->str, emails, "%s: got %s, want %s", path, got->str, emails);
}

Test(resend_suppressions, are_added_read_and_removed)
{
	g_autofree char *id = resend_suppressions_add("A+b@X.org"),
			*again = resend_suppressions_add("a+b@x.ORG");
	g_autofree char *path = g_strconcat("/resend/suppressions/", id, NULL);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'suppression','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"by id", "GET", path, .want_status = 200,
		.want = {"object = 'suppression'", "id : string", "email = 'A+b@X.org'",
		    "origin = 'manual'", "source_id : null", "created_at : string"}},
	    {"by email", "GET", "/resend/suppressions/a+b@x.org", .want_status = 200,
		.want = {"email = 'A+b@X.org'"}},
	    {"encoded", "GET", "/resend/suppressions/a%2Bb%40x.org", .want_status = 200},
	    {"in /v1", "GET", "/v1/suppressions/a%2Bb@x.org", .want_status = 200,
		.want = {"scope = 'all'", "reason = 'manual'"}},
	    {"unknown", "GET", "/resend/suppressions/" UNKNOWN, .want_status = 404,
		.want_body = NOT_FOUND},
	    {"unknown email", "GET", "/resend/suppressions/b@x.org", .want_status = 404,
		.want_body = NOT_FOUND},
	    {"no email", "GET", "/resend/suppressions/x", .want_status = 404,
		.want_body = NOT_FOUND},
	    {"remove", "DELETE", "/resend/suppressions/a+b@x.org", .want_status = 200,
		.want_body = gone},
	    {"removed", "GET", path, .want_status = 404},
	    {"remove again", "DELETE", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"missing", "POST", "/resend/suppressions", "{'email':''}", 422,
		FAILURE(422, "missing_required_field", "Missing `email` field.")},
	    {"no address", "POST", "/resend/suppressions", "{'email':'x'}", 422,
		.want = {"name = 'validation_error'"}},
	};

	cr_expect_str_eq(id, again);
	EXPECT_ALL(fixture, exchanges);
}

/* Entries for mailings alone are not seen. */
Test(resend_suppressions, have_scope_all_alone)
{
	suppressions_post("/v1/suppressions", "{'email':'a@x.org','reason':'unsubscribed'}");
	const struct exchange exchanges[] = {
	    {"get", "GET", "/resend/suppressions/a@x.org", .want_status = 404},
	    {"remove", "DELETE", "/resend/suppressions/a@x.org", .want_status = 404},
	    {"still there", "GET", "/v1/suppressions/a@x.org", .want_status = 200},
	};

	suppressions_expect_list("", "");
	EXPECT_ALL(fixture, exchanges);
	g_autofree char *id = resend_suppressions_add("a@x.org");
	suppressions_expect_list("", "a@x.org");
	const struct exchange widened = {"widened", "GET", "/v1/suppressions/a@x.org",
	    .want_status = 200, .want = {"scope = 'all'"}};
	answer_free(exchange_expect(fixture, &widened));
}

Test(resend_suppressions, are_listed_by_origin)
{
	suppressions_post("/v1/suppressions", "{'email':'b@x.org','reason':'bounced'}");
	suppressions_post("/v1/suppressions", "{'email':'c@x.org','reason':'complained'}");
	suppressions_post(
	    "/v1/suppressions", "{'email':'u@x.org','reason':'unsubscribed','scope':'all'}");
	g_autofree char *id = resend_suppressions_add("m@x.org");
	g_autofree char *after = g_strconcat("?limit=2&after=", id, NULL);
	g_autofree char *manual = g_strconcat("?origin=manual&after=", id, NULL);
	g_autofree char *before = g_strconcat("?before=", id, NULL);
	const struct exchange exchanges[] = {
	    {"a row", "GET", "/resend/suppressions?origin=bounce", .want_status = 200,
		.want = {"has_more = false", "data[0].object : absent", "data[0].id : string",
		    "data[0].origin = 'bounce'", "data[0].source_id : null",
		    "data[0].created_at : string"}},
	    {"no origin", "GET", "/resend/suppressions?origin=x", .want_status = 422,
		.want = {"name = 'validation_error'"}},
	};

	suppressions_expect_list("", "m@x.org u@x.org c@x.org b@x.org");
	suppressions_expect_list("?origin=bounce", "b@x.org");
	suppressions_expect_list("?origin=complaint", "c@x.org");
	suppressions_expect_list("?origin=manual", "m@x.org u@x.org");
	suppressions_expect_list(after, "u@x.org c@x.org");
	suppressions_expect_list(manual, "u@x.org");
	suppressions_expect_list(before, "");
	EXPECT_ALL(fixture, exchanges);
}

#define BATCH "/resend/suppressions/batch/"

Test(resend_suppressions, are_added_and_removed_together)
{
	g_autofree char *a = resend_suppressions_add("a@x.org");
	const struct exchange added = {"add", "POST", BATCH "add",
	    "{'emails':['c@x.org','A@x.org','b@x.org','c@x.org']}", 201,
	    .want = {"data[0].object = 'suppression'", "data[3].id : string", "data[4] : null"}};
	AUTO(answer) answer = exchange_expect(fixture, &added);
	g_autofree char *by_ids = g_strdup_printf(
	    "{'ids':['%s','" UNKNOWN "','%s']}", answer_text(answer, "data[2].id"), a);
	const struct exchange exchanges[] = {
	    {"one bad", "POST", BATCH "add", "{'emails':['d@x.org','x']}", 422,
		.want = {"name = 'validation_error'"}},
	    {"nothing done", "GET", "/resend/suppressions/d@x.org", .want_status = 404},
	    {"none", "POST", BATCH "add", "{'emails':[]}", 422,
		FAILURE(422, "missing_required_field", "Missing `emails` field.")},
	    {"both", "POST", BATCH "remove", "{'emails':['c@x.org'],'ids':['" UNKNOWN "']}", 422,
		.want = {"name = 'validation_error'"}},
	    {"neither", "POST", BATCH "remove", "{}", 422,
		.want = {"name = 'missing_required_field'"}},
	    {"a bad id", "POST", BATCH "remove", "{'ids':['x']}", 422},
	    {"a bad email", "POST", BATCH "remove", "{'emails':['c@x.org','x']}", 422},
	    {"by ids", "POST", BATCH "remove", by_ids, 200,
		.want = {"data[0].object = 'suppression'", "data[0].deleted = true",
		    "data[1].deleted = true", "data[2] : null"}},
	    {"by emails", "POST", BATCH "remove", "{'emails':['b@x.org','C@x.org','c@x.org']}", 200,
		.want = {"data[0].deleted = true", "data[1] : null"}},
	};

	cr_expect_str_eq(answer_text(answer, "data[1].id"), a);
	cr_expect_str_eq(answer_text(answer, "data[0].id"), answer_text(answer, "data[3].id"));
	EXPECT_ALL(fixture, exchanges);
	suppressions_expect_list("", "");
}

Test(resend_suppressions, are_added_together_within_a_limit)
{
	for (guint count = LIMIT_SUPPRESSION_BATCH; count <= LIMIT_SUPPRESSION_BATCH + 1; count++) {
		g_autoptr(GString) body = g_string_new("{'emails':[");

		for (guint i = 0; i < count; i++)
			g_string_append_printf(body, "%s'a%u@x.org'", i > 0 ? "," : "", i);
		g_string_append(body, "]}");
		const struct exchange exchanges[] = {
		    {"add", "POST", BATCH "add", body->str,
			count > LIMIT_SUPPRESSION_BATCH ? 422 : 201},
		    {"remove", "POST", BATCH "remove", body->str,
			count > LIMIT_SUPPRESSION_BATCH ? 422 : 200},
		};

		EXPECT_ALL(fixture, exchanges);
	}
}

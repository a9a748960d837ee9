/* SPDX-License-Identifier: MIT */
/* /resend/topics */
#include <criterion/criterion.h>

#include "base/limits/person.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")

FIXTURE_SUITE(resend_topics, 900);

/* Creates a topic, and returns its id, which the caller owns. */
static char *
topics_create(const char *body)
{
	const struct exchange exchange = {body, "POST", "/resend/topics", body, 201};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

Test(resend_topics, are_topics)
{
	g_autofree char *id = topics_create("{'name':'News','default_subscription':'opt_in'}");
	g_autofree char *path = g_strconcat("/resend/topics/", id, NULL);
	g_autofree char *main = g_strconcat("/v1/topics/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'topic','id':'%s'}", id);
	g_autofree char *gone = g_strdup_printf("{'object':'topic','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"object = 'topic'", "id : string", "name = 'News'", "description = null",
		    "default_subscription = 'opt_in'", "visibility = 'private'",
		    "created_at : string"}},
	    {"in /v1", "GET", main, NULL, 200,
		.want = {"opt_in = false", "public = false", "description = ''"}},
	    {"change", "PATCH", path,
		"{'id':'x','name':'More','description':'D','visibility':'public',"
		"'default_subscription':'opt_out'}",
		200, own},
	    {"changed", "GET", path, NULL, 200,
		.want = {"name = 'More'", "description = 'D'", "visibility = 'public'",
		    "default_subscription = 'opt_in'"}},
	    {"nothing", "PATCH", path, "{'name':null}", 200, own},
	    {"no UUID", "GET", "/resend/topics/x", NULL, 422,
		FAILURE(422, "invalid_parameter", "The `id` must be a valid UUID.")},
	    {"unknown", "GET", "/resend/topics/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Topic not found")},
	    {"change unknown", "PATCH", "/resend/topics/" UNKNOWN, "{'name':'x'}", 404},
	    {"fields come first", "PATCH", "/resend/topics/" UNKNOWN, "{'visibility':'x'}", 422},
	    {"remove unknown", "DELETE", "/resend/topics/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Topic not found")},
	    {"remove", "DELETE", path, NULL, 200, gone},
	    {"gone", "GET", path, NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_topics, are_listed_newest_first)
{
	g_autofree char *old = topics_create("{'name':'Old','default_subscription':'opt_in'}");
	g_autofree char *new = topics_create("{'name':'New','default_subscription':'opt_out'}");
	g_autofree char *after = g_strconcat("/resend/topics?after=", new, NULL);
	g_autofree char *before = g_strconcat("/resend/topics?before=", old, NULL);
	const struct exchange exchanges[] = {
	    {"all", "GET", "/resend/topics", NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].name = 'New'",
		    "data[0].default_subscription = 'opt_out'", "data[0].object : absent",
		    "data[0].created_at : string", "data[1].name = 'Old'", "data[2] : null"}},
	    {"page", "GET", "/resend/topics?limit=1", NULL, 200,
		.want = {"has_more = true", "data[0].name = 'New'", "data[1] : null"}},
	    {"older", "GET", after, NULL, 200, .want = {"data[0].name = 'Old'", "data[1] : null"}},
	    {"newer", "GET", before, NULL, 200, .want = {"data[0].name = 'New'", "data[1] : null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* A contact who has chosen nothing is in a topic of opt_in, and in none of opt_out. */
Test(resend_topics, speak_for_contacts_who_have_not_chosen)
{
	g_autofree char *in = topics_create("{'name':'In','default_subscription':'opt_in'}");
	g_autofree char *out = topics_create("{'name':'Out','default_subscription':'opt_out'}");
	const struct exchange exchanges[] = {
	    {"contact", "POST", "/resend/contacts", "{'email':'ada@x.org'}", 201},
	    {"topics", "GET", "/resend/contacts/ada@x.org/topics", NULL, 200,
		.want = {"data[0].name = 'Out'", "data[0].subscription = 'opt_out'",
		    "data[1].name = 'In'", "data[1].subscription = 'opt_in'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_topics, name_the_field_that_is_wrong)
{
	static const struct exchange exchanges[] = {
	    {"no name", "POST", "/resend/topics", "{'default_subscription':'opt_in'}", 422,
		MISSING("name")},
	    {"no default", "POST", "/resend/topics", "{'name':'n'}", 422,
		MISSING("default_subscription")},
	    {"another default", "POST", "/resend/topics",
		"{'name':'n','default_subscription':'in'}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `default_subscription` field. default_subscription must be opt_in or "
		    "opt_out.")},
	    {"another visibility", "POST", "/resend/topics",
		"{'name':'n','default_subscription':'opt_in','visibility':'all'}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `visibility` field. visibility must be public or private.")},
	    {"a line break", "POST", "/resend/topics",
		"{'name':'a\\nb','default_subscription':'opt_in'}", 422,
		.want = {"name = 'validation_error'"}},
	    {"an array", "POST", "/resend/topics", "[]", 400,
		.want = {"name = 'validation_error'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_topics, have_texts_within_limits)
{
	static const struct {
		const char *field;
		gsize limit;
	} cases[] = {{"name", LIMIT_NAME_LENGTH}, {"description", LIMIT_TOPIC_DESCRIPTION_LENGTH}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (gsize past = 0; past < 2; past++) {
			g_autofree char *text = g_strnfill(cases[i].limit + past, 'x');
			g_autofree char *body =
			    i == 0 ? g_strdup_printf(
					 "{'name':'%s','default_subscription':'opt_in'}", text)
				   : g_strdup_printf("{'name':'n','description':'%s',"
						     "'default_subscription':'opt_in'}",
					 text);
			const struct exchange exchange = {
			    cases[i].field, "POST", "/resend/topics", body, past ? 422 : 201};

			answer_free(exchange_expect(fixture, &exchange));
		}
}

Test(resend_topics, are_at_most_100)
{
	static const struct exchange last = {"one more", "POST", "/resend/topics",
	    "{'name':'n','default_subscription':'opt_in'}", 422,
	    FAILURE(422, "validation_error", "Limit reached: at most 100 topics")};

	for (guint i = 0; i < LIMIT_TOPICS; i++) {
		const struct exchange exchange = {
		    last.name, last.method, last.path, last.body, 201};

		answer_free(exchange_expect(fixture, &exchange));
	}
	answer_free(exchange_expect(fixture, &last));
}

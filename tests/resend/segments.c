/* SPDX-License-Identifier: MIT */
/* /resend/segments and /resend/audiences, and their contacts */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/person.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")
#define NO_UUID FAILURE(422, "invalid_parameter", "The `id` must be a valid UUID.")

FIXTURE_SUITE(resend_segments, 900);

/* Creates what a path names, and returns its id, which the caller owns. */
static char *
segments_create(const char *path, const char *body)
{
	const struct exchange exchange = {body, "POST", path, body, 201};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

/* Expects the rows of a list to have these values of a member, separated by blanks. */
static void
segments_expect_list(const char *path, const char *member, const char *values)
{
	const struct exchange exchange = {
	    path, "GET", path, .want_status = 200, .want = {"object = 'list'"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(data, i), member), NULL));
	cr_expect_str_eq(got->str, values, "%s: got %s, want %s", path, got->str, values);
}

Test(resend_segments, may_be_saved_rules_which_are_read_alone)
{
	const struct exchange make = {"rules", "POST", "/v1/segments",
	    "{'name':'Adas','rules':{'match':'all','rules':[{'property':'contact.first_name',"
	    "'operator':'equals','value':'Ada'}]}}",
	    200};
	g_autofree char *first = segments_create("/resend/segments", "{'name':'One'}");
	exchange_next_moment();
	AUTO(answer) made = exchange_expect(fixture, &make);
	const char *id = answer_text(made, "id");
	g_autofree char *last = segments_create("/resend/segments", "{'name':'Two'}");
	g_autofree char *path = g_strconcat("/resend/segments/", id, NULL);
	g_autofree char *contacts = g_strconcat(path, "/contacts", NULL);
	g_autofree char *one_each = g_strconcat(contacts, "?limit=1", NULL);
	g_autofree char *id_is = g_strdup_printf("id = '%s'", id);
	g_autofree char *bob =
	    segments_create("/resend/contacts", "{'email':'bob@x.org','first_name':'Bob'}");
	g_autofree char *ada =
	    segments_create("/resend/contacts", "{'email':'ada@x.org','first_name':'Ada'}");
	g_autofree char *eve =
	    segments_create("/resend/contacts", "{'email':'eve@x.org','first_name':'Ada'}");
	g_autofree char *older = g_strdup_printf("%s?after=%s", contacts, eve);
	g_autofree char *newer = g_strdup_printf("%s?before=%s", contacts, ada);
	g_autofree char *after = g_strconcat("/resend/segments?after=", last, NULL);
	g_autofree char *before = g_strconcat("/resend/segments?limit=1&before=", first, NULL);
	static const char refused[] =
	    FAILURE(422, "validation_error", "The segment has rules, and can only be read here.");
	g_autofree char *old = g_strdup_printf("/resend/audiences/%s/contacts", id);
	g_autofree char *bob_there = g_strconcat(old, "/bob@x.org", NULL);
	g_autofree char *bob_in = g_strdup_printf("/resend/contacts/%s/segments/%s", bob, id);
	g_autofree char *with =
	    g_strdup_printf("{'email':'tim@x.org','segments':[{'id':'%s'}]}", id);
	const struct exchange changes[] = {
	    {"add by the older path", "POST", old, "{'email':'bob@x.org'}", 422, refused},
	    {"change by it", "PATCH", bob_there, "{'first_name':'Ada'}", 422, refused},
	    {"remove by it", "DELETE", bob_there, NULL, 422, refused},
	    {"add", "POST", bob_in, NULL, 422, refused},
	    {"remove", "DELETE", bob_in, NULL, 422, refused},
	    {"a new one", "POST", "/resend/contacts", with, 422, refused},
	    {"that is not made", "GET", "/resend/contacts/tim@x.org", NULL, 404},
	};
	EXPECT_ALL(fixture, changes);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 200,
		.want = {"object = 'segment'", "name = 'Adas'", id_is, "created_at : string"}},
	    {"rename", "PATCH", path, "{'name':'x'}", 422, refused},
	    {"remove", "DELETE", path, NULL, 422, refused},
	    {"one contact", "GET", one_each, .want_status = 200,
		.want = {"has_more = true", "data[0].email = 'eve@x.org'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	segments_expect_list("/resend/segments", "name", "Two Adas One");
	segments_expect_list(after, "name", "Adas One");
	segments_expect_list(before, "name", "Adas");
	segments_expect_list(contacts, "email", "eve@x.org ada@x.org");
	segments_expect_list(older, "email", "ada@x.org");
	segments_expect_list(newer, "email", "eve@x.org");
	cr_expect_str_neq(bob, ada);
	g_autofree char *draft = g_strdup_printf(
	    "{'segment_id':'%s','from':'me@example.com','subject':'s','text':'t'}", id);
	g_autofree char *broadcast = segments_create("/resend/broadcasts", draft);
	g_autofree char *to = g_strconcat("/resend/broadcasts/", broadcast, NULL);
	g_autofree char *target = g_strdup_printf("segment_id = '%s'", id);
	g_autofree char *other = g_strdup_printf("{'segment_id':'%s'}", first);
	g_autofree char *audience = g_strdup_printf("audience_id = '%s'", first);
	const struct exchange broadcasts[] = {
	    {"a broadcast to it", "GET", to, .want_status = 200,
		.want = {target, "audience_id = null"}},
	    {"to an audience", "PATCH", to, other, 200},
	    {"which it has", "GET", to, .want_status = 200, .want = {audience}},
	};
	EXPECT_ALL(fixture, broadcasts);
}

/* Every 1000th of the people is in the segment. */
Test(resend_segments, of_rules_have_pages_however_far_away_their_people_are)
{
	static const char fill[] =
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, entered, seen, created, updated) SELECT"
	    " UNHEX(CONCAT('01980000000070008', LPAD(seq, 15, '0'))), @workspace,"
	    " CONCAT(seq, '@x.org'), CONCAT(seq, '@x.org'),"
	    " IF(seq % 1000 = 0, '{\"rare\":true}', '{}'), 0, 0, '', 0, 0, 0, 1, 1"
	    " FROM seq_1_to_3500";
	const struct exchange make = {"rules", "POST", "/v1/segments",
	    "{'name':'Rare','rules':{'rules':[{'property':'rare','operator':'exists'}]}}", 200};
	AUTO(answer) made = exchange_expect(fixture, &make);
	g_autofree char *all =
	    g_strdup_printf("/resend/segments/%s/contacts", answer_text(made, "id"));
#define AT(number) "=01980000-0000-7000-8000-00000000" number
	const struct {
		const char *query, *rows, *more;
	} cases[] = {
	    {"", "3000@x.org 2000@x.org 1000@x.org", "has_more = false"},
	    {"?limit=3", "3000@x.org 2000@x.org 1000@x.org", "has_more = false"},
	    {"?limit=2", "3000@x.org 2000@x.org", "has_more = true"},
	    {"?limit=1&after" AT("3000"), "2000@x.org", "has_more = true"},
	    {"?limit=1&after" AT("2000"), "1000@x.org", "has_more = false"},
	    {"?limit=1&after" AT("1000"), "", "has_more = false"},
	    {"?limit=1&before" AT("1000"), "2000@x.org", "has_more = true"},
	    {"?limit=1&before" AT("2000"), "3000@x.org", "has_more = false"},
	};

	test_db_plain(fixture->db, fill);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat(all, cases[i].query, NULL);
		const struct exchange exchange = {
		    path, "GET", path, .want_status = 200, .want = {cases[i].more}};

		segments_expect_list(path, "email", cases[i].rows);
		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(resend_segments, are_audiences)
{
	g_autofree char *id = segments_create("/resend/segments", "{'name':'News','filter':{}}");
	g_autofree char *path = g_strconcat("/resend/segments/", id, NULL);
	g_autofree char *older = g_strconcat("/resend/audiences/", id, NULL);
	g_autofree char *main = g_strconcat("/v1/audiences/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'segment','id':'%s'}", id);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'segment','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"create", "POST", "/resend/audiences", "{'name':'Old'}", 201,
		.want = {"object = 'segment'", "id : string", "name = 'Old'"}},
	    {"get", "GET", path, .want_status = 200,
		.want = {"object = 'segment'", "id : string", "name = 'News'",
		    "created_at : string"}},
	    {"get by its older name", "GET", older, .want_status = 200, .want = {"name = 'News'"}},
	    {"rename", "PATCH", path, "{'name':'More'}", 200, own},
	    {"in /v1", "GET", main, .want_status = 200, .want = {"name = 'More'"}},
	    {"rows", "GET", "/resend/segments?limit=1", .want_status = 200,
		.want = {"has_more = true", "data[0].name = 'Old'", "data[0].id : string",
		    "data[0].created_at : string", "data[0].object : absent"}},
	    {"no name", "POST", "/resend/segments", "{}", 422, MISSING("name")},
	    {"no new name", "PATCH", path, "{}", 422, MISSING("name")},
	    {"no UUID", "GET", "/resend/segments/x", NULL, 422, NO_UUID},
	    {"unknown", "GET", "/resend/segments/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Segment not found")},
	    {"unknown audience", "GET", "/resend/audiences/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Audience not found")},
	    {"rename unknown", "PATCH", "/resend/segments/" UNKNOWN, "{'name':'x'}", 404},
	    {"remove", "DELETE", path, NULL, 200, gone},
	    {"remove again", "DELETE", path, NULL, 200, gone},
	    {"removed", "GET", path, NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_segments, have_names_within_a_limit)
{
	for (gsize length = LIMIT_NAME_LENGTH; length <= LIMIT_NAME_LENGTH + 1; length++) {
		g_autofree char *name = g_strnfill(length, 'x');
		g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
		const struct exchange exchange = {"name", "POST", "/resend/segments", body,
		    length > LIMIT_NAME_LENGTH ? 422 : 201};

		answer_free(exchange_expect(fixture, &exchange));
	}
}

Test(resend_segments, have_contacts)
{
	g_autofree char *segment = segments_create("/resend/segments", "{'name':'News'}");
	g_autofree char *path = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_autofree char *id = segments_create(path, "{'email':'A+b@X.org','first_name':'Ada',"
						    "'unsubscribed':true,'properties':{}}");
	g_autofree char *by_id = g_strdup_printf("%s/%s", path, id);
	g_autofree char *by_email = g_strdup_printf("%s/a+b@x.org", path);
	g_autofree char *other = g_strdup_printf("%s/b@x.org", path);
	g_autofree char *word = g_strdup_printf("%s/x", path);
	g_autofree char *unknown = g_strdup_printf("%s/" UNKNOWN, path);
	g_autofree char *own = g_strdup_printf("{'object':'contact','id':'%s'}", id);
	const struct exchange exchanges[] = {
	    {"by id", "GET", by_id, .want_status = 200,
		.want = {"object = 'contact'", "id : string", "email = 'A+b@X.org'",
		    "first_name = 'Ada'", "last_name : null", "created_at : string",
		    "unsubscribed = true", "properties = {}"}},
	    {"by email", "GET", by_email, .want_status = 200, .want = {"email = 'A+b@X.org'"}},
	    {"there already", "POST", path,
		"{'email':'a+B@x.org','last_name':'B','unsubscribed':false}", 201, own},
	    {"names have changed", "GET", by_id, .want_status = 200,
		.want = {"first_name = 'Ada'", "last_name = 'B'", "unsubscribed = true"}},
	    {"subscribe", "PATCH", by_email, "{'unsubscribed':false,'first_name':null}", 200, own},
	    {"subscribed", "GET", by_id, .want_status = 200,
		.want = {"first_name : null", "last_name = 'B'", "unsubscribed = false"}},
	    {"there already, unsubscribes", "POST", path,
		"{'email':'a+b@x.org','unsubscribed':true}", 201, own},
	    {"unsubscribed", "GET", by_id, .want_status = 200, .want = {"unsubscribed = true"}},
	    {"properties", "POST", path,
		"{'email':'a+b@x.org','properties':{'a':1,'b':'x','c':[1]}}", 201, own},
	    {"typed", "GET", by_id, .want_status = 200,
		.want = {"properties = {'a':{'type':'number','value':1},"
			 "'b':{'type':'string','value':'x'}}"}},
	    {"no email", "POST", path, "{}", 422, MISSING("email")},
	    {"no address", "POST", path, "{'email':'x'}", 422,
		.want = {"name = 'validation_error'"}},
	    {"unknown segment", "POST", "/resend/audiences/" UNKNOWN "/contacts",
		"{'email':'a@x.org'}", 404, FAILURE(404, "not_found", "Audience not found")},
	    {"unknown email", "GET", other, NULL, 404,
		FAILURE(404, "not_found", "Contact not found")},
	    {"unknown id", "PATCH", unknown, "{}", 404,
		FAILURE(404, "not_found", "Contact not found")},
	    {"neither", "GET", word, NULL, 422, .want = {"name = 'invalid_parameter'"}},
	    {"remove", "DELETE", by_email, NULL, 200,
		"{'object':'contact','contact':'a+b@x.org','deleted':true}"},
	    {"remove again", "DELETE", by_email, NULL, 200,
		"{'object':'contact','contact':'a+b@x.org','deleted':true}"},
	    {"removed", "GET", by_id, NULL, 404},
	    {"remove from unknown", "DELETE", "/resend/audiences/" UNKNOWN "/contacts/a@x.org",
		NULL, 404, FAILURE(404, "not_found", "Audience not found")},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_segments, list_contacts)
{
	g_autofree char *segment = segments_create("/resend/segments", "{'name':'News'}");
	g_autofree char *path = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_autofree char *list = g_strdup_printf("/resend/segments/%s/contacts", segment);
	g_autofree char *z = segments_create(path, "{'email':'z@x.org'}");
	g_autofree char *a = segments_create(path, "{'email':'a@x.org'}");
	g_autofree char *m = segments_create(path, "{'email':'m@x.org'}");
	g_autofree char *after = g_strdup_printf("%s?limit=1&after=%s", list, m);
	g_autofree char *before = g_strdup_printf("%s?limit=1&before=%s", list, z);
	const struct exchange exchanges[] = {
	    {"rows", "GET", list, .want_status = 200,
		.want = {"has_more = false", "data[0].id : string", "data[0].email = 'm@x.org'",
		    "data[0].first_name : null", "data[0].last_name : null",
		    "data[0].created_at : string", "data[0].unsubscribed = false",
		    "data[0].object : absent", "data[0].properties : absent"}},
	    {"unknown", "GET", "/resend/segments/" UNKNOWN "/contacts", NULL, 404,
		FAILURE(404, "not_found", "Segment not found")},
	    {"no UUID", "GET", "/resend/segments/x/contacts", NULL, 422, NO_UUID},
	};

	segments_expect_list(list, "email", "m@x.org a@x.org z@x.org");
	segments_expect_list(path, "email", "m@x.org a@x.org z@x.org");
	segments_expect_list(after, "email", "a@x.org");
	segments_expect_list(before, "email", "a@x.org");
	EXPECT_ALL(fixture, exchanges);
}

/* A person who has unsubscribed in person stays so, whatever the client asks. */
Test(resend_segments, keep_what_a_person_has_chosen)
{
	g_autofree char *segment = segments_create("/resend/segments", "{'name':'News'}");
	g_autofree char *path = g_strdup_printf("/resend/audiences/%s/contacts", segment);
	g_autofree char *one = g_strdup_printf("%s/left@x.org", path);

	test_db_plain(fixture->db, "INSERT INTO choice (workspace_id, person, created)"
				   " VALUES (@workspace, 'left@x.org', 1)");
	g_autofree char *id = segments_create(path, "{'email':'left@x.org','unsubscribed':false}");
	const struct exchange exchanges[] = {
	    {"created", "GET", one, .want_status = 200, .want = {"unsubscribed = true"}},
	    {"subscribe", "PATCH", one, "{'unsubscribed':false}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `unsubscribed` field. The person has unsubscribed, and alone can "
		    "take it back.")},
	    {"a name", "PATCH", one, "{'first_name':'Ada'}", 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_segments, have_contacts_with_names_of_100_characters)
{
	g_autofree char *id = segments_create("/resend/segments", "{'name':'News'}");
	g_autofree char *path = g_strdup_printf("/resend/audiences/%s/contacts", id);
	g_autofree char *own = g_strconcat(path, "/a@example.org", NULL);
	static const char *const members[] = {"first_name", "last_name"};

	for (gsize i = 0; i < G_N_ELEMENTS(members); i++)
		for (guint past = 0; past < 2; past++) {
			g_autofree char *name = g_strnfill(LIMIT_NAME_LENGTH + past, 'n');
			g_autofree char *body = g_strdup_printf(
			    "{'email':'a@example.org','%s':'%s'}", members[i], name);
			g_autofree char *want = g_strdup_printf(
			    "message = 'Invalid `%s` field. %s must be at most 100 characters.'",
			    members[i], members[i]);
			const struct exchange exchanges[] = {
			    {"create", "POST", path, body, past ? 422 : 201,
				.want = {past ? want : "object = 'contact'"}},
			    {"update", "PATCH", own, body, past ? 422 : 200,
				.want = {past ? want : "object = 'contact'"}},
			};
			EXPECT_ALL(fixture, exchanges);
		}
}

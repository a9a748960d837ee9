/* SPDX-License-Identifier: MIT */
/* /resend/contacts without a segment, and /resend/contact-properties */
#include <criterion/criterion.h>

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define ADA "/resend/contacts/ada@x.org"

FIXTURE_SUITE(resend_people, 900);

/* Creates what a path names, and returns its id, which the caller owns. */
static char *
resend_people_create(const char *path, const char *body)
{
	const struct exchange exchange = {body, "POST", path, body, 201};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

Test(resend_people, are_contacts_without_a_segment)
{
	g_autofree char *id = resend_people_create("/resend/contacts",
	    "{'email':'Ada@x.org','first_name':'Ada','properties':{'plan':'pro','age':36}}");
	g_autofree char *by_id = g_strconcat("/resend/contacts/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'contact','id':'%s'}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", by_id, NULL, 200,
		.want = {"object = 'contact'", "email = 'Ada@x.org'", "first_name = 'Ada'",
		    "last_name = null", "created_at : string", "unsubscribed = false",
		    "properties = {'plan':{'type':'string','value':'pro'},"
		    "'age':{'type':'number','value':36}}"}},
	    {"a person", "GET", "/v1/people/ada@x.org", NULL, 200, .want = {"first_name = 'Ada'"}},
	    {"there already", "POST", "/resend/contacts", "{'email':'ada@x.org','last_name':'L'}",
		201, own},
	    {"change", "PATCH", ADA, "{'first_name':null,'properties':{'plan':null}}", 200, own},
	    {"changed", "GET", ADA, NULL, 200,
		.want = {"first_name = null", "last_name = 'L'",
		    "properties = {'age':{'type':'number','value':36}}"}},
	    {"unsubscribe", "PATCH", ADA, "{'unsubscribed':true}", 200, own},
	    {"there already, stays", "POST", "/resend/contacts",
		"{'email':'ada@x.org','unsubscribed':false}", 201, own},
	    {"unsubscribed", "GET", ADA, NULL, 200, .want = {"unsubscribed = true"}},
	    {"subscribe", "PATCH", ADA, "{'unsubscribed':false}", 200, own},
	    {"subscribed", "GET", "/v1/people/ada@x.org", NULL, 200, .want = {"subscribed = true"}},
	    {"list", "GET", "/resend/contacts", NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].email = 'Ada@x.org'",
		    "data[0].properties : absent"}},
	    {"unknown", "GET", "/resend/contacts/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Contact not found")},
	    {"an unknown one", "PATCH", "/resend/contacts/" UNKNOWN, "{'first_name':'A'}", 404,
		FAILURE(404, "not_found", "Contact not found")},
	    {"fields come first", "PATCH", "/resend/contacts/" UNKNOWN, "{'first_name':1}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `first_name` field. first_name must be a string.")},
	    {"before segments", "POST", "/resend/contacts",
		"{'email':'x','segments':[{'id':'" UNKNOWN "'}]}", 422,
		.want = {"name = 'validation_error'"}},
	    {"all fields", "POST", "/resend/contacts",
		"{'email':'b@x.org','segments':[{'id':'" UNKNOWN "'},{'id':'x'}]}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `segments` field. segments[1].id must be a valid UUID.")},
	    {"neither", "GET", "/resend/contacts/x", NULL, 422,
		.want = {"name = 'invalid_parameter'"}},
	    {"no email", "POST", "/resend/contacts", "{}", 422,
		FAILURE(422, "missing_required_field", "Missing `email` field.")},
	    {"remove", "DELETE", ADA, NULL, 200,
		"{'object':'contact','contact':'ada@x.org','deleted':true}"},
	    {"remove again", "DELETE", ADA, NULL, 200, .want = {"deleted = true"}},
	    {"gone", "GET", by_id, NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_people, have_segments)
{
	g_autofree char *one = resend_people_create("/resend/segments", "{'name':'One'}");
	g_autofree char *two = resend_people_create("/resend/segments", "{'name':'Two'}");
	g_autofree char *body =
	    g_strdup_printf("{'email':'ada@x.org','segments':[{'id':'%s'}]}", one);
	g_autofree char *id = resend_people_create("/resend/contacts", body);
	g_autofree char *join = g_strconcat(ADA "/segments/", two, NULL);
	g_autofree char *first = g_strdup_printf("data[0].id = '%s'", two);
	g_autofree char *second = g_strdup_printf("data[1].id = '%s'", one);
	g_autofree char *after = g_strdup_printf(ADA "/segments?after=%s", two);
	g_autofree char *before = g_strdup_printf(ADA "/segments?before=%s&limit=1", one);
	g_autofree char *only = g_strdup_printf("data[0].id = '%s'", one);
	g_autofree char *path = g_strconcat("/resend/segments/", two, NULL);
	const struct exchange get = {"segment", "GET", path, NULL, 200};
	AUTO(answer) segment = exchange_expect(fixture, &get);
	g_autofree char *created =
	    g_strdup_printf("data[0].created_at = '%s'", answer_text(segment, "created_at"));
	const struct exchange exchanges[] = {
	    {"add", "POST", join, NULL, 200, .want = {"id : string"}},
	    {"add again", "POST", join, NULL, 200},
	    {"list", "GET", ADA "/segments", NULL, 200,
		.want = {first, second, "data[1].name = 'One'", created, "has_more = false"}},
	    {"older", "GET", after, NULL, 200, .want = {only, "has_more = false"}},
	    {"newer", "GET", before, NULL, 200, .want = {first, "has_more = false"}},
	    {"unknown", "POST", ADA "/segments/" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Segment not found")},
	    {"remove", "DELETE", join, NULL, 200, .want = {"deleted = true"}},
	    {"left", "GET", ADA "/segments", NULL, 200, .want = {only}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* Resend's OpenAPI file has segments as ids, the segment of older clients, and segment_id. */
Test(resend_people, have_segments_in_each_form)
{
	g_autofree char *one = resend_people_create("/resend/segments", "{'name':'One'}");
	g_autofree char *two = resend_people_create("/resend/segments", "{'name':'Two'}");
	g_autofree char *texts =
	    g_strdup_printf("{'email':'ada@x.org','segments':['%s',{'id':'%s'}]}", one, two);
	g_autofree char *old = g_strdup_printf("{'email':'bob@x.org','audience_id':'%s'}", two);
	g_autofree char *camel = g_strdup_printf("{'email':'cy@x.org','audienceId':'%s'}", two);
	g_autofree char *in_one = g_strdup_printf("/resend/contacts?segment_id=%s", one);
	g_autofree char *in_two = g_strdup_printf("/resend/contacts?segment_id=%s", two);
	g_autofree char *page = g_strdup_printf("%s&limit=1", in_two);
	const struct exchange exchanges[] = {
	    {"texts", "POST", "/resend/contacts", texts, 201},
	    {"an audience", "POST", "/resend/contacts", old, 201},
	    {"its twin", "POST", "/resend/contacts", camel, 201},
	    {"none", "POST", "/resend/contacts",
		"{'email':'dan@x.org','audience_id':'','segments':''}", 201},
	    {"in one", "GET", in_one, NULL, 200,
		.want = {"object = 'list'", "has_more = false", "data[0].email = 'ada@x.org'",
		    "data[1] : null"}},
	    {"in two", "GET", in_two, NULL, 200,
		.want = {"data[2].email = 'ada@x.org'", "data[3] : null"}},
	    {"a page", "GET", page, NULL, 200, .want = {"has_more = true", "data[1] : null"}},
	    {"in all", "GET", "/resend/contacts?segment_id=", NULL, 200,
		.want = {"data[3].email = 'ada@x.org'"}},
	    {"in none", "GET", "/resend/contacts?segment_id=" UNKNOWN, NULL, 404,
		FAILURE(404, "not_found", "Segment not found")},
	    {"no id", "GET", "/resend/contacts?segment_id=x", NULL, 422,
		FAILURE(422, "invalid_parameter", "The `segment_id` must be a valid UUID.")},
	    {"unknown text", "POST", "/resend/contacts",
		"{'email':'e@x.org','segments':['" UNKNOWN "']}", 404,
		FAILURE(404, "not_found", "Segment not found")},
	    {"bad text", "POST", "/resend/contacts", "{'email':'e@x.org','segments':['x']}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `segments` field. segments[0].id must be a valid UUID.")},
	    {"a number", "POST", "/resend/contacts", "{'email':'e@x.org','segments':[1]}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `segments` field. segments[0] must be an object or a string.")},
	    {"no id in it", "POST", "/resend/contacts", "{'email':'e@x.org','segments':[{}]}", 422,
		FAILURE(422, "missing_required_field", "Missing `segments[0].id` field.")},
	    {"unknown audience", "POST", "/resend/contacts",
		"{'email':'e@x.org','audience_id':'" UNKNOWN "'}", 404,
		FAILURE(404, "not_found", "Segment not found")},
	    {"bad audience", "POST", "/resend/contacts", "{'email':'e@x.org','audience_id':'x'}",
		422,
		FAILURE(422, "validation_error",
		    "Invalid `audience_id` field. audience_id must be a valid UUID.")},
	    {"not stored", "GET", "/resend/contacts/e@x.org", NULL, 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_people, have_properties_with_types)
{
	g_autofree char *id = resend_people_create(
	    "/resend/contact-properties", "{'key':'age','type':'number','fallback_value':18}");
	g_autofree char *newer =
	    resend_people_create("/resend/contact-properties", "{'key':'plan','type':'string'}");
	g_autofree char *path = g_strconcat("/resend/contact-properties/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'contact_property','id':'%s'}", id);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'contact_property','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"object = 'contact_property'", "key = 'age'", "type = 'number'",
		    "fallback_value = 18", "created_at : string"}},
	    {"list", "GET", "/resend/contact-properties", NULL, 200,
		.want = {"data[0].key = 'plan'", "data[0].fallback_value = null",
		    "data[1].key = 'age'"}},
	    {"page", "GET", "/resend/contact-properties?limit=1", NULL, 200,
		.want = {"data[0].key = 'plan'", "has_more = true"}},
	    {"change", "PATCH", path, "{'fallback_value':21}", 200, own},
	    {"changed", "GET", "/v1/properties", NULL, 200, .want = {"properties[0].default = 21"}},
	    {"wrong", "PATCH", path, "{'fallback_value':'x'}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `fallback_value` field. fallback_value must be a number.")},
	    {"cleared", "PATCH", path, "{'fallback_value':null}", 200, own},
	    {"twice", "POST", "/resend/contact-properties", "{'key':'age','type':'string'}", 422,
		FAILURE(422, "validation_error", "Invalid `key` field. Property already exists.")},
	    {"type of a value", "POST", "/resend/contacts",
		"{'email':'a@x.org','properties':{'age':'x'}}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `properties` field. properties.age must be a number.")},
	    {"of an unknown contact", "PATCH", "/resend/contacts/" UNKNOWN,
		"{'properties':{'age':'x'}}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `properties` field. properties.age must be a number.")},
	    {"remove", "DELETE", path, NULL, 200, gone},
	    {"gone", "GET", path, NULL, 404,
		FAILURE(404, "not_found", "Contact property not found")},
	};

	EXPECT_ALL(fixture, exchanges);
}

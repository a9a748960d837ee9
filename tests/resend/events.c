/* SPDX-License-Identifier: MIT */
/* /resend/events */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/person.h"
#include "base/limits/workflow.h"
#include "fcgi/resend/limits.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define PATH "/resend/events"
#define SEND PATH "/send"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define MISSING(field) FAILURE(422, "missing_required_field", "Missing `" field "` field.")
#define INVALID(field, text) FAILURE(422, "validation_error", "Invalid `" field "` field. " text)
#define NOT_FOUND FAILURE(404, "not_found", "Event not found")
#define SENT(event) "{'object':'event','event':'" event "'}"

FIXTURE_SUITE(resend_events, 900);

static char *
events_add(const char *body)
{
	const struct exchange exchange = {
	    body, "POST", PATH, body, 201, .want = {"object = 'event'", "id : string"}};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

Test(resend_events, are_declared)
{
	g_autofree char *id =
	    events_add("{'name':' User.Created ','schema':{'plan':'string','at':'date'},'more':1}");
	g_autofree char *path = g_strconcat(PATH "/", id, NULL);
	g_autofree char *own = g_strdup_printf("{'object':'event','id':'%s'}", id);
	g_autofree char *gone = g_strdup_printf("{'object':'event','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 200,
		.want = {"object = 'event'", "id : string", "name = 'User.Created'",
		    "schema = {'plan':'string','at':'date'}", "created_at : string",
		    "updated_at : string"}},
	    {"get by name", "GET", PATH "/user.created", .want_status = 200,
		.want = {"name = 'User.Created'"}},
	    {"another with the name", "POST", PATH, "{'name':'USER.created'}", 422,
		INVALID("name", "Another event has this name.")},
	    {"change", "PATCH", PATH "/user.created", "{'schema':{'n':'number'}}", 200, own},
	    {"changed", "GET", path, .want_status = 200, .want = {"schema = {'n':'number'}"}},
	    {"take the schema back", "PATCH", path, "{'schema':null}", 200, own},
	    {"no schema", "GET", path, .want_status = 200, .want = {"schema : null"}},
	    {"no change", "PATCH", path, "{}", 422, MISSING("schema")},
	    {"remove", "DELETE", PATH "/user.created", .want_status = 200, .want_body = gone},
	    {"removed", "GET", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"remove again", "DELETE", path, .want_status = 404, .want_body = NOT_FOUND},
	    {"change a removed one", "PATCH", path, "{'schema':null}", 404, NOT_FOUND},
	    {"with a slash", "POST", PATH, "{'name':'a/b c'}", 201},
	    {"get with a slash", "GET", PATH "/a%2Fb%20c", .want_status = 200,
		.want = {"name = 'a/b c'", "schema : null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_events, are_listed)
{
	g_autofree char *a = events_add("{'name':'a'}");
	g_autofree char *b = events_add("{'name':'b','schema':null}");
	g_autofree char *after = g_strconcat(PATH "?after=", b, NULL);
	g_autofree char *before = g_strconcat(PATH "?before=", a, NULL);
	const struct exchange exchanges[] = {
	    {"all", "GET", PATH, .want_status = 200,
		.want = {"object = 'list'", "has_more = false", "data[0].name = 'b'",
		    "data[0].schema : null", "data[0].object : absent", "data[1].name = 'a'",
		    "data[2] : null"}},
	    {"limit", "GET", PATH "?limit=1", .want_status = 200,
		.want = {"has_more = true", "data[0].name = 'b'", "data[1] : null"}},
	    {"after", "GET", after, .want_status = 200,
		.want = {"has_more = false", "data[0].name = 'a'", "data[1] : null"}},
	    {"before", "GET", before, .want_status = 200,
		.want = {"has_more = false", "data[0].name = 'b'", "data[1] : null"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_events, are_checked_when_declared)
{
	static const struct exchange exchanges[] = {
	    {"no name", "POST", PATH, "{}", 422, MISSING("name")},
	    {"empty name", "POST", PATH, "{'name':''}", 422, MISSING("name")},
	    {"name of ours", "POST", PATH, "{'name':'email.sent'}", 422,
		INVALID("name", "name must not begin with resend: or email.")},
	    {"reserved name", "POST", PATH, "{'name':'Resend:x'}", 422,
		INVALID("name", "name must not begin with resend: or email.")},
	    {"schema of texts", "POST", PATH, "{'name':'a','schema':'x'}", 422,
		INVALID("schema", "schema must be an object.")},
	    {"unknown type", "POST", PATH, "{'name':'a','schema':{'x':'list'}}", 422,
		INVALID("schema", "schema.x must be string, number, boolean or date.")},
	    {"no object", "POST", PATH, "[]", 400},
	    {"unknown id", "GET", PATH "/" UNKNOWN, .want_status = 404, .want_body = NOT_FOUND},
	    {"unknown name", "GET", PATH "/none", .want_status = 404, .want_body = NOT_FOUND},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_events, are_declared_within_limits)
{
	for (guint past = 0; past < 2; past++) {
		g_autofree char *name = g_strnfill(LIMIT_EVENT_NAME_LENGTH + past, 'n');
		g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
		const struct exchange exchange = {"name", "POST", PATH, body, past ? 422 : 201};
		g_autoptr(GString) fields = g_string_new("{'name':'many','schema':{");

		answer_free(exchange_expect(fixture, &exchange));
		for (guint i = 0; i < LIMIT_RESEND_EVENT_FIELDS + past; i++)
			g_string_append_printf(fields, "%s'f%u':'string'", i ? "," : "", i);
		g_string_append(fields, "}}");
		const struct exchange many = {
		    "schema", "POST", PATH, fields->str, past ? 422 : 201};
		answer_free(exchange_expect(fixture, &many));
		g_autofree char *member = g_strnfill(LIMIT_NAME_LENGTH + past, 'm');
		g_autofree char *one =
		    g_strdup_printf("{'name':'one%u','schema':{'%s':'string'}}", past, member);
		const struct exchange long_member = {"member", "POST", PATH, one, past ? 422 : 201};
		answer_free(exchange_expect(fixture, &long_member));
	}
}

Test(resend_events, are_sent)
{
	g_autofree char *big =
	    g_strnfill(LIMIT_EVENT_PROPERTIES_BYTES - strlen("{\"a\":\"\"}"), 'x');
	g_autofree char *most =
	    g_strdup_printf("{'event':'e','email':'a@x.org','payload':{'a':'%s'}}", big);
	g_autofree char *past =
	    g_strdup_printf("{'event':'e','email':'a@x.org','payload':{'a':'%sx'}}", big);
	const struct exchange exchanges[] = {
	    {"by email", "POST", SEND,
		"{'event':' Order.Paid ','email':'Ada@x.org','payload':{'plan':'pro'},'more':1}",
		202, SENT(" Order.Paid ")},
	    {"the payload is the event's", "GET", "/v1/automation/contacts/ada@x.org/events",
		.want_status = 200,
		.want = {"count = 1", "events[0].event_name = 'order.paid'",
		    "events[0].properties = {'plan':'pro'}"}},
	    {"and not the contact's", "GET", "/v1/automation/contacts/ada@x.org",
		.want_status = 200, .want = {"properties = {}", "email = 'Ada@x.org'"}},
	    {"again", "POST", SEND, "{'event':'order.paid','email':'ada@x.org','contact_id':null}",
		202, SENT("order.paid")},
	    {"neither", "POST", SEND, "{'event':'e'}", 422, MISSING("email` or `contact_id")},
	    {"both", "POST", SEND, "{'event':'e','email':'a@x.org','contact_id':'" UNKNOWN "'}",
		422, INVALID("contact_id", "email and contact_id cannot both be given.")},
	    {"unknown contact", "POST", SEND, "{'event':'e','contact_id':'" UNKNOWN "'}", 404,
		FAILURE(404, "not_found", "Contact not found")},
	    {"no id", "POST", SEND, "{'event':'e','contact_id':'x'}", 422,
		INVALID("contact_id", "contact_id must be a valid UUID.")},
	    {"no event", "POST", SEND, "{'email':'a@x.org'}", 422, MISSING("event")},
	    {"event of ours", "POST", SEND, "{'event':'email.sent','email':'a@x.org'}", 422,
		INVALID("event", "event must not begin with resend: or email.")},
	    {"no address", "POST", SEND, "{'event':'e','email':'x'}", 422,
		.want = {"name = 'validation_error'"}},
	    {"payload", "POST", SEND, "{'event':'e','email':'a@x.org','payload':[7]}", 422,
		INVALID("payload", "payload must be an object.")},
	    {"largest payload", "POST", SEND, most, 202},
	    {"larger payload", "POST", SEND, past, 422,
		INVALID("payload", "payload must be at most 65536 bytes.")},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_events, are_sent_to_contacts)
{
	const struct exchange audience = {"audience", "POST", "/v1/audiences", "{'name':'A'}", 200};
	AUTO(answer) made = exchange_expect(fixture, &audience);
	g_autofree char *path =
	    g_strdup_printf("/v1/audiences/%s/contacts", answer_text(made, "id"));
	const struct exchange contact = {"contact", "POST", path, "{'email':'Bob@x.org'}", 200};
	AUTO(answer) bob = exchange_expect(fixture, &contact);
	g_autofree char *body =
	    g_strdup_printf("{'event':'hello','contact_id':'%s'}", answer_text(bob, "id"));
	const struct exchange exchanges[] = {
	    {"of an audience", "POST", SEND, body, 202, SENT("hello")},
	    {"bob", "GET", "/v1/automation/contacts/bob@x.org/events", .want_status = 200,
		.want = {"count = 1"}},
	};

	EXPECT_ALL(fixture, exchanges);
	const struct exchange ask = {
	    "contact of automation", "GET", "/v1/automation/contacts", NULL, 200};
	AUTO(answer) contacts = exchange_expect(fixture, &ask);
	g_autofree char *again = g_strdup_printf(
	    "{'event':'hello','contact_id':'%s'}", answer_text(contacts, "contacts[0].id"));
	const struct exchange more[] = {
	    {"of automation", "POST", SEND, again, 202, SENT("hello")},
	    {"twice", "GET", "/v1/automation/contacts/bob@x.org/events", .want_status = 200,
		.want = {"count = 2"}},
	};
	EXPECT_ALL(fixture, more);
	const struct exchange add_eve = {
	    "contact", "POST", "/resend/contacts", "{'email':'eve@x.org'}", 201};
	AUTO(answer) eve = exchange_expect(fixture, &add_eve);
	g_autofree char *first =
	    g_strdup_printf("{'event':'hello','contact_id':'%s'}", answer_text(eve, "id"));
	const struct exchange of_nothing[] = {
	    {"of no audience", "POST", SEND, first, 202, SENT("hello")},
	    {"eve", "GET", "/v1/automation/contacts/eve@x.org/events", .want_status = 200,
		.want = {"count = 1"}},
	};
	EXPECT_ALL(fixture, of_nothing);
}

Test(resend_events, have_payloads_of_their_schema)
{
	g_free(events_add(
	    "{'name':'e','schema':{'s':'string','n':'number','b':'boolean','d':'date'}}"));
#define PAYLOAD(payload) "{'event':'E','email':'a@x.org','payload':{" payload "}}"
	static const struct exchange exchanges[] = {
	    {"good", "POST", SEND, PAYLOAD("'s':'x','n':1.5,'b':true,'d':'2026-11-20','more':[]"),
		202, SENT("E")},
	    {"a time", "POST", SEND, PAYLOAD("'d':'2026-11-20T08:00:00Z'"), 202},
	    {"null", "POST", SEND, PAYLOAD("'s':null"), 202},
	    {"nothing", "POST", SEND, "{'event':'e','email':'a@x.org'}", 202},
	    {"string", "POST", SEND, PAYLOAD("'s':1"), 422,
		INVALID("payload", "payload.s must be a string.")},
	    {"number", "POST", SEND, PAYLOAD("'n':'1'"), 422,
		INVALID("payload", "payload.n must be a number.")},
	    {"boolean", "POST", SEND, PAYLOAD("'b':1"), 422,
		INVALID("payload", "payload.b must be a boolean.")},
	    {"date", "POST", SEND, PAYLOAD("'d':'soon'"), 422,
		INVALID("payload", "payload.d must be an ISO 8601 date.")},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_events, are_sent_by_keys_that_only_send)
{
	g_autofree char *key = fixture_new_key(fixture, "send", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
	const struct exchange exchanges[] = {
	    {"send", "POST", SEND, "{'event':'e','email':'a@x.org'}", 202, .headers = {header}},
	    {"declare", "POST", PATH, "{'name':'e'}", 401, .headers = {header}},
	    {"read", "GET", PATH, .want_status = 401, .headers = {header}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* SPDX-License-Identifier: MIT */
/* Automation contacts changed and deleted. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/automation.h"

#define CONTACTS "/v1/automation/contacts"
#define ADA CONTACTS "/ada@example.net"
#define MISSING "{'error':'Contact not found'}"
#define CHANGE "'error':'Failed to update contact','details':"

FIXTURE_SUITE(automation_contact_changes, 900);

static void
automation_contact_changes_send(const char *name)
{
	g_autofree char *body = g_strdup_printf(
	    "{'event_name':'%s','email':'Ada@example.net','properties':{'seen':'%s'}}", name, name);
	const struct exchange event = {name, "POST", "/v1/events", body, 200};

	exchange_next_moment();
	answer_free(exchange_expect(fixture, &event));
}

#define UPDATED(properties)                                                                        \
	"{'message':'Contact updated','email':'Ada@example.net','updated_properties':" properties  \
	"}"

Test(automation_contact_changes, merge)
{
	static const struct exchange exchanges[] = {
	    {"more", "PATCH", ADA, "{'properties':{'a':{'b':1,'c':[1]},'d':'x'}}", 200,
		UPDATED("{'seen':'first','a':{'b':1,'c':[1]},'d':'x'}")},
	    {"deeper", "PATCH", CONTACTS "/ADA%40example.net",
		"{'properties':{'a':{'b':null,'e':true},'seen':null}}", 200,
		UPDATED("{'a':{'c':[1],'e':true},'d':'x'}")},
	    {"nothing", "PATCH", ADA, "{'properties':{}}", 200,
		UPDATED("{'a':{'c':[1],'e':true},'d':'x'}")},
	    {"other fields are passed over", "PATCH", ADA, "{'properties':{},'email':'b@x.org'}",
		200, UPDATED("{'a':{'c':[1],'e':true},'d':'x'}")},
	    {"read", "GET", ADA, NULL, 200,
		.want = {"properties = {'a':{'c':[1],'e':true},'d':'x'}", "event_count = 1",
		    "last_event = 'first'"}},
	    {"events", "GET", ADA "/events", NULL, 200, .want = {"count = 1"}},
	};

	automation_contact_changes_send("first");
	EXPECT_ALL(fixture, exchanges);
}

Test(automation_contact_changes, say_what_is_wrong)
{
	static const struct exchange exchanges[] = {
	    {"none", "PATCH", ADA, "{}", 400, "{" CHANGE "'properties is required'}"},
	    {"null", "PATCH", ADA, "{'properties':null}", 400,
		"{" CHANGE "'properties is required'}"},
	    {"a list", "PATCH", ADA, "{'properties':[]}", 400,
		"{" CHANGE "'properties must be an object'}"},
	    {"NUL", "PATCH", ADA, "{'properties':{'a':'\\u0000'}}", 400,
		"{" CHANGE "'properties.a must not contain the character U+0000'}"},
	    {"no JSON", "PATCH", ADA, "[", 400, .want = {"details : string"}},
	    {"unknown", "PATCH", CONTACTS "/eve@example.net", "{'properties':{}}", 404, MISSING},
	    {"no email", "PATCH", CONTACTS "/eve", "{'properties':{}}", 404, MISSING},
	    {"field before state", "PATCH", CONTACTS "/eve", "{'properties':1}", 400,
		"{" CHANGE "'properties must be an object'}"},
	    {"unknown, deleted", "DELETE", CONTACTS "/eve@example.net", NULL, 404, MISSING},
	    {"no email, deleted", "DELETE", CONTACTS "/eve", NULL, 404, MISSING},
	    {"as before", "GET", ADA, NULL, 200, .want = {"properties = {'seen':'first'}"}},
	};

	automation_contact_changes_send("first");
	EXPECT_ALL(fixture, exchanges);
}

#define MOST (256 * 1024)

/* The limit applies to the merged properties. */
Test(automation_contact_changes, are_held_to_their_limit)
{
	g_autofree char *value = g_strnfill(MOST - strlen("{\"seen\":\"first\",\"a\":\"\"}"), 'v');
	g_autofree char *fits = g_strdup_printf("{'properties':{'a':'%s'}}", value);
	g_autofree char *over = g_strdup_printf("{'properties':{'a':'%sv'}}", value);
#define TOO_MUCH "'properties must be at most 262144 bytes with those that the contact has'"
	const struct exchange exchanges[] = {
	    {"most", "PATCH", ADA, fits, 200},
	    {"one more", "PATCH", ADA, over, 400, "{" CHANGE TOO_MUCH "}"},
	    {"a little", "PATCH", ADA, "{'properties':{'b':1}}", 400, "{" CHANGE TOO_MUCH "}"},
	    {"an event", "POST", "/v1/events",
		"{'event_name':'a','email':'ada@example.net','properties':{'b':1}}", 400,
		"{'message':" TOO_MUCH "}"},
	    {"less", "PATCH", ADA, "{'properties':{'a':null,'b':1}}", 200,
		UPDATED("{'seen':'first','b':1}")},
	};

	automation_contact_changes_send("first");
	EXPECT_ALL(fixture, exchanges);
}

Test(automation_contact_changes, begin_no_workflow)
{
	g_free(automation_start(fixture, "first"));
	static const struct exchange exchanges[] = {
	    {"change", "PATCH", ADA, "{'properties':{'seen':'first'}}", 200},
	    {"executions", "GET", ADA "/executions", NULL, 200, .want = {"count = 0"}},
	};

	automation_contact_changes_send("other");
	EXPECT_ALL(fixture, exchanges);
}

Test(automation_contact_changes, delete_with_events_and_executions)
{
	g_autofree char *workflow = automation_start(fixture, "first");
	g_autofree char *executions = g_strdup_printf("/v1/workflows/%s/executions", workflow);
	const struct exchange exchanges[] = {
	    {"delete", "DELETE", ADA, NULL, 200, "{'message':'Contact deleted'}"},
	    {"again", "DELETE", ADA, NULL, 404, MISSING},
	    {"read", "GET", ADA, NULL, 404, MISSING},
	    {"events", "GET", ADA "/events", NULL, 404, MISSING},
	    {"executions", "GET", ADA "/executions", NULL, 404, MISSING},
	    {"list", "GET", CONTACTS, NULL, 200, .want = {"count = 0"}},
	    {"of the workflow", "GET", executions, NULL, 200,
		.want = {"count = 1", "executions[0].status = 'CANCELLED'",
		    "executions[0].cancellation_reason = 'contact_deleted'",
		    "executions[0].completed_at : integer"}},
	};
	const struct exchange afresh[] = {
	    {"contact", "GET", ADA, NULL, 200,
		.want = {"event_count = 1", "properties = {'seen':'first'}"}},
	    {"events", "GET", ADA "/events", NULL, 200, .want = {"count = 1"}},
	    {"executions", "GET", ADA "/executions", NULL, 200, .want = {"count = 1"}},
	};

	automation_contact_changes_send("first");
	automation_contact_changes_send("second");
	EXPECT_ALL(fixture, exchanges);
	automation_contact_changes_send("first");
	EXPECT_ALL(fixture, afresh);
}

Test(automation_contact_changes, are_of_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	static const struct exchange elsewhere[] = {
	    {"change", "PATCH", ADA, "{'properties':{'a':1}}", 404, MISSING},
	    {"delete", "DELETE", ADA, NULL, 404, MISSING},
	};
	static const struct exchange here = {
	    "here", "GET", ADA, NULL, 200, .want = {"properties = {'seen':'first'}"}};

	automation_contact_changes_send("first");
	EXPECT_ALL(other, elsewhere);
	answer_free(exchange_expect(fixture, &here));
}

/* Text like the rest of a path is part of the address. */
Test(automation_contact_changes, find_any_address)
{
	static const char *const emails[] = {
	    "a/b@x.example", "a/events@x.example", "executions@x.example", "a+b@x.example"};

	for (gsize i = 0; i < G_N_ELEMENTS(emails); i++) {
		g_autofree char *path = g_strconcat(CONTACTS "/", emails[i], NULL);
		const struct exchange exchanges[] = {
		    {path, "PATCH", path, "{'properties':{'a':1}}", 200},
		    {path, "DELETE", path, NULL, 200},
		    {path, "GET", path, NULL, 404, MISSING},
		};
		automation_contact(fixture, emails[i]);
		EXPECT_ALL(fixture, exchanges);
	}
}

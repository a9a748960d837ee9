/* SPDX-License-Identifier: MIT */
/* Automation contacts and their events, as they are read. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "tests/http/automation.h"

#define CONTACTS "/v1/automation/contacts"
#define ADA CONTACTS "/ada@example.net"
#define MISSING "{'error':'Contact not found'}"

FIXTURE_SUITE(automation_contacts, 900);

Test(automation_contacts, are_read)
{
	struct base_id contact = automation_contact(fixture, "Ada@example.net");
	g_autofree char *id = automation_text(&contact), *workspace = automation_text(&fixture->id);
	g_autofree char *row = g_strdup_printf(
	    "'id':'%s','email':'Ada@example.net','workspace_id':'%s','last_seen':2000,"
	    "'last_event':'signed_up','event_count':2,'first_seen':1000,'created_at':1000,"
	    "'updated_at':2500",
	    id, workspace);
	g_autofree char *want = g_strdup_printf("{%s,'properties':{'plan':'pro','visits':3}}", row);
	g_autofree char *listed =
	    g_strdup_printf("{'contacts':[{%s}],'count':1,'cursor':null}", row);
	const struct exchange exchanges[] = {
	    {"one", "GET", ADA, NULL, 200, want},
	    {"in capitals", "GET", CONTACTS "/ADA@Example.NET", NULL, 200, want},
	    {"encoded", "GET", CONTACTS "/%61da%40example.net", NULL, 200, want},
	    {"final slash", "GET", ADA "/", NULL, 200, want},
	    {"list", "GET", CONTACTS, NULL, 200, listed},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(automation_contacts, have_events)
{
	struct base_id contact = automation_contact(fixture, "ada@example.net");
	struct base_id first = automation_event(fixture, &contact, "signed_up");
	struct base_id second = automation_event(fixture, &contact, "email.opened");
	g_autofree char *a = automation_text(&first), *b = automation_text(&second),
			*workspace = automation_text(&fixture->id);
#define ROW                                                                                        \
	"{'event_id':'%s','event_name':'%s','email':'ada@example.net','workspace_id':'%s',"        \
	"'timestamp':1500,'properties':{'n':1.50},'created_at':1600}"
	g_autofree char *want = g_strdup_printf("{'events':[" ROW "," ROW "],'count':2,"
						"'cursor':null}",
	    b, "email.opened", workspace, a, "signed_up", workspace);
#undef ROW
	const struct exchange exchanges[] = {
	    {"events", "GET", ADA "/events", NULL, 200, want},
	    {"final slash", "GET", ADA "/events/", NULL, 200, want},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(automation_contacts, are_listed_by_pages)
{
	g_autoptr(GString) contacts = g_string_new(NULL), events = g_string_new(NULL);
	struct base_id ada = automation_contact(fixture, "ada@example.net");
	struct base_id bob = automation_contact(fixture, "bob@example.net");

	g_string_assign(contacts, "bob@example.net ada@example.net");
	for (guint i = 0; i < 2 * LIMIT_PAGE; i++) {
		g_autofree char *email = g_strdup_printf("c%u@example.net", i);
		automation_contact(fixture, email);
		g_string_prepend(contacts, " ");
		g_string_prepend(contacts, email);

		struct base_id event = automation_event(fixture, &ada, "seen");
		g_autofree char *text = automation_text(&event);
		automation_event(fixture, &bob, "seen");
		g_string_prepend(events, i > 0 ? " " : "");
		g_string_prepend(events, text);
	}
	g_autofree char *got = automation_walk(fixture, CONTACTS, "", "contacts", "email");
	cr_expect_str_eq(got, contacts->str, "got %s, want %s", got, contacts->str);
	g_autofree char *seen = automation_walk(fixture, ADA "/events", "", "events", "event_id");
	cr_expect_str_eq(seen, events->str, "got %s, want %s", seen, events->str);
	const struct exchange first = {
	    "first", "GET", ADA "/events", NULL, 200, .want = {"count = 50", "cursor : string"}};
	answer_free(exchange_expect(fixture, &first));
}

/* An address may look like the rest of a path, and the rest of a path like an address. */
Test(automation_contacts, are_found_by_any_address)
{
	static const struct {
		const char *email, *path;
	} cases[] = {
	    {"a+b@x.example", "a+b@x.example"},
	    {"a+c@x.example", "a%2Bc%40x.example"},
	    {"a/b@x.example", "a/b@x.example"},
	    {"a/c@x.example", "a%2Fc@x.example"},
	    {"executions@x.example", "executions@x.example"},
	    {"a/executions@x.example", "a/executions@x.example"},
	    {"a/events@x.example", "a/events@x.example"},
	    {"a%25@x.example", "a%2525@x.example"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id contact = automation_contact(fixture, cases[i].email);
		automation_event(fixture, &contact, "seen");
		g_autofree char *path = g_strconcat(CONTACTS "/", cases[i].path, NULL);
		g_autofree char *events = g_strconcat(path, "/events", NULL);
		g_autofree char *executions = g_strconcat(path, "/executions", NULL);
		g_autofree char *other = g_strconcat(path, "/else", NULL);
		g_autofree char *want = g_strdup_printf("email = '%s'", cases[i].email);
		g_autofree char *of = g_strdup_printf("events[0].email = '%s'", cases[i].email);
		const struct exchange exchanges[] = {
		    {path, "GET", path, NULL, 200, .want = {want}},
		    {events, "GET", events, NULL, 200, .want = {of, "count = 1"}},
		    {executions, "GET", executions, NULL, 200,
			"{'executions':[],'count':0,'cursor':null}"},
		    {other, "GET", other, NULL, 404, MISSING},
		    {"method", "PUT", events, "{}", 405, "{'message':'Method not allowed'}",
			.want_header = {"Allow: GET, HEAD"}},
		    {"method", "PUT", executions, "{}", 405, "{'message':'Method not allowed'}",
			.want_header = {"Allow: GET, HEAD"}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

Test(automation_contacts, say_what_is_wrong)
{
	const struct exchange exchanges[] = {
	    {"cursor", "GET", CONTACTS "?cursor=x", NULL, 400,
		"{'error':'Failed to list contacts','details':'cursor is malformed'}"},
	    {"cursor of events", "GET", ADA "/events?cursor=x", NULL, 400,
		"{'error':'Failed to list contact events','details':'cursor is malformed'}"},
	    {"unknown", "GET", ADA, NULL, 404, MISSING},
	    {"no email", "GET", CONTACTS "/ada", NULL, 404, MISSING},
	    {"a list of them", "GET", CONTACTS "/a@x.org,b@x.org", NULL, 404, MISSING},
	    {"another script", "GET", CONTACTS "/%E2%82%AC@x.org", NULL, 404, MISSING},
	    {"unknown, events", "GET", ADA "/events", NULL, 404, MISSING},
	    {"no email, events", "GET", CONTACTS "/ada/events", NULL, 404, MISSING},
	    {"no such collection", "GET", "/v1/automation", NULL, 404, "{'message':'Not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(automation_contacts, are_of_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	struct base_id contact = automation_contact(fixture, "ada@example.net");
	const struct exchange exchanges[] = {
	    {"one", "GET", ADA, NULL, 404, MISSING},
	    {"events", "GET", ADA "/events", NULL, 404, MISSING},
	    {"list", "GET", CONTACTS, NULL, 200, "{'contacts':[],'count':0,'cursor':null}"},
	};
	const struct exchange same_email = {
	    "same email", "GET", ADA "/events", NULL, 200, "{'events':[],'count':0,'cursor':null}"};

	automation_event(fixture, &contact, "seen");
	EXPECT_ALL(other, exchanges);
	automation_contact(other, "ada@example.net");
	answer_free(exchange_expect(other, &same_email));
}

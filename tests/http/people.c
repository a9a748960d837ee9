/* SPDX-License-Identifier: MIT */
/* A contact of an audience and an automation contact with the same address are one person. */
#include <criterion/criterion.h>

#include "tests/http/audience.h"
#include "tests/support/db.h"

FIXTURE_SUITE(people, 900);

#define AUTOMATION "/v1/automation/contacts/ada@q.org"
#define EVE "/v1/automation/contacts/eve@q.org"
#define EVE_VISITS "{'event_name':'visit','email':'eve@q.org','properties':{'plan':'pro'}}"
#define VISIT "{'event_name':'visit','email':'ada@q.org','properties':{'plan':'pro'}}"

static void
people_expect(const char *path, const char *name, const char *const want[3])
{
	const struct exchange exchange = {
	    name, "GET", path, NULL, 200, .want = {want[0], want[1], want[2]}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	cr_expect(answer);
}

#define EXPECT(path, name, ...) people_expect(path, name, (const char *const[3]){__VA_ARGS__})

Test(people, have_their_names_in_every_audience)
{
	g_autofree char *first = audience_new(fixture, "One"),
			*second = audience_new(fixture, "Two");
	g_autofree char *a = audience_add(
	    fixture, first, "{'email':'Ada@Q.org','first_name':'Ada','last_name':'L'}");
	g_autofree char *b = audience_add(fixture, second, "{'email':'ada@q.org'}");
	g_autofree char *one = g_strdup_printf("/v1/audiences/%s/contacts/%s", first, a);
	g_autofree char *two = g_strdup_printf("/v1/audiences/%s/contacts/%s", second, b);

	EXPECT(two, "not given", "first_name = 'Ada'", "last_name = 'L'", "email = 'ada@q.org'");
	audience_expect(
	    fixture, "PATCH", "{'first_name':'Augusta','last_name':null}", 200, NULL, "%s", one);
	EXPECT(two, "changed elsewhere", "first_name = 'Augusta'", "last_name = null");
	audience_expect(fixture, "PATCH", "{'is_subscribed':false}", 200, NULL, "%s", one);
	EXPECT(two, "a membership's own", "is_subscribed = true", "first_name = 'Augusta'");
	audience_expect(fixture, "DELETE", NULL, 200, NULL, "%s", one);
	EXPECT(two, "stays", "first_name = 'Augusta'");
}

Test(people, keep_what_they_have_when_a_contact_moves_to_them)
{
	g_autofree char *audience = audience_new(fixture, "One"),
			*other = audience_new(fixture, "2");
	g_autofree char *a =
	    audience_add(fixture, audience, "{'email':'ada@q.org','first_name':'A'}");
	g_autofree char *b = audience_add(fixture, other, "{'email':'bob@q.org','first_name':'B'}");
	g_autofree char *one = g_strdup_printf("/v1/audiences/%s/contacts/%s", audience, a);
	g_autofree char *two = g_strdup_printf("/v1/audiences/%s/contacts/%s", other, b);
	const struct exchange event = {"event", "POST", "/v1/events", VISIT, 200};

	AUTO(answer) answer = exchange_expect(fixture, &event);
	audience_expect(fixture, "PATCH", "{'email':'new@q.org'}", 200, NULL, "%s", one);
	EXPECT(one, "a new one takes them along", "email = 'new@q.org'", "first_name = 'A'");
	g_autofree char *properties =
	    test_db_text(fixture->db, "SELECT properties FROM person WHERE address = 'new@q.org' "
				      "AND workspace_id = @workspace");
	cr_expect_str_eq(properties, "{\"plan\":\"pro\"}");
	audience_expect(fixture, "GET", NULL, 200, NULL, "/v1/automation/contacts/new@q.org");
	audience_expect(fixture, "GET", NULL, 404, NULL, AUTOMATION);
	audience_expect(
	    fixture, "PATCH", "{'email':'bob@q.org','last_name':'L'}", 200, NULL, "%s", one);
	EXPECT(one, "one that exists", "first_name = 'B'", "last_name = 'L'");
	EXPECT(two, "given by the request", "first_name = 'B'", "last_name = 'L'");
	EXPECT("/v1/automation/contacts/bob@q.org", "events go along", "properties = {}",
	    "event_count = 1", "last_event = 'visit'");
	audience_expect(fixture, "GET", NULL, 404, NULL, "/v1/people/new@q.org");
}

Test(people, are_automation_contacts_from_the_first_event_on)
{
	static const struct exchange exchanges[] = {
	    {"no event", "GET", EVE, NULL, 404, .want = {"error : string"}},
	    {"not listed", "GET", "/v1/automation/contacts", NULL, 200, .want = {"count = 0"}},
	    {"not changed", "PATCH", EVE, "{'properties':{'a':1}}", 404},
	    {"not deleted", "DELETE", EVE, NULL, 404},
	    {"event", "POST", "/v1/events", EVE_VISITS, 200},
	    {"seen", "GET", EVE, NULL, 200,
		.want = {"email = 'Eve@q.org'", "event_count = 1", "properties = {'plan':'pro'}"}},
	    {"listed", "GET", "/v1/automation/contacts", NULL, 200, .want = {"count = 1"}},
	    {"deleted", "DELETE", EVE, NULL, 200},
	    {"no more", "GET", EVE, NULL, 404},
	    {"no events", "GET", EVE "/events", NULL, 404},
	    {"seen again", "POST", "/v1/events",
		"{'event_name':'order','email':'eve@q.org','properties':{'n':1}}", 200},
	    {"as new", "GET", EVE, NULL, 200,
		.want = {"event_count = 1", "last_event = 'order'",
		    "properties = {'plan':'pro','n':1}"}},
	};
	g_autofree char *audience = audience_new(fixture, "One");
	g_autofree char *id =
	    audience_add(fixture, audience, "{'email':'Eve@q.org','first_name':'Ada'}");
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts/%s", audience, id);

	EXPECT_ALL(fixture, exchanges);
	EXPECT(path, "the contact", "email = 'Eve@q.org'", "first_name = 'Ada'");
	audience_expect(fixture, "DELETE", NULL, 200, NULL, "%s", path);
	audience_expect(fixture, "DELETE", NULL, 200, NULL, EVE);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM person WHERE address = "
						 "'eve@q.org' AND workspace_id = @workspace"),
	    0);
}

/* A member that a body does not have is ignored; the name of a person is no business of the
   audit. */
Test(people, have_no_name_in_the_audit)
{
	g_autofree char *audience = audience_new(fixture, "News");

	audience_expect(fixture, "POST", "{'email':'ada@q.org','name':'Ada Lovelace'}", 200, NULL,
	    "/v1/people");
	g_free(audience_add(fixture, audience, "{'email':'eve@q.org','name':'Eve Adams'}"));
	g_autofree char *names = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(CONCAT(action, ' ', IFNULL(target_name, '-')) ORDER BY id"
	    " SEPARATOR ', ') FROM audit WHERE workspace_id = @workspace"
	    " AND action IN ('person.created', 'contact.created')");
	cr_expect_str_eq(names, "person.created -, contact.created -", "got %s", names);
}

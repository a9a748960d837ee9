/* SPDX-License-Identifier: MIT */
/* Pages of contacts: their order, their size, and cursors that outlive the contact. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/audience.h"

static struct fixture *fixture;
static char *audience;

static void
contact_list_begin(void)
{
	fixture = fixture_open();
	audience = audience_new(fixture, "News");
}

static void
contact_list_end(void)
{
	g_free(audience);
	fixture_close(fixture);
}

TestSuite(contact_list, .init = contact_list_begin, .fini = contact_list_end, .timeout = 900);

static char *
contact_list_add(const char *email)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);

	return audience_add(fixture, audience, body);
}

/* All emails, separated by spaces. */
static char *
contact_list_walk(void)
{
	g_autoptr(GPtrArray) pages = audience_pages(fixture, audience);
	GString *emails = g_string_new(NULL);

	for (guint p = 0; p < pages->len; p++) {
		const struct json *contacts = answer_at(pages->pdata[p], "contacts");
		for (gsize i = 0; i < json_array_length(contacts); i++)
			g_string_append_printf(emails, "%s ",
			    json_string(
				json_member_get(json_array_at(contacts, i), "email"), NULL));
	}
	return g_string_free(emails, FALSE);
}

Test(contact_list, runs_by_email)
{
	static const char *const emails[] = {
	    "Zoe@x.org", "ann@x.org", "Bob@x.org", "a+b@x.org", "ann@a.org", "_z@x.org", "9@x.org"};

	for (gsize i = 0; i < G_N_ELEMENTS(emails); i++)
		g_free(contact_list_add(emails[i]));
	g_autofree char *got = contact_list_walk();
	cr_expect_str_eq(
	    got, "9@x.org _z@x.org a+b@x.org ann@a.org ann@x.org Bob@x.org Zoe@x.org ");
}

Test(contact_list, has_fifty_a_page)
{
	static const guint counts[] = {0, 1, 49, 50, 51, 100, 101};
	guint made = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		for (; made < counts[i]; made++) {
			g_autofree char *email = g_strdup_printf("c%03u@x.org", made);
			g_free(contact_list_add(email));
		}
		g_autoptr(GPtrArray) pages = audience_pages(fixture, audience);
		cr_expect_eq(pages->len, counts[i] == 0 ? 1 : (counts[i] + 49) / 50,
		    "%u contacts: %u pages", counts[i], pages->len);
		const struct answer *first = pages->pdata[0];
		const char *cursor = json_string(answer_at(first, "cursor"), NULL);
		cr_expect_str_eq(cursor ? cursor : "none", counts[i] > 50 ? "c049@x.org" : "none");
	}
}

/* A cursor is a place in the order of emails, also when no contact has that email. */
Test(contact_list, goes_on_from_any_email)
{
	static const struct {
		const char *cursor, *want;
	} cases[] = {
	    {"", "b@x.org d@x.org Müller"},
	    {"a@x.org", "b@x.org d@x.org Müller"},
	    {"b@x.org", "d@x.org Müller"},
	    {"B@X.ORG", "d@x.org Müller"},
	    {"c@x.org", "d@x.org Müller"},
	    {"%22b%22@x.org", "d@x.org Müller"},
	    {"d@x.org", "Müller"},
	    {"m@m%C3%BCller.example", ""},
	    {"m@xn--mller-kva.example", ""},
	    {"z@z.org", ""},
	    {"b%2Bc@x.org", "b@x.org d@x.org Müller"},
	    {"b+c@x.org", "b@x.org d@x.org Müller"},
	};

	g_free(contact_list_add("b@x.org"));
	g_free(contact_list_add("d@x.org"));
	g_free(contact_list_add("m@Müller.example"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) page = audience_ask(fixture, "GET", NULL,
		    "/v1/audiences/%s/contacts?cursor=%s", audience, cases[i].cursor);
		g_auto(GStrv) want = g_strsplit(cases[i].want, " ", -1);
		gsize got = json_array_length(answer_at(page, "contacts"));

		cr_expect_eq(page->status, 200u, "%s: %s", cases[i].cursor, page->body);
		cr_expect_eq(got, g_strv_length(want), "%s: got %s", cases[i].cursor, page->body);
		for (char **one = want; *one; one++)
			cr_expect(strstr(page->body, *one), "%s: no %s in %s", cases[i].cursor,
			    *one, page->body);
	}
}

Test(contact_list, survives_what_happens_to_the_contact_of_the_cursor)
{
	g_autofree char *last = NULL;

	for (guint i = 0; i < 60; i++) {
		g_autofree char *email = g_strdup_printf("c%02u@x.org", i);
		char *id = contact_list_add(email);
		if (i == 49)
			last = id;
		else
			g_free(id);
	}
	const struct {
		const char *method, *body;
	} changes[] = {
	    {"PATCH", "{'first_name':'X','is_subscribed':false}"},
	    {"PATCH", "{'email':'zz@x.org'}"},
	    {"DELETE", NULL},
	};
	static const guint counts[] = {10, 11, 10};
	for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
		audience_expect(fixture, changes[i].method, changes[i].body, 200, NULL,
		    "/v1/audiences/%s/contacts/%s", audience, last);
		AUTO(answer) page = audience_ask(
		    fixture, "GET", NULL, "/v1/audiences/%s/contacts?cursor=c49@x.org", audience);
		cr_expect_eq((guint)json_integer(answer_at(page, "count")), counts[i],
		    "%zu: got %s", i, page->body);
		cr_expect_str_eq(answer_text(page, "contacts[0].email"), "c50@x.org");
	}
}

Test(contact_list, refuses_cursors)
{
	static const char *const cursors[] = {"x", "01a1f8d1-2ace-718f-96bc-82c241916947",
	    "a@x.org,b@x.org", "@", "a@", "%20", "a@x.org%00"};

	for (gsize i = 0; i < G_N_ELEMENTS(cursors); i++) {
		AUTO(answer) page = audience_ask(fixture, "GET", NULL,
		    "/v1/audiences/%s/contacts?cursor=%s", audience, cursors[i]);
		cr_expect_eq(page->status, 400u, "%s: got %u", cursors[i], page->status);
	}
}

/* SPDX-License-Identifier: MIT */
/* Audiences: creating, reading, listing, renaming, deleting. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/list.h"
#include "base/limits/person.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"

#define MISSING "{'message':'Audience not found'}"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(audiences, 900);

/* A name of count characters of two bytes. */
static char *
audiences_name_of(guint count)
{
	GString *name = g_string_new(NULL);

	for (guint i = 0; i < count; i++)
		g_string_append(name, "ü");
	return g_string_free(name, FALSE);
}

Test(audiences, check_their_names)
{
	g_autofree char *most = audiences_name_of(LIMIT_NAME_LENGTH),
			*more = audiences_name_of(LIMIT_NAME_LENGTH + 1);
	g_autofree char *longest = g_strdup_printf("{'name':'%s'}", most);
	g_autofree char *too_long = g_strdup_printf("{'name':'%s'}", more);
	g_autofree char *want = g_strdup_printf("name = '%s'", most);
	const struct exchange exchanges[] = {
	    {"none", "POST", "/v1/audiences", "{}", 400, "{'message':'name is required'}"},
	    {"null", "POST", "/v1/audiences", "{'name':null}", 400,
		"{'message':'name is required'}"},
	    {"empty", "POST", "/v1/audiences", "{'name':''}", 400,
		"{'message':'name is required'}"},
	    {"a number", "POST", "/v1/audiences", "{'name':7}", 400,
		"{'message':'name must be a string'}"},
	    {"an array", "POST", "/v1/audiences", "{'name':['x']}", 400,
		"{'message':'name must be a string'}"},
	    {"NUL", "POST", "/v1/audiences", "{'name':'a\\u0000b'}", 400,
		"{'message':'name must not contain the character U+0000'}"},
	    {"100 characters", "POST", "/v1/audiences", longest, 200, .want = {want}},
	    {"101 characters", "POST", "/v1/audiences", too_long, 400,
		"{'message':'name must be at most 100 characters'}"},
	    {"1 character", "POST", "/v1/audiences", "{'name':'x'}", 200, .want = {"name = 'x'"}},
	    {"the same again", "POST", "/v1/audiences", "{'name':'x'}", 200,
		.want = {"name = 'x'"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

/* The name is checked as that of a new one; a refused change leaves it. */
Test(audiences, are_renamed)
{
	g_autofree char *id = audience_new(fixture, "News");
	g_autofree char *path = g_strconcat("/v1/audiences/", id, NULL);
	g_autofree char *most = audiences_name_of(LIMIT_NAME_LENGTH),
			*more = audiences_name_of(LIMIT_NAME_LENGTH + 1);
	g_autofree char *longest = g_strdup_printf("{'name':'%s'}", most);
	g_autofree char *too_long = g_strdup_printf("{'name':'%s'}", more);
	g_autofree char *want = g_strdup_printf("name = '%s'", most);
	g_autofree char *target =
	    g_strdup_printf("audit[0].target = {'type':'audience','id':'%s','name':'Letters'}", id);
	const struct exchange exchanges[] = {
	    {"none", "PATCH", path, "{}", 400, "{'message':'name is required'}"},
	    {"null", "PATCH", path, "{'name':null}", 400, "{'message':'name is required'}"},
	    {"empty", "PATCH", path, "{'name':''}", 400, "{'message':'name is required'}"},
	    {"a number", "PATCH", path, "{'name':7}", 400, "{'message':'name must be a string'}"},
	    {"101 characters", "PATCH", path, too_long, 400,
		"{'message':'name must be at most 100 characters'}"},
	    {"as before", "GET", path, NULL, 200, .want = {"name = 'News'"}},
	    {"100 characters", "PATCH", path, longest, 200, .want = {want}},
	    {"another", "PATCH", path, "{'name':'Letters'}", 200,
		.want = {"name = 'Letters'", "created_by.email = 'ann@example.com'",
		    "contact_count = 0"}},
	    {"the same", "PATCH", path, "{'name':'Letters'}", 200, .want = {"name = 'Letters'"}},
	    {"read", "GET", path, NULL, 200, .want = {"name = 'Letters'"}},
	    {"audit", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'audience.changed'", target}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(audiences, show_all_their_fields)
{
	static const char *const want[] = {"id : string", "name = 'News'",
	    "created_by.email = 'ann@example.com'", "created_by.first_name = null",
	    "created_by.last_name = null", "created_by.profile_picture : string",
	    "created : integer", "updated : integer", "contact_count = 0", "unsubscribers = 0"};
	g_autofree char *id = audience_new(fixture, "News");
	g_autofree char *path = g_strconcat("/v1/audiences/", id, NULL);
	struct exchange exchanges[] = {
	    {"created", "POST", "/v1/audiences", "{'name':'News'}", 200},
	    {"read", "GET", path, NULL, 200},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(exchanges); i++)
		memcpy(exchanges[i].want, want, sizeof(want));
	EXPECT_ALL(fixture, exchanges);
}

static void
set_picture(const char *picture)
{
	static const char sql[] =
	    "UPDATE user SET first_name = 'Ann', picture = ? WHERE workspace_id = ?";
	g_autoptr(GError) error = NULL;

	cr_assert(db_run(fixture->db, sql, DB_VALUES(db_text(picture), db_id(&fixture->id)), NULL,
		      &error),
	    "%s", error ? error->message : "");
}

Test(audiences, show_who_made_them)
{
	g_autofree char *id = audience_new(fixture, "News");
	AUTO(answer) first = audience_ask(fixture, "GET", NULL, "/v1/audiences/%s", id);
	const char *avatar = answer_text(first, "created_by.profile_picture");

	cr_expect(g_str_has_prefix(avatar, fixture->instance->url) && strstr(avatar, "/avatar/") &&
		      g_str_has_suffix(avatar, ".svg"),
	    "got %s", avatar);
	set_picture("https://pictures.example/ann.png");
	AUTO(answer) second = audience_ask(fixture, "GET", NULL, "/v1/audiences/%s", id);
	cr_expect_str_eq(
	    answer_text(second, "created_by.profile_picture"), "https://pictures.example/ann.png");
	cr_expect_str_eq(answer_text(second, "created_by.first_name"), "Ann");
}

/* An audience that an operator made has a created_by with the same members, all null. */
Test(audiences, are_of_the_first_user_at_the_terminal)
{
	g_free(TEST_RUN(fixture->instance, "posthouse", "audience", "create", "News", "--workspace",
	    fixture->name));
	const struct exchange exchange = {"list", "GET", "/v1/audiences", NULL, 200,
	    .want = {"count = 1", "audiences[0].name = 'News'",
		"audiences[0].created_by.email = 'ann@example.com'"}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(audiences, are_listed_ten_a_page)
{
	static const guint counts[] = {0, 1, 9, 10, 11};
	guint made = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		for (; made < counts[i]; made++)
			g_free(audience_new(fixture, "News"));
		AUTO(answer) page = audience_ask(fixture, "GET", NULL, "/v1/audiences");
		gsize got = json_array_length(answer_at(page, "audiences"));
		gsize want = MIN(counts[i], LIMIT_PAGE_AUDIENCES);

		cr_expect_eq(got, want, "%u: got %zu", counts[i], got);
		cr_expect_eq((gsize)json_integer(answer_at(page, "count")), want);
		cr_expect_eq(answer_at(page, "cursor") != NULL, counts[i] > LIMIT_PAGE_AUDIENCES,
		    "%u: cursor", counts[i]);
	}
}

/* Lists are newest first, each row once, also when rows near the cursor come and go. */
Test(audiences, are_walked_by_cursor)
{
	char *ids[25];
	g_autofree char *cursor = NULL;
	guint left = G_N_ELEMENTS(ids);

	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		ids[i] = audience_new(fixture, "News");
	do {
		AUTO(answer) page = audience_ask(
		    fixture, "GET", NULL, "/v1/audiences?cursor=%s", cursor ? cursor : "");
		gsize count = json_array_length(answer_at(page, "audiences"));

		for (gsize i = 0; i < count && left > 0; i++) {
			const struct json *one = json_array_at(answer_at(page, "audiences"), i);
			cr_expect_str_eq(
			    json_string(json_member_get(one, "id"), NULL), ids[--left]);
		}
		g_free(cursor);
		cursor = g_strdup(json_string(answer_at(page, "cursor"), NULL));
		cr_expect(!cursor || strcmp(cursor, ids[left]) == 0, "got %s", cursor);
		audience_expect(fixture, "DELETE", NULL, 200, NULL, "/v1/audiences/%s", ids[left]);
		g_free(audience_new(fixture, "Later"));
	} while (cursor);
	cr_expect_eq(left, 0u, "%u are left", left);
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
		g_free(ids[i]);
}

Test(audiences, refuse_cursors)
{
	const struct exchange exchanges[] = {
	    {"no id", "GET", "/v1/audiences?cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"an email", "GET", "/v1/audiences?cursor=a@x.org", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"an unknown id", "GET", "/v1/audiences?cursor=" UNKNOWN, NULL, 200,
		"{'audiences':[],'count':0,'cursor':null}"},
	    {"empty", "GET", "/v1/audiences?cursor=", NULL, 200,
		"{'audiences':[],'count':0,'cursor':null}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(audiences, may_be_unknown)
{
	static const char *const ids[] = {UNKNOWN, "x", "%20", "%E2%82%AC", "0"};

	for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
		audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/audiences/%s", ids[i]);
		audience_expect(
		    fixture, "PATCH", "{'name':'N'}", 404, MISSING, "/v1/audiences/%s", ids[i]);
		audience_expect(fixture, "DELETE", NULL, 404, MISSING, "/v1/audiences/%s", ids[i]);
		audience_expect(
		    fixture, "GET", NULL, 404, MISSING, "/v1/audiences/%s/contacts", ids[i]);
		audience_expect(fixture, "POST", "{'email':'a@x.org'}", 404, MISSING,
		    "/v1/audiences/%s/contacts", ids[i]);
		audience_expect(fixture, "GET", NULL, 404, MISSING,
		    "/v1/audiences/%s/contacts/" UNKNOWN, ids[i]);
		audience_expect(fixture, "PATCH", "{}", 404, MISSING,
		    "/v1/audiences/%s/contacts/" UNKNOWN, ids[i]);
		audience_expect(fixture, "DELETE", NULL, 404, MISSING,
		    "/v1/audiences/%s/contacts/" UNKNOWN, ids[i]);
	}
}

/* A workspace can neither read nor change rows of another. */
Test(audiences, belong_to_their_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = audience_new(other, "Theirs");
	g_autofree char *contact = audience_add(other, id, "{'email':'a@x.org'}");
	g_autofree char *own = audience_new(fixture, "Ours");
	g_autofree char *before = fixture_rows(other);
	const struct {
		const char *method, *body, *path;
	} calls[] = {
	    {"GET", NULL, ""},
	    {"PATCH", "{'name':'Mine'}", ""},
	    {"DELETE", NULL, ""},
	    {"GET", NULL, "/contacts"},
	    {"POST", "{'email':'b@x.org'}", "/contacts"},
	    {"POST", "{'email':'a@x.org'}", "/contacts"},
	    {"GET", NULL, "/contacts/CONTACT"},
	    {"PATCH", "{'first_name':'X'}", "/contacts/CONTACT"},
	    {"DELETE", NULL, "/contacts/CONTACT"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(calls); i++) {
		g_auto(GStrv) parts = g_strsplit(calls[i].path, "CONTACT", -1);
		g_autofree char *path = g_strjoinv(contact, parts);
		audience_expect(fixture, calls[i].method, calls[i].body, 404, MISSING,
		    "/v1/audiences/%s%s", id, path);
	}
	audience_expect(fixture, "GET", NULL, 404, "{'message':'Contact not found'}",
	    "/v1/audiences/%s/contacts/%s", own, contact);
	audience_expect(fixture, "PATCH", "{'first_name':'X'}", 404,
	    "{'message':'Contact not found'}", "/v1/audiences/%s/contacts/%s", own, contact);
	audience_expect(fixture, "DELETE", NULL, 404, "{'message':'Contact not found'}",
	    "/v1/audiences/%s/contacts/%s", own, contact);
	AUTO(answer) list = audience_ask(fixture, "GET", NULL, "/v1/audiences");
	cr_expect_eq(json_array_length(answer_at(list, "audiences")), 1u);
	g_autofree char *after = fixture_rows(other);
	cr_expect_str_eq(after, before);
	audience_expect_counts(other, id, 1, 0);
	AUTO(answer) same =
	    audience_ask(other, "GET", NULL, "/v1/audiences/%s/contacts/%s", id, contact);
	cr_expect_eq(answer_at(same, "first_name"), NULL);
}

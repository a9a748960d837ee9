/* SPDX-License-Identifier: MIT */
/* The users of a workspace, their roles, and the audit. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/email.h"
#include "tests/http/fixture.h"
#include "tests/http/person.h"

FIXTURE_SUITE(users, 900);

#define NAME_100                                                                                   \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
	"aaaaaaaaaaaa"

Test(users, are_added_with_their_fields)
{
	static const struct exchange cases[] = {
	    {"least", "POST", "/v1/users", "{'email':'Ada@example.net'}", 200,
		.want = {"email = 'ada@example.net'", "role = 'member'", "first_name : null",
		    "last_name : null", "created : integer", "last_seen : null", "id : string"}},
	    {"all", "POST", "/v1/users",
		"{'email':'bob@example.net','role':'viewer','first_name':'Bob','last_name':'B'}",
		200, .want = {"role = 'viewer'", "first_name = 'Bob'", "last_name = 'B'"}},
	    {"twice", "POST", "/v1/users", "{'email':'ADA@example.net'}", 409,
		"{'message':'User already exists'}"},
	    {"no email", "POST", "/v1/users", "{}", 400, "{'message':'email is required'}"},
	    {"no address", "POST", "/v1/users", "{'email':'x'}", 400},
	    {"no role", "POST", "/v1/users", "{'email':'c@example.net','role':'admin'}", 400,
		"{'message':'role must be owner, member or viewer'}"},
	    {"a role that is a number", "POST", "/v1/users", "{'email':'c@example.net','role':1}",
		400, "{'message':'role must be a string'}"},
	    {"the longest name", "POST", "/v1/users",
		"{'email':'d@example.net','first_name':'" NAME_100 "'}", 200},
	    {"a longer name", "POST", "/v1/users",
		"{'email':'e@example.net','first_name':'" NAME_100 "a'}", 400},
	    {"an empty name", "POST", "/v1/users", "{'email':'e@example.net','last_name':''}", 400},
	    {"list", "GET", "/v1/users", NULL, 200,
		.want = {"users[0].email = 'd@example.net'", "users[1].email = 'bob@example.net'",
		    "users[3].email = 'ann@example.com'", "users[3].role = 'owner'", "count = 4",
		    "cursor : null"}},
	};

	EXPECT_ALL(fixture, cases);
}

/* The id of the user with this address. The caller owns it. */
static char *
users_add(const char *email, const char *role)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s','role':'%s'}", email, role);
	const struct exchange exchange = {"add", "POST", "/v1/users", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strconcat("/v1/users/", answer_text(answer, "id"), NULL);
}

static char *
first_owner(void)
{
	const struct exchange list = {"list", "GET", "/v1/users", NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &list);

	return g_strconcat("/v1/users/", answer_text(answer, "users[0].id"), NULL);
}

#define LAST "{'message':'A workspace needs an owner'}"
#define NO_USER "{'message':'User not found'}"

Test(users, are_changed_and_removed_but_for_the_last_owner)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *ann = first_owner(),
			*bob_email = g_strdup_printf("b%s@example.net", fixture->name),
			*bob = users_add(bob_email, "member"),
			*is_bob = g_strdup_printf("email = '%s'", bob_email);
	const struct exchange cases[] = {
	    {"role", "PATCH", bob, "{'role':'viewer'}", 200, .want = {"role = 'viewer'", is_bob}},
	    {"name", "PATCH", bob, "{'first_name':'Bob'}", 200,
		.want = {"first_name = 'Bob'", "role = 'viewer'"}},
	    {"no name", "PATCH", bob, "{'first_name':null,'role':null}", 200,
		.want = {"first_name : null", "role = 'viewer'"}},
	    {"not the email", "PATCH", bob, "{'email':'x@example.net'}", 200, .want = {is_bob},
		.want_header = {"Ignored-Members: email"}},
	    {"no role", "PATCH", bob, "{'role':'x'}", 400},
	    {"the last owner", "PATCH", ann, "{'role':'member'}", 409, LAST},
	    {"stays an owner", "PATCH", ann, "{'role':'owner'}", 200},
	    {"the last owner", "DELETE", ann, NULL, 409, LAST},
	    {"a second owner", "PATCH", bob, "{'role':'owner'}", 200},
	    {"one of two", "DELETE", ann, NULL, 200, "{'message':'User removed'}"},
	    {"gone", "PATCH", ann, "{'first_name':'x'}", 404, NO_USER},
	    {"gone", "DELETE", ann, NULL, 404, NO_USER},
	    {"no id", "DELETE", "/v1/users/x", NULL, 404, NO_USER},
	    {"the last again", "DELETE", bob, NULL, 409, LAST},
	    {"back", "POST", "/v1/users", "{'email':'ann@example.com','role':'viewer'}", 200,
		.want = {"role = 'viewer'", "last_seen : null"}},
	};

	EXPECT_ALL(fixture, cases);
	const struct exchange foreign = {"foreign", "DELETE", bob, NULL, 404, NO_USER};
	answer_free(exchange_expect(other, &foreign));
}

/* Makes a key of a user; gives its header line, which the caller owns. */
static char *
users_key_of(const char *email)
{
	g_autofree char *key = TEST_RUN(fixture->instance, "posthouse", "key", "create", "--user",
	    email, "--workspace", fixture->name);

	return g_strconcat("Authorization: Bearer ", g_strchomp(key), NULL);
}

static void
users_expect_key(const char *name, const char *header, bool is_good)
{
	const struct exchange exchange = {name, "GET", "/v1/domains", NULL, is_good ? 200 : 403,
	    .want = {is_good ? NULL : "code = 'api_key_invalid'"}, .headers = {header}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* A key is no way to stay. */
Test(users, lose_their_keys_and_sessions_with_their_rights)
{
	g_autofree char *email = g_strdup_printf("k%s@example.net", fixture->name);
	g_autofree char *user = users_add(email, "member");
	g_autofree char *kept = g_strconcat(user, "?keep_keys=true", NULL);
	g_autofree char *wrong = g_strconcat(user, "?keep_keys=yes", NULL);
	g_autofree char *first = users_key_of(email);
	AUTO(person) bob = person_open(fixture, email, NULL);
	const struct exchange raise = {"more", "PATCH", user, "{'role':'owner'}", 200},
			      same = {"the same", "PATCH", user, "{'role':'owner'}", 200},
			      keep = {"less, with keys", "PATCH", kept, "{'role':'member'}", 200},
			      less = {"less", "PATCH", user, "{'role':'viewer'}", 200},
			      odd = {"odd", "DELETE", wrong, NULL, 400,
				  "{'message':'keep_keys must be true or false'}"},
			      gone = {"remove", "DELETE", user, NULL, 200};

	answer_free(exchange_expect(fixture, &raise));
	answer_free(exchange_expect(fixture, &same));
	users_expect_key("an owner's", first, true);
	answer_free(person_expect(fixture, bob, "GET", "/v1/emails", NULL, 200));
	answer_free(exchange_expect(fixture, &keep));
	users_expect_key("kept", first, true);
	answer_free(person_expect(fixture, bob, "GET", "/v1/emails", NULL, 401));
	answer_free(exchange_expect(fixture, &less));
	users_expect_key("a viewer's", first, false);
	g_autofree char *second = users_key_of(email);
	answer_free(exchange_expect(fixture, &odd));
	users_expect_key("not yet", second, true);
	answer_free(exchange_expect(fixture, &gone));
	users_expect_key("of nobody", second, false);

	g_autofree char *back = users_add(email, "member");
	g_autofree char *third = users_key_of(email);
	g_autofree char *path = g_strconcat(back, "?keep_keys=true", NULL);
	const struct exchange leave = {"remove", "DELETE", path, NULL, 200};
	answer_free(exchange_expect(fixture, &leave));
	users_expect_key("kept", third, true);
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "add", email, "--workspace", fixture->name));
	g_autofree char *fourth = users_key_of(email);
	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "remove", email, "--keep-keys",
	    "--workspace", fixture->name));
	users_expect_key("kept at the terminal", fourth, true);
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "add", email, "--workspace", fixture->name));
	g_free(TEST_RUN(
	    fixture->instance, "posthouse", "user", "remove", email, "--workspace", fixture->name));
	users_expect_key("ended at the terminal", fourth, false);
}

/* The key that asks stays, as no key revokes itself. */
Test(users, are_removed_by_their_own_key)
{
	g_autofree char *email = g_strdup_printf("o%s@example.net", fixture->name);
	g_autofree char *user = users_add(email, "member");
	g_autofree char *asking = users_key_of(email), *other = users_key_of(email);
	const struct exchange gone = {"remove", "DELETE", user, NULL, 200, .headers = {asking}};

	answer_free(exchange_expect(fixture, &gone));
	users_expect_key("that asks", asking, true);
	users_expect_key("the other", other, false);
}

/* Nobody stays an owner beyond the end of the key that made one. */
Test(users, are_made_no_owners_by_a_key_that_expires)
{
	g_autofree char *key = fixture_new_key(fixture, "full", "2090-01-01T00:00:00Z");
	g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
	g_autofree char *email = g_strdup_printf("e%s@example.net", fixture->name);
	g_autofree char *user = users_add(email, "member");
	g_autofree char *owner = g_strdup_printf("{'email':'x%s','role':'owner'}", email);
	g_autofree char *member = g_strdup_printf("{'email':'y%s'}", email);
	const struct exchange cases[] = {
	    {"a new one", "POST", "/v1/users", owner, 403,
		"{'message':'An API key that expires may not make owners',"
		"'code':'api_key_forbidden'}",
		.headers = {header}},
	    {"another role", "PATCH", user, "{'role':'owner'}", 403,
		.want = {"code = 'api_key_forbidden'"}, .headers = {header}},
	    {"less", "PATCH", user, "{'role':'viewer'}", 200, .headers = {header}},
	    {"a member", "POST", "/v1/users", member, 200, .want = {"role = 'member'"},
		.headers = {header}},
	    {"by a key that stays", "POST", "/v1/users", owner, 200, .want = {"role = 'owner'"}},
	};

	EXPECT_ALL(fixture, cases);
}

Test(users, may_do_what_their_role_allows)
{
	static const struct {
		const char *method, *path, *body;
		guint viewer, member, owner;
	} cases[] = {
	    {"GET", "/v1/emails", NULL, 200, 200, 200},
	    {"GET", "/v1/webhooks", NULL, 200, 200, 200},
	    {"GET", "/v1/session", NULL, 200, 200, 200},
	    {"GET", "/v1/sessions", NULL, 200, 200, 200},
	    {"GET", "/v1/users", NULL, 403, 403, 200},
	    {"POST", "/v1/users", "{}", 403, 403, 400},
	    {"PATCH", "/v1/users/x", "{}", 403, 403, 404},
	    {"DELETE", "/v1/users/x", NULL, 403, 403, 404},
	    {"GET", "/v1/audit", NULL, 403, 403, 200},
	    {"POST", "/v1/emails", "{}", 403, 400, 400},
	    {"POST", "/v1/emails/batch", "{}", 403, 400, 400},
	    {"POST", "/v1/events", "{}", 403, 400, 400},
	    {"POST", "/v1/audiences", "{}", 403, 400, 400},
	    {"PATCH", "/v1/workflows/x", "{}", 403, 404, 404},
	    {"DELETE", "/v1/domains/x", NULL, 403, 404, 404},
	    {"DELETE", "/v1/people/x", NULL, 403, 404, 404},
	    {"DELETE", "/v1/people/x?erase=false", NULL, 403, 404, 404},
	    {"DELETE", "/v1/people/x@x.org?erase=true", NULL, 403, 403, 200},
	    {"GET", "/resend/api-keys", NULL, 403, 403, 200},
	};
	AUTO(person) viewer = person_open(fixture, "v@example.net", "viewer");
	AUTO(person) member = person_open(fixture, "m@example.net", "member");
	AUTO(person) owner = person_open(fixture, "o@example.net", "owner");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *method = cases[i].method, *path = cases[i].path, *body = cases[i].body;
		AUTO(answer)
		seen = person_expect(fixture, viewer, method, path, body, cases[i].viewer);
		if (cases[i].viewer == 403)
			cr_expect_str_eq(answer_text(seen, "code"), "role_forbidden");
		answer_free(person_expect(fixture, member, method, path, body, cases[i].member));
		answer_free(person_expect(fixture, owner, method, path, body, cases[i].owner));
	}
	/* A role that changes counts at once. */
	g_free(TEST_RUN(fixture->instance, "posthouse", "user", "role", "v@example.net", "member",
	    "--workspace", fixture->name));
	answer_free(person_expect(fixture, viewer, "POST", "/v1/audiences", "{}", 400));
}

Test(users, need_a_full_key_where_there_is_no_owner)
{
	g_autofree char *read = fixture_new_key(fixture, "read", NULL);
	g_autofree char *header = g_strconcat("Authorization: Bearer ", read, NULL);
	const struct exchange cases[] = {
	    {"full", "GET", "/v1/users", NULL, 200},
	    {"full", "GET", "/v1/audit", NULL, 200},
	    {"read", "GET", "/v1/users", NULL, 403, .want = {"code = 'api_key_forbidden'"},
		.headers = {header}},
	    {"read", "GET", "/v1/audit", NULL, 403, .headers = {header}},
	};

	EXPECT_ALL(fixture, cases);
}

/* Nobody's person is erased by a key that may not delete one; people.c has the other requests. */
Test(users, need_a_full_key_to_erase_a_person)
{
	static const struct {
		const char *scope;
		guint want;
	} cases[] = {{"send", 403}, {"read", 403}, {"full", 200}};
	const struct exchange made = {"made", "POST", "/v1/people", "{'email':'ada@x.org'}", 200};

	answer_free(exchange_expect(fixture, &made));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool is_erased = cases[i].want == 200;
		g_autofree char *key = fixture_new_key(fixture, cases[i].scope, NULL);
		g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
		const struct exchange exchanges[] = {
		    {cases[i].scope, "DELETE", "/v1/people/ada@x.org?erase=true", NULL,
			cases[i].want, is_erased ? "{'message':'Person erased'}" : NULL,
			.want = {is_erased ? NULL : "code = 'api_key_forbidden'"},
			.headers = {header}},
		    {cases[i].scope, "GET", "/v1/people/ada@x.org", NULL, is_erased ? 404 : 200},
		};

		EXPECT_ALL(fixture, exchanges);
	}
}

/* "ACTION TARGET-TYPE NAME ACTOR" of each row, newest first. The caller owns it. */
static char *
users_audit(const char *query)
{
	g_autofree char *path = g_strconcat("/v1/audit", query, NULL);
	const struct exchange exchange = {"audit", "GET", path, NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *rows = answer_at(answer, "audit");
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(rows); i++) {
		const struct json *row = json_array_at(rows, i);
		const struct json *target = json_member_get(row, "target");
		const struct json *actor = json_member_get(row, "actor");
		const char *name = json_string(json_member_get(target, "name"), NULL);

		g_string_append_printf(text, "%s %s %s %s\n",
		    json_string(json_member_get(row, "action"), NULL),
		    json_string(json_member_get(target, "type"), NULL), name ? name : "-",
		    json_string(json_member_get(actor, "type"), NULL));
	}
	return g_string_free(text, FALSE);
}

Test(users, are_told_in_the_audit_who_changed_what)
{
	g_autofree char *before = users_audit("");
	AUTO(person) owner = person_open(fixture, "o@example.net", "owner");
	AUTO(answer)
	made = person_expect(fixture, owner, "POST", "/v1/audiences", "{'name':'News'}", 200);
	g_autofree char *audience = g_strconcat("/v1/audiences/", answer_text(made, "id"), NULL);
	g_autofree char *contacts = g_strconcat(audience, "/contacts", NULL);
	const struct exchange by_key[] = {
	    {"contact", "POST", contacts, "{'email':'x@example.net'}", 200},
	    {"email", "POST", "/v1/emails", EMAIL, 201},
	    {"failed", "POST", "/v1/audiences", "{}", 400},
	    {"suppression", "POST", "/v1/suppressions", "{'email':'s@example.net'}", 200},
	    {"suppression", "DELETE", "/v1/suppressions/s@example.net", NULL, 200},
	};
	EXPECT_ALL(fixture, by_key);
	answer_free(person_expect(fixture, owner, "DELETE", audience, NULL, 200));
	answer_free(person_expect(fixture, owner, "DELETE", "/v1/session", NULL, 200));
	g_autofree char *after = users_audit("");
	g_autofree char *want = g_strconcat("session.ended session - user\n"
					    "audience.deleted audience News user\n"
					    "suppression.deleted suppression s***@example.net key\n"
					    "suppression.created suppression s***@example.net key\n"
					    "contact.created contact - key\n"
					    "audience.created audience News user\n"
					    "session.created session - user\n"
					    "user.added user o@example.net operator\n",
	    before, NULL);
	cr_expect_str_eq(after, want, "%s", after);
	cr_expect(strstr(before, "key.created key "), "%s", before);
	cr_expect(
	    strstr(before, "domain.changed domain " FIXTURE_DOMAIN " operator\n"), "%s", before);

	g_autofree char *some = users_audit("?action=audience.created");
	cr_expect_str_eq(some, "audience.created audience News user\n");
	g_autofree char *of = g_strdup_printf("?actor=%s&action=session.ended", owner->id);
	g_autofree char *own = users_audit(of);
	cr_expect_str_eq(own, "session.ended session - user\n");
	g_autofree char *none = users_audit("?actor=x");
	cr_expect_str_eq(none, "");
	g_autofree char *odd = users_audit("?action=%C3%A4");
	cr_expect_str_eq(odd, "");
}

Test(users, find_every_change_with_client_and_request)
{
	const struct exchange make = {"make", "POST", "/v1/audiences", "{'name':'A'}", 200,
	    .headers = {"X-Request-Id: my.request"}};
	const struct exchange list = {"audit", "GET", "/v1/audit", NULL, 200,
	    .want = {"audit[0].action = 'audience.created'", "audit[0].address = '127.0.0.1'",
		"audit[0].request_id = 'my.request'", "audit[0].actor.type = 'key'",
		"audit[0].actor.id : string", "audit[0].actor.name = ''",
		"audit[0].target.id : string", "audit[0].timestamp : integer",
		"audit[1].actor.type = 'operator'", "audit[1].actor.id : null",
		"audit[1].address : null", "audit[1].request_id : null"}};

	answer_free(exchange_expect(fixture, &make));
	answer_free(exchange_expect(fixture, &list));
}

/* The answers show their ids under several names. */
Test(users, find_the_ids_of_what_was_changed)
{
	const struct exchange workflow = {"workflow", "POST", "/v1/workflows",
	    "{'name':'W','design':{'nodes':[],'edges':[]}}", 200};
	const struct exchange person = {
	    "person", "POST", "/v1/people", "{'email':'ada@example.net'}", 200};
	const struct exchange changes[] = {
	    {"person changed", "PATCH", "/v1/people/ada@example.net", "{'first_name':'Ada'}", 200},
	    {"property", "POST", "/v1/properties", "{'key':'age','type':'number'}", 200},
	    {"property changed", "PATCH", "/v1/properties/age", "{'default':1}", 200},
	};

	AUTO(answer) made = exchange_expect(fixture, &workflow);
	AUTO(answer) known = exchange_expect(fixture, &person);
	EXPECT_ALL(fixture, changes);
	const char *id = answer_text(known, "id");
	g_autofree char *changed =
	    g_strdup_printf("audit[2].target = {'type':'person','id':'%s','name':null}", id);
	g_autofree char *created =
	    g_strdup_printf("audit[3].target = {'type':'person','id':'%s','name':null}", id);
	g_autofree char *drawn =
	    g_strdup_printf("audit[4].target = {'type':'workflow','id':'%s','name':'W'}",
		answer_text(made, "workflow_id"));
	const struct exchange list = {"audit", "GET", "/v1/audit", NULL, 200,
	    .want = {"audit[0].target = {'type':'property','id':'age','name':null}",
		"audit[1].target = {'type':'property','id':'age','name':null}", changed, created,
		drawn}};
	answer_free(exchange_expect(fixture, &list));
}

/* A thing that is gone still has the name by which people knew it. */
Test(users, read_the_names_of_what_was_deleted)
{
	static const struct {
		const char *path, *body, *id, *type, *name;
	} cases[] = {
	    {"/v1/audiences", "{'name':'A'}", "id", "audience", "A"},
	    {"/v1/topics", "{'name':'T'}", "id", "topic", "T"},
	    {"/v1/segments", "{'name':'S','rules':{'match':'all','rules':[]}}", "id", "segment",
		"S"},
	    {"/v1/templates", "{'id':'t-1','name':'Letter','html':'<p>x</p>'}", "id", "template",
		"Letter"},
	    {"/v1/broadcasts", "{'name':'News'}", "id", "broadcast", "News"},
	    {"/v1/domains", "{'name':'gone.example'}", "id", "domain", "gone.example"},
	    {"/v1/keys", "{'name':'Shop','scope':'read'}", "id", "key", "Shop"},
	    {"/v1/webhooks", "{'url':'https://example.com/h/s3cret?key=s3cret','events':['*']}",
		"id", "webhook", "https://example.com"},
	    {"/v1/webhooks", "{'url':'https://example.com?key=s3cret','events':['*']}", "id",
		"webhook", "https://example.com"},
	    {"/v1/workflows", "{'name':'W','design':{'nodes':[],'edges':[]}}", "workflow_id",
		"workflow", "W"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct exchange make = {
		    cases[i].type, "POST", cases[i].path, cases[i].body, 200};
		AUTO(answer) made = exchange_expect(fixture, &make);
		const char *id = answer_text(made, cases[i].id);
		g_autofree char *path = g_strconcat(cases[i].path, "/", id, NULL);
		g_autofree char *action =
		    g_strdup_printf("audit[0].action = '%s.deleted'", cases[i].type);
		g_autofree char *target =
		    g_strdup_printf("audit[0].target = {'type':'%s','id':'%s','name':'%s'}",
			cases[i].type, id, cases[i].name);
		const struct exchange exchanges[] = {
		    {cases[i].type, "DELETE", path, NULL, 200},
		    {cases[i].type, "GET", "/v1/audit", NULL, 200, .want = {action, target}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

/* 51 rows are two pages. */
Test(users, read_the_audit_in_pages)
{
	for (guint i = 0; i < 51; i++) {
		g_autofree char *body = g_strdup_printf("{'name':'%u'}", i);
		const struct exchange make = {"make", "POST", "/v1/audiences", body, 200};

		answer_free(exchange_expect(fixture, &make));
	}
	const struct exchange first = {"first", "GET", "/v1/audit?action=audience.created", NULL,
	    200, .want = {"count = 50", "audit[0].target.name = '50'", "cursor : string"}};
	AUTO(answer) page = exchange_expect(fixture, &first);
	g_autofree char *path = g_strconcat(
	    "/v1/audit?action=audience.created&cursor=", answer_text(page, "cursor"), NULL);
	const struct exchange second = {"second", "GET", path, NULL, 200,
	    .want = {"count = 1", "audit[0].target.name = '0'", "cursor : null"}};
	const struct exchange wrong = {
	    "wrong", "GET", "/v1/audit?cursor=x", NULL, 400, "{'message':'cursor is malformed'}"};
	answer_free(exchange_expect(fixture, &second));
	answer_free(exchange_expect(fixture, &wrong));
}

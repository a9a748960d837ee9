/* SPDX-License-Identifier: MIT */
/* Contacts: their fields, what changes them, and what is counted. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/audience.h"

#define MISSING "{'message':'Contact not found'}"
#define EXISTS "{'message':'Contact already exists'}"
#define UPDATED "{'message':'Contact updated'}"
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

static struct fixture *fixture;
static char *audience;

static void
contacts_begin(void)
{
	fixture = fixture_open();
	audience = audience_new(fixture, "News");
}

static void
contacts_end(void)
{
	g_free(audience);
	fixture_close(fixture);
}

TestSuite(contacts, .init = contacts_begin, .fini = contacts_end, .timeout = 900);

/* The path of the collection, or of one. */
static char *
contacts_path_of(const char *contact)
{
	return g_strconcat(
	    "/v1/audiences/", audience, "/contacts", contact ? "/" : NULL, contact, NULL);
}

static void
contacts_expect(const struct exchange *table, gsize count, const char *method, const char *contact)
{
	g_autofree char *path = contacts_path_of(contact);

	for (gsize i = 0; i < count; i++) {
		struct exchange exchange = table[i];

		exchange.method = method;
		exchange.path = path;
		answer_free(exchange_expect(fixture, &exchange));
	}
}

static char *
contacts_repeat(const char *text, guint count)
{
	GString *whole = g_string_new(NULL);

	for (guint i = 0; i < count; i++)
		g_string_append(whole, text);
	return g_string_free(whole, FALSE);
}

/* The body {"field": "value"}. */
static char *
contacts_body_of(const char *field, const char *value)
{
	return strcmp(field, "email") == 0
		   ? g_strdup_printf("{'email':'%s'}", value)
		   : g_strdup_printf("{'email':'a@x.org','%s':'%s'}", field, value);
}

Test(contacts, show_all_their_fields)
{
	g_autofree char *least = audience_add(fixture, audience, "{'email':'Ann@X.org'}");
	g_autofree char *most = audience_add(fixture, audience,
	    "{'email':'bob@x.org','first_name':'Böb','last_name':'O\\u0027Neill',"
	    "'is_subscribed':false,'created':7,'id':'x'}");
	const struct exchange first[] = {
	    {"least", .want_status = 200,
		.want = {"id : string", "email = 'Ann@X.org'", "first_name = null",
		    "last_name = null", "is_subscribed = true", "created : integer",
		    "updated : integer"}},
	};
	AUTO(answer) second =
	    audience_ask(fixture, "GET", NULL, "/v1/audiences/%s/contacts/%s", audience, most);

	contacts_expect(first, 1, "GET", least);
	cr_expect_str_eq(answer_text(second, "id"), most);
	cr_expect_str_eq(answer_text(second, "first_name"), "Böb");
	cr_expect_str_eq(answer_text(second, "last_name"), "O'Neill");
	cr_expect_eq(json_kind(answer_at(second, "is_subscribed")), JSON_BOOLEAN);
	cr_expect_not(json_boolean(answer_at(second, "is_subscribed")));
	cr_expect_gt(json_integer(answer_at(second, "created")), 1500000000000);
	audience_expect_counts(fixture, audience, 2, 1);
}

/* Emails that creating and changing a contact refuse. */
static const struct exchange wrong_emails[] = {
    {"a number", .body = "{'email':7}", .want_status = 400,
	.want_body = "{'message':'email must be a string'}"},
    {"an array", .body = "{'email':['a@x.org']}", .want_status = 400,
	.want_body = "{'message':'email must be a string'}"},
    {"no domain", .body = "{'email':'ann'}", .want_status = 400,
	.want = {"message = 'email must be a valid email address: \\\"ann\\\" has no domain'"}},
    {"a hyphen first", .body = "{'email':'-g@x.org'}", .want_status = 400,
	.want =
	    {"message = 'email must be a valid email address: \\\"-g@x.org\\\" has a local "
	     "part (before the @) that begins with a hyphen; such local parts cannot be sent'"}},
    {"no local part", .body = "{'email':'@x.org'}", .want_status = 400,
	.want =
	    {"message = 'email must be a valid email address: \\\"@x.org\\\" has nothing before "
	     "the @'"}},
    {"one label", .body = "{'email':'a@localhost'}", .want_status = 400,
	.want = {"message = 'email must be a valid email address: \\\"a@localhost\\\" has no valid "
		 "domain'"}},
    {"a literal", .body = "{'email':'a@[127.0.0.1]'}", .want_status = 400,
	.want = {"message : string"}},
    {"a name", .body = "{'email':'Ann <a@x.org>'}", .want_status = 400,
	.want = {"message : string"}},
    {"a list", .body = "{'email':'a@x.org, b@x.org'}", .want_status = 400,
	.want = {"message : string"}},
    {"a space", .body = "{'email':' a@x.org'}", .want_status = 400, .want = {"message : string"}},
    {"a line break", .body = "{'email':'a@x.org\\n'}", .want_status = 400,
	.want = {"message : string"}},
    {"NUL", .body = "{'email':'a@x.org\\u0000'}", .want_status = 400,
	.want_body = "{'message':'email must not contain the character U+0000'}"},
    {"letters beyond ASCII", .body = "{'email':'jörg@x.org'}", .want_status = 400,
	.want =
	    {"message = 'email must be a valid email address: \\\"jörg@x.org\\\" has a local part "
	     "(before the @) that is not ASCII; such local parts cannot be sent'"}},
    {"a quoted local part", .body = "{'email':'\\u0022a b\\u0022@x.org'}", .want_status = 400,
	.want = {"message = 'email must be a valid email address: \\\"\\\"a b\\\"@x.org\\\" has a "
		 "local part (before the @) that needs quotes; such local parts cannot be sent'"}},
};

Test(contacts, check_their_emails)
{
	static const struct exchange wrong[] = {
	    {"none", .body = "{}", .want_status = 400,
		.want_body = "{'message':'email is required'}"},
	    {"null", .body = "{'email':null}", .want_status = 400,
		.want_body = "{'message':'email is required'}"},
	    {"empty", .body = "{'email':''}", .want_status = 400,
		.want_body = "{'message':'email is required'}"},
	};
	g_autofree char *id = audience_add(fixture, audience, "{'email':'kept@x.org'}");

	contacts_expect(wrong, G_N_ELEMENTS(wrong), "POST", NULL);
	contacts_expect(wrong_emails, G_N_ELEMENTS(wrong_emails), "POST", NULL);
	contacts_expect(wrong_emails, G_N_ELEMENTS(wrong_emails), "PATCH", id);
	audience_expect_counts(fixture, audience, 1, 0);
	AUTO(answer) kept =
	    audience_ask(fixture, "GET", NULL, "/v1/audiences/%s/contacts/%s", audience, id);
	cr_expect_str_eq(answer_text(kept, "email"), "kept@x.org");
}

/* 254 bytes in all, 64 of them in front of the @. */
Test(contacts, limit_the_length_of_emails)
{
	g_autofree char *local = contacts_repeat("a", 64), *label = contacts_repeat("b", 62);
	g_autofree char *three = g_strdup_printf("%s.%s.%s", label, label, label);
	g_autofree char *most = g_strdup_printf("%s@%s", local, three);
	g_autofree char *more = g_strdup_printf("%sb@%s", local, three);
	g_autofree char *whole = g_strdup_printf("x@%s.%s", three, label);
	g_autofree char *past = g_strdup_printf("xx@%s.%sb", three, label);
	const struct {
		const char *name, *email;
		guint want;
	} cases[] = {
	    {"64 before the @", most, 200},
	    {"65 before the @", more, 400},
	    {"253 in all", whole, 200},
	    {"255 in all", past, 400},
	};

	cr_assert_eq(strlen(whole), 253u);
	cr_assert_eq(strlen(past), 255u);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = contacts_body_of("email", cases[i].email);
		AUTO(answer) answer =
		    audience_ask(fixture, "POST", body, "/v1/audiences/%s/contacts", audience);
		cr_expect_eq(answer->status, cases[i].want, "%s: got %u: %s", cases[i].name,
		    answer->status, answer->body);
	}
	g_autofree char *exact = g_strdup_printf("xx@%s.%s", three, label);
	g_autofree char *body = contacts_body_of("email", exact),
			*long_body = contacts_body_of("email", past);
	cr_assert_eq(strlen(exact), 254u);
	audience_expect(fixture, "POST", body, 200, NULL, "/v1/audiences/%s/contacts", audience);
	audience_expect(fixture, "POST", long_body, 400,
	    "{'message':'email must be at most 254 bytes'}", "/v1/audiences/%s/contacts", audience);
}

Test(contacts, limit_names)
{
	static const char *const fields[] = {"first_name", "last_name"};
	g_autofree char *most = contacts_repeat("ö", 100), *more = contacts_repeat("ö", 101);

	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_autofree char *id = audience_add(fixture, audience, "{'email':'kept@x.org'}");
		g_autofree char *too_long = contacts_body_of(fields[i], more);
		g_autofree char *longest = g_strdup_printf("{'%s':'%s'}", fields[i], most);
		g_autofree char *range =
		    g_strdup_printf("{'message':'%s must be 1 to 100 characters'}", fields[i]);
		g_autofree char *type =
		    g_strdup_printf("{'message':'%s must be a string'}", fields[i]);
		g_autofree char *empty = contacts_body_of(fields[i], "");
		g_autofree char *number = g_strdup_printf("{'email':'a@x.org','%s':1}", fields[i]);
		g_autofree char *wanted = g_strdup_printf("%s = '%s'", fields[i], most);
		g_autofree char *path = contacts_path_of(id);
		const struct exchange wrong[] = {
		    {"101", .body = too_long, .want_status = 400, .want_body = range},
		    {"empty", .body = empty, .want_status = 400, .want_body = range},
		    {"a number", .body = number, .want_status = 400, .want_body = type},
		};
		const struct exchange right[] = {
		    {"100", "PATCH", path, longest, 200, UPDATED},
		    {"read", "GET", path, NULL, 200, .want = {wanted}},
		    {"gone", "DELETE", path, NULL, 200, "{'message':'Contact deleted'}"},
		};

		contacts_expect(wrong, G_N_ELEMENTS(wrong), "POST", NULL);
		contacts_expect(wrong, G_N_ELEMENTS(wrong), "PATCH", id);
		EXPECT_ALL(fixture, right);
	}
}

Test(contacts, take_only_truth_as_is_subscribed)
{
	static const struct exchange wrong[] = {
	    {"a number", .body = "{'email':'a@x.org','is_subscribed':1}", .want_status = 400,
		.want_body = "{'message':'is_subscribed must be a boolean'}"},
	    {"a word", .body = "{'email':'a@x.org','is_subscribed':'true'}", .want_status = 400,
		.want_body = "{'message':'is_subscribed must be a boolean'}"},
	};
	g_autofree char *id =
	    audience_add(fixture, audience, "{'email':'b@x.org','is_subscribed':null}");

	contacts_expect(wrong, G_N_ELEMENTS(wrong), "POST", NULL);
	contacts_expect(wrong, G_N_ELEMENTS(wrong), "PATCH", id);
	audience_expect_counts(fixture, audience, 1, 0);
}

Test(contacts, compare_emails_without_case_and_script)
{
	static const struct {
		const char *stored, *same[4];
	} cases[] = {
	    {"Ann.Lee+x@X.org", {"ann.lee+x@x.org", "ANN.LEE+X@X.ORG", "Ann.Lee+x@X.org"}},
	    {"bob@Müller.example",
		{"bob@xn--mller-kva.example", "BOB@MÜLLER.example", "bob@müller.EXAMPLE"}},
	    {"eve@例え.example", {"eve@xn--r8jz45g.example", "EVE@例え.example"}},
	    {"\\\"zoe\\\"@x.org", {"zoe@x.org", "ZOE@x.org"}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = contacts_body_of("email", cases[i].stored);
		g_autofree char *id = audience_add(fixture, audience, body);
		g_autofree char *given = g_strcompress(cases[i].stored);
		AUTO(answer) stored = audience_ask(
		    fixture, "GET", NULL, "/v1/audiences/%s/contacts/%s", audience, id);

		cr_expect_str_eq(answer_text(stored, "email"), given);
		for (gsize s = 0; s < G_N_ELEMENTS(cases[i].same) && cases[i].same[s]; s++) {
			g_autofree char *again = contacts_body_of("email", cases[i].same[s]);
			audience_expect(fixture, "POST", again, 409, EXISTS,
			    "/v1/audiences/%s/contacts", audience);
		}
	}
	g_autofree char *other = audience_new(fixture, "Other");
	g_free(audience_add(fixture, other, "{'email':'ann.lee+x@x.org'}"));
	audience_expect_counts(fixture, audience, G_N_ELEMENTS(cases), 0);
}

Test(contacts, change_what_is_given_alone)
{
	static const struct {
		const char *change, *want[4];
	} steps[] = {
	    {"{'first_name':'Ann'}",
		{"first_name = 'Ann'", "last_name = 'Lee'", "is_subscribed = true"}},
	    {"{'last_name':null}", {"first_name = 'Ann'", "last_name = null"}},
	    {"{'is_subscribed':false}", {"first_name = 'Ann'", "is_subscribed = false"}},
	    {"{'is_subscribed':null,'email':null}", {"is_subscribed = false", "email = 'a@x.org'"}},
	    {"{'email':'A@X.ORG'}", {"email = 'A@X.ORG'", "first_name = 'Ann'"}},
	    {"{'email':'new@x.org','first_name':null,'last_name':'N','is_subscribed':true}",
		{"email = 'new@x.org'", "first_name = null", "last_name = 'N'",
		    "is_subscribed = true"}},
	    {"{}", {"email = 'new@x.org'", "last_name = 'N'", "is_subscribed = true"}},
	    {"{'id':'x','created':1,'other':[]}", {"email = 'new@x.org'", "last_name = 'N'"}},
	};
	g_autofree char *id =
	    audience_add(fixture, audience, "{'email':'a@x.org','last_name':'Lee'}");
	g_autofree char *path = contacts_path_of(id);

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		struct exchange exchanges[] = {
		    {steps[i].change, "PATCH", path, steps[i].change, 200, UPDATED},
		    {steps[i].change, "GET", path, NULL, 200},
		};
		memcpy(exchanges[1].want, steps[i].want, sizeof(steps[i].want));
		EXPECT_ALL(fixture, exchanges);
	}
	audience_expect_counts(fixture, audience, 1, 0);
}

Test(contacts, know_when_they_changed)
{
	g_autofree char *id = audience_add(fixture, audience, "{'email':'a@x.org'}");
	g_autofree char *path = contacts_path_of(id);
	AUTO(answer) before = audience_ask(fixture, "GET", NULL, "%s", path);
	gint64 created = json_integer(answer_at(before, "created")), updated = created;

	cr_expect_eq(json_integer(answer_at(before, "updated")), created);
	audience_expect(fixture, "PATCH", "{}", 200, UPDATED, "%s", path);
	AUTO(answer) same = audience_ask(fixture, "GET", NULL, "%s", path);
	cr_expect_eq(json_integer(answer_at(same, "updated")), created);
	while (updated == created) {
		audience_expect(fixture, "PATCH", "{'first_name':'A'}", 200, UPDATED, "%s", path);
		AUTO(answer) after = audience_ask(fixture, "GET", NULL, "%s", path);
		updated = json_integer(answer_at(after, "updated"));
		cr_expect_eq(json_integer(answer_at(after, "created")), created);
	}
	cr_expect_gt(updated, created);
}

Test(contacts, may_not_take_the_email_of_another)
{
	g_autofree char *ann = audience_add(fixture, audience, "{'email':'ann@x.org'}");
	g_autofree char *bob =
	    audience_add(fixture, audience, "{'email':'bob@x.org','first_name':'B'}");
	g_autofree char *path = contacts_path_of(bob);
	const struct exchange exchanges[] = {
	    {"taken", "PATCH", path, "{'email':'ANN@x.org','first_name':'C'}", 409, EXISTS},
	    {"as it was", "GET", path, NULL, 200,
		.want = {"email = 'bob@x.org'", "first_name = 'B'"}},
	    {"free", "PATCH", path, "{'email':'eve@x.org'}", 200, UPDATED},
	};

	EXPECT_ALL(fixture, exchanges);
	g_free(audience_add(fixture, audience, "{'email':'bob@x.org'}"));
	audience_expect_counts(fixture, audience, 3, 0);
}

Test(contacts, are_counted)
{
	static const struct {
		const char *method, *body;
		gint64 contacts, unsubscribers;
	} steps[] = {
	    {"PATCH", "{'is_subscribed':false}", 1, 1},
	    {"PATCH", "{'is_subscribed':false}", 1, 1},
	    {"PATCH", "{'first_name':'A'}", 1, 1},
	    {"PATCH", "{'is_subscribed':true}", 1, 0},
	    {"PATCH", "{'is_subscribed':false}", 1, 1},
	    {"DELETE", NULL, 0, 0},
	};
	g_autofree char *id = audience_add(fixture, audience, "{'email':'a@x.org'}");

	audience_expect_counts(fixture, audience, 1, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		audience_expect(fixture, steps[i].method, steps[i].body, 200, NULL,
		    "/v1/audiences/%s/contacts/%s", audience, id);
		audience_expect_counts(
		    fixture, audience, steps[i].contacts, steps[i].unsubscribers);
	}
	audience_expect(
	    fixture, "DELETE", NULL, 404, MISSING, "/v1/audiences/%s/contacts/%s", audience, id);
	audience_expect_counts(fixture, audience, 0, 0);
}

Test(contacts, may_be_unknown)
{
	static const char *const ids[] = {
	    UNKNOWN, "x", "00000000-0000-0000-0000-000000000000", "%E2%82%AC", "a@x.org"};
	g_autofree char *other = audience_new(fixture, "Other");
	g_autofree char *elsewhere = audience_add(fixture, other, "{'email':'a@x.org'}");

	for (gsize i = 0; i <= G_N_ELEMENTS(ids); i++) {
		const char *id = i < G_N_ELEMENTS(ids) ? ids[i] : elsewhere;

		audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/audiences/%s/contacts/%s",
		    audience, id);
		audience_expect(fixture, "PATCH", "{'first_name':'X'}", 404, MISSING,
		    "/v1/audiences/%s/contacts/%s", audience, id);
		audience_expect(fixture, "PATCH", "{}", 404, MISSING,
		    "/v1/audiences/%s/contacts/%s", audience, id);
		audience_expect(fixture, "DELETE", NULL, 404, MISSING,
		    "/v1/audiences/%s/contacts/%s", audience, id);
	}
	audience_expect_counts(fixture, other, 1, 0);
}

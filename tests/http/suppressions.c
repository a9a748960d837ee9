/* SPDX-License-Identifier: MIT */
/* Suppressions, also of erased addresses. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"

#define MISSING "{'message':'Suppression not found'}"

FIXTURE_SUITE(suppressions, 900);

static void
http_suppressions_add(const char *email)
{
	g_autofree char *body = g_strdup_printf("{'email':'%s'}", email);

	audience_expect(fixture, "POST", body, 200, NULL, "/v1/suppressions");
	exchange_next_moment();
}

Test(suppressions, check_their_fields)
{
#define POST "POST", "/v1/suppressions"
	const struct exchange exchanges[] = {
	    {"none", POST, "{}", 400, "{'message':'email is required'}"},
	    {"null", POST, "{'email':null}", 400, "{'message':'email is required'}"},
	    {"empty", POST, "{'email':''}", 400, "{'message':'email is required'}"},
	    {"a number", POST, "{'email':1}", 400, "{'message':'email must be a string'}"},
	    {"a quoted local part", POST, "{'email':'\\u0022a b\\u0022@x.org'}", 400,
		.want = {"message = 'email must be a valid email address: \\\"\\\"a "
			 "b\\\"@x.org\\\" has a local part (before the @) that needs quotes; such "
			 "local parts cannot be sent'"}},
	    {"no address", POST, "{'email':'x'}", 400, .want = {"message : string"}},
	    {"a reason", POST, "{'email':'a@x.org','reason':'bored'}", 400,
		"{'message':'reason must be one of bounced, complained, unsubscribed, manual'}"},
	    {"reason a number", POST, "{'email':'a@x.org','reason':1}", 400,
		"{'message':'reason must be a string'}"},
	    {"reason empty", POST, "{'email':'a@x.org','reason':''}", 400,
		"{'message':'reason must be one of bounced, complained, unsubscribed, manual'}"},
	    {"a scope", POST, "{'email':'a@x.org','scope':'none'}", 400,
		"{'message':'scope must be one of all, automation'}"},
	    {"scope a number", POST, "{'email':'a@x.org','scope':1}", 400,
		"{'message':'scope must be a string'}"},
	    {"nothing came of it", "GET", "/v1/suppressions", NULL, 200,
		"{'suppressions':[],'count':0,'cursor':null}"},
	};
#undef POST

	EXPECT_ALL(fixture, exchanges);
}

Test(suppressions, have_reasons_and_scopes)
{
	static const struct {
		const char *given, *reason, *scope;
	} cases[] = {
	    {"", "manual", "all"},
	    {",'reason':null,'scope':null", "manual", "all"},
	    {",'reason':'manual'", "manual", "all"},
	    {",'reason':'bounced'", "bounced", "all"},
	    {",'reason':'complained'", "complained", "all"},
	    {",'reason':'unsubscribed'", "unsubscribed", "automation"},
	    {",'reason':'unsubscribed','scope':'all'", "unsubscribed", "all"},
	    {",'scope':'automation'", "manual", "automation"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body =
		    g_strdup_printf("{'email':'C%zu@x.org'%s}", i, cases[i].given);
		g_autofree char *path = g_strdup_printf("/v1/suppressions/c%zu@x.org", i);
		g_autofree char *email = g_strdup_printf("email = 'C%zu@x.org'", i);
		g_autofree char *reason = g_strdup_printf("reason = '%s'", cases[i].reason);
		g_autofree char *scope = g_strdup_printf("scope = '%s'", cases[i].scope);
		const struct exchange exchanges[] = {
		    {body, "POST", "/v1/suppressions", body, 200,
			.want = {email, reason, scope, "created : integer"}},
		    {body, "GET", path, NULL, 200,
			.want = {email, reason, scope, "created : integer"}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

/* Adding an address again never loosens its suppression, but may tighten it. */
Test(suppressions, only_become_wider)
{
	static const struct {
		const char *given, *want_reason, *want_scope;
	} steps[] = {
	    {"'reason':'unsubscribed'", "unsubscribed", "automation"},
	    {"'reason':'manual','scope':'automation'", "unsubscribed", "automation"},
	    {"'reason':'complained'", "complained", "all"},
	    {"'reason':'unsubscribed'", "complained", "all"},
	    {"'reason':'bounced'", "complained", "all"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *body = g_strdup_printf(
		    "{'email':'%s@x.org',%s}", i % 2 ? "ANN" : "ann", steps[i].given);
		g_autofree char *reason = g_strdup_printf("reason = '%s'", steps[i].want_reason);
		g_autofree char *scope = g_strdup_printf("scope = '%s'", steps[i].want_scope);
		const struct exchange exchange = {body, "POST", "/v1/suppressions", body, 200,
		    .want = {"email = 'ann@x.org'", reason, scope}};

		answer_free(exchange_expect(fixture, &exchange));
	}
	AUTO(answer) list = audience_ask(fixture, "GET", NULL, "/v1/suppressions");
	cr_expect_eq(json_integer(answer_at(list, "count")), 1);
}

Test(suppressions, are_found_by_any_form_of_the_address)
{
	static const struct {
		const char *stored, *path;
	} cases[] = {
	    {"Ann+x@X.org", "ann%2Bx@x.org"},
	    {"Ann+x@X.org", "ann+x@x.org"},
	    {"bob@Müller.example", "bob@xn--mller-kva.example"},
	    {"bob@Müller.example", "BOB@m%C3%BCller.example"},
	    {"a/b@x.org", "a/b@x.org"},
	    {"a/b@x.org", "a%2Fb@x.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		http_suppressions_add(cases[i].stored);
		AUTO(answer) got =
		    audience_ask(fixture, "GET", NULL, "/v1/suppressions/%s", cases[i].path);
		cr_expect_eq(got->status, 200u, "%s: got %s", cases[i].path, got->body);
		cr_expect_str_eq(answer_text(got, "email"), cases[i].stored);
		audience_expect(fixture, "DELETE", NULL, 200, "{'message':'Suppression deleted'}",
		    "/v1/suppressions/%s", cases[i].path);
		audience_expect(
		    fixture, "GET", NULL, 404, MISSING, "/v1/suppressions/%s", cases[i].path);
		audience_expect(
		    fixture, "DELETE", NULL, 404, MISSING, "/v1/suppressions/%s", cases[i].path);
	}
}

Test(suppressions, may_be_unknown)
{
	static const char *const emails[] = {"a@x.org", "x", "@", "%E2%82%AC", "a@x.org/y"};

	for (gsize i = 0; i < G_N_ELEMENTS(emails); i++) {
		audience_expect(
		    fixture, "GET", NULL, 404, MISSING, "/v1/suppressions/%s", emails[i]);
		audience_expect(
		    fixture, "DELETE", NULL, 404, MISSING, "/v1/suppressions/%s", emails[i]);
	}
}

/* Lists are newest first, each row once, while others come and go. */
Test(suppressions, are_walked_by_cursor)
{
	g_autofree char *cursor = g_strdup("");
	guint left = 110, pages = 0;

	for (guint i = 0; i < left; i++) {
		g_autofree char *email = g_strdup_printf("c%u@x.org", i);
		http_suppressions_add(email);
	}
	while (cursor) {
		AUTO(answer) page =
		    audience_ask(fixture, "GET", NULL, "/v1/suppressions?cursor=%s", cursor);
		const struct json *rows = answer_at(page, "suppressions");

		cr_assert_eq(page->status, 200u, "got %s", page->body);
		for (gsize i = 0; i < json_array_length(rows) && left > 0; i++) {
			g_autofree char *want = g_strdup_printf("c%u@x.org", --left);
			cr_expect_str_eq(
			    json_string(json_member_get(json_array_at(rows, i), "email"), NULL),
			    want);
		}
		g_free(cursor);
		cursor = g_strdup(json_string(answer_at(page, "cursor"), NULL));
		cr_expect_eq(cursor != NULL, left > 0);
		g_autofree char *later = g_strdup_printf("later%u@x.org", pages++);
		http_suppressions_add(later);
		audience_expect(
		    fixture, "DELETE", NULL, 200, NULL, "/v1/suppressions/c%u@x.org", left);
	}
	cr_expect_eq(left, 0u);
	cr_expect_eq(pages, 3u);
	audience_expect(fixture, "GET", NULL, 400, "{'message':'cursor is malformed'}",
	    "/v1/suppressions?cursor=c1@x.org");
}

Test(suppressions, belong_to_their_workspace)
{
	AUTO(fixture) other = fixture_open();

	audience_expect(other, "POST", "{'email':'a@x.org','scope':'automation'}", 200, NULL,
	    "/v1/suppressions");
	g_autofree char *before = fixture_rows(other);
	audience_expect(fixture, "GET", NULL, 200, "{'suppressions':[],'count':0,'cursor':null}",
	    "/v1/suppressions");
	audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/suppressions/a@x.org");
	audience_expect(fixture, "DELETE", NULL, 404, MISSING, "/v1/suppressions/a@x.org");
	http_suppressions_add("a@x.org");
	g_autofree char *after = fixture_rows(other);
	cr_expect_str_eq(after, before);
	AUTO(answer) theirs = audience_ask(other, "GET", NULL, "/v1/suppressions/a@x.org");
	cr_expect_str_eq(answer_text(theirs, "scope"), "automation");
}

/* Suppressed addresses are not sent to; their events tell why. */
Test(suppressions, keep_mail_from_leaving)
{
	http_suppressions_add("gone@x.org");
	http_suppressions_add("Also@X.org");
	audience_expect(fixture, "POST", "{'email':'auto@x.org','scope':'automation'}", 200, NULL,
	    "/v1/suppressions");
	g_autofree char *some =
	    email_send(fixture, "'to':['here@x.org','GONE@x.org'],'cc':'auto@x.org'");
	g_autofree char *all = email_send(fixture, "'to':'gone@x.org','bcc':'also@x.org'");
	g_autofree char *some_path = g_strconcat("/v1/emails/", some, NULL);
	g_autofree char *all_path = g_strconcat("/v1/emails/", all, NULL);
	const struct exchange exchanges[] = {
	    {"some", "GET", some_path, NULL, 200,
		.want = {"to = ['here@x.org','GONE@x.org']",
		    "recipient_statuses[0].events[0].status = 'sent'",
		    "recipient_statuses[1].recipient = 'GONE@x.org'",
		    "recipient_statuses[1].events[0].status = 'suppressed'",
		    "recipient_statuses[1].events[0].timestamp : integer",
		    "recipient_statuses[2].events[0].status = 'sent'"}},
	    {"all", "GET", all_path, NULL, 200,
		.want = {"last_event.status = 'suppressed'", "last_event.ip = null",
		    "recipient_statuses[0].events[0].status = 'suppressed'",
		    "recipient_statuses[1].events[0].status = 'suppressed'"}},
	    {"by status", "GET", "/v1/emails?status=suppressed", NULL, 200,
		.want = {"count = 2", "emails[0].last_event.status = 'suppressed'"}},
	};

	AUTO(arrival) arrival = arrival_wait(fixture, some);
	cr_expect_str_eq(arrival->recipients, "auto@x.org here@x.org");
	cr_expect_eq(arrival_count(fixture, all), 0u);
	EXPECT_ALL(fixture, exchanges);
	g_autofree char *rows = fixture_rows(fixture);
	cr_expect(strstr(rows, "\noutbox 0\n"), "got %s", rows);
}

/* Taken off the list, an address gets mail again. */
Test(suppressions, end_when_they_are_deleted)
{
	http_suppressions_add("gone@x.org");
	g_free(email_send(fixture, "'to':'gone@x.org'"));
	audience_expect(fixture, "DELETE", NULL, 200, NULL, "/v1/suppressions/gone@x.org");
	g_autofree char *id = email_send(fixture, "'to':'gone@x.org'");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	cr_expect_str_eq(arrival->recipients, "gone@x.org");
}

static void
suppressions_erase(const char *email)
{
	g_free(TEST_RUN(fixture->instance, "posthouse", "contact", "erase", email, "--workspace",
	    fixture->name));
}

Test(suppressions, people_are_in_no_email)
{
	g_autofree char *alone = email_send(fixture, "'to':'Gone <gone@x.org>'");
	g_autofree char *shared = email_send(
	    fixture, "'to':['Gone <gone@x.org>','here@x.org'],'cc':'GONE@x.org','tags':{'a':'b'}");
	g_autofree char *alone_path = g_strconcat("/v1/emails/", alone, NULL);
	g_autofree char *shared_path = g_strconcat("/v1/emails/", shared, NULL);
	const struct exchange exchanges[] = {
	    {"alone", "GET", alone_path, NULL, 404, "{'message':'Email not found'}"},
	    {"shared", "GET", shared_path, NULL, 200,
		.want = {"to = ['here@x.org']", "cc = []", "subject = ''", "html = ''", "text = ''",
		    "tags = {}", "recipient_statuses[0].recipient = 'here@x.org'",
		    "recipient_statuses[0].events[0].status = 'sent'",
		    "recipient_statuses[1] : null", "last_event.recipient = 'here@x.org'"}},
	    {"in a list", "GET", "/v1/emails", NULL, 200,
		.want = {"count = 1", "emails[0].to = ['here@x.org']",
		    "emails[0].recipient_statuses[0].recipient = 'here@x.org'",
		    "emails[0].recipient_statuses[1] : null"}},
	    {"looked for", "GET", "/v1/emails?to=gone@x.org", NULL, 200, .want = {"count = 0"}},
	    {"the other looked for", "GET", "/v1/emails?to=here@x.org", NULL, 200,
		.want = {"count = 1"}},
	};

	arrival_free(arrival_wait(fixture, shared));
	suppressions_erase("gone@x.org");
	EXPECT_ALL(fixture, exchanges);
}

/* The hash of an erased address still suppresses mail, and lists show no email. */
Test(suppressions, people_get_no_mail)
{
	suppressions_erase("Gone@x.org");
	audience_expect(fixture, "POST", "{'email':'gone@x.org','scope':'automation'}", 200, NULL,
	    "/v1/suppressions");
	g_autofree char *id = email_send(fixture, "'to':'gone@x.org'");
	g_autofree char *path = g_strconcat("/v1/emails/", id, NULL);
	const struct exchange exchanges[] = {
	    {"list", "GET", "/v1/suppressions", NULL, 200,
		.want = {"count = 1", "suppressions[0].email = null",
		    "suppressions[0].reason = 'manual'", "suppressions[0].scope = 'all'"}},
	    {"email", "GET", path, NULL, 200, .want = {"last_event.status = 'suppressed'"}},
	    {"deleted", "DELETE", "/v1/suppressions/gone@x.org", NULL, 200},
	    {"gone", "GET", "/v1/suppressions/gone@x.org", NULL, 404},
	};

	cr_expect_eq(arrival_count(fixture, id), 0u);
	EXPECT_ALL(fixture, exchanges);
}

/* An address can be known again in the audit, but not written to. */
Test(suppressions, stand_in_the_audit)
{
	static const struct exchange exchanges[] = {
	    {"add", "POST", "/v1/suppressions", "{'email':'Ada.Long@Example.org'}", 200},
	    {"remove", "DELETE", "/v1/suppressions/ada.long@example.org", NULL, 200},
	    {"seen", "GET", "/v1/audit", NULL, 200,
		.want = {"audit[0].action = 'suppression.deleted'",
		    "audit[0].target = {'type':'suppression','id':null,'name':'a***@example.org'}",
		    "audit[1].action = 'suppression.created'",
		    "audit[1].target = "
		    "{'type':'suppression','id':null,'name':'A***@Example.org'}"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

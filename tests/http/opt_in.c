/* SPDX-License-Identifier: MIT */
/* Double opt-in: memberships that wait, their mails and their links. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/confirmation.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

FIXTURE_SUITE(opt_in, 900);

static char *
audience_asking(const char *body)
{
	char *audience = audience_new(fixture, "News");

	confirmation_prepare(fixture);
	audience_expect(fixture, "PUT", body, 200, NULL, "/v1/audiences/%s/opt-in", audience);
	return audience;
}

static void
opt_in_expect_subscribed(const char *audience, const char *contact, bool want)
{
	AUTO(answer)
	answer =
	    audience_ask(fixture, "GET", NULL, "/v1/audiences/%s/contacts/%s", audience, contact);

	cr_expect_eq(json_boolean(answer_at(answer, "is_subscribed")), want, "%s", answer->body);
}

/* The types of a person's history, oldest first. */
static void
expect_history(const char *address, const char *want)
{
	g_autofree char *sql = g_strdup_printf("SELECT GROUP_CONCAT(kind ORDER BY id) FROM consent "
					       "WHERE person = '%s' AND workspace_id = @workspace",
	    address);
	g_autofree char *got = test_db_text(fixture->db, g_intern_string(sql));

	cr_expect_str_eq(got, want, "%s: %s", address, got);
}

#define OPT_IN "/v1/audiences/%s/opt-in"
#define AGAIN "/v1/audiences/%s/contacts/%s/confirm"

Test(opt_in, is_set)
{
	g_autofree char *audience = audience_new(fixture, "News");

	confirmation_prepare(fixture);
	audience_expect(fixture, "GET", NULL, 200,
	    "{'required':false,'template_id':null,'from':null,'subject':null,'confirm':'button'}",
	    OPT_IN, audience);
	audience_expect(fixture, "PUT", "{'required':true,'confirm':'link'}", 200,
	    "{'required':true,'template_id':null,'from':null,'subject':null,'confirm':'link'}",
	    OPT_IN, audience);
	audience_expect(fixture, "PUT", "{'confirm':'x'}", 400,
	    "{'message':'confirm must be one of button, link'}", OPT_IN, audience);
	audience_expect(fixture, "PUT", "{'template_id':'none'}", 400,
	    "{'message':'Template not found'}", OPT_IN, audience);
	audience_expect(fixture, "POST", "{'id':'bare','name':'t','html':'<p>x</p>'}", 200, NULL,
	    "/v1/templates");
	audience_expect(fixture, "PUT", "{'template_id':'bare'}", 400,
	    "{'message':'template has no {{confirm_url}}'}", OPT_IN, audience);
	audience_expect(fixture, "PUT", "{'from':'a@other.example'}", 403, NULL, OPT_IN, audience);
	audience_expect(fixture, "PUT", "{'from':'x'}", 400, NULL, OPT_IN, audience);
	audience_expect(fixture, "GET", NULL, 200,
	    "{'required':true,'template_id':null,'from':null,'subject':null,'confirm':'link'}",
	    OPT_IN, audience);
	audience_expect(fixture, "GET", NULL, 404, "{'message':'Audience not found'}", OPT_IN,
	    "0199c1a2-7f00-7000-8000-000000000001");
	audience_expect(fixture, "PUT", "{}", 404, "{'message':'Audience not found'}", OPT_IN, "x");
	audience_expect(fixture, "PUT", "{'confirm':'x'}", 400,
	    "{'message':'confirm must be one of button, link'}", OPT_IN, "x");
	audience_expect(fixture, "PUT", "{'template_id':'none'}", 400,
	    "{'message':'Template not found'}", OPT_IN, "0199c1a2-7f00-7000-8000-000000000001");
	audience_expect(fixture, "PUT", "{'from':'x'}", 400, NULL, OPT_IN, "x");
	test_db_plain(
	    fixture->db, "UPDATE workspace SET default_sender = NULL WHERE id = @workspace");
	audience_expect(fixture, "PUT", "{'required':true}", 400, NULL, OPT_IN, audience);
	audience_expect(fixture, "PUT", "{'required':true,'from':'N <a@" FIXTURE_DOMAIN ">'}", 200,
	    NULL, OPT_IN, audience);
}

Test(opt_in, waits_until_it_is_confirmed)
{
	g_autofree char *audience = audience_asking("{'required':true}");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'Wait@example.net'}");

	opt_in_expect_subscribed(audience, contact, false);
	audience_expect_counts(fixture, audience, 1, 1);
	g_autofree char *path = confirmation_link(fixture, "wait@example.net", 1);
	AUTO(answer) page = confirmation_ask(fixture, "GET", path, "de");
	cr_expect(strstr(page->body, "Soll wait@example.net Rundschreiben von News bekommen?"),
	    "%s", page->body);
	cr_expect(strstr(page->body, "<html lang=\"de\">") && strstr(page->body, "<button"));
	opt_in_expect_subscribed(audience, contact, false);
	answer_free(confirmation_ask(fixture, "HEAD", path, NULL));
	opt_in_expect_subscribed(audience, contact, false);
	AUTO(answer) done = confirmation_ask(fixture, "POST", path, "en");
	cr_expect(strstr(done->body, "wait@example.net gets mailings of News."), "%s", done->body);
	opt_in_expect_subscribed(audience, contact, true);
	audience_expect_counts(fixture, audience, 1, 0);
	answer_free(confirmation_ask(fixture, "POST", path, "en"));
	audience_expect_counts(fixture, audience, 1, 0);
	expect_history("wait@example.net", "5,6");

	/* It is good once. */
	audience_expect(fixture, "PATCH", "{'is_subscribed':false}", 200, NULL,
	    "/v1/audiences/%s/contacts/%s", audience, contact);
	AUTO(answer) over = confirmation_ask(fixture, "POST", path, "en");
	cr_expect(strstr(over->body, "This link was used before."), "%s", over->body);
	opt_in_expect_subscribed(audience, contact, false);
}

#define HISTORY "/v1/people/steps@example.net/history?kind=consent"

/* The membership adds no joined to the pending and confirmed of the history. */
Test(opt_in, is_told_in_the_order_of_its_steps)
{
	g_autofree char *audience = audience_asking("{'required':true}");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'steps@example.net'}");
	g_autofree char *path = confirmation_link(fixture, "steps@example.net", 1);
	const struct exchange waits[] = {{"pending", "GET", HISTORY, NULL, 200,
	    .want = {"history[0].type = 'pending'", "history[0].source = 'api'",
		"history[0].by = 'operator'", "count = 1"}}};
	const struct exchange confirmed[] = {{"confirmed", "GET", HISTORY, NULL, 200,
	    .want = {"history[0].type = 'confirmed'", "history[0].source = 'confirmation'",
		"history[0].by = 'person'", "history[0].ip = '127.0.0.1'",
		"history[0].user_agent : null", "history[1].type = 'pending'", "count = 2"}}};
	const struct exchange removed[] = {{"removed", "GET", HISTORY, NULL, 200,
	    .want = {"history[0].type = 'removed'", "history[1].type = 'confirmed'",
		"history[2].type = 'pending'", "count = 3"}}};

	EXPECT_ALL(fixture, waits);
	answer_free(confirmation_ask(fixture, "POST", path, NULL));
	EXPECT_ALL(fixture, confirmed);
	audience_expect(
	    fixture, "DELETE", NULL, 200, NULL, "/v1/audiences/%s/contacts/%s", audience, contact);
	EXPECT_ALL(fixture, removed);
}

Test(opt_in, confirms_by_link_alone)
{
	g_autofree char *audience = audience_asking("{'required':true,'confirm':'link'}");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'b@example.net'}");
	g_autofree char *path = confirmation_link(fixture, "b@example.net", 1);

	answer_free(confirmation_ask(fixture, "HEAD", path, NULL));
	opt_in_expect_subscribed(audience, contact, false);
	answer_free(confirmation_ask(fixture, "GET", path, NULL));
	opt_in_expect_subscribed(audience, contact, true);
}

Test(opt_in, is_asked_of_those_who_left)
{
	g_autofree char *audience = audience_asking("{'required':true}");

	audience_expect(fixture, "POST",
	    "{'email':'gone@example.net','reason':'unsubscribed','scope':'automation'}", 200, NULL,
	    "/v1/suppressions");
	test_db_plain(fixture->db, "UPDATE choice SET author = 1 WHERE workspace_id = @workspace");
	g_autofree char *contact =
	    audience_add(fixture, audience, "{'email':'gone@example.net','is_subscribed':true}");
	g_autofree char *path = confirmation_link(fixture, "gone@example.net", 1);
	answer_free(confirmation_ask(fixture, "POST", path, NULL));
	opt_in_expect_subscribed(audience, contact, true);
	audience_expect(fixture, "GET", NULL, 404, NULL, "/v1/suppressions/gone@example.net");
	expect_history("gone@example.net", "1,5,2,6");
}

/* One that an operator does not want waits no more, which the history tells. */
Test(opt_in, is_withdrawn)
{
	g_autofree char *audience = audience_asking("{'required':true}");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'w@example.net'}");

	for (guint i = 0; i < 2; i++) {
		audience_expect(fixture, "PATCH", "{'is_subscribed':false}", 200, NULL,
		    "/v1/audiences/%s/contacts/%s", audience, contact);
		expect_history("w@example.net", "5,7");
	}
	audience_expect(fixture, "POST", NULL, 409, "{'message':'Contact is not pending'}", AGAIN,
	    audience, contact);
}

Test(opt_in, is_not_asked)
{
	g_autofree char *audience = audience_asking("{'required':true}");
	g_autofree char *over =
	    audience_add(fixture, audience, "{'email':'o@example.net','override':'paper'}");
	g_autofree char *out =
	    audience_add(fixture, audience, "{'email':'f@example.net','is_subscribed':false}");

	opt_in_expect_subscribed(audience, over, true);
	expect_history("o@example.net", "3");
	opt_in_expect_subscribed(audience, out, false);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM recipient WHERE address IN"
			 " ('o@example.net', 'f@example.net') AND workspace_id = @workspace"),
	    0);
	audience_expect(fixture, "POST", "{'email':'s@example.net','reason':'manual'}", 200, NULL,
	    "/v1/suppressions");
	g_free(audience_add(fixture, audience, "{'email':'s@example.net'}"));
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM event e JOIN recipient r ON r.email_id = e.email_id "
			 "WHERE r.address = 's@example.net' AND e.status <> 8 AND e.workspace_id = "
			 "@workspace"),
	    0);
	audience_expect(fixture, "POST", "{'email':'o@example.net'}", 409,
	    "{'message':'Contact already exists'}", "/v1/audiences/%s/contacts", audience);
}

Test(opt_in, is_sent_again_once_an_hour)
{
	g_autofree char *audience = audience_asking("{'required':true}");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'b@example.net'}");
	g_autofree char *first = confirmation_link(fixture, "b@example.net", 1);

	audience_expect(fixture, "POST", NULL, 200, "{'message':'Confirmation sent'}", AGAIN,
	    audience, contact);
	g_autofree char *second = confirmation_link(fixture, "b@example.net", 2);
	cr_expect_str_eq(first, second);
	AUTO(answer) limited = audience_ask(fixture, "POST", NULL, AGAIN, audience, contact);
	g_autofree char *wait = answer_header(limited, "Retry-After");
	cr_expect_eq(limited->status, 429);
	cr_expect(wait && atoi(wait) > 3500 && atoi(wait) <= 3600, "%s", wait);
	test_db_plain(fixture->db,
	    "UPDATE confirmation SET resent = resent - 3600000 WHERE workspace_id = @workspace");
	audience_expect(fixture, "POST", NULL, 200, "{'message':'Confirmation sent'}", AGAIN,
	    audience, contact);
	answer_free(confirmation_ask(fixture, "POST", first, NULL));
	audience_expect(fixture, "POST", NULL, 409, "{'message':'Contact is not pending'}", AGAIN,
	    audience, contact);
	audience_expect(
	    fixture, "POST", NULL, 404, "{'message':'Contact not found'}", AGAIN, audience, "x");
	audience_expect(
	    fixture, "POST", NULL, 404, "{'message':'Audience not found'}", AGAIN, "x", contact);
}

/* Nobody is watched before consent: no pixel, and links that lead where they seem to. */
Test(opt_in, is_asked_without_tracking)
{
	audience_expect(fixture, "POST",
	    "{'id':'watched','name':'t','subject':'S','html':'<p><a href=\\u0022{{confirm_url}}"
	    "\\u0022>yes</a> <a href=\\u0022https://a.example/\\u0022>us</a></p>'}",
	    200, NULL, "/v1/templates");
	g_autofree char *built_in = audience_asking("{'required':true}");
	g_autofree char *own = audience_asking("{'required':true,'template_id':'watched'}");
	const char *const asked[][2] = {{built_in, "c@example.net"}, {own, "d@example.net"}};

	test_db_plain(fixture->db, "UPDATE domain SET open_tracking = 1, click_tracking = 1"
				   " WHERE workspace_id = @workspace");
	for (gsize i = 0; i < G_N_ELEMENTS(asked); i++) {
		g_autofree char *body = g_strdup_printf("{'email':'%s'}", asked[i][1]);

		g_free(audience_add(fixture, asked[i][0], body));
		AUTO(arrival) mail = confirmation_mail(fixture, asked[i][1], 1);
		g_autofree char *html = arrival_content(mail, 1, NULL);
		cr_expect(strstr(html, "/t/s/"), "%s", html);
		cr_expect(!strstr(html, "/t/o/") && !strstr(html, "/t/c/"), "%s", html);
		cr_expect(i == 0 || strstr(html, "https://a.example/"), "%s", html);
	}
	/* The domain does track other mail. */
	g_autofree char *id = email_send(fixture, "'html':'<p>Hi</p>'");
	AUTO(arrival) other = arrival_wait(fixture, id);
	g_autofree char *html = arrival_content(other, 1, NULL);
	cr_expect(strstr(html, "/t/o/"), "%s", html);
}

Test(opt_in, sends_an_own_template)
{
	audience_expect(fixture, "POST",
	    "{'id':'own','name':'t','subject':'Join {{audience}}, {{first_name}} "
	    "({{contact.email}}, {{contact.last_name|-}})','html':"
	    "'<p>Own <a href=\\u0022{{confirm_url}}\\u0022>yes</a></p>'}",
	    200, NULL, "/v1/templates");
	g_autofree char *audience = audience_asking("{'required':true,'template_id':'own'}");
	g_free(audience_add(fixture, audience, "{'email':'b@example.net','first_name':'Bo'}"));
	AUTO(arrival) mail = confirmation_mail(fixture, "b@example.net", 1);
	cr_expect_str_eq(arrival_header(mail, "Subject"), "Join News, Bo (b@example.net, -)");
	cr_expect(!arrival_header(mail, "List-Unsubscribe"), "it is no mailing");
}

Test(opt_in, speaks_the_persons_language)
{
	static const char *const subjects[][2] = {
	    {"en", "Please confirm your subscription"},
	    {"de-AT", "Bitte bestätigen Sie Ihre Anmeldung"},
	    {"fr", "Veuillez confirmer votre abonnement"},
	    {"es", "Por favor, confirme su suscripción"},
	    {"pt-BR", "Por favor, confirme a sua subscrição"},
	    {"nl", "Please confirm your subscription"},
	};
	g_autofree char *plain = audience_new(fixture, "Others");
	g_autofree char *audience = audience_asking("{'required':true}");

	for (guint i = 0; i < G_N_ELEMENTS(subjects); i++) {
		g_autofree char *address = g_strdup_printf("p%u@example.net", i);
		g_autofree char *body = g_strdup_printf("{'email':'%s'}", address);
		g_autofree char *sql =
		    g_strdup_printf("UPDATE person SET language = '%s'"
				    " WHERE workspace_id = @workspace AND address = '%s'",
			subjects[i][0], address);

		g_free(audience_add(fixture, plain, body));
		test_db_plain(fixture->db, g_intern_string(sql));
		g_free(audience_add(fixture, audience, body));
		AUTO(arrival) mail = confirmation_mail(fixture, address, 1);
		cr_expect_str_eq(
		    arrival_header(mail, "Subject"), subjects[i][1], "%s", subjects[i][0]);
	}
}

Test(opt_in, refuses_false_links)
{
	g_autofree char *audience = audience_asking("{'required':true}");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'b@example.net'}");
	g_autofree char *path = confirmation_link(fixture, "b@example.net", 1);
	g_autofree char *forged = g_strdup(path), *cut = g_strndup(path, strlen(path) - 1),
			*other = g_strconcat("/t/u/", path + strlen("/t/s/"), NULL);
	char *bit = forged + strlen("/t/s/") + 10;

	*bit = *bit == 'A' ? 'B' : 'A';
	const char *const paths[] = {forged, cut, other, "/t/s/x"};
	for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
		AUTO(answer) got = confirmation_ask(fixture, "POST", paths[i], "es");
		g_autofree char *language = answer_header(got, "Content-Language");

		cr_expect_eq(got->status, 404, "%s: %u", paths[i], got->status);
		cr_expect(strstr(got->body, "<html lang=\"es\">") &&
			      strstr(got->body, "<h1>Este enlace no funciona</h1>"),
		    "%s: %s", paths[i], got->body);
		cr_expect_str_eq(language, "es");
	}
	opt_in_expect_subscribed(audience, contact, false);
	audience_expect(
	    fixture, "DELETE", NULL, 200, NULL, "/v1/audiences/%s/contacts/%s", audience, contact);
	AUTO(answer) gone = confirmation_ask(fixture, "GET", path, NULL);
	cr_expect_eq(gone->status, 404);
}

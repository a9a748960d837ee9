/* SPDX-License-Identifier: MIT */
/* The page to unsubscribe, and the button of mail programs. */
#include <criterion/criterion.h>
#include <gumbo.h>
#include <string.h>

#include "base/limits/request.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"

FIXTURE_SUITE(unsubscribe, 900);

#define BODY "'html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>out</a></p>'"

/* Sends an email with its page; the id, and the path of the page, which the caller owns. */
static char *
unsubscribe_send(char **page_r)
{
	char *id = email_send(fixture, BODY);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);

	*page_r = tracking_path(fixture, html, "a href", "/t/u/");
	return id;
}

/* The page, after a request without a key; the caller owns it. */
static struct answer *
unsubscribe_ask(
    const char *name, const char *method, const char *path, const char *body, guint want_status)
{
	const struct exchange exchange = {name, method, path, body, want_status,
	    .headers = {"Authorization:", "Content-Type: application/x-www-form-urlencoded"},
	    .want_header = {"Content-Type: text/html; charset=utf-8", "Cache-Control: no-store"}};

	return exchange_expect(fixture, &exchange);
}

static void
unsubscribe_expect_page(
    const char *name, const char *method, const char *path, const char *body, const char *want)
{
	AUTO(answer) answer = unsubscribe_ask(name, method, path, body, 200);

	cr_expect(strstr(answer->body, want), "%s: got %s, want %s", name, answer->body, want);
}

#define TITLE_ASKS "<h1>Unsubscribe</h1>"
#define TITLE_OFF "<h1>You are unsubscribed</h1>"
#define TITLE_ON "<h1>You are subscribed</h1>"

/* Whether the address is on the suppression list. */
static void
expect_suppressed(const char *name, bool want)
{
	const struct exchange exchange = {name, "GET", "/v1/suppressions/b@example.net", NULL,
	    want ? 200 : 404, NULL,
	    {want ? "reason = 'unsubscribed'" : NULL, want ? "scope = 'automation'" : NULL}};

	answer_free(exchange_expect(fixture, &exchange));
}

static void
unsubscribe_expect_subscribed(const char *audience, const char *contact, bool want)
{
	AUTO(answer) answer =
	    audience_ask(fixture, "GET", NULL, "/v1/audiences/%s/contacts/%s", audience, contact);

	cr_expect_eq(json_boolean(answer_at(answer, "is_subscribed")), want, "%s", answer->body);
}

static void
unsubscribe_expect_events(const char *id, guint want)
{
	AUTO(answer) email = email_get(fixture, id);
	const struct json *events = answer_at(email, "recipient_statuses[0].events");
	guint got = 0;

	for (gsize i = 0; i < json_array_length(events); i++)
		got += g_strcmp0(
			   json_string(json_member_get(json_array_at(events, i), "status"), NULL),
			   "unsubscribed") == 0;
	cr_expect_eq(got, want, "%u unsubscribed events, want %u: %s", got, want, email->body);
}

Test(unsubscribe, asks_and_does_and_undoes)
{
	g_autofree char *first = audience_new(fixture, "first");
	g_autofree char *second = audience_new(fixture, "second");
	g_autofree char *one = audience_add(fixture, first, "{'email':'B@example.net'}");
	g_autofree char *other = audience_add(fixture, first, "{'email':'c@example.net'}");
	g_autofree char *two = audience_add(fixture, second, "{'email':'b@example.net'}");
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);

	unsubscribe_expect_page("GET", "GET", page, NULL, TITLE_ASKS);
	answer_free(unsubscribe_ask("HEAD", "HEAD", page, NULL, 200));
	expect_suppressed("only asked", false);
	unsubscribe_expect_events(id, 0);
	for (guint i = 0; i < 2; i++) {
		unsubscribe_expect_page("form", "POST", page, "action=unsubscribe", TITLE_OFF);
		expect_suppressed("off", true);
		unsubscribe_expect_subscribed(first, one, false);
		unsubscribe_expect_subscribed(first, other, true);
		unsubscribe_expect_subscribed(second, two, false);
		audience_expect_counts(fixture, first, 2, 1);
		audience_expect_counts(fixture, second, 1, 1);
		unsubscribe_expect_events(id, 1);
	}
	unsubscribe_expect_page("GET when off", "GET", page, NULL, "Subscribe again</button>");
	for (guint i = 0; i < 2; i++) {
		unsubscribe_expect_page("again", "POST", page, "action=subscribe", TITLE_ON);
		expect_suppressed("on", false);
		unsubscribe_expect_subscribed(first, one, true);
		unsubscribe_expect_subscribed(second, two, true);
		audience_expect_counts(fixture, first, 2, 0);
		audience_expect_counts(fixture, second, 1, 0);
		unsubscribe_expect_events(id, 1);
	}
	AUTO(answer) email = email_get(fixture, id);
	cr_expect_str_eq(answer_text(email, "last_event.status"), "unsubscribed");
	cr_expect_not(answer_at(email, "last_event.ip"));
	cr_expect_not(answer_at(email, "last_event.user_agent"));
}

#define REFUSED "{'message':'This person has unsubscribed; override is required'}"

/* Only an override subscribes the contact again, and no mailing is sent. */
Test(unsubscribe, is_taken_at_its_word)
{
	g_autofree char *audience = audience_new(fixture, "first");
	g_autofree char *second = audience_new(fixture, "second");
	g_autofree char *contact = audience_add(fixture, audience, "{'email':'b@example.net'}");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", second);
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts/%s", audience, contact);
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);
	g_autofree char *longer = g_strnfill(501, 'x');
	g_autofree char *too_long =
	    g_strdup_printf("{'email':'b@example.net','override':'%s'}", longer);
#define ENTRY "/v1/suppressions/b@example.net"
#define YES "'is_subscribed':true"
#define BAD "{'message':'override must be true or a reason of 1 to 500 characters'}"
	const struct exchange refused[] = {
	    {"PATCH", "PATCH", path, "{" YES "}", 409, REFUSED},
	    {"PATCH false", "PATCH", path, "{" YES ",'override':false}", 409, REFUSED},
	    {"PATCH null", "PATCH", path, "{" YES ",'override':null}", 409, REFUSED},
	    {"POST", "POST", contacts, "{'email':'B@example.net'," YES "}", 409, REFUSED},
	    {"DELETE", "DELETE", ENTRY, NULL, 409, REFUSED},
	    {"DELETE false", "DELETE", ENTRY "?override=false", NULL, 409, REFUSED},
	    {"DELETE empty", "DELETE", ENTRY "?override=", NULL, 400, BAD},
	    {"POST, too long", "POST", contacts, too_long, 400, BAD},
	    {"POST, empty", "POST", contacts, "{'email':'b@example.net','override':''}", 400, BAD},
	    {"POST, a number", "POST", contacts, "{'email':'b@example.net','override':1}", 400,
		.want = {"message : string"}},
	    {"no audience", "POST", "/v1/audiences/1/contacts", "{'email':'b@example.net'," YES "}",
		404, "{'message':'Audience not found'}"},
	    {"PATCH of a name", "PATCH", path, "{'first_name':'B'}", 200},
	};
	const struct exchange overridden[] = {
	    {"PATCH", "PATCH", path, "{" YES ",'override':'Asked by phone'}", 200},
	    {"off the list", "GET", ENTRY, NULL, 404},
	};

	unsubscribe_expect_page("form", "POST", page, "action=unsubscribe", TITLE_OFF);
	EXPECT_ALL(fixture, refused);
	unsubscribe_expect_subscribed(audience, contact, false);
	g_autofree char *quiet = audience_add(fixture, second, "{'email':'b@example.net'}");
	unsubscribe_expect_subscribed(second, quiet, false);
	audience_expect_counts(fixture, second, 1, 1);
	g_autofree char *mailing = email_send(fixture, BODY);
	AUTO(answer) email = email_get(fixture, mailing);
	cr_expect_str_eq(answer_text(email, "last_event.status"), "suppressed");

	EXPECT_ALL(fixture, overridden);
	unsubscribe_expect_subscribed(audience, contact, true);
	unsubscribe_expect_subscribed(second, quiet, false);
	g_autofree char *wanted = email_send(fixture, BODY);
	AUTO(arrival) arrival = arrival_wait(fixture, wanted);

	unsubscribe_expect_page("once more", "POST", page, "action=unsubscribe", TITLE_OFF);
	const struct exchange deleted[] = {
	    {"DELETE", "DELETE", ENTRY "?override=asked%20again", NULL, 200,
		"{'message':'Suppression deleted'}"},
	    {"DELETE again", "DELETE", ENTRY "?override=true", NULL, 404},
	};
	EXPECT_ALL(fixture, deleted);
	unsubscribe_expect_subscribed(audience, contact, false);
	unsubscribe_expect_page("the page is free", "GET", page, NULL, TITLE_ASKS);
#undef ENTRY
#undef YES
#undef BAD
}

/* A second link is not undone by the first one's page. */
Test(unsubscribe, is_undone_by_its_own_link)
{
	g_autofree char *one = NULL;
	g_autofree char *two = NULL;
	g_autofree char *first = unsubscribe_send(&one);
	g_autofree char *second = unsubscribe_send(&two);

	unsubscribe_expect_page("one", "POST", one, "action=unsubscribe", TITLE_OFF);
	unsubscribe_expect_page("not by two", "POST", two, "action=subscribe", TITLE_OFF);
	unsubscribe_expect_page("two", "POST", two, "action=unsubscribe", TITLE_OFF);
	unsubscribe_expect_page("one undone", "POST", one, "action=subscribe", TITLE_OFF);
	expect_suppressed("two holds", true);
	unsubscribe_expect_page("both undone", "POST", two, "action=subscribe", TITLE_ON);
	expect_suppressed("nothing holds", false);
}

/* Requests of mail programs, in each form that RFC 8058 permits and in some others. */
Test(unsubscribe, takes_the_button_of_mail_programs)
{
	static const struct {
		const char *name, *type, *body;
	} cases[] = {
	    {"as a form", "Content-Type: application/x-www-form-urlencoded",
		"List-Unsubscribe=One-Click"},
	    {"as parts", "Content-Type: multipart/form-data; boundary=b",
		"--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n"
		"One-Click\r\n--b--\r\n"},
	    {"with nothing", "Content-Type: text/plain", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *page = NULL;
		g_autofree char *id = unsubscribe_send(&page);
		const struct exchange post = {cases[i].name, "POST", page, cases[i].body, 200,
		    .headers = {"Authorization:", cases[i].type}};

		answer_free(exchange_expect(fixture, &post));
		expect_suppressed(cases[i].name, true);
		unsubscribe_expect_events(id, 1);
		unsubscribe_expect_page("undo", "POST", page, "action=subscribe", TITLE_ON);
	}
}

/* The page's own form may come in parts, too. */
Test(unsubscribe, reads_its_form_in_parts)
{
	static const struct {
		const char *action;
		bool suppressed;
	} steps[] = {{"unsubscribe", true}, {"subscribe", false}};
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *body = g_strdup_printf(
		    "--b\r\nContent-Disposition: form-data; name=\"action\"\r\n\r\n%s\r\n--b--\r\n",
		    steps[i].action);
		const struct exchange post = {steps[i].action, "POST", page, body, 200,
		    .headers = {"Authorization:", "Content-Type: multipart/form-data; boundary=b"}};

		answer_free(exchange_expect(fixture, &post));
		expect_suppressed(steps[i].action, steps[i].suppressed);
	}
}

Test(unsubscribe, is_offered_by_the_header)
{
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *want =
	    g_strdup_printf("<%s%s>, <mailto:u+*@send." FIXTURE_DOMAIN "?subject=unsubscribe>",
		fixture->instance->url, page);
	const char *got = arrival_header(arrival, "List-Unsubscribe");

	cr_expect(g_pattern_match_simple(want, got), "got %s, want %s", got, want);
	cr_expect_str_eq(
	    arrival_header(arrival, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
	AUTO(answer) email = email_get(fixture, id);
	g_autofree char *html = g_strdup_printf(
	    "<p><a href=\"%s/t/u/\xe2\x80\xa6\">out</a></p>", fixture->instance->url);
	cr_expect_str_eq(answer_text(email, "html"), html, "the link of the only recipient");

	g_autofree char *plain = email_send(fixture, NULL);
	AUTO(arrival) without = arrival_wait(fixture, plain);
	cr_expect_not(arrival_header(without, "List-Unsubscribe"));
	cr_expect_not(arrival_header(without, "List-Unsubscribe-Post"));
}

/* An email to several recipients has no page. */
Test(unsubscribe, shows_nobody_s_page_to_others)
{
	g_autofree char *id = email_send(fixture, BODY ",'to':['b@example.net','c@example.net']");
	AUTO(answer) email = email_get(fixture, id);

	cr_expect_str_eq(
	    answer_text(email, "html"), "<p><a href=\"{{unsubscribe_url}}\">out</a></p>");
	AUTO(arrival) one = arrival_wait_for(fixture, id, "b@example.net");
	AUTO(arrival) other = arrival_wait_for(fixture, id, "c@example.net");
	cr_expect_str_neq(
	    arrival_header(one, "List-Unsubscribe"), arrival_header(other, "List-Unsubscribe"));
}

Test(unsubscribe, is_refused_without_a_token)
{
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);
	gsize from = strlen("/t/u/");

	for (gsize bit = 8 * from; bit < 8 * strlen(page); bit++) {
		g_autofree char *flipped = g_strdup(page);
		flipped[bit / 8] ^= (char)(1 << bit % 8);
		if (!g_ascii_isgraph(flipped[bit / 8]) || strchr("#?%/", flipped[bit / 8]))
			continue;
		answer_free(
		    unsubscribe_ask(flipped, "POST", flipped, "List-Unsubscribe=One-Click", 404));
	}
	answer_free(unsubscribe_ask("GET", "GET", "/t/u/x", NULL, 404));
	expect_suppressed("after all that", false);
	unsubscribe_expect_events(id, 0);
}

Test(unsubscribe, takes_no_large_bodies)
{
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);
	g_autofree char *most = g_strnfill(LIMIT_FORM_BYTES, 'x');
	g_autofree char *more = g_strnfill(LIMIT_FORM_BYTES + 1, 'x');

	answer_free(unsubscribe_ask("past the limit", "POST", page, more, 413));
	unsubscribe_expect_events(id, 0);
	answer_free(unsubscribe_ask("at the limit", "POST", page, most, 200));
	unsubscribe_expect_events(id, 1);
}

/* The errors that an HTML parser reports. */
static void
unsubscribe_expect_valid(const char *name, const char *page)
{
	GumboOptions options = kGumboDefaultOptions;

	options.max_errors = 10;
	GumboOutput *output = gumbo_parse_with_options(&options, page, strlen(page));
	cr_expect_eq(
	    output->errors.length, 0, "%s: %u faults in %s", name, output->errors.length, page);
	gumbo_destroy_output(&options, output);
}

/* A page loads no other content, and sends no referrer. */
Test(unsubscribe, keeps_to_itself)
{
	static const char *const needles[] = {"<html lang=\"en\">", "<title>", "name=\"viewport\"",
	    "<main>", "name=\"robots\" content=\"noindex, nofollow\""};
	static const char *const headers[] = {"X-Frame-Options: DENY",
	    "Referrer-Policy: no-referrer", "X-Robots-Tag: noindex, nofollow",
	    "X-Content-Type-Options: nosniff", "Cache-Control: no-store"};
	g_autofree char *page = NULL;
	g_autofree char *id = unsubscribe_send(&page);
	const struct {
		const char *name, *method, *path, *body;
		guint status;
	} cases[] = {
	    {"asks", "GET", page, NULL, 200},
	    {"off", "POST", page, "action=unsubscribe", 200},
	    {"is off", "GET", page, NULL, 200},
	    {"on", "POST", page, "action=subscribe", 200},
	    {"broken", "GET", "/t/u/x", NULL, 404},
	    {"a broken link", "GET", "/t/c/x", NULL, 404},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(answer) answer = unsubscribe_ask(
		    cases[i].name, cases[i].method, cases[i].path, cases[i].body, cases[i].status);
		g_autofree char *policy = answer_header(answer, "Content-Security-Policy");

		unsubscribe_expect_valid(cases[i].name, answer->body);
		cr_expect(policy && g_str_has_prefix(policy, "default-src 'none'; style-src "
							     "'sha256-"),
		    "%s: got %s", cases[i].name, policy);
		cr_expect_not(strstr(answer->body, "<script"), "%s", cases[i].name);
		for (gsize n = 0; n < G_N_ELEMENTS(needles); n++)
			cr_expect(strstr(answer->body, needles[n]), "%s: no %s in %s",
			    cases[i].name, needles[n], answer->body);
		for (gsize h = 0; h < G_N_ELEMENTS(headers); h++)
			cr_expect(strstr(answer->head, headers[h]), "%s: no %s in %s",
			    cases[i].name, headers[h], answer->head);
	}
	unsubscribe_expect_events(id, 1);
}

/* A sender may give any name. */
Test(unsubscribe, escapes_what_it_shows)
{
	g_autofree char *id = email_send(fixture,
	    BODY ",'from':'\\u0022<script>alert(1)</script> & Co\\u0022 <a@" FIXTURE_DOMAIN ">'");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *page = tracking_path(fixture, html, "a href", "/t/u/");
	AUTO(answer) answer = unsubscribe_ask("a name", "GET", page, NULL, 200);

	cr_expect_not(strstr(answer->body, "<script"), "%s", answer->body);
	cr_expect(strstr(answer->body, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; Co"), "%s",
	    answer->body);
	unsubscribe_expect_valid("a name", answer->body);
}

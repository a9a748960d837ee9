/* SPDX-License-Identifier: MIT */
/* Opens and clicks, from the message that arrived to the events that are shown. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/secret.h"
#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"

FIXTURE_SUITE(tracking, 900);

#define LINKS                                                                                      \
	"<p><a href='http://x.org/?a=1&amp;b=2'>one</a> <a href='https://y.org/'>two</a>"          \
	" <a href='mailto:a@x.org'>three</a> <a href='http://z.org/' data-no-track>four</a></p>"

/* Sends it; the email's id, and the message's html, which the caller owns. */
static char *
tracking_links_send(const char *change, char **html_r)
{
	char *id = email_send(fixture, change);
	AUTO(arrival) arrival = arrival_wait(fixture, id);

	*html_r = tracking_html(arrival);
	return id;
}

/* The same for JSON, whose quotes would be those of attributes. */
#define QUOTED_LINKS                                                                               \
	"<p><a href=\\u0022http://x.org/?a=1&amp;b=2\\u0022>one</a> "                              \
	"<a href=\\u0022https://y.org/\\u0022>two</a> "                                            \
	"<a href=\\u0022mailto:a@x.org\\u0022>three</a> "                                          \
	"<a href=\\u0022http://z.org/\\u0022 data-no-track>four</a></p>"
#define DOCUMENT "'html':'<html><body>" QUOTED_LINKS "</body></html>'"

static void
tracking_links_fetch(const char *name, const char *method, const char *path, const char *agent,
    guint want_status, const char *want_header)
{
	g_autofree char *header = g_strconcat("User-Agent: ", agent, NULL);
	const struct exchange exchange = {name, method, path, NULL, want_status,
	    .headers = {"Authorization:", "X-Request-Id: t:1", header},
	    .want_header = {"X-Request-Id: t:1", want_header}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(tracking, tells_of_opens_and_clicks)
{
	g_autofree char *html = NULL;

	tracking_enable(fixture, true, true);
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	g_autofree char *link = tracking_path(fixture, html, "a href", "/t/c/");
	cr_expect(strstr(html, "\"mailto:a@x.org\"") && strstr(html, "\"http://z.org/\""));
	cr_expect(g_str_has_suffix(html, "border:0\"></body></html>"), "%s", html);
	answer_free(tracking_wait(fixture, id, 2));

	tracking_links_fetch("pixel", "GET", pixel, "Reader/1.0", 200, "Content-Type: image/gif");
	answer_free(tracking_wait(fixture, id, 3));
	tracking_links_fetch(
	    "HEAD of the pixel", "HEAD", pixel, "Reader/1.0", 200, "Content-Type: image/gif");
	tracking_links_fetch("HEAD of the link", "HEAD", link, "Reader/1.0", 302, NULL);
	tracking_links_fetch(
	    "a link", "GET", link, "Reader/1.0", 302, "Location: http://x.org/?a=1&b=2");
	answer_free(tracking_wait(fixture, id, 4));
	tracking_links_fetch(
	    "a proxy", "GET", pixel, "GoogleImageProxy", 200, "Cache-Control: no-store");
	AUTO(answer) email = tracking_wait(fixture, id, 5);
	static const struct {
		const char *place, *want;
	} shown[] = {
	    {"recipient_statuses[0].events[2].status", "opened"},
	    {"recipient_statuses[0].events[2].ip", "127.0.0.1"},
	    {"recipient_statuses[0].events[2].user_agent", "Reader/1.0"},
	    {"recipient_statuses[0].events[3].status", "clicked"},
	    {"recipient_statuses[0].events[3].ip", "127.0.0.1"},
	    {"recipient_statuses[0].events[3].user_agent", "Reader/1.0"},
	    {"recipient_statuses[0].events[3].link", "http://x.org/?a=1&b=2"},
	    {"recipient_statuses[0].events[4].status", "opened"},
	    {"last_event.status", "opened"},
	    {"last_event.recipient", "b@example.net"},
	    {"last_event.ip", "127.0.0.1"},
	    {"last_event.user_agent", "GoogleImageProxy"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(shown); i++)
		cr_expect_str_eq(answer_text(email, shown[i].place), shown[i].want,
		    "%s: got %s, want %s", shown[i].place, answer_text(email, shown[i].place),
		    shown[i].want);
	static const bool automated[] = {false, false, true};
	for (guint i = 0; i < 3; i++) {
		g_autofree char *place =
		    g_strdup_printf("recipient_statuses[0].events[%u].automated", i + 2);
		const struct json *got = answer_at(email, place);
		cr_expect(json_kind(got) == JSON_BOOLEAN && json_boolean(got) == automated[i],
		    "%s: %s", place, email->body);
	}
	cr_expect_not(answer_at(email, "recipient_statuses[0].events[2].link"));
	cr_expect_not(answer_at(email, "recipient_statuses[0].events[1].automated"));
	cr_expect_not(answer_at(email, "last_event.link"));
	/* The html as sent, without tracking. */
	g_autofree char *want = exchange_quoted("<html><body>" LINKS "</body></html>");
	cr_expect_str_eq(answer_text(email, "html"), want);
	cr_expect(strstr(answer_text(email, "text"), "http://x.org/?a=1&b=2"));
	cr_expect_not(strstr(answer_text(email, "text"), "/t/c/"));
}

/* A program's deed is none of the person. */
Test(tracking, tells_whose_deeds_they_are)
{
	g_autofree char *html = NULL;
	static const struct exchange person = {
	    "person", "POST", "/v1/people", "{'email':'b@example.net'}", 200};
	static const struct exchange history = {"history", "GET",
	    "/v1/people/b@example.net/history?kind=email", NULL, 200,
	    .want = {"history[0].type = 'opened'", "history[0].user_agent = 'GoogleImageProxy'",
		"history[0].by = 'system'", "history[1].type = 'opened'",
		"history[1].by = 'person'", "history[2].by = 'system'"}};

	answer_free(exchange_expect(fixture, &person));
	tracking_enable(fixture, true, false);
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	answer_free(tracking_wait(fixture, id, 2));
	tracking_links_fetch("a reader", "GET", pixel, "Reader/1.0", 200, NULL);
	answer_free(tracking_wait(fixture, id, 3));
	tracking_links_fetch("a proxy", "GET", pixel, "GoogleImageProxy", 200, NULL);
	answer_free(tracking_wait(fixture, id, 4));
	answer_free(exchange_expect(fixture, &history));
}

Test(tracking, shows_in_lists)
{
	g_autofree char *html = NULL;
	static const struct exchange list = {"list", "GET", "/v1/emails?status=clicked", NULL, 200,
	    NULL,
	    {"count = 1", "emails[0].last_event.status = 'clicked'",
		"emails[0].last_event.link = 'http://x.org/?a=1&b=2'",
		"emails[0].last_event.ip = '127.0.0.1'",
		"emails[0].last_event.user_agent = 'Reader/1.0'",
		"emails[0].last_event.automated = false",
		"emails[0].recipient_statuses[0].status = 'clicked'"}};

	tracking_enable(fixture, false, true);
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *link = tracking_path(fixture, html, "a href", "/t/c/");
	cr_expect_not(strstr(html, "<img"));
	tracking_links_fetch("a link", "GET", link, "Reader/1.0", 302, NULL);
	answer_free(tracking_wait(fixture, id, 3));
	answer_free(exchange_expect(fixture, &list));
}

/* Each recipient has a separate message and separate events. */
Test(tracking, tells_recipients_apart)
{
	static const char *const addresses[] = {"b@example.net", "c@example.net", "d@example.net"};

	tracking_enable(fixture, true, false);
	g_autofree char *id = email_send(fixture,
	    "'to':['b@example.net','c@example.net'],'bcc':'d@example.net','html':'<p>Hi</p>'");
	for (guint i = 0; i < 3; i++) {
		AUTO(arrival) arrival = arrival_wait_for(fixture, id, addresses[i]);
		g_autofree char *html = tracking_html(arrival);
		g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");

		cr_expect_str_eq(arrival_header(arrival, "To"), "b@example.net, c@example.net");
		if (i != 1)
			tracking_links_fetch(addresses[i], "GET", pixel, "Reader/1.0", 200, NULL);
	}
	cr_expect_eq(arrival_count(fixture, id), 3);
	answer_free(tracking_wait(fixture, id, 3));
	gint64 end = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;
	for (;;) {
		AUTO(answer) email = email_get(fixture, id);
		if (json_array_length(answer_at(email, "recipient_statuses[2].events")) == 3) {
			cr_expect_eq(
			    json_array_length(answer_at(email, "recipient_statuses[1].events")), 2);
			break;
		}
		cr_assert_lt(g_get_monotonic_time(), end, "%s", email->body);
		g_usleep(10000);
	}
}

Test(tracking, is_off_unless_it_was_asked_for)
{
	g_autofree char *html = NULL;
	g_autofree char *id =
	    tracking_links_send("'to':['b@example.net'],'html':'<p>Hi</p>'", &html);

	cr_expect_str_eq(html, "<p>Hi</p>");
}

/* The parameter d of a link to this destination. The caller owns it. */
static char *
encoded(const char *destination)
{
	return base_secret_base64url(destination, strlen(destination));
}

static void
tracking_links_refuse(const char *name, const char *path)
{
	const struct exchange exchange = {name, "GET", path, NULL, 404,
	    .headers = {"Authorization:"}, .want_header = {"Location:"}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* A valid link does not help to forge another one. */
Test(tracking, leads_nowhere_else)
{
	g_autofree char *html = NULL, *other_html = NULL;
	tracking_enable(fixture, true, true);
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *other = tracking_links_send(DOCUMENT, &other_html);
	g_autofree char *path = tracking_path(fixture, html, "a href", "/t/c/");
	g_autofree char *other_path = tracking_path(fixture, other_html, "a href", "/t/c/");
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");
	g_autofree char *evil = encoded("http://evil.example/");
	g_autofree char *slashes = encoded("//evil.example/");
	g_autofree char *longer = encoded("http://x.org/?a=1&b=2@evil.example/");
	g_autofree char *script = encoded("javascript:alert(1)");
	g_auto(GStrv) parts = g_strsplit(path, "?d=", 2);
	g_auto(GStrv) other_parts = g_strsplit(other_path, "?d=", 2);
	const char *token = parts[0] + strlen("/t/c/");
	const struct {
		const char *name, *format, *a, *b;
	} cases[] = {
	    {"another destination", "%s?d=%s", parts[0], evil},
	    {"one without a scheme", "%s?d=%s", parts[0], slashes},
	    {"a longer one", "%s?d=%s", parts[0], longer},
	    {"a script", "%s?d=%s", parts[0], script},
	    {"a second destination", "%s&d=%s", path, evil},
	    {"no destination", "%s%s", parts[0], ""},
	    {"an empty one", "%s?d=%s", parts[0], ""},
	    {"a plain one", "%s?d=%s", parts[0], "http://evil.example/"},
	    {"under another name", "%s?url=%s", parts[0], evil},
	    {"with padding", "%s=%s", path, ""},
	    {"the token of another kind", "/t/c/%s?d=%s", pixel + strlen("/t/o/"), parts[1]},
	    {"as a pixel", "/t/o/%s?d=%s", token, parts[1]},
	    {"as a page", "/t/u/%s?d=%s", token, parts[1]},
	    {"the end of the token cut off", "/t/c/%.35s?d=%s", token, parts[1]},
	    {"something behind the token", "/t/c/%sA?d=%s", token, parts[1]},
	    {"a destination in place of the token", "/t/c/%s?d=%s", "http:%2F%2Fevil.example",
		parts[1]},
	    {"no token", "/t/c/%s?d=%s", "", parts[1]},
	    {"the other's destination cut off", "%s?d=%.20s", other_parts[0], other_parts[1]},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		g_autofree char *tried = g_strdup_printf(cases[i].format, cases[i].a, cases[i].b);
#pragma GCC diagnostic pop
		tracking_links_refuse(cases[i].name, tried);
	}
	/* The token of the other email is as good for the same destination, and for that email. */
	tracking_links_fetch(
	    "the other's", "GET", other_path, "Reader/1.0", 302, "Location: http://x.org/?a=1&b=2");
	answer_free(tracking_wait(fixture, other, 3));
	AUTO(answer) email = email_get(fixture, id);
	cr_expect_eq(json_array_length(answer_at(email, "recipient_statuses[0].events")), 2,
	    "nothing of this was a click: %s", email->body);
}

/* Flips each bit of a link. */
Test(tracking, refuses_links_with_any_bit_flipped)
{
	g_autofree char *html = NULL;
	tracking_enable(fixture, true, true);
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *path = tracking_path(fixture, html, "a href", "/t/c/");
	gsize from = strlen("/t/c/");

	for (gsize bit = 8 * from; bit < 8 * strlen(path); bit++) {
		g_autofree char *flipped = g_strdup(path);
		flipped[bit / 8] ^= (char)(1 << bit % 8);
		/* The client does not send a fragment. The web server refuses a malformed URL. */
		if (!g_ascii_isgraph(flipped[bit / 8]) || strchr("#", flipped[bit / 8]))
			continue;
		struct exchange exchange = {flipped, "GET", flipped, NULL, 0};
		AUTO(answer) answer = exchange_ask(fixture, &exchange);
		g_autofree char *location = answer_header(answer, "Location");
		cr_expect(answer->status >= 400 && answer->status < 500 && !location,
		    "%s: got %u, to %s", flipped, answer->status, location);
	}
	tracking_links_fetch("the link itself", "GET", path, "Reader/1.0", 302, NULL);
}

/* Readers cut links of more than 2,048 octets: a link whose tracked URL would be longer stays as it
   is. The longest one passes the web server unchanged. */
Test(tracking, keeps_long_links)
{
	g_autoptr(GString) change = g_string_new("'html':'");
	g_autofree char *filler = g_strnfill(LIMIT_LINK_BYTES, 'a');
	g_autofree char *html = NULL;
	gsize tracked = 0, longest = 0;

	for (guint length = 1400; length <= 1520; length++)
		g_string_append_printf(change, "<a href=\\u0022http://x.org/%.*s\\u0022>x</a>",
		    (int)(length - strlen("http://x.org/")), filler);
	g_string_append(change, "'");
	tracking_enable(fixture, false, true);
	g_autofree char *id = tracking_links_send(change->str, &html);
	g_auto(GStrv) links = g_strsplit(html, "<a href=\"", -1);
	cr_assert_eq(g_strv_length(links), 122);
	for (guint i = 1; links[i]; i++) {
		gsize size = strcspn(links[i], "\"");

		cr_expect(size <= LIMIT_LINK_BYTES, "%zu", size);
		if (!strstr(links[i], "/t/c/")) {
			cr_expect_eq(size, 1400 + i - 1);
			continue;
		}
		cr_expect_eq(++tracked, i, "a longer one is tracked");
		longest = MAX(longest, size);
	}
	cr_assert(tracked > 0 && tracked < 121, "%zu", tracked);
	cr_expect(longest >= LIMIT_LINK_BYTES - 1, "%zu", longest);
	g_autofree char *last = g_strconcat("<a href=\"", links[tracked], NULL);
	g_autofree char *path = tracking_path(fixture, last, "a href", "/t/c/");
	g_autofree char *location = g_strdup_printf("Location: http://x.org/%.*s",
	    (int)(1400 + tracked - 1 - strlen("http://x.org/")), filler);
	tracking_links_fetch("the longest", "GET", path, "Reader/1.0", 302, location);
	AUTO(answer) email = tracking_wait(fixture, id, 3);
	cr_expect_eq(
	    strlen(answer_text(email, "recipient_statuses[0].events[2].link")), 1400 + tracked - 1);
}

/* Requests for all links at once, right after the delivery, count as automated. */
Test(tracking, knows_a_sweep)
{
	g_autofree char *html = NULL;
	tracking_enable(fixture, true, true);
	gint64 started = g_get_monotonic_time();
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *first = tracking_path(fixture, html, "a href", "/t/c/");
	g_autofree char *second =
	    tracking_path(fixture, strstr(html, first) + strlen(first), "a href", "/t/c/");
	g_autofree char *pixel = tracking_path(fixture, html, "img src", "/t/o/");

	tracking_links_fetch("pixel", "GET", pixel, "Firefox", 200, NULL);
	tracking_links_fetch("first", "GET", first, "Firefox", 302, NULL);
	answer_free(tracking_wait(fixture, id, 4));
	tracking_links_fetch("second", "GET", second, "Firefox", 302, NULL);
	AUTO(answer) email = tracking_wait(fixture, id, 5);
	bool quick = g_get_monotonic_time() - started < 2 * G_USEC_PER_SEC;
	const struct json *events = answer_at(email, "recipient_statuses[0].events");
	for (guint i = 2; quick && i < 5; i++)
		cr_expect(json_boolean(json_member_get(json_array_at(events, i), "automated")),
		    "%u: %s", i, email->body);
}

/* A browser that fetches ahead of its reader, and a program without a name, are programs. */
Test(tracking, knows_who_fetches_ahead)
{
	static const char *const headers[] = {"Sec-Purpose: prefetch;prerender",
	    "Purpose: prefetch", "X-Moz: prefetch", "X-Purpose: preview",
	    "User-Agent:", "User-Agent: curl/8.5.0", "X-Other: prefetch"};
	g_autofree char *html = NULL;

	tracking_enable(fixture, true, true);
	g_autofree char *id = tracking_links_send(DOCUMENT, &html);
	g_autofree char *link = tracking_path(fixture, html, "a href", "/t/c/");
	answer_free(tracking_wait(fixture, id, 2));
	for (guint i = 0; i < G_N_ELEMENTS(headers); i++) {
		bool named = g_str_has_prefix(headers[i], "User-Agent");
		const struct exchange exchange = {headers[i], "GET", link, NULL, 302,
		    .headers = {"Authorization:", headers[i],
			named ? NULL : "User-Agent: Mozilla/5.0 (X11; Linux) Firefox/128"}};

		answer_free(exchange_expect(fixture, &exchange));
		AUTO(answer) email = tracking_wait(fixture, id, 3 + i);
		g_autofree char *place =
		    g_strdup_printf("recipient_statuses[0].events[%u].automated", 2 + i);
		cr_expect_eq(json_boolean(answer_at(email, place)), i + 1 < G_N_ELEMENTS(headers),
		    "%s", headers[i]);
	}
}

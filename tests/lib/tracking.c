/* SPDX-License-Identifier: MIT */
#include "link/tracking.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "html/html.h"
#include "html/links.h"
#include "link/token.h"
#include "tests/lib/fixture.h"

#define BASE "https://mail.example.com"
#define OPEN "<img src=\"" BASE "/t/o/"
#define CLICK BASE "/t/c/"

static char *
rewrite_utm(struct fixture *fixture, guint tracking, const char *variables, const char *utm,
    const char *html)
{
	AUTO(store_email) email = store_email_new();
	g_autoptr(GBytes) source = g_bytes_new_static(html, strlen(html));

	email->tracking = tracking;
	email->variables = g_strdup(variables);
	email->utm = g_strdup(utm);
	AUTO(html) document = html_parse(html, strlen(html));
	AUTO(html_links) links = html_links_find(document);
	g_autoptr(GBytes) bytes = link_tracking_rewrite(fixture->service, email, 3, source, links);
	return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static char *
tracking_rewrite(struct fixture *fixture, guint tracking, const char *variables, const char *html)
{
	return rewrite_utm(fixture, tracking, variables, NULL, html);
}

Test(tracking, tells_what_it_is_to_tell)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[service]\nurl = " BASE "\n");
	static const char link[] = "<a href=\"http://x.org/?a&amp;b\">x</a>";
	const struct {
		const char *name;
		guint tracking;
		const char *variables, *html, *want; /* a pattern */
	} cases[] = {
	    {"nothing", 0, NULL, link, link},
	    {"how to unsubscribe alone", TRACK_UNSUBSCRIBE, NULL, link, link},
	    {"opens", TRACK_OPENS, NULL, link, "<a href=\"http://x.org/?a&amp;b\">x</a>" OPEN "*>"},
	    {"clicks", TRACK_CLICKS, NULL, link, "<a href=\"" CLICK "*?d=*\">x</a>"},
	    {"both", TRACK_OPENS | TRACK_CLICKS, NULL, link,
		"<a href=\"" CLICK "*?d=*\">x</a>" OPEN "*>"},
	    {"a link to unsubscribe", TRACK_CLICKS, NULL,
		"<a href=\"" BASE "/t/u/abc\">x</a><a href='http://x.org'>y</a>",
		"<a href=\"" BASE "/t/u/abc\">x</a><a href='" CLICK "*'>y</a>"},
	    {"the sender's own", TRACK_CLICKS, "{\"unsubscribe_url\": \"http://x.org/\"}",
		"<a href=\"http://x.org/\">x</a><a href='http://x.org'>y</a>",
		"<a href=\"http://x.org/\">x</a><a href='" CLICK "*'>y</a>"},
	    {"another page of ours", TRACK_CLICKS, NULL, "<a href=" BASE "/about>x</a>",
		"<a href=" CLICK "*>x</a>"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    tracking_rewrite(fixture, cases[i].tracking, cases[i].variables, cases[i].html);
		cr_expect(g_pattern_match_simple(cases[i].want, got), "%s: got %s, want %s",
		    cases[i].name, got, cases[i].want);
		if (strcmp(cases[i].want, cases[i].html) == 0)
			cr_expect_str_eq(got, cases[i].html, "%s", cases[i].name);
	}
}

Test(tracking, changes_nothing_where_links_would_lead_nowhere)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const char html[] = "<a href=\"http://x.org/\">x</a>";
	g_autofree char *got = tracking_rewrite(fixture, TRACK_OPENS | TRACK_CLICKS, NULL, html);

	cr_expect_str_eq(got, html);
}

Test(tracking, puts_parameters_into_links)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[service]\nurl = " BASE "\n");
	AUTO(fixture) nowhere = fixture_open(NULL, NULL);
	static const char html[] = "<a href='http://x.org/?a&amp;b'>x</a>"
				   "<a href='" BASE "/t/u/abc'>out</a>"
				   "<a href='http://own.org/'>own</a>"
				   "<a data-no-track href='http://y.org/'>y</a>"
				   "<a href='mailto:a@x.org'>z</a>";
	static const char want[] = "<a href='http://x.org/?a&amp;b&amp;utm_term=t'>x</a>"
				   "<a href='" BASE "/t/u/abc'>out</a>"
				   "<a href='http://own.org/'>own</a>"
				   "<a data-no-track href='http://y.org/'>y</a>"
				   "<a href='mailto:a@x.org'>z</a>";
	static const char own[] = "{\"unsubscribe_url\": \"http://own.org/\"}";
	g_autofree char *got = rewrite_utm(fixture, TRACK_UNSUBSCRIBE, own, "utm_term=t", html);
	g_autofree char *plain =
	    rewrite_utm(nowhere, TRACK_CLICKS, NULL, "utm_term=t", "<a href=http://x.org>x</a>");

	cr_expect_str_eq(got, want, "%s", got);
	cr_expect_str_eq(plain, "<a href=http://x.org?utm_term=t>x</a>", "%s", plain);
	g_autofree char *tracked = rewrite_utm(fixture, TRACK_CLICKS, own, "utm_term=t", html);
	g_autofree char *link = base_secret_base64url("http://x.org/?a&b&utm_term=t", 28);
	cr_expect(strstr(tracked, link), "%s", tracked);
}

/* The token and the destination of the first link from text on, which moves behind it. */
static void
expect_link(struct fixture *fixture, const char **text, const struct base_id *email,
    const char *want_destination, guint want_links)
{
	const struct base_secret *secret = config_settings_secret(fixture->settings);
	struct link_token token = {0};

	const char *start = strstr(*text, CLICK);
	cr_assert(start, "%s", *text);
	start += strlen(CLICK);
	g_autofree char *word = g_strndup(start, TOKEN_TEXT_SIZE - 1);
	cr_assert(g_str_has_prefix(start + strlen(word), "?d="), "%s", start);
	*text = start + strlen(word) + strlen("?d=");
	g_autofree char *encoded = g_strndup(*text, strcspn(*text, "\""));
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(encoded);
	cr_assert(bytes, "%s", encoded);
	g_autofree char *destination =
	    g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	cr_expect_str_eq(destination, want_destination);
	cr_assert(link_token_read(secret, TOKEN_CLICK, word, destination, &token));
	cr_expect(base_id_equal(&token.email, email));
	cr_expect_eq(token.recipient, 3);
	cr_expect_eq(token.links, want_links, "got %u", token.links);
}

Test(tracking, writes_tokens_that_can_be_read)
{
	AUTO(fixture) fixture = fixture_open(NULL, "[service]\nurl = " BASE "\n");
	AUTO(store_email) email = store_email_new();
	static const char source[] = "<a href=\"http://x.org/?a&amp;b\"><a href=\"http://y.org\">"
				     "<a href=\"http://y.org\"><a href=\"mailto:a@x.org\">";
	g_autoptr(GBytes) html = g_bytes_new_static(source, strlen(source));
	struct link_token token = {0};

	email->tracking = TRACK_OPENS | TRACK_CLICKS;
	AUTO(html) document = html_parse(source, strlen(source));
	AUTO(html_links) links = html_links_find(document);
	g_autoptr(GBytes) bytes = link_tracking_rewrite(fixture->service, email, 3, html, links);
	g_autofree char *got = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	const char *at = got;
	expect_link(fixture, &at, &email->id, "http://x.org/?a&b", 2);
	expect_link(fixture, &at, &email->id, "http://y.org", 2);
	expect_link(fixture, &at, &email->id, "http://y.org", 2);
	at = strstr(at, OPEN);
	cr_assert(at, "%s", got);
	g_autofree char *word = g_strndup(at + strlen(OPEN), TOKEN_TEXT_SIZE - 1);
	cr_assert(link_token_read(
	    config_settings_secret(fixture->settings), TOKEN_OPEN, word, NULL, &token));
	cr_expect(base_id_equal(&token.email, &email->id));
	cr_expect_eq(token.recipient, 3);
	cr_expect_eq(token.links, 2);
	/* The same again, as for a retry. */
	g_autoptr(GBytes) again = link_tracking_rewrite(fixture->service, email, 3, html, links);
	cr_expect(g_bytes_equal(bytes, again));
}

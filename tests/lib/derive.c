/* SPDX-License-Identifier: MIT */
#include "content/derive.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/template.h"
#include "content/content.h"
#include "content/unfilled.h"
#include "html/html.h"
#include "html/links.h"
#include "store/email/email.h"
#include "template/outline.h"

struct html *__real_html_parse(const char *source, gsize size);
struct html *__wrap_html_parse(const char *source, gsize size);

static __thread guint parses; /* others of this program have threads */

/* Stands in for the function of that name, by an option of the linker. */
struct html *
__wrap_html_parse(const char *source, gsize size)
{
	parses++;
	return __real_html_parse(source, size);
}

static struct store_email *
derive_email_of(const char *html, const char *variables)
{
	struct store_email *email = store_email_new();
	g_autoptr(GBytes) data = g_bytes_new(html, strlen(html));

	store_email_add_part(email, PART_HTML, data, NULL, NULL, NULL);
	email->variables = g_strdup(variables);
	return email;
}

static char *
derive_read_text(struct content_derived *derived, const struct store_email *email, const char *url)
{
	struct content content;

	cr_assert(content_read(email, url, derived, &content, NULL));
	gsize size;
	const char *data = g_bytes_get_data(content.text, &size);
	char *text = g_strndup(data, size);
	content_clear(&content);
	return text;
}

static char *
derive_text_of(struct content_derived *derived, const char *html, const char *variables)
{
	AUTO(store_email) email = derive_email_of(html, variables);

	return derive_read_text(derived, email, NULL);
}

/* Adds the text that is derived when an email is accepted. */
static bool
store_text(struct content_derived *derived, struct store_email *email, const char *url)
{
	g_autoptr(GBytes) text = content_derive_text(email, url, derived);

	if (text)
		store_email_add_part(email, PART_TEXT, text, NULL, NULL, NULL);
	return text;
}

/* With any values the text is that of the filled html. */
Test(derive, is_the_same_when_kept)
{
	static const char *const sources[] = {
	    "<p>Dear {{x}},</p><p>bye</p>",
	    "<p>{{x}}</p><p>{{y}}</p><p>{{x|nobody}}</p>",
	    "<a href=\"{{x}}\">here</a> <a href=\"{{x}}\">{{x}}</a> <a "
	    "href=\"https://{{x}}/\">{{y}}</a>",
	    "<p>{{{x}}}</p>",
	    "<p>&#123;&#123;x}} &lcub;{y}} {<b></b>{x}}</p>",
	    "<pre>{{x}}\n {{y}}</pre>",
	    "<p> {{x}} {{ y }} </p>",
	    "<div style=\"display:none\">{{x}}</div>&amp; {{y}}",
	    "{{x}}",
	    "<ul><li>{{x}}</li></ul><blockquote>{{y}}</blockquote>",
	    "<img alt=\"{{x}}\"><table><tr><td>{{x}}</td><td>{{y}}</td></tr></table>",
	};
	static const char *const values[] = {
	    "Anna",
	    "",
	    "A & B <i>",
	    " edges ",
	    "two  blanks",
	    "a\nline",
	    "a\tb",
	    "no\302\240break",
	    "https://example.com/x",
	    "mailto:a@b.example",
	    "#top",
	    "M\303\274ller",
	    "{{y}}",
	    "- ",
	};
	AUTO(content_derived) derived = content_derived_new();

	for (gsize i = 0; i < G_N_ELEMENTS(sources); i++)
		for (gsize j = 0; j < G_N_ELEMENTS(values); j++) {
			g_autofree char *escaped = g_strescape(values[j], "\303\274\302\240");
			g_autofree char *json =
			    g_strdup_printf("{\"x\": \"%s\", \"y\": \"Zoe\"}", escaped);
			g_autofree char *want = derive_text_of(NULL, sources[i], json);
			g_autofree char *got = derive_text_of(derived, sources[i], json);

			cr_expect_str_eq(
			    got, want, "%s with %s: got %s, want %s", sources[i], json, got, want);
			AUTO(store_email) email = derive_email_of(sources[i], json);
			store_text(derived, email, NULL);
			g_autofree char *stored = derive_read_text(derived, email, NULL);
			cr_expect_str_eq(stored, want, "%s with %s: stored %s, want %s", sources[i],
			    json, stored, want);
		}
}

/* More sources than are kept, over and over: each its own text. */
Test(derive, keeps_texts_apart)
{
	AUTO(content_derived) derived = content_derived_new();

	for (int i = 0; i < 100; i++) {
		g_autofree char *html = g_strdup_printf("<p>Number %d, {{x}}</p>", i * i % 23);
		g_autofree char *want = g_strdup_printf("Number %d, Anna\n", i * i % 23);
		g_autofree char *got = derive_text_of(derived, html, "{\"x\": \"Anna\"}");

		cr_expect_str_eq(got, want, "%d: got %s", i, got);
	}
}

#define PAGE "https://mail.example.com/t/u/"

static void
derive_add_recipients(struct store_email *email, guint count)
{
	while (count-- > 0)
		store_email_add_recipient(
		    email, RECIPIENT_TO, g_strdup_printf("u%u@example.net", count));
}

static char *
derive_print_links(const struct html_links *links)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; links && i < links->links->len; i++) {
		const struct html_link *link = &g_array_index(links->links, struct html_link, i);
		g_string_append_printf(text, "%zu+%zu ", link->start, link->size);
	}
	return g_string_free(text, FALSE);
}

/* The text and the links of one message, printed, after comparing the text with that of an email
   derived only once. The caller owns them. */
static char *
copy_of(struct content_derived *derived, const struct store_email *email, const char *url)
{
	struct content content, alone;
	guint before = parses;

	cr_assert(content_read(email, url, derived, &content, NULL));
	guint counted = parses - before;
	cr_assert(content_read(email, url, NULL, &alone, NULL));
	parses = before + counted;
	cr_expect(g_bytes_equal(content.html, alone.html));
	cr_expect(g_bytes_equal(content.text, alone.text), "%.*s",
	    (int)g_bytes_get_size(content.text),
	    (const char *)g_bytes_get_data(content.text, NULL));
	gsize size;
	const char *html = g_bytes_get_data(content.html, &size);
	AUTO(html) document = __real_html_parse(html, size);
	AUTO(html_links) links = html_links_find(document);
	g_autofree char *want = derive_print_links(links);
	g_autofree char *got = derive_print_links(content.links);
	cr_expect(!content.links || strcmp(got, want) == 0, "got %s, want %s", got, want);
	char *shown = g_strdup_printf("%.*s%s", (int)g_bytes_get_size(content.text),
	    (const char *)g_bytes_get_data(content.text, NULL), content.links ? got : "none");
	content_clear(&content);
	content_clear(&alone);
	return shown;
}

#define LINK "<a href=\"{{unsubscribe_url}}\">go</a>"
#define NEWS "<p>Dear {{x}}, <a href='https://x.org'>news</a></p>"

/* How often html is parsed for three messages of two emails in turn, each composed twice: the
   template is parsed once for all of them, unless values could change what it means. */
Test(derive, reads_an_email_once_for_all_its_copies)
{
	static const struct {
		const char *name, *html, *text;
		guint tracking, recipients, want;
	} cases[] = {
	    {"links and text", NEWS LINK, NULL, TRACK_CLICKS | TRACK_UNSUBSCRIBE, 3, 1},
	    {"text with each copy's own URL", NEWS LINK, NULL, TRACK_UNSUBSCRIBE, 3, 1},
	    {"text by way of the source", NEWS, NULL, 0, 3, 1},
	    {"links and text given", NEWS LINK, "text", TRACK_OPENS, 3, 1},
	    {"the URL in all places",
		LINK "{{unsubscribe_url}} {{unsubscribe_url}}<a href="
		     "{{unsubscribe_url}}?a=b>{{{unsubscribe_url}}}</a>{{x}}",
		NULL, TRACK_OPENS, 3, 2},
	    {"nothing", NEWS LINK, "text", TRACK_UNSUBSCRIBE, 3, 0},
	    {"one recipient", NEWS, NULL, TRACK_CLICKS, 1, 1},
	    {"an attribute that decides, once more for each email",
		"<p class='a' style='{{x}}'>a</p>" LINK, NULL, TRACK_CLICKS, 3, 3},
	    {"the same, and one recipient, whose copy is not kept", "<p style='{{x}}'>a</p>", NULL,
		TRACK_CLICKS, 1, 13},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(content_derived) derived = content_derived_new();
		AUTO(store_email) one = derive_email_of(cases[i].html, "{\"x\": \"Ann\"}");
		AUTO(store_email) other =
		    derive_email_of(cases[i].html, "{\"x\": \"Bob & <b>Co</b>\"}");
		struct store_email *const emails[] = {one, other};
		g_autoptr(GBytes) text =
		    cases[i].text ? g_bytes_new(cases[i].text, strlen(cases[i].text)) : NULL;

		for (gsize e = 0; e < G_N_ELEMENTS(emails); e++) {
			emails[e]->tracking = cases[i].tracking;
			derive_add_recipients(emails[e], cases[i].recipients);
			if (text)
				store_email_add_part(emails[e], PART_TEXT, text, NULL, NULL, NULL);
		}
		parses = 0;
		for (guint round = 0; round < 12; round++) {
			g_autofree char *url = g_strdup_printf(PAGE "copy-%u", round / 2 % 3);
			g_autofree char *got = copy_of(derived, emails[round % 2], url);
			bool has_links = cases[i].tracking & (TRACK_OPENS | TRACK_CLICKS);
			cr_expect_eq(!g_str_has_suffix(got, "none"), has_links, "%s: %s",
			    cases[i].name, got);
		}
		cr_expect_eq(parses, cases[i].want, "%s: parsed %u times, want %u", cases[i].name,
		    parses, cases[i].want);
	}
}

/* The text is stored once, and each message of the email has its own URL in it. */
Test(derive, stores_a_text_for_all_messages)
{
	static const struct {
		const char *name, *html, *variables;
		bool want;	  /* whether a text is stored */
		const char *text; /* the stored one */
	} cases[] = {
	    {"no references", "<p>Hello</p>", "{}", true, "Hello\n"},
	    {"the source's, with references", "<p>Dear {{x}}</p>", "{\"x\": \"Ann\"}", true,
		"Dear {{x}}\n"},
	    {"filled, since a value is html", "<p>{{{x}}}</p>", "{\"x\": \"<b>Ann</b>\"}", true,
		"Ann\n"},
	    {"filled, with references for the URL", LINK " {{x}}{{unsubscribe_url}}",
		"{\"x\": \"\"}", true, "go ({{unsubscribe_url}}) {{unsubscribe_url}}\n"},
	    {"a URL of the sender's own", LINK,
		"{\"unsubscribe_url\": \"https://x.org/{{unsubscribe_url}}\"}", true,
		"go ({{unsubscribe_url}})\n"},
	    {"no visible text", "<img src=x>", "{}", true, ""},
	    {"a value with braces, in a tag", "<a href='{{x}}'>{{x}}</a>",
		"{\"x\": \"https://x.org/{{y}}\"}", true, "{{x}}\n"},
	    {"a value with braces, in a tag that is no link", "<p style='{{x}}'>{{x}}",
		"{\"x\": \"https://x.org/{{y}}\"}", false, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(content_derived) derived = content_derived_new();
		AUTO(store_email) with = derive_email_of(cases[i].html, cases[i].variables);
		AUTO(store_email) without = derive_email_of(cases[i].html, cases[i].variables);

		cr_expect_eq(
		    store_text(derived, with, PAGE "a"), cases[i].want, "%s", cases[i].name);
		const struct store_body *stored = store_email_body(with, PART_TEXT);
		if (cases[i].want && stored)
			cr_expect_arr_eq(g_bytes_get_data(stored->data, NULL), cases[i].text,
			    strlen(cases[i].text), "%s", cases[i].name);
		parses = 0;
		for (guint message = 0; message < 3; message++) {
			g_autofree char *url = g_strdup_printf(PAGE "%u", message);
			g_autofree char *got = derive_read_text(derived, with, url);
			guint parsed = parses;
			g_autofree char *want = derive_read_text(NULL, without, url);

			parses = parsed;
			cr_expect_str_eq(
			    got, want, "%s: got %s, want %s", cases[i].name, got, want);
		}
		cr_expect_eq(parses > 0, !cases[i].want, "%s: parsed again", cases[i].name);
	}
}

/* Html that is parsed, since an element is not closed. The caller owns it. */
static char *
unclosed(gsize size)
{
	char *html = g_strnfill(size, 'x');

	memcpy(html, "<p>", strlen("<p>"));
	return html;
}

/* Html of one email is read without a parser; when it comes again, it is parsed for all that may
   come. */
Test(derive, parses_html_without_references_when_it_comes_again)
{
	static const guint want[] = {0, 1, 0, 0};
	AUTO(content_derived) derived = content_derived_new();

	for (guint i = 0; i < 40; i++) {
		g_autofree char *html = g_strdup_printf("<p>Number %u</p>", i);
		g_autofree char *text = g_strdup_printf("Number %u\n", i);

		for (guint time = 0; time < (i == 20 ? G_N_ELEMENTS(want) : 1); time++) {
			AUTO(store_email) email = derive_email_of(html, "{}");

			parses = 0;
			cr_assert(store_text(derived, email, PAGE "a"));
			cr_expect_eq(parses, want[time], "%u, time %u: %u", i, time, parses);
			g_autofree char *got = derive_read_text(NULL, email, NULL);
			cr_expect_str_eq(got, text);
		}
	}
}

Test(derive, stores_no_text_that_takes_long)
{
	AUTO(content_derived) derived = content_derived_new();

	for (guint past = 0; past <= 1; past++) {
		g_autofree char *html = unclosed(256 * 1024 + past);
		AUTO(store_email) email = derive_email_of(html, "{}");

		parses = 0;
		cr_expect_eq(store_text(derived, email, PAGE "a"), !past);
		cr_expect_eq(parses, !past);
	}
}

/* Messages of two emails in turn: while both fit into the cache, each html is parsed once. */
Test(derive, keeps_no_more_than_it_may)
{
	for (guint past = 0; past <= 1; past++) {
		AUTO(content_derived) derived = content_derived_new();
		gsize size = LIMIT_DERIVED_KEPT_BYTES / 2 + past;
		g_autofree char *html = unclosed(strlen("<p>") + size - 1);
		AUTO(store_email) one = derive_email_of(html, "{}");
		AUTO(store_email) other = derive_email_of(html, "{}");

		one->tracking = other->tracking = TRACK_UNSUBSCRIBE;
		derive_add_recipients(one, 2);
		derive_add_recipients(other, 2);
		parses = 0;
		for (guint round = 0; round < 6; round++)
			g_free(copy_of(derived, round % 2 ? other : one, PAGE "a"));
		cr_expect_eq(parses, past ? 6 : 2, "%zu bytes each: parsed %u times", size, parses);
	}
}

/* Html whose outline is large: each line is indented three times. */
static char *
large_html(guint number)
{
	GString *html = g_string_new("<ul><ul><ul><pre>{{x}}");

	g_string_append_printf(html, "%u", number);
	while (html->len < UNFILLED_SIZE)
		g_string_append(html, "\nxx");
	g_string_truncate(html, UNFILLED_SIZE);
	return g_string_free(html, FALSE);
}

static gsize
outline_size(const char *html)
{
	AUTO(template_outline) outline = template_outline_read(html, strlen(html));

	cr_assert(outline);
	return template_outline_size(outline);
}

/* As many outlines in turn as fit, and one more. */
Test(derive, keeps_no_more_outlines_than_it_may)
{
	g_autofree char *first = large_html(0);
	guint most = LIMIT_UNFILLED_KEPT_BYTES / outline_size(first);

	cr_assert(most >= 2 && most < 16, "%u fit", most);
	for (guint past = 0; past <= 1; past++) {
		AUTO(content_derived) derived = content_derived_new();

		parses = 0;
		for (guint i = 0; i < 3 * (most + past); i++) {
			g_autofree char *html = large_html(i % (most + past));
			g_free(derive_text_of(derived, html, "{\"x\": \"Ann\"}"));
		}
		cr_expect_eq(
		    parses, past ? 3 * (most + 1) : most, "%u: parsed %u times", past, parses);
	}
}

/* A text that is cut off is, too. */
Test(derive, is_the_same_where_it_is_cut)
{
	static const char deep[] = "<blockquote><blockquote><blockquote><ul><ul><ul><ul><pre>";
	AUTO(content_derived) derived = content_derived_new();
	g_autoptr(GString) html = g_string_new(deep);

	for (int i = 0; i < 100; i++)
		g_string_append(html, "\na{{x}}\nb");
	for (guint length = 0; length < 40; length++) {
		g_autofree char *value = g_strnfill(length, 'v');
		g_autofree char *json = g_strdup_printf("{\"x\": \"%s\"}", value);
		g_autofree char *want = derive_text_of(NULL, html->str, json);
		g_autofree char *got = derive_text_of(derived, html->str, json);
		cr_expect_str_eq(
		    got, want, "%u: got %zu bytes, want %zu", length, strlen(got), strlen(want));
	}
}

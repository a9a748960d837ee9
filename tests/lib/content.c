/* SPDX-License-Identifier: MIT */
#include "content/content.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "store/email/email.h"

static struct store_email *
content_email_of(const char *html, const char *text, const char *variables)
{
	struct store_email *email = store_email_new();
	const char *const sources[] = {html, text};
	const enum store_email_part_role roles[] = {PART_HTML, PART_TEXT};

	for (gsize i = 0; i < G_N_ELEMENTS(sources); i++) {
		if (!sources[i])
			continue;
		g_autoptr(GBytes) data = g_bytes_new(sources[i], strlen(sources[i]));
		store_email_add_part(email, roles[i], data, NULL, NULL, NULL);
	}
	email->variables = g_strdup(variables);
	return email;
}

static char *
content_text_of(GBytes *bytes)
{
	gsize size = 0;
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return bytes ? g_strndup(size > 0 ? data : "", size) : g_strdup("(none)");
}

Test(content, is_filled_in)
{
	static const struct {
		const char *name, *html, *text, *variables, *want_html, *want_text;
	} cases[] = {
	    {"as given", "<b>&amp;</b>", "t & t", "{}", "<b>&amp;</b>", "t & t"},
	    {"escaped in html alone", "<i>{{x}}</i>{{{x}}}", "{{x}} {{{x}}}",
		"{\"x\": \"<a>&'\\\"\"}", "<i>&lt;a&gt;&amp;&#39;&quot;</i><a>&'\"",
		"<a>&'\" <a>&'\""},
	    {"text of the filled html", "<p>Dear {{x}},</p><p>bye</p>", NULL, "{\"x\": \"A & B\"}",
		"<p>Dear A &amp; B,</p><p>bye</p>", "Dear A & B,\n\nbye\n"},
	    {"an empty text stays empty", "<p>x</p>", "", "{}", "<p>x</p>", ""},
	    {"empty after filling in", "{{x}}", NULL, "{\"x\": \"\"}", "", ""},
	    {"text alone", NULL, "only {{x}}", "{\"x\": 1}", "(none)", "only 1"},
	    {"nothing", NULL, NULL, "{}", "(none)", ""},
	    {"not searched", "{{x|y}} {{{unsubscribe_url}}}", "{{x}} {{", NULL,
		"{{x|y}} {{{unsubscribe_url}}}", "{{x}} {{"},
	    {"not searched, text of the html", "<p>{{x|y}}</p>{{", NULL, NULL, "<p>{{x|y}}</p>{{",
		"{{x|y}}\n\n{{\n"},
	    {"braces that are none", "a{b{c}} {{ a b }}", "{{", "{}", "a{b{c}} {{ a b }}", "{{"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(store_email) email =
		    content_email_of(cases[i].html, cases[i].text, cases[i].variables);
		struct content content;
		g_autoptr(GError) error = NULL;

		cr_assert(content_read(email, NULL, NULL, &content, &error), "%s: %s",
		    cases[i].name, error ? error->message : "");
		g_autofree char *html = content_text_of(content.html);
		g_autofree char *text = content_text_of(content.text);
		cr_expect_str_eq(html, cases[i].want_html, "%s: html: got %s", cases[i].name, html);
		cr_expect_str_eq(text, cases[i].want_text, "%s: text: got %s", cases[i].name, text);
		content_clear(&content);
	}
}

/* A variable of a MiB, so many times. */
static char *
references(guint count)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < count; i++)
		g_string_append(text, "{{x}}");
	return g_string_free(text, FALSE);
}

Test(content, swells_no_further_than_its_limit)
{
	g_autofree char *value = g_strnfill(LIMIT_MIB, 'a');
	g_autofree char *variables = g_strdup_printf("{\"x\": \"%s\"}", value);
	const guint most = LIMIT_RENDERED_BYTES / LIMIT_MIB;

	for (guint past = 0; past <= 1; past++) {
		for (guint in_text = 0; in_text <= 1; in_text++) {
			g_autofree char *source = references(most + past);
			AUTO(store_email) email = content_email_of(
			    in_text ? "<p>x</p>" : source, in_text ? source : "x", variables);
			struct content content;
			g_autoptr(GError) error = NULL;

			bool done = content_read(email, NULL, NULL, &content, &error);
			cr_expect_eq(done, !past, "%u references", most + past);
			if (done)
				content_clear(&content);
			else
				cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE),
				    "%s", error->message);
		}
	}
}

/* Value and references are so long that the result has 4 GiB, and 6 times that as entities: neither
   fits into 32 bits. */
Test(content, is_checked_for_sizes_past_32_bits)
{
	g_autofree char *source = references(65536);
	g_autofree char *value = g_strnfill(65536, '<');
	g_autofree char *variables = g_strdup_printf("{\"x\": \"%s\"}", value);
	AUTO(store_email) email = content_email_of(source, NULL, variables);
	g_autoptr(GError) error = NULL;

	cr_assert_not(content_check(email, NULL, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE));
	cr_expect(g_str_has_prefix(error->message, "html: "), "%s", error->message);
}

Test(content, of_a_damaged_row_is_a_fault)
{
	AUTO(store_email) email = content_email_of("x", NULL, "{\"x\"");
	struct content content;

	cr_expect_not(content_read(email, NULL, NULL, &content, NULL));
}

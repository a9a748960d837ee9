#include "core/derive.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/content.h"
#include "store/email.h"

static struct email *
email_of(const char *html, const char *variables)
{
	struct email *email = store_email_new();
	g_autoptr(GBytes) data = g_bytes_new(html, strlen(html));

	store_email_add_part(email, PART_HTML, data, NULL, NULL, NULL);
	email->variables = g_strdup(variables);
	return email;
}

static char *
text_of(struct derived *derived, const char *html, const char *variables)
{
	AUTO(email) email = email_of(html, variables);
	struct content content;

	cr_assert(core_content_read(email, NULL, derived, &content, NULL), "%s", html);
	gsize size;
	const char *data = g_bytes_get_data(content.text, &size);
	char *text = g_strndup(data, size);
	core_content_clear(&content);
	return text;
}

/* Whatever the values, a text is that of the filled html. */
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
	AUTO(derived) derived = core_derived_new();

	for (gsize i = 0; i < G_N_ELEMENTS(sources); i++)
		for (gsize j = 0; j < G_N_ELEMENTS(values); j++) {
			g_autofree char *escaped = g_strescape(values[j], "\303\274\302\240");
			g_autofree char *json =
			    g_strdup_printf("{\"x\": \"%s\", \"y\": \"Zoe\"}", escaped);
			g_autofree char *want = text_of(NULL, sources[i], json);
			g_autofree char *got = text_of(derived, sources[i], json);

			cr_expect_str_eq(
			    got, want, "%s with %s: got %s, want %s", sources[i], json, got, want);
		}
}

/* More sources than are kept, over and over: each its own text. */
Test(derive, keeps_texts_apart)
{
	AUTO(derived) derived = core_derived_new();

	for (int i = 0; i < 100; i++) {
		g_autofree char *html = g_strdup_printf("<p>Number %d, {{x}}</p>", i * i % 23);
		g_autofree char *want = g_strdup_printf("Number %d, Anna\n", i * i % 23);
		g_autofree char *got = text_of(derived, html, "{\"x\": \"Anna\"}");

		cr_expect_str_eq(got, want, "%d: got %s", i, got);
	}
}

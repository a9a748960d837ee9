/* SPDX-License-Identifier: MIT */
#include "content/template.h"

#include <criterion/criterion.h>

#include "base/limits/template.h"
#include "store/template/template.h"

static GBytes *
template_bytes(const char *text)
{
	return text ? g_bytes_new_static(text, strlen(text)) : NULL;
}

Test(template, is_checked_before_it_is_stored)
{
	g_autofree char *fits = g_strnfill(LIMIT_TEMPLATE_ID_LENGTH, 'a');
	g_autofree char *past = g_strnfill(LIMIT_TEMPLATE_ID_LENGTH + 1, 'a');
	const struct {
		const char *name;
		const char *id, *html, *text, *subject, *variables;
		const char *want; /* "": it can be stored */
	} cases[] = {
	    {"good", "a-B_9", "<p>{{x}}</p>", "{{x}}", "{{ x|y }}", "{\"x\": 1.0}", ""},
	    {"html alone", "a", "x", NULL, NULL, "{}", ""},
	    {"longest id", fits, "x", NULL, NULL, "{}", ""},
	    {"id too long", past, "x", NULL, NULL, "{}",
		"id must be 1 to 64 letters, digits, - and _"},
	    {"empty id", "", "x", NULL, NULL, "{}", "id must be 1 to 64 letters, digits, - and _"},
	    {"id with a slash", "a/b", "x", NULL, NULL, "{}",
		"id must be 1 to 64 letters, digits, - and _"},
	    {"id in another script", "\303\274", "x", NULL, NULL, "{}",
		"id must be 1 to 64 letters, digits, - and _"},
	    {"no html", "a", NULL, NULL, NULL, "{}", "html is required"},
	    {"empty html", "a", "", NULL, NULL, "{}", "html is required"},
	    {"broken html", "a", "a\n{{x", NULL, NULL, "{}", "html: "},
	    {"broken text", "a", "x", "{{ x", NULL, "{}", "text: "},
	    {"broken subject", "a", "x", NULL, "{{}}", "{}", "subject: "},
	    {"a style sheet", "a", "<style>a{b{c}}</style>", NULL, NULL, "{}", ""},
	    {"empty text", "a", "x", "", NULL, "{}", ""},
	    {"line break in the subject", "a", "x", NULL, "a\nb", "{}",
		"subject must not contain control characters"},
	    {"string default", "a", "x", NULL, NULL, "{\"x\": \"s\"}", ""},
	    {"null default", "a", "x", NULL, NULL, "{\"x\": null}",
		"variables.x must be a string or a number"},
	    {"object default", "a", "x", NULL, NULL, "{\"x\": {}}",
		"variables.x must be a string or a number"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) html = template_bytes(cases[i].html);
		g_autoptr(GBytes) text = template_bytes(cases[i].text);
		const struct store_template given = {.id = (char *)cases[i].id,
		    .name = (char *)"name",
		    .html = html,
		    .text = text,
		    .subject = (char *)cases[i].subject,
		    .variables = (char *)cases[i].variables};
		g_autoptr(GError) error = NULL;
		bool done = content_template_check(&given, &error);
		const char *got = error ? error->message : "";

		cr_expect_eq(done, !*cases[i].want, "%s: %s", cases[i].name, got);
		/* template/template.h checks the syntax. */
		if (g_str_has_suffix(cases[i].want, ": "))
			cr_expect(
			    g_str_has_prefix(got, cases[i].want), "%s: got %s", cases[i].name, got);
		else
			cr_expect_str_eq(got, cases[i].want, "%s: got %s, want %s", cases[i].name,
			    got, cases[i].want);
	}
}

/* SPDX-License-Identifier: MIT */
#include "html/flow.h"

#include <criterion/criterion.h>
#include <glib.h>

#include "base/limits/template.h"

Test(link, writes_where_a_link_leads)
{
	static const struct {
		const char *href;
		const char *want; /* NULL: nowhere */
	} cases[] = {
	    {"https://x.org/a?b=c#d", "https://x.org/a?b=c#d"},
	    {"/relative", "/relative"},
	    {"{{{url}}}", "{{{url}}}"},
	    {" https://x.org\n", "https://x.org"},
	    {"https://x.org/a b\tc\r\nd", "https://x.org/a%20bcd"},
	    {"https://x.org/\x1b[2J\x7f", "https://x.org/[2J"},
	    {"https://bücher.de", "https://bücher.de"},
	    {"mailto:a@b.co", "a@b.co"},
	    {"MailTo:a@b.co?subject=x", "a@b.co"},
	    {"mailto:?subject=x", NULL},
	    {"tel:+49 30 1", "+49 30 1"},
	    {"tel:+49%2030%201;ext=5", "+49 30 1;ext=5"},
	    {"mailto:a%2Bb@b.co", "a+b@b.co"},
	    {"mailto:%C3%A4@b.co?subject=%20", "ä@b.co"},
	    {"mailto:a%0d%0ab@b.co", "a%0d%0ab@b.co"},
	    {"mailto:a%E2%80%A8b@b.co", "a%E2%80%A8b@b.co"},
	    {"mailto:a%ff@b.co", "a%ff@b.co"},
	    {"mailto:a%00@b.co", "a%00@b.co"},
	    {"mailto:a%@b.co", "a%@b.co"},
	    {"https://x.org/%20", "https://x.org/%20"},
	    {"sms:+4930", "+4930"},
	    {"", NULL},
	    {"  ", NULL},
	    {"#", NULL},
	    {"#top", NULL},
	    {"javascript:alert(1)", NULL},
	    {"java\nscript:alert(1)", NULL},
	    {"JavaScript:alert(1)", NULL},
	    {"data:text/plain,x", NULL},
	    {"cid:logo", NULL},
	    {"about:blank", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = html_flow_url(cases[i].href);
		cr_expect(g_strcmp0(got, cases[i].want) == 0, "%s: got %s, want %s", cases[i].href,
		    got, cases[i].want);
	}
}

Test(link, leaves_out_links_that_are_too_long)
{
	for (gsize past = 0; past <= 1; past++) {
		g_autofree char *href = g_strnfill(LIMIT_SHOWN_LINK_BYTES + past, 'x');
		g_autofree char *got = html_flow_url(href);

		cr_expect_eq(got != NULL, past == 0);
	}
}

Test(link, sees_where_the_text_says_it_already)
{
	static const struct {
		const char *text;
		const char *url;
		bool want;
	} cases[] = {
	    {"https://x.org/a", "https://x.org/a", true},
	    {"HTTPS://X.org/a", "https://x.org/a", true},
	    {"x.org", "https://x.org/", true},
	    {"x.org/", "https://x.org", true},
	    {"x.org/a/", "https://x.org/a/", true},
	    {"https://x.org", "https://x.org/", true},
	    {"a@b.co", "a@b.co", true},
	    {"https://x.org", "https://y.org", false},
	    {"https://x.org", "http://x.org", false},
	    {"x.org", "https://x.org/a", false},
	    {"x.org/a", "https://x.org", false},
	    {"x.organ", "https://x.org", false},
	    {"", "https://x.org", false},
	    {"https://", "https://x.org", false},
	    {"x", "://", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = html_flow_says_url(cases[i].text, cases[i].url);
		cr_expect_eq(
		    got, cases[i].want, "%s, %s: got %d", cases[i].text, cases[i].url, got);
	}
}

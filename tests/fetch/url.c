/* SPDX-License-Identifier: MIT */
/* Tests reading, resolving and checking URLs. */
#include "fetch/url.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "base/limits/email.h"
#include "fetch/fetch.h"

Test(url, reads_what_is_a_url_and_nothing_else)
{
	static const struct {
		const char *url, *want; /* NULL: refused */
	} cases[] = {
	    {"http://example.com", "http://example.com/"},
	    {"https://example.com/a/b.pdf?x=1&y", "https://example.com/a/b.pdf?x=1&y"},
	    {"HTTPS://example.com/", "https://example.com/"},
	    {"http://example.com:8080/a", "http://example.com:8080/a"},
	    {"http://example.com:65535/", "http://example.com:65535/"},
	    {"http://example.com/a#b", "http://example.com/a"},
	    {"http://example.com?x", "http://example.com/?x"},
	    {"http://example.com./", "http://example.com./"},
	    {"http://192.0.2.1/", "http://192.0.2.1/"},
	    {"http://[2001:db8::1]:81/", "http://[2001:db8::1]:81/"},
	    {"http://example.com/a%20b", "http://example.com/a%20b"},
	    {"http://example.com/é?é", "http://example.com/%c3%a9?%c3%a9"},
	    {"http://bücher.example/", "http://xn--bcher-kva.example/"},
	    {"http://\331\206\330\247\331\205\331\207\342\200\214\330\247\333\214.example/",
		"http://xn--mgba3gch31f060k.example/"},
	    {"http://a\342\200\214b.example/", NULL},
	    {"http://example.com/a@b:c", "http://example.com/a@b:c"},
	    {"", NULL},
	    {"example.com", NULL},
	    {"//example.com/", NULL},
	    {"/a", NULL},
	    {"http:", NULL},
	    {"http:/", NULL},
	    {"http://", NULL},
	    {"http:example.com/", NULL},
	    {"http:/example.com/", NULL},
	    {"http:///example.com/", NULL},
	    {"http://?x", NULL},
	    {"http://#x", NULL},
	    {"http://:80/", NULL},
	    {"http://\\example.com/", NULL},
	    {"http://a\\b/", NULL},
	    {"ftp://example.com/", NULL},
	    {"file:///etc/passwd", NULL},
	    {"file://localhost/etc/passwd", NULL},
	    {"gopher://example.com/", NULL},
	    {"dict://example.com/", NULL},
	    {"httpx://example.com/", NULL},
	    {"data:,x", NULL},
	    {"javascript://example.com/", NULL},
	    {"http://user@example.com/", NULL},
	    {"http://user:pass@example.com/", NULL},
	    {"http://:pass@example.com/", NULL},
	    {"http://@example.com/", NULL},
	    {"http://example.com\\@example.org/", NULL},
	    {"http://example.com:65536/", NULL},
	    {"http://example.com:80a/", NULL},
	    {"http://example.com:-1/", NULL},
	    {"http://[::1/", NULL},
	    {"http://[::g]/", NULL},
	    {"http://exa mple.com/", NULL},
	    {" http://example.com/", NULL},
	    {"http://example.com/ ", NULL},
	    {"http://example.com/a b", NULL},
	    {"http://example.com/\t", NULL},
	    {"http://example.com/\r\nX: y", NULL},
	    {"http://example.com/\x01", NULL},
	    {"http://example.com/\x7f", NULL},
	    {"http://example.com/\xc2\x85", NULL},     /* U+0085, a control character */
	    {"http://example.com/\xe2\x80\xa8", NULL}, /* U+2028, a space */
	    {"http://example.com/\xff", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = fetch_url_parse(cases[i].url);
		g_autofree char *lower = got ? g_ascii_strdown(got, -1) : NULL;
		cr_expect(g_strcmp0(lower, cases[i].want) == 0, "%s: got %s, want %s", cases[i].url,
		    got, cases[i].want);
		cr_expect_eq(fetch_url_valid(cases[i].url), cases[i].want != NULL,
		    "%s: valid says otherwise", cases[i].url);
	}
}

static char *
fetch_url_url_of(gsize length)
{
	g_autofree char *path = g_strnfill(length - strlen("http://example.com/"), 'a');

	return g_strconcat("http://example.com/", path, NULL);
}

Test(url, is_as_long_as_the_limit_at_most)
{
	g_autofree char *longest = fetch_url_url_of(LIMIT_URL_LENGTH);
	g_autofree char *longer = fetch_url_url_of(LIMIT_URL_LENGTH + 1);
	g_autofree char *target = fetch_url_resolve("http://example.org/", longest);
	g_autofree char *too_long = fetch_url_resolve("http://example.org/", longer);

	cr_expect(fetch_url_valid(longest));
	cr_expect_not(fetch_url_valid(longer));
	cr_expect(target != NULL, "as the target of a redirect");
	cr_expect(too_long == NULL, "as the target of a redirect");
}

Test(url, resolves_where_a_redirect_leads)
{
	static const struct {
		const char *location, *want; /* NULL: refused */
	} cases[] = {
	    {"/c", "https://example.com:81/c"},
	    {"c", "https://example.com:81/a/c"},
	    {"../c", "https://example.com:81/c"},
	    {"../../../c", "https://example.com:81/c"},
	    {"?y", "https://example.com:81/a/b?y"},
	    {"//example.org/c", "https://example.org/c"},
	    {"http://example.org", "http://example.org/"},
	    {"http://example.org/c d", "http://example.org/c%20d"},
	    {"/\xe9", "https://example.com:81/%e9"},
	    {"c#d", "https://example.com:81/a/c"},
	    {"file:///etc/passwd", NULL},
	    {"ftp://example.org/", NULL},
	    {"gopher://example.org/", NULL},
	    {"http://user:pass@example.org/", NULL},
	    {"//user@example.org/", NULL},
	    {"http://", NULL},
	    {"http://exa mple.org/", NULL},
	    {"/\x01", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    fetch_url_resolve("https://example.com:81/a/b?x", cases[i].location);
		g_autofree char *lower = got ? g_ascii_strdown(got, -1) : NULL;
		cr_expect(g_strcmp0(lower, cases[i].want) == 0, "%s: got %s, want %s",
		    cases[i].location, got, cases[i].want);
	}
}

Test(url, shows_foreign_text_in_a_line)
{
	g_autofree char *line = fetch_url_show("a\r\nb\x1b[1m\xff é\xe2\x80\xae");
	g_autofree char *hundred = g_strnfill(100, 'a');
	g_autofree char *more = g_strnfill(101, 'a');
	g_autofree char *whole = fetch_url_show(hundred);
	g_autofree char *cut = fetch_url_show(more);
	g_autofree char *want = g_strconcat(hundred, "...", NULL);

	cr_expect_str_eq(line, "a??b?[1m\xef\xbf\xbd é?", "got %s", line);
	cr_expect_str_eq(whole, hundred, "got %s", whole);
	cr_expect_str_eq(cut, want, "got %s", cut);
}

/* URLs are checked before any name is resolved. */
Test(url, is_judged_by_the_address_and_port_that_stand_in_it)
{
	static const char *const allow[] = {"127.0.0.2/32", "10.0.0.0/8", NULL};
	static const char *const local[] = {"127.0.0.1", NULL};
	static const char *const ports[] = {"8080", NULL};
	static const struct fetch_rules none, rules = {allow, ports}, loopback = {local, NULL};
	static const struct {
		const char *url;
		enum fetch_fault want, want_by_rules;
		guint want_port;
	} cases[] = {
	    {"http://example.com/", FETCH_URL_GOOD, FETCH_URL_GOOD, 80},
	    {"https://example.com", FETCH_URL_GOOD, FETCH_URL_GOOD, 443},
	    {"https://example.com:80/", FETCH_URL_GOOD, FETCH_URL_GOOD, 80},
	    {"http://example.com:8080/", FETCH_URL_PORT, FETCH_URL_GOOD, 8080},
	    {"http://example.com:8081/", FETCH_URL_PORT, FETCH_URL_PORT, 8081},
	    {"http://9.9.9.9/", FETCH_URL_GOOD, FETCH_URL_GOOD, 80},
	    {"http://9.9.9.9:22/", FETCH_URL_PORT, FETCH_URL_PORT, 22},
	    {"http://[2620:fe::fe]/", FETCH_URL_GOOD, FETCH_URL_GOOD, 80},
	    {"http://[2620:fe::fe]:22/", FETCH_URL_PORT, FETCH_URL_PORT, 22},
	    {"http://127.0.0.1/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://127.0.0.1:22/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 22},
	    {"http://127.0.0.2:22/", FETCH_URL_PRIVATE, FETCH_URL_GOOD, 22},
	    {"http://127.2/", FETCH_URL_PRIVATE, FETCH_URL_GOOD, 80},
	    {"http://0x7f.2:22/", FETCH_URL_PRIVATE, FETCH_URL_GOOD, 22},
	    {"http://10.1.2.3:22/", FETCH_URL_PRIVATE, FETCH_URL_GOOD, 22},
	    {"http://167772161/", FETCH_URL_PRIVATE, FETCH_URL_GOOD, 80}, /* 10.0.0.1 */
	    {"http://127.0.0.1./", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://2130706433/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://0177.0.0.1/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://%31%32%37.0.0.1/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/", FETCH_URL_PRIVATE,
		FETCH_URL_PRIVATE, 80},
	    {"http://0/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://[::1]/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://[::ffff:9.9.9.9]/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://[64:ff9b::127.0.0.1]/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://[fe80::1%25lo]/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://localhost/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://LOCALHOST./", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 80},
	    {"http://a.Localhost:8080/", FETCH_URL_PRIVATE, FETCH_URL_PRIVATE, 8080},
	    {"http://notlocalhost/", FETCH_URL_GOOD, FETCH_URL_GOOD, 80},
	    {"ftp://example.com/", FETCH_URL_MALFORMED, FETCH_URL_MALFORMED, 0},
	    {"http://u:p@example.com/", FETCH_URL_MALFORMED, FETCH_URL_MALFORMED, 0},
	};
	guint port;

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_expect_eq(
		    fetch_url_check(cases[i].url, &none, &port), cases[i].want, "%s", cases[i].url);
		cr_expect_eq(port, cases[i].want_port, "%s: got %u", cases[i].url, port);
		cr_expect_eq(fetch_url_check(cases[i].url, &rules, &port), cases[i].want_by_rules,
		    "%s, with rules", cases[i].url);
	}
	/* An address of localhost is permitted, but no address stands in the URL. */
	cr_expect_eq(fetch_url_check("http://localhost/", &loopback, &port), FETCH_URL_GOOD);
	cr_expect_eq(fetch_url_check("http://localhost:8080/", &loopback, &port), FETCH_URL_PORT);
	cr_expect_eq(fetch_url_check("http://127.0.0.1:8080/", &loopback, &port), FETCH_URL_GOOD);
}

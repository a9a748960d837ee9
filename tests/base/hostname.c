/* SPDX-License-Identifier: MIT */
/* Tests domain names: valid ones, their ASCII form, and their registrable part. */
#include "text/hostname.h"

#include <criterion/criterion.h>
#include <string.h>

#define LABEL63 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"
#define NAME253                                                                                    \
	LABEL63 "." LABEL63 "." LABEL63                                                            \
		".abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi"

Test(hostname, ascii_form)
{
	/* want NULL: refused; "=": unchanged */
	static const struct {
		const char *name, *want;
	} cases[] = {
	    {"example.com", "="},
	    {"a.b", "="},
	    {"3com.com", "="},
	    {"r3---sn.example.com", "="},
	    {"ExAmple.COM", "example.com"},
	    {"example.com.", "example.com"},
	    {"example.com..", NULL},
	    {"example..com", NULL},
	    {".example.com", NULL},
	    {".", NULL},
	    {"", NULL},
	    {"localhost", NULL},
	    {"localhost.", NULL},
	    {"com", NULL},
	    {"foo_bar.com", NULL},
	    {"-a.com", NULL},
	    {"a-.com", NULL},
	    {"a.-com", NULL},
	    {"a b.com", NULL},
	    {" example.com", NULL},
	    {"example.com\n", NULL},
	    {"a/b.com", NULL},
	    {"a@b.com", NULL},
	    {"a.com:25", NULL},
	    {"*.example.com", NULL},
	    {"127.0.0.1", NULL},
	    {"127.0.0.1.", NULL},
	    {"1.2", NULL},
	    {"example.123", NULL},
	    {"example.0x7f", NULL},
	    {"127.0.0.0X7F", NULL},
	    {"example.0x", NULL},
	    {"example.0xg", "="},
	    {"example.12a", "="},
	    {"[127.0.0.1]", NULL},
	    {"::1", NULL},
	    {"[::1]", NULL},
	    {"::ffff:1.2.3.a", NULL},
	    {LABEL63 ".com", "="},
	    {LABEL63 "l.com", NULL},
	    {NAME253, "="},
	    {NAME253 ".", NAME253},
	    {NAME253 "j", NULL},
	    /* other scripts */
	    {"M\303\234LLER.de", "xn--mller-kva.de"},
	    {"mu\314\210ller.de", "xn--mller-kva.de"},
	    {"fa\303\237.de", "xn--fa-hia.de"},
	    {"\316\262\317\214\316\273\316\277\317\202.com", "xn--nxasmm1c.com"},
	    {"\344\276\213\343\201\210.\343\203\206\343\202\271\343\203\210",
		"xn--r8jz45g.xn--zckzah"},
	    {"b\303\274cher\343\200\202example", "xn--bcher-kva.example"},
	    {"\357\275\201\357\275\202\357\275\203.com", "abc.com"},
	    {"b\303\274cher.example\343\200\202", "xn--bcher-kva.example"},
	    {"\303\274..de", NULL},
	    {"\303\274.\342\221\240\342\221\241", NULL}, /* circled 1 and 2: digits in the end */
	    {"\342\204\200.com", NULL},			 /* one character for a/c */
	    {"\303\274 x.de", NULL},
	    {"-\303\274.de", NULL},
	    /* joiners stay where the script has them, and are refused elsewhere */
	    {"\340\266\232\340\267\212\342\200\215\340\266\273.com", "xn--3zc0eybz95j.com"},
	    {"\331\206\330\247\331\205\331\207\342\200\214\330\247\333\214.com",
		"xn--mgba3gch31f060k.com"},
	    {"\331\206\330\247\331\205\331\207\330\247\333\214.com", "xn--mgba3gch31f.com"},
	    {"xn--3zc0eybz95j.com", "="},
	    {"xn--mgba3gch31f060k.com", "="},
	    {"nameof\342\200\215.com", NULL},
	    {"a\342\200\214b.com", NULL},
	    {"xn--ab-j1t.com", NULL}, /* the same */
	    /* other characters that need a context */
	    {"l\302\267l.com", "xn--ll-0ea.com"},
	    {"a\302\267b.com", NULL},
	    {"\331\241\333\261.com", NULL}, /* digits of two kinds */
	    /* no letters */
	    {"\342\230\225.com", NULL},
	    {"\327\220a.com", NULL}, /* both directions */
	    /* A-labels */
	    {"XN--MLLER-KVA.de", "xn--mller-kva.de"},
	    {"xn--mller-kva.xn--zckzah", "="},
	    {"xn--.de", NULL},
	    {"xn--abc-.de", NULL},
	    {"xn--zzzzzzzz--.de", NULL},
	    {"xn--99999999999999.de", NULL},
	    {"xn--a.com", NULL}, /* a control character */
	    {"xn--\303\274.de", NULL},
	    /* no text */
	    {"\xff.com", NULL},
	    {"a\xc3.com", NULL},
	    {"a\xc0\xae.com", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *want = cases[i].want ? cases[i].want : "NULL";
		g_autofree char *got = text_hostname_ascii(cases[i].name);

		if (!strcmp(want, "="))
			want = cases[i].name;
		cr_expect_str_eq(got ? got : "NULL", want, "'%s': got %s, want %s", cases[i].name,
		    got ? got : "NULL", want);
	}
}

Test(hostname, ascii_form_is_its_own)
{
	static const char *const names[] = {"M\303\234LLER.de", "fa\303\237.de", "a.example.com."};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *once = text_hostname_ascii(names[i]);
		g_autofree char *twice = text_hostname_ascii(once);

		cr_expect_str_eq(once, twice);
	}
}

Test(hostname, hosts_of_urls)
{
	/* want NULL: refused */
	static const struct {
		const char *name, *want;
	} cases[] = {
	    {"B\303\274cher.example.", "xn--bcher-kva.example"},
	    {"\303\274", "xn--tda"},
	    {"mail_1.b\303\274cher.example", "mail_1.xn--bcher-kva.example"},
	    {"LOCALHOST", "localhost"},
	    {"\340\266\232\340\267\212\342\200\215\340\266\273", "xn--3zc0eybz95j"},
	    {"a\342\200\215b", NULL},
	    {"\342\204\200.com", NULL},
	    {"\303\274 x.de", NULL},
	    {"127.0.0.1", "127.0.0.1"},
	    {"\357\274\221\357\274\222\357\274\227.0.0.1", "127.0.0.1"}, /* wide digits */
	    {"", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *want = cases[i].want ? cases[i].want : "NULL";
		g_autofree char *got = text_hostname_host(cases[i].name);

		cr_expect_str_eq(got ? got : "NULL", want, "'%s': got %s, want %s", cases[i].name,
		    got ? got : "NULL", want);
	}
}

Test(hostname, huge_names_are_refused)
{
	g_autofree char *name = g_strnfill(10 << 20, 'a');

	memcpy(name + 100, "\303\274.", 3);
	cr_expect_null(text_hostname_ascii(name));
}

Test(hostname, registrable_domain)
{
	static const struct {
		const char *name, *want;
	} cases[] = {
	    {"example.com", "example.com"},
	    {"a.b.example.com", "example.com"},
	    {"com", NULL},
	    {"example.co.uk", "example.co.uk"},
	    {"a.b.example.co.uk", "example.co.uk"},
	    {"co.uk", NULL},
	    {"a.city.kawasaki.jp", "city.kawasaki.jp"}, /* an exception of the list */
	    {"x.ck", NULL},				/* *.ck */
	    {"a.xn--55qx5d.cn", "a.xn--55qx5d.cn"},
	    {"b.a.xn--55qx5d.cn", "a.xn--55qx5d.cn"},
	    {"xn--55qx5d.cn", NULL},
	    {"posthouse.test", "posthouse.test"}, /* unknown to the list */
	    {"a.posthouse.test", "posthouse.test"},
	    {"test", NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *got = text_hostname_registrable(cases[i].name);
		const char *want = cases[i].want;

		cr_expect_str_eq(got ? got : "NULL", want ? want : "NULL", "%s: got %s, want %s",
		    cases[i].name, got ? got : "NULL", want ? want : "NULL");
		if (got)
			cr_expect(got == cases[i].name + strlen(cases[i].name) - strlen(got),
			    "%s: does not point into the name", cases[i].name);
	}
}

Test(hostname, hosts)
{
	static const struct {
		const char *name;
		bool want;
	} cases[] = {
	    {"localhost", true},
	    {"mx.example.com", true},
	    {"mail_catcher", true},
	    {"3com.com", true},
	    {"a.b2", true},
	    {LABEL63, true},
	    {LABEL63 "l", false},
	    {NAME253, true},
	    {NAME253 "j", false},
	    {"", false},
	    {".", false},
	    {"a..b", false},
	    {"example.com.", false},
	    {".example.com", false},
	    {"-a.example.com", false},
	    {"a-.example.com", false},
	    {"192.0.2.1", false},
	    {"1.2.3", false},
	    {"1", false},
	    {"0x7f000001", false},
	    {"a b", false},
	    {"a:25", false},
	    {"m\303\274.example", false},
	};

	cr_assert_eq(strlen(NAME253), 253);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = text_hostname_is_host(cases[i].name);

		cr_expect_eq(
		    got, cases[i].want, "'%s': got %d, want %d", cases[i].name, got, cases[i].want);
	}
}

Test(hostname, is_the_origin_of_a_url)
{
	static const struct {
		const char *url;
		bool plain;
		const char *want;
	} cases[] = {
	    {"https://example.com", false, "https://example.com"},
	    {"https://Example.com/a?b#c", false, "https://example.com"},
	    {"https://example.com:8443/a", false, "https://example.com:8443"},
	    {"http://localhost:3000/", true, "http://localhost:3000"},
	    {"http://192.0.2.1/", true, "http://192.0.2.1"},
	    {"http://example.com", false, NULL},
	    {"ftp://example.com", true, NULL},
	    {"https://b\303\274cher.example/", false, "https://xn--bcher-kva.example"},
	    {"https://b%C3%BCcher.example/", false, "https://xn--bcher-kva.example"},
	    {"https://user@example.com/", true, NULL},
	    {"https://user:x@example.com/", true, NULL},
	    {"https://a;b.example/", true, NULL},
	    {"https://a%3Bscript-src%20*/", true, NULL},
	    {"https://a,b.example/", true, NULL},
	    {"https://a b.example/", true, NULL},
	    {"https://a%20b.example/", true, NULL},
	    {"https://a%0D%0Ab.example/", true, NULL},
	    {"https://a'b.example/", true, NULL},
	    {"https://*.example/", true, NULL},
	    {"https://a_b.example/", true, NULL},
	    {"https://-a.example/", true, NULL},
	    {"https://a..example/", true, NULL},
	    {"https://example.com./", true, NULL},
	    {"https://[2001:db8::1]/", true, NULL},
	    {"https://example.com:0/", true, NULL},
	    {"https://example.com:65536/", true, NULL},
	    {"https://example.com:x/", true, NULL},
	    {"https:///a", true, NULL},
	    {"https:a", true, NULL},
	    {"//example.com", true, NULL},
	    {"", true, NULL},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = text_hostname_origin(cases[i].url, cases[i].plain);

		cr_expect(g_strcmp0(got, cases[i].want) == 0, "'%s': got %s, want %s", cases[i].url,
		    got, cases[i].want);
	}
}

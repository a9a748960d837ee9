/* SPDX-License-Identifier: MIT */
/* Where a redirect leads to. */
#include "fcgi/location.h"

#include <criterion/criterion.h>
#include <glib.h>

Test(location, leads_to_the_same_place)
{
	static const struct {
		const char *name, *url, *want;
	} cases[] = {
	    {"plain", "https://x.org/a?b=c&d#e", "https://x.org/a?b=c&d#e"},
	    {"no path", "http://x.org", "http://x.org"},
	    {"upper case", "HTTP://X.Org/A", "HTTP://X.Org/A"},
	    {"user and port", "http://u:p@x.org:81/", "http://u:p@x.org:81/"},
	    {"IPv6", "http://[2001:db8::1]:81/", "http://[2001:db8::1]:81/"},
	    {"encoded already", "http://x.org/%C3%BC%20", "http://x.org/%C3%BC%20"},
	    {"a space", "http://x.org/a b", "http://x.org/a%20b"},
	    {"another script in the path", "http://x.org/\303\274?\303\244",
		"http://x.org/%C3%BC?%C3%A4"},
	    {"another script in the host", "http://b\303\274cher.example:81/\303\274",
		"http://xn--bcher-kva.example:81/%C3%BC"},
	    {"and a user", "http://\303\274@b\303\274cher.example?x",
		"http://%C3%BC@xn--bcher-kva.example?x"},
	    {"controls", "http://x.org/a\r\nSet-Cookie: b", "http://x.org/a%0D%0ASet-Cookie:%20b"},
	    {"in the host", "http://x.org\r\nX: y/", "http://x.org%0D%0AX:%20y/"},
	    {"not UTF-8", "http://\377.org/\377", "http://%FF.org/%FF"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = fcgi_location_of(cases[i].url);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

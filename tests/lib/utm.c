/* SPDX-License-Identifier: MIT */
#include "link/utm.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "json/strict.h"

Test(utm, are_read_from_an_object)
{
	static const char *const cases[][2] = {
	    {"{\"source\":\"news\",\"campaign\":\"a b&c=d\"}",
		"utm_source=news&utm_campaign=a%20b%26c%3Dd"},
	    {"{\"term\":\"\",\"content\":null,\"medium\":\"é\"}", "utm_medium=%C3%A9"},
	    {"{}", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(json) object = json_parse(cases[i][0], strlen(cases[i][0]), NULL);
		g_autofree char *got = link_utm_read(object);

		cr_expect_eq(g_strcmp0(got, cases[i][1]), 0, "%s: got %s", cases[i][0], got);
	}
}

Test(utm, are_put_where_they_are_not)
{
	static const char parameters[] = "utm_source=n&utm_medium=m";
	static const char *const cases[][2] = {
	    {"http://x.org", "http://x.org?utm_source=n&utm_medium=m"},
	    {"http://x.org/a?b=c", "http://x.org/a?b=c&utm_source=n&utm_medium=m"},
	    {"http://x.org/?", "http://x.org/?utm_source=n&utm_medium=m"},
	    {"http://x.org/?a&", "http://x.org/?a&utm_source=n&utm_medium=m"},
	    {"http://x.org/#f?g", "http://x.org/?utm_source=n&utm_medium=m#f?g"},
	    {"http://x.org/?a#f", "http://x.org/?a&utm_source=n&utm_medium=m#f"},
	    {"http://x.org/?utm_source=o", "http://x.org/?utm_source=o&utm_medium=m"},
	    {"http://x.org/?a&UTM_medium#f", "http://x.org/?a&UTM_medium&utm_source=n#f"},
	    {"http://x.org/?utm_source=&utm_medium=o", "http://x.org/?utm_source=&utm_medium=o"},
	    {"http://x.org/?utm_sources=o&xutm_medium=o",
		"http://x.org/?utm_sources=o&xutm_medium=o&utm_source=n&utm_medium=m"},
	    {"http://x.org/utm_source=o", "http://x.org/utm_source=o?utm_source=n&utm_medium=m"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = link_utm_add(cases[i][0], parameters);

		cr_expect_str_eq(got, cases[i][1], "%s: got %s", cases[i][0], got);
	}
}

Test(utm, leave_links_that_would_get_too_long)
{
	g_autofree char *path = g_strnfill(LIMIT_LINK_BYTES - strlen("http://x.org/?u=v"), 'p');
	g_autofree char *fits = g_strconcat("http://x.org/", path, NULL);
	g_autofree char *longer = g_strconcat(fits, "p", NULL);
	g_autofree char *grown = link_utm_add(fits, "u=v");
	g_autofree char *same = link_utm_add(longer, "u=v");

	cr_expect_eq(strlen(grown), LIMIT_LINK_BYTES);
	cr_expect_str_eq(same, longer);
}

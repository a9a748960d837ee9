/* SPDX-License-Identifier: MIT */
#include "fetch/headers.h"

#include <criterion/criterion.h>
#include <string.h>

Test(headers, keeps_what_decides)
{
	static const struct {
		const char *lines[3], *location, *coding;
		guint64 length;
	} cases[] = {
	    {{"Location: /a\r\n"}, "/a", NULL, 0},
	    {{"location:/a"}, "/a", NULL, 0},
	    {{"LOCATION: \t/a b \r\n"}, "/a b", NULL, 0},
	    {{"Location: http://a:1/\r\n"}, "http://a:1/", NULL, 0},
	    {{"Location: /a\r\n", "Location: /b\r\n"}, "/b", NULL, 0},
	    {{"Location:\r\n"}, "", NULL, 0},
	    {{"Content-Location: /a\r\n"}, NULL, NULL, 0},
	    {{"Location\r\n"}, NULL, NULL, 0},
	    {{"Content-Encoding: gzip\r\n"}, NULL, "gzip", 0},
	    {{"Content-Encoding: Identity\r\n"}, NULL, NULL, 0},
	    {{"Content-Encoding:\r\n"}, NULL, NULL, 0},
	    {{"Content-Encoding: identity, br\r\n"}, NULL, "identity, br", 0},
	    {{"Content-Encoding: chunked\r\n"}, NULL, "chunked", 0},
	    {{"Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n"}, NULL, "gzip", 0},
	    {{"Transfer-Encoding: Chunked\r\n"}, NULL, NULL, 0},
	    {{"Transfer-Encoding: gzip, chunked\r\n"}, NULL, "gzip, chunked", 0},
	    {{"Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n"}, NULL, "gzip", 0},
	    {{"Content-Length: 12\r\n"}, NULL, NULL, 12},
	    {{"Content-Length: 18446744073709551615\r\n"}, NULL, NULL, G_MAXUINT64},
	    {{"Content-Length: 18446744073709551616\r\n"}, NULL, NULL, G_MAXUINT64},
	    {{"Content-Type: text/plain\r\n"}, NULL, NULL, 0},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct fetch_headers got = {0};
		for (size_t j = 0; cases[i].lines[j]; j++) {
			gsize size = strlen(cases[i].lines[j]);
			g_autofree char *line = g_memdup2(cases[i].lines[j], size);
			fetch_headers_note(&got, line, size);
		}
		cr_expect(g_strcmp0(got.location, cases[i].location) == 0 &&
			      g_strcmp0(got.coding, cases[i].coding) == 0 &&
			      got.length == cases[i].length,
		    "%s: got %s, %s, %" G_GUINT64_FORMAT ", want %s, %s, %" G_GUINT64_FORMAT,
		    cases[i].lines[0], got.location, got.coding, got.length, cases[i].location,
		    cases[i].coding, cases[i].length);
		fetch_headers_clear(&got);
		cr_expect(!got.location && !got.coding && !got.length);
	}
}

/* SPDX-License-Identifier: MIT */
/* Finds the links of an html body by their positions in its source, and replaces them. */
#ifndef HTML_LINKS_H
#define HTML_LINKS_H

#include <glib.h>

#include "base/scope.h"

struct html;

struct html_link {
	gsize start, size; /* of the value in the source, without its quotes */
	char *destination; /* an absolute http or https URL of at most LIMIT_LINK_BYTES, in UTF-8:
			      character references decoded, the white space left out that a reader's
			      program leaves out */
};

struct html_links {
	GArray *links; /* of struct html_link, in their order in the source, none twice */
	gsize end;     /* where in the source the body ends: before </body> */
};

/* The links of the elements a and area, except those with the attribute data-no-track; none in a
   document that html/html.h does not parse. Never NULL; the caller frees it, and each reference
   to it. */
struct html_links *html_links_find(const struct html *html);
/* No links, which the caller adds. */
struct html_links *html_links_new(void);

/* The same as html_links_find of html with marks in place of values. Links with the mark are there,
   whatever their values are, with the value as their destination. */
struct html_links *html_links_find_marked(const struct html *html, const char *mark);

/* The destination of a link with this value of href; NULL: it is no absolute URL, or too long, so
   that html_links_find leaves the link out. The caller owns it. */
char *html_links_destination(const char *value);

/* One more reference to the same links, which the caller releases as it frees links of its own. */
struct html_links *html_links_ref(struct html_links *links);
void html_links_free(struct html_links *links);
DEFINE_AUTO(html_links, html_links_free)

/* The source with urls[i] in place of link i (NULL: unchanged), and at the end of the body an
   image of one pixel, without text, from pixel (NULL: none). All other bytes stay the same,
   quotes too. The caller owns the result, which has *size_r bytes. */
char *html_links_rewrite(const char *source, gsize size, const struct html_links *links,
    const char *const *urls, const char *pixel, gsize *size_r);

#endif

/* SPDX-License-Identifier: MIT */
/* Finds the links of an html body by their positions in its source, and replaces them. */
#ifndef MAIL_LINKS_H
#define MAIL_LINKS_H

#include <glib.h>

#include "base/scope.h"

struct mail_html;

struct mail_link {
	gsize start, size; /* of the value in the source, without its quotes */
	char *destination; /* an absolute http or https URL of at most LIMIT_LINK_BYTES, in UTF-8:
			      character references decoded, the white space left out that a reader's
			      program leaves out */
};

struct mail_links {
	GArray *links; /* of struct mail_link, in their order in the source, none twice */
	gsize end;     /* where in the source the body ends: before </body> */
};

/* The links of the elements a and area, except those with the attribute data-no-track; none in a
   document that mail/html.h does not parse. Never NULL; the caller frees it, and each reference
   to it. */
struct mail_links *mail_links_find(const struct mail_html *html);
/* No links, which the caller adds. */
struct mail_links *mail_links_new(void);

/* The same as mail_links_find of html with marks in place of values. Links with the mark are there,
   whatever their values are, with the value as their destination. */
struct mail_links *mail_links_find_marked(const struct mail_html *html, const char *mark);

/* The destination of a link with this value of href; NULL: it is no absolute URL, or too long, so
   that mail_links_find leaves the link out. The caller owns it. */
char *mail_links_destination(const char *value);

struct mail_links *mail_links_ref(struct mail_links *links);
void mail_links_free(struct mail_links *links);
DEFINE_AUTO(mail_links, mail_links_free)

/* The source with urls[i] in place of link i (NULL: unchanged), and at the end of the body an
   image of one pixel, without text, from pixel (NULL: none). All other bytes stay the same,
   quotes too. The caller owns the result, which has *size_r bytes. */
char *mail_links_rewrite(const char *source, gsize size, const struct mail_links *links,
    const char *const *urls, const char *pixel, gsize *size_r);

#endif

/* SPDX-License-Identifier: MIT */
/* The links of an html body: where they stand in the source, and others in their place. */
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

/* The links of the elements a and area, but for those that have the attribute data-no-track. What
   mail/html.h does not parse has none. Never NULL; the caller frees it,
   and each reference to it. */
struct mail_links *mail_links_find(const struct mail_html *html);
struct mail_links *mail_links_ref(struct mail_links *links);
void mail_links_free(struct mail_links *links);
DEFINE_AUTO(mail_links, mail_links_free)

/* The same source with urls[i] in the place of each link i (NULL: it stays), and at the end of the
   body an image of one pixel, which has no text, from pixel (NULL: none). Each other byte is as it
   was, quotes too. The caller owns the result, which has *size_r bytes. */
char *mail_links_rewrite(const char *source, gsize size, const struct mail_links *links,
    const char *const *urls, const char *pixel, gsize *size_r);

#endif

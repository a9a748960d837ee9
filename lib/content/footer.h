/* SPDX-License-Identifier: MIT */
/* The footer that a broadcast's message gets when its reader would see no link to unsubscribe. */
#ifndef CONTENT_FOOTER_H
#define CONTENT_FOOTER_H

#include <glib.h>
#include <stdbool.h>

struct content;

/* The footer of html in front of its link and behind it; that of text, with a link: a literal. */
#define CONTENT_FOOTER_BEFORE "<p style=\"margin:24px 0;font-size:12px;color:#666666\"><a href=\""
#define CONTENT_FOOTER_BEHIND "\" style=\"color:#666666\">Unsubscribe</a></p>"
#define CONTENT_FOOTER_TEXT(link) "\n\n-- \nUnsubscribe: " link "\n"

/* The place of a footer in html: in front of the last tag that ends the body, or the document; else
   its end. */
gsize content_footer_place(const char *html, gsize size);

/* Whether a reader of filled contents with this link sees none: it is not in the visible text of
   html, as a link or by itself; where there is no html, not in the text. A link in a comment, in a
   hidden element or without anything to click is none. */
bool content_footer_is_needed(const struct content *content, const char *url);

/* Adds the footer to html and text, where each has no link. html may be rewritten already. */
void content_footer_add(struct content *content, const char *url);

#endif

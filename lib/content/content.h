/* SPDX-License-Identifier: MIT */
/* The html and text of a stored email, with its variables filled in. */
#ifndef CONTENT_H
#define CONTENT_H

#include <glib.h>
#include <stdbool.h>

struct content_derived;
struct store_email;
struct html_links;

/* The html and text of an email with its variables filled in; as they were given if its variables
   are NULL. An email that has no text gets one that is derived from html. */
struct content {
	GBytes *html; /* NULL: the email has none */
	GBytes *text;
	struct html_links *links; /* the links of html; NULL when they stay as they are */
	GBytes *shown; /* the visible text of html, with its links; NULL unless it is a broadcast's
			*/
};

/* Fills the variables into an email whose html and text have been read. unsubscribe_url is the
   value of {{unsubscribe_url}}, unless the email has a variable of that name; NULL: none. derived:
   see content/derive.h; NULL for content that is only shown, which then has no links, and is empty
   if it is secret (TRACK_SECRET). TOO_LARGE when the filled content exceeds LIMIT_RENDERED_BYTES;
   FAILED when the stored variables are damaged. The caller clears *content_r. */
bool content_read(const struct store_email *email, const char *unsubscribe_url,
    struct content_derived *derived, struct content *content_r, GError **error);

/* Checks before the email is stored that content_read will not find it too large, for a URL of
   this length. TOO_LARGE, naming html or text. */
bool content_check(const struct store_email *email, const char *unsubscribe_url, GError **error);

/* The text to be stored with an email that has html and no text, for a URL of this length: with it,
   content_read gives the same text as without. NULL: the text must be derived each time
   (content_derive_stored). The caller owns it. */
GBytes *content_derive_text(
    const struct store_email *email, const char *unsubscribe_url, struct content_derived *derived);

/* Whether html or text refer to {{unsubscribe_url}} and the email has no variable of that name. */
bool content_unsubscribes(const struct store_email *email);

/* Frees the members; the struct is the caller's. */
void content_clear(struct content *content);

#endif

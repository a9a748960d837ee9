/* SPDX-License-Identifier: MIT */
#ifndef CORE_CONTENT_H
#define CORE_CONTENT_H

#include <glib.h>
#include <stdbool.h>

struct core_derived;
struct store_email;
struct mail_links;

/* What an email says, after its variables. text is what was given or, where nothing was, derived
 * from html. */
struct core_content {
	GBytes *html;
	GBytes *text;
	struct mail_links *links; /* of html; NULL where nothing is to be done with them */
};

/* From an email whose html and text have been read. unsubscribe_url: what {{unsubscribe_url}} gives
   where the email has no value of its own for that; NULL: nothing. derived as of core/derive.h;
   NULL where the content is only shown: it then has no links.
   TOO_LARGE when the values swell it past what can be sent. */
bool core_content_read(const struct store_email *email, const char *unsubscribe_url,
    struct core_derived *derived, struct core_content *content_r, GError **error);

/* Before it is stored: that core_content_read will not find it too large, with a URL of that
   length. TOO_LARGE, naming html or text. */
bool core_content_check(
    const struct store_email *email, const char *unsubscribe_url, GError **error);

/* Whether {{unsubscribe_url}} stands in its html or text, and the email has no value of its own for
   that. */
bool core_content_unsubscribes(const struct store_email *email);

void core_content_clear(struct core_content *content);

#endif

/* SPDX-License-Identifier: MIT */
/* Derives from the html of an email its text and its links. */
#ifndef CONTENT_DERIVE_H
#define CONTENT_DERIVE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "template/template.h"

struct service;
struct store_email;
struct html_links;

/* The cache of a process. It keeps two kinds of results: recent html as parsed with its references
   unfilled (content/unfilled.h), since most emails are made from few templates; and where values
   could change what that means, texts and links of recent emails that go to several recipients, one
   message each, except those of broadcasts. The latter take at most LIMIT_DERIVED_KEPT_BYTES. */
struct content_derived;

/* An empty cache. The caller frees it. */
struct content_derived *content_derived_new(void);
void content_derived_free(struct content_derived *derived);
DEFINE_AUTO(content_derived, content_derived_free)

/* The one of a process. service frees it. */
struct content_derived *content_derived_of(struct service *service);

/* The html of an email as one of its messages has it. */
struct content_derive_source {
	const struct store_email *email;
	GBytes *filled;		     /* its html, filled with the values that lookup gives */
	const char *unsubscribe_url; /* the only value that differs between the messages of an
					email; its length does not. NULL: none */
	template_lookup lookup;	     /* NULL: the html has no references, only braces */
	void *context;
};

/* Derives text and links; a NULL pointer skips one of them. The html is parsed once for both, and
   once for all messages of an email while the cache keeps it. derived may be NULL, for an email
   that is derived only once; the results are the same. The caller owns both results. */
void content_derive(struct content_derived *derived, const struct content_derive_source *source,
    GBytes **text_r, struct html_links **links_r);

/* The text to be stored with an email that has none: filled like a given text, it is the one that
   content_derive gives, for each message and its URL. The caller owns it. NULL when there is no
   such text, or when the html is so large that it would hold up the request; then the text is
   derived when it is needed. */
GBytes *content_derive_stored(
    struct content_derived *derived, const struct content_derive_source *source);

#endif

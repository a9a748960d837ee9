/* SPDX-License-Identifier: MIT */
/* Judges, tag by tag, whether the tree of a document is as it is written: each element is closed by
   its own tag, and stands where html allows it. Then gumbo, which follows the HTML standard's tree
   construction, moves, adds and closes nothing that shows, and its tree need not be built to know
   the text. What is not sure is denied; so are elements that are rare in mail. */
#ifndef MAIL_NESTING_H
#define MAIL_NESTING_H

#include <glib.h>
#include <stdbool.h>

#include "mail/tags.h"

#define MAIL_NESTING_DEPTH 100

/* How far the document is. */
enum mail_nesting_place {
	NESTING_BEGIN,
	NESTING_HEAD, /* within head */
	NESTING_AFTER_HEAD,
	NESTING_BODY, /* with or without a tag of its own */
	NESTING_AFTER_BODY,
};

/* The elements that are open. Zeroed, it is at the start of a document. */
struct mail_nesting {
	enum mail_nesting_place place;
	guint depth;
	GumboTag open[MAIL_NESTING_DEPTH];
};

/* Takes the next token of tags, but not the end. False: it cannot be told. */
bool mail_nesting_take(
    struct mail_nesting *nesting, enum mail_token token, const struct mail_tags *tags);

/* Whether the document may end here: no element is open. */
bool mail_nesting_is_closed(const struct mail_nesting *nesting);

#endif

/* SPDX-License-Identifier: MIT */
/* Judges, tag by tag, whether the tree of a document is as it is written: each element is closed by
   its own tag, and stands where html allows it. Then gumbo, which follows the HTML standard's tree
   construction, moves, adds and closes nothing that shows, and its tree need not be built to know
   the text. The answer is no when it is not sure, and for elements that are rare in mail. */
#ifndef HTML_NESTING_H
#define HTML_NESTING_H

#include <glib.h>
#include <stdbool.h>

#include "html/tags.h"

#define HTML_NESTING_DEPTH 100

/* How far the document is. */
enum html_nesting_place {
	NESTING_BEGIN,
	NESTING_HEAD, /* within head */
	NESTING_AFTER_HEAD,
	NESTING_BODY, /* with or without a tag of its own */
	NESTING_AFTER_BODY,
};

/* The elements that are open. Zeroed, it is at the start of a document. */
struct html_nesting {
	enum html_nesting_place place;
	guint depth;
	GumboTag open[HTML_NESTING_DEPTH];
};

/* Takes the next token of tags, but not the end. False: it is not known. */
bool html_nesting_take(
    struct html_nesting *nesting, enum html_token token, const struct html_tags *tags);

/* Whether the document may end here: no element is open. */
bool html_nesting_is_closed(const struct html_nesting *nesting);

#endif

/* SPDX-License-Identifier: MIT */
/* Reads HTML as a sequence of texts and tags, in one pass and linear time, for documents that
   are too large for html/html.h, and without its repairs. */
#ifndef HTML_TAGS_H
#define HTML_TAGS_H

#include <glib.h>
#include <gumbo.h>
#include <stdbool.h>

/* The attributes of a tag that concern its text. NULL: not given. */
struct html_tag {
	GumboTag name;
	const char *href;
	const char *alt;
	const char *start;
	const char *value;
	const char *style;
	bool hidden;
	bool reversed;
};

enum html_token { HTML_TOKEN_END, HTML_TOKEN_TEXT, HTML_TOKEN_OPEN, HTML_TOKEN_CLOSE };

struct html_tags {
	const char *next;
	const char *end;
	const char *raw; /* the name, in the source, of the open element whose content is not html;
			    NULL: none */
	gsize raw_size;

	/* Something that was read may mean something else to gumbo: a character reference that is
	   not known or not ended, a tag or a comment that is written in an unusual way. */
	bool doubtful;

	/* of the token, valid until the next one is asked for */
	GString *text;	     /* character references decoded */
	struct html_tag tag; /* of a closing tag just the name */
	GPtrArray *values;
};

/* The source must outlive the tags. */
void html_tags_init(struct html_tags *tags, const char *source, gsize size);
void html_tags_clear(struct html_tags *tags);

/* Reads the next token. Skips comments, declarations, the contents of scripts and the like, and
   a tag that is cut off by the end of the source. */
enum html_token html_tags_next(struct html_tags *tags);

#endif

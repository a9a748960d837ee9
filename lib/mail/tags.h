/* SPDX-License-Identifier: MIT */
/* Reads HTML as a sequence of texts and tags, in one pass and linear time, for documents that
   are too large for mail/html.h, and without its repairs. */
#ifndef MAIL_TAGS_H
#define MAIL_TAGS_H

#include <glib.h>
#include <gumbo.h>
#include <stdbool.h>

/* The attributes of a tag that concern its text. NULL: not given. */
struct mail_tag {
	GumboTag name;
	const char *href;
	const char *alt;
	const char *start;
	const char *value;
	const char *style;
	bool hidden;
	bool reversed;
};

enum mail_token { MAIL_TOKEN_END, MAIL_TOKEN_TEXT, MAIL_TOKEN_OPEN, MAIL_TOKEN_CLOSE };

struct mail_tags {
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
	struct mail_tag tag; /* of a closing tag just the name */
	GPtrArray *values;
};

/* The source must outlive the tags. */
void mail_tags_init(struct mail_tags *tags, const char *source, gsize size);
void mail_tags_clear(struct mail_tags *tags);

/* Reads the next token. Skips comments, declarations, the contents of scripts and the like, and
   a tag that is cut off by the end of the source. */
enum mail_token mail_tags_next(struct mail_tags *tags);

#endif

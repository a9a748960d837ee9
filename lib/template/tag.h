/* SPDX-License-Identifier: MIT */
/* For template*.c: reads the tags of templates one by one. */
#ifndef TEMPLATE_TAG_H
#define TEMPLATE_TAG_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/template.h"
#include "template/filter.h"

enum template_tag_kind {
	TAG_VALUE,   /* {{path}}, {{path|fallback}} */
	TAG_FILTER,  /* {{upper path}} */
	TAG_COMMENT, /* {{! ... }} */
	TAG_PARTIAL, /* {{> id}} */
	TAG_IF,	     /* the first tag of a block */
	TAG_UNLESS,
	TAG_EACH,
	TAG_ELSE, /* outside blocks a reference to the variable of this name */
	TAG_ELSE_IF,
	TAG_CLOSE,
	TAG_TEXT, /* the "\{{" of "\{{path}}", which is the text "{{", or the second backslash of
		     "\\{{path}}", which is none; the text is the fallback */
};

enum template_root {
	PATH_HERE,  /* from the context, or one around it */
	PATH_ROOT,  /* from the variables: @root.x */
	PATH_INDEX, /* @index and so on: what each tells */
	PATH_KEY,
	PATH_FIRST,
	PATH_LAST,
};

struct template_path {
	enum template_root root;
	guint up;				   /* number of ../ */
	char name[LIMIT_VARIABLE_NAME_LENGTH + 1]; /* a, a.b, this; "": the context itself */
};

struct template_tag {
	enum template_tag_kind kind;
	const char *start, *end;
	bool raw;
	bool strip_before, strip_after; /* ~ */
	struct template_path path;	/* of TAG_PARTIAL and TAG_CLOSE its name alone */
	const char *fallback;		/* NULL: none */
	gsize fallback_size;
	enum template_tag_kind closes; /* the block that TAG_CLOSE closes */
	struct template_filter filter;
};

/* A source that is read. Begin with {.end = ..., .plain = ...}. */
struct template_scanner {
	const char *end;
	bool plain; /* there are values and fallbacks alone, no other tags */
	/* From here on there is no "}}", and no "--}}", so that many open comments take linear
	   time. NULL: not known. */
	const char *no_end, *no_long_end;
};

/* Reads the tag whose "{{" is at p. NULL for a tag, else its fault. Time is linear over all calls
   of a pass over a source. */
const char *template_tag_read(
    struct template_scanner *scanner, const char *p, struct template_tag *tag);

/* The same, but a backslash in front of the braces and not before from is read with them, as
   Handlebars has it: "\{{" is the text "{{", and of "\\{{path}}" the second backslash falls away.
   "\{{" counts where a tag begins, or where "}}" follows on its line. Plain sources have no such
   backslash. */
const char *template_tag_take(
    struct template_scanner *scanner, const char *from, const char *p, struct template_tag *tag);

/* The next "{{" from p on, or NULL. */
const char *template_tag_braces(const char *p, const char *end);

/* Whether the tag is {{{body}}}. */
bool template_tag_is_body(const struct template_tag *tag);

/* Finds the first tag from p on. Returns false without one. */
bool template_tag_find(struct template_scanner *scanner, const char *p, struct template_tag *tag);

#endif

/* SPDX-License-Identifier: MIT */
/* Templates: text with tags that values replace. doc/templates.md describes the language.
 *
 * Sources are bytes, in practice UTF-8 without NUL. A joined source is a template with those that
 * it includes (template/part.h); it begins with NUL. In a source that was not checked, all that is
 * no tag stays as it is: a tag that is not well-formed, a block that is not closed, and {{> id}} of
 * a template that is not joined.
 *
 * A backslash in front of a tag makes it text: \{{name}} is {{name}}, and \\{{name}} a backslash
 * and the value. Plain templates have no such backslash.
 *
 * Plain templates have references to variables alone:
 *
 *   {{name}}  {{ name }}     the value
 *   {{{name}}}               the value, in html without escaping
 *   {{name|fallback}}        the value, or else this text; also with three braces
 *
 * A name is 1 to LIMIT_VARIABLE_NAME_LENGTH of letters, digits, "_", "." and "-" (ASCII), blanks
 * around it. A fallback is any text of one line without "{{" and "}}"; blanks around it are not
 * part of it.
 */
#ifndef TEMPLATE_H
#define TEMPLATE_H

#include <glib.h>
#include <stdbool.h>

#include "template/out.h"

struct template_values;

/* Checks a template before it is stored: each "{{" must begin a tag, and each block be closed.
   INVALID otherwise, with the line and the fault. A "}}" elsewhere is allowed: style sheets end in
   it. */
bool template_check(const char *source, gsize size, GError **error);

/* Likewise for a subject, which includes no templates. */
bool template_check_subject(const char *source, gsize size, GError **error);

/* Whether the source has a tag; without one, it is its own rendering. */
bool template_has_tags(const char *source, gsize size);

/* Whether the source is plain: it has no tags but references. */
bool template_is_plain(const char *source, gsize size);

/* Calls name for the path of each tag, as if it led from the variables: "x.y" for "../x.y", and
   "" for "this". The name lives as long as the call. */
void template_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context);

/* Likewise for a source that was checked, but without the names in a block of each that are those
   of its items. */
void template_variables(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context);

/* Likewise, those alone whose values are printed without a fallback. */
void template_bare_variables(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context);

/* Whether the source has a reference to this variable. */
bool template_refers(const char *source, gsize size, const char *name);

/* Calls include for the id of each {{> id}}. */
void template_includes(
    const char *source, gsize size, void (*include)(const char *id, void *context), void *context);

/* Whether the source has {{{body}}}, where a layout has the html of a template. */
bool template_has_body(const char *source, gsize size);

/* A source to be filled. */
struct template_source {
	const char *text;
	gsize size;
	enum template_kind kind;
	const char *part; /* for errors, "html" */
};

/* Fills a template. Values are inserted once and not searched for tags; a fallback is part of the
   source and inserted as written, in html too. Memory and time are bounded. Errors begin with the
   name of the part, "html: ...": TOO_LARGE when the result would exceed LIMIT_RENDERED_BYTES;
   INVALID for more than LIMIT_TEMPLATE_TURNS or LIMIT_TEMPLATE_STEPS ("html takes too long to
   render"), and for blocks and includes that are too deep. The caller owns the result, which has
   *size_r bytes (size_r may be NULL) and a NUL after them. */
char *template_render(const struct template_source *source, const struct template_values *values,
    gsize *size_r, GError **error);

/* The value of a variable, valid until the next call; NULL without one: then the reference
   becomes its fallback, or nothing. */
typedef const char *(*template_lookup)(const char *name, void *context);

/* The same for plain templates, in which everything but references stays as it is. */
bool template_plain_check(const char *source, gsize size, GError **error);
void template_plain_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context);
char *template_plain_render(const struct template_source *source, template_lookup lookup,
    void *context, gsize *size_r, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Templates: text with references to variables.
 *
 *   {{name}}  {{ name }}     the value
 *   {{{name}}}               the value, in html without escaping
 *   {{name|fallback}}        the value, or else this text; also with three braces
 *
 * A name is 1 to LIMIT_VARIABLE_NAME_LENGTH of letters, digits, "_", "." and "-" (ASCII), blanks
 * around it. A fallback is any text of one line without "{{" and "}}"; blanks around it are not
 * part of it. Sources are bytes, in practice UTF-8.
 */
#ifndef MAIL_TEMPLATE_H
#define MAIL_TEMPLATE_H

#include <glib.h>
#include <stdbool.h>

enum mail_template_kind {
	MAIL_TEMPLATE_HTML,   /* values are escaped: & < > " '; not where there are three braces */
	MAIL_TEMPLATE_TEXT,   /* values stand as they are */
	MAIL_TEMPLATE_HEADER, /* control characters and line breaks of a value become spaces */
};

/* The value of a variable, valid until the next call; NULL without one: then the reference
   becomes its fallback, or nothing. */
typedef const char *(*mail_template_lookup)(const char *name, void *context);

/* Checks a template before it is stored: each "{{" must begin a reference. INVALID otherwise,
   with the line and the fault. A "}}" elsewhere is allowed: style sheets end in it. */
bool mail_template_check(const char *source, gsize size, GError **error);

/* Whether the source has a reference; without one, it is its own rendering. */
bool mail_template_has_references(const char *source, gsize size);

/* Whether the source has a reference to this variable. */
bool mail_template_refers(const char *source, gsize size, const char *name);

/* Calls name for each reference, with the variable's name, which lives as long as the call. */
void mail_template_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context);

/* Replaces each reference, and keeps everything else, also a "{{" that begins none. Values are
   inserted once and not searched for references; a fallback is part of the source and inserted
   as written, in html too. Time is linear in input and output. TOO_LARGE when the result would
   exceed LIMIT_RENDERED_BYTES. The caller owns the result, which has *size_r bytes (size_r may
   be NULL) and a NUL after them. */
char *mail_template_render(const char *source, gsize size, enum mail_template_kind kind,
    mail_template_lookup lookup, void *context, gsize *size_r, GError **error);

#endif

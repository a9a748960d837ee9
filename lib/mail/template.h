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

/* The value of the variable, valid until the next call; NULL: there is none, then the reference's
   fallback stands, else nothing. */
typedef const char *(*mail_template_lookup)(const char *name, void *context);

/* Strict, for a template that is stored: each "{{" must begin a reference. Else INVALID, with the
   line and what is wrong. A "}}" elsewhere is no fault: style sheets end in it. */
bool mail_template_check(const char *source, gsize size, GError **error);

/* Is there a reference at all? When not, the source is its own rendering. */
bool mail_template_has_references(const char *source, gsize size);

/* Is there a reference to this variable? */
bool mail_template_refers(const char *source, gsize size, const char *name);

/* Calls name for each reference, with the variable's name, which lives as long as the call. */
void mail_template_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context);

/* Replaces each reference; all else stays as it is, "{{" that begins none too. A value is inserted
   once and not read again for references; a fallback is part of the source and inserted as written,
   in html as well. Time is linear in what goes in and out. TOO_LARGE when the result would be
   longer than LIMIT_RENDERED_BYTES. The caller owns the result, which has *size_r bytes (size_r may
   be NULL) and a NUL after them. */
char *mail_template_render(const char *source, gsize size, enum mail_template_kind kind,
    mail_template_lookup lookup, void *context, gsize *size_r, GError **error);

#endif

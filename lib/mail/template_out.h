/* SPDX-License-Identifier: MIT */
/* For template*.c: what is written of values. */
#ifndef MAIL_TEMPLATE_OUT_H
#define MAIL_TEMPLATE_OUT_H

#include <glib.h>
#include <stdbool.h>

enum mail_template_kind {
	MAIL_TEMPLATE_HTML,   /* values are escaped: & < > " '; not where there are three braces */
	MAIL_TEMPLATE_TEXT,   /* values stand as they are */
	MAIL_TEMPLATE_HEADER, /* control characters and line breaks of a value become spaces */
};

struct mail_template_tag;

/* Appends a value for a tag; NULL: its fallback. */
void mail_template_out_append(GString *out, const struct mail_template_tag *tag,
    enum mail_template_kind kind, const char *value);

/* Ends a rendering. TOO_LARGE when it exceeds LIMIT_RENDERED_BYTES. Frees out otherwise. */
char *mail_template_out_end(GString *out, gsize *size_r, GError **error);

#endif

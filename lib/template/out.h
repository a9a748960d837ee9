/* SPDX-License-Identifier: MIT */
/* For template*.c: what is written of values. */
#ifndef TEMPLATE_OUT_H
#define TEMPLATE_OUT_H

#include <glib.h>
#include <stdbool.h>

enum template_kind {
	TEMPLATE_HTML,	 /* values are escaped: & < > " '; not where there are three braces */
	TEMPLATE_TEXT,	 /* values stand as they are */
	TEMPLATE_HEADER, /* control characters and line breaks of a value become spaces */
};

struct template_tag;

/* Appends a value for a tag; NULL: its fallback. */
void template_out_append(
    GString *out, const struct template_tag *tag, enum template_kind kind, const char *value);

/* Ends a rendering. TOO_LARGE when it exceeds LIMIT_RENDERED_BYTES. Frees out otherwise. The caller
   owns the text, which has *size_r bytes. */
char *template_out_end(GString *out, gsize *size_r, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* For template*.c: what is written of values. */
#ifndef MAIL_TEMPLATE_OUT_H
#define MAIL_TEMPLATE_OUT_H

#include <glib.h>
#include <stdbool.h>

#include "mail/template.h"

struct template_tag;

/* Appends a value for a tag; NULL: its fallback. */
void template_out_append(
    GString *out, const struct template_tag *tag, enum mail_template_kind kind, const char *value);

/* Ends a rendering. TOO_LARGE when it exceeds LIMIT_RENDERED_BYTES. Frees out otherwise. */
char *template_out_end(GString *out, gsize *size_r, GError **error);

#endif

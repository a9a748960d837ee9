/* SPDX-License-Identifier: MIT */
/* The contents of one email, html and text, packed into the row beside it (table email_content). */
#ifndef STORE_EMAIL_CONTENT_H
#define STORE_EMAIL_CONTENT_H

#include <glib.h>
#include <stdbool.h>

/* html and text; NULL: none of this kind. */
struct store_content {
	GBytes *html, *text;
};

void store_content_clear(struct store_content *content);

/* The bytes to store: a byte for this form, the sizes of html and text (4 bytes
   each, big-endian; all bits are set where there is none), and both, each with a NUL behind it,
   as one frame of base/compress.h. Each has at most LIMIT_OWN_CONTENT_BYTES. The caller owns
   them. */
GBytes *store_content_pack(const struct store_content *content);

/* Reads packed bytes. The contents are followed by NUL, which does not count to their size. FAILED
   when the bytes are damaged, or have another form. The caller clears content_r. */
bool store_content_unpack(
    const void *packed, gsize size, struct store_content *content_r, GError **error);

/* Reads only the sizes: STORE_CONTENT_NONE where there is none. FAILED likewise. */
#define STORE_CONTENT_NONE G_MAXUINT32
bool store_content_sizes(
    const void *packed, gsize size, guint32 *html_r, guint32 *text_r, GError **error);

#endif

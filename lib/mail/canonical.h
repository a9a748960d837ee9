/* SPDX-License-Identifier: MIT */
/* The relaxed canonical forms of DKIM (RFC 6376 sections 3.4.2 and 3.4.4), and the header fields of
   a message as they stand in it. */
#ifndef MAIL_CANONICAL_H
#define MAIL_CANONICAL_H

#include <glib.h>
#include <stdbool.h>

/* One header field within a message: all its lines, without the last CRLF. */
struct mail_canonical_field {
	const char *text;
	gsize size;
	gsize name_size;
};

/* The header fields of a message, in order; *body_r is the offset of its body (the end of the
   message, if it has none). INVALID when a line of the header is no field, or has a CR or LF
   that is not part of a CRLF. The caller owns the array. */
GArray *mail_canonical_split(const char *message, gsize size, gsize *body_r, GError **error);

/* Appends the field's relaxed form, without a final CRLF. */
void mail_canonical_header(GString *out, const struct mail_canonical_field *field);

/* Passes the body's relaxed form to sink, piece by piece. INVALID for a CR or LF that is not
   part of a CRLF, since a server on the way may change it; sink may have been called by then. */
bool mail_canonical_body(const char *body, gsize size,
    void (*sink)(void *user, const void *data, gsize size), void *user, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef MAIL_ATTACHMENT_H
#define MAIL_ATTACHMENT_H

#include <glib.h>
#include <stdbool.h>

struct mail_attachment {
	const char *filename;	  /* UTF-8, at most LIMIT_FILENAME_LENGTH; NULL or "" for none */
	const char *content_type; /* with parameters where it has any; NULL for unknown bytes */
	const char *content_id; /* without < and >: an inline part for cid: in the html; or NULL */
	const void *data;
	gsize size;
};

/* Can it be written without anything in it breaking out of its place? INVALID when not; the message
   goes on from the attachment's name: "filename must ...". */
bool mail_attachment_check(const struct mail_attachment *attachment, GError **error);

/* Appends it as a part: header, empty line, content; the last line has no CRLF. reserved as for
   mail_encoding_choose. */
void mail_attachment_write(
    GString *out, const struct mail_attachment *attachment, bool in_line, const char *reserved);

#endif

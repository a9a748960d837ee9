/* SPDX-License-Identifier: MIT */
/* Messages: RFC 5322 with MIME (RFC 2045, 2046, 2387). */
#ifndef MAIL_MESSAGE_H
#define MAIL_MESSAGE_H

#include <glib.h>
#include <stdbool.h>

#include "mail/header.h"

struct mail_address;

/* The input of a message, which borrows all. All texts are UTF-8. */
struct mail_message {
	const struct mail_address *from;
	const GPtrArray *to; /* of struct mail_address, as cc and reply_to; NULL for none */
	const GPtrArray *cc;
	const GPtrArray *reply_to;
	const char *subject;
	const char *html; /* NULL for none; with neither, there is an empty text */
	gsize html_size;
	const char *text;
	gsize text_size;
	const struct mail_attachment *attachments;
	guint attachment_count;
	const struct mail_header *headers; /* the caller's: none that mail_header_reserved */
	guint header_count;
	const struct mail_header *extra; /* our own (List-Unsubscribe) */
	guint extra_count;
	gint64 date;		/* epoch milliseconds */
	const char *given_date; /* in place of date, as it is: mail_date_valid. NULL: none */
	const char *message_id; /* <...> */
};

/* Composes the complete message, CRLF lines of at most 998 bytes, ready to be signed and sent; the
   same input gives the same bytes. It has no Bcc.
   The structure is mixed(alternative(text, related(html, inline...), alternatives...),
   attachments...), without wrappers that would hold one part. Attachments whose content_id html
   names (mail/cid.h) are inline; the others are attachments. Text and html
   are UTF-8 with CRLF line breaks. Attachments keep their bytes, except those of type message/...,
   for which base64 is forbidden (RFC 2046 section 5.2.1): ASCII ones get CRLF line breaks, others
   are sent as application/octet-stream; so are those of type multipart/....
   INVALID, naming the field, when a text is not UTF-8 or has a line break in a header, or a
   header, content type or id is malformed: the input was checked before; this is the second line
   of defence. The caller owns the result. */
GBytes *mail_message_compose(const struct mail_message *message, GError **error);

struct mail_attachment {
	const char *filename;	  /* UTF-8, at most LIMIT_FILENAME_LENGTH; NULL or "" for none */
	const char *content_type; /* with parameters where it has any; NULL for unknown bytes */
	const char *content_id;	  /* without < and >, for cid: in the html; or NULL */
	const void *data;
	gsize size;
	bool alternative; /* another form of the texts, such as an invitation for calendars */
};

/* Writes a date for the Date field (RFC 5322 section 3.3), in UTC: "Tue, 14 Nov 2023 22:13:20
   +0000". NULL outside the years 1 to 9999. The caller owns it. */
char *mail_date_format(gint64 epoch_ms);

/* Whether the text is a date of such a field: a day of the calendar, with or without its name, a
   time, and a zone in digits, or GMT, UT or UTC. Comments and the obsolete forms are none. */
bool mail_date_valid(const char *text);

/* The time of such a date, in epoch milliseconds. False for other text. */
bool mail_date_parse(const char *text, gint64 *epoch_ms_r);

#endif

/* SPDX-License-Identifier: MIT */
/* Header fields that a caller brings along. */
#ifndef MAIL_HEADER_H
#define MAIL_HEADER_H

#include <glib.h>
#include <stdbool.h>

struct mail_address;

struct mail_header {
	const char *name;
	const char *value; /* UTF-8 */
};

/* Is this field one of those that the service itself, or a server on the way, has to write (From,
   To, Date, Content-*, Received, DKIM-*, ...)? Upper and lower case are the same. */
bool mail_header_reserved(const char *name);

/* Can the field be written into a message as it is? INVALID when the name is empty, longer than
   LIMIT_HEADER_NAME_LENGTH or has anything but the characters of RFC 5322 section 3.6.8 in it, or
   when the value has CR or LF in it, is not UTF-8, or is ASCII with a word that is longer than a
   line (RFC 5322 section 2.1.1). The message goes on from the field's name: `must not ...`. */
bool mail_header_check(const struct mail_header *header, GError **error);

/* Is this type/subtype, with or without parameters, as a Content-Type may have it (RFC 2045
   section 5.1)? No comments, no backslashes, ASCII alone. */
bool mail_header_content_type(const char *text);

/* Is this an id that a Content-ID or Message-ID may have between its < and >: printable ASCII
   without spaces, < and >? */
bool mail_header_id(const char *text, gsize size);

/* UTF-8 without a line break. */
bool mail_check_text(const char *name, const char *text, GError **error);

/* An address that is in its normal form (mail/address.h), with a name that is such a text. */
bool mail_check_address(const char *name, const struct mail_address *address, GError **error);

/* Of struct mail_address, or NULL. */
bool mail_check_addresses(const char *name, const GPtrArray *addresses, GError **error);

/* Each mail_header_check, and none of them mail_header_reserved unless they are our own. */
bool mail_check_headers(const struct mail_header *headers, guint count, bool own, GError **error);

/* <...>, of a length that fits on a line. */
bool mail_check_message_id(const char *id, GError **error);

/* Sets INVALID, and is false. */
bool mail_check_fault(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif

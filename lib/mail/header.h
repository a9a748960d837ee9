/* SPDX-License-Identifier: MIT */
/* Checks of header fields given by a caller, and of all values that go into a header: a value
   must not break out of its place in a message. */
#ifndef MAIL_HEADER_H
#define MAIL_HEADER_H

#include <glib.h>
#include <stdbool.h>

struct mail_address;

struct mail_header {
	const char *name;
	const char *value; /* UTF-8 */
};

/* Whether only the service itself or a server on the way may write this field (From, To, Date,
   Content-*, Received, DKIM-*, ...). Ignores case. */
bool mail_header_reserved(const char *name);

/* Checks that the field can be written into a message unchanged. INVALID when the name is empty,
   longer than LIMIT_HEADER_NAME_LENGTH or has a character that RFC 5322 section 3.6.8 forbids,
   or when the value has CR or LF, is not UTF-8, or is ASCII with a word that is longer than a
   line (RFC 5322 section 2.1.1). The message continues the field's name: `must not ...`. */
bool mail_header_check(const struct mail_header *header, GError **error);

/* Whether the text is a type/subtype, with or without parameters, for a Content-Type (RFC 2045
   section 5.1): no comments, no backslashes, ASCII alone. */
bool mail_header_content_type(const char *text);

/* Whether a media type is that of an invitation for calendars: text/calendar with a method (RFC
   6047 section 2.4). */
bool mail_header_invites(const char *type);

/* Whether the text may stand between the < and > of a Content-ID or Message-ID: printable ASCII
   without spaces, < and >. */
bool mail_header_id(const char *text, gsize size);

/* The calls below return false, with INVALID and a sentence that begins with name, when their
   check fails. This one: UTF-8 without a line break. */
bool mail_check_text(const char *name, const char *text, GError **error);

/* An address in its normal form (mail/address.h), whose name passes mail_check_text. */
bool mail_check_address(const char *name, const struct mail_address *address, GError **error);

/* An array of struct mail_address, or NULL. */
bool mail_check_addresses(const char *name, const GPtrArray *addresses, GError **error);

/* Each passes mail_header_check; unless own, none is mail_header_reserved. */
bool mail_check_headers(const struct mail_header *headers, guint count, bool own, GError **error);

/* <...>, short enough for a line. */
bool mail_check_message_id(const char *id, GError **error);

/* Sets INVALID and returns false. */
bool mail_check_fault(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif

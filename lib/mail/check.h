/* SPDX-License-Identifier: MIT */
/* What must hold of a value so that it cannot break out of its place in a message. Each is false,
   with INVALID and a sentence that begins with name, when it does not hold. */
#ifndef MAIL_CHECK_H
#define MAIL_CHECK_H

#include <glib.h>
#include <stdbool.h>

struct mail_address;
struct mail_header;

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

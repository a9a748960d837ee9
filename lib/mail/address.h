/* SPDX-License-Identifier: MIT */
/* Reads and writes lists of addresses. */
#ifndef MAIL_ADDRESS_H
#define MAIL_ADDRESS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct mail_address {
	char *name;    /* UTF-8 without control characters, trimmed; "" when there is none */
	char *address; /* as SMTP takes it: ASCII, local part as given, domain in lower case */
};

/* Reads exactly one mailbox: `"Name" <address>`, `Name <address>` or `address`. Comments are
   dropped, encoded words in the name (RFC 2047) decoded. INVALID for anything else, for control
   characters anywhere (line breaks too) and for a name of more than LIMIT_ADDRESS_NAME_LENGTH. The
   message goes on from a field's name: `must be a valid email address: "foo" has no domain`. The
   caller frees the result. */
struct mail_address *mail_address_parse(const char *text, GError **error);

/* Reads mailboxes separated by commas, each as above; empty elements are passed over (RFC 5322
   section 4.4), but counted. Groups are INVALID, and so is a list without an address, of more than
   LIMIT_RECIPIENTS elements or of more than LIMIT_ADDRESS_LIST_BYTES. The caller owns the array,
   which owns its struct mail_address. */
GPtrArray *mail_address_parse_list(const char *text, GError **error);

/* The same for a list that comes in several texts: adds the addresses of one of them to an array of
   mail_address_list_new, and the number of its elements to *elements. Stops, without an error, as
   soon as these are more than LIMIT_RECIPIENTS; that and the size are for the caller to check. */
bool mail_address_add_list(GPtrArray *list, guint *elements, const char *text, GError **error);
GPtrArray *mail_address_list_new(void);

/* Reads back the stored text of mail_address_format_list, of any size. Local parts in quotes, which
   were accepted once, are read too. */
GPtrArray *mail_address_reread_list(const char *text, GError **error);

void mail_address_free(struct mail_address *address);
DEFINE_AUTO(mail_address, mail_address_free)

/* What follows the @; points into the address. */
const char *mail_address_domain(const struct mail_address *address);

/* Is this a bare addr-spec, without name, brackets, comments or spaces around it? Then *normal_r,
   unless normal_r is NULL, is its form for SMTP: domain in lower-case A-labels, no needless quotes.
   The caller owns that; it is NULL when the answer is false. */
bool mail_address_valid(const char *addr_spec, char **normal_r);

/* The same form of a bare addr-spec. INVALID, with a message as of mail_address_parse, when it is
   none. The caller owns the result. */
char *mail_address_normal(const char *addr_spec, GError **error);

/* The form in which addresses are compared: upper and lower case are the same, in the local part
   too. Takes an address that is in its normal form; the caller owns the result. */
char *mail_address_key(const char *addr_spec);

/* For people and for mail_address_parse, which reads the same back: `Name <address>`, the name
   quoted where it must be and in UTF-8; `address` where there is no name. Not for a header, where
   the name has to be encoded. The caller owns the result. */
char *mail_address_format(const struct mail_address *address);

/* The same for an array of struct mail_address, separated by ", "; "" for none. */
char *mail_address_format_list(const GPtrArray *addresses);

/* Of a local part that cannot be written without quotes: refused, for libesmtp cannot send it; or
   kept, in a list that was stored before such addresses were refused. */
enum mail_quotes { MAIL_QUOTES_REFUSED, MAIL_QUOTES_KEPT };

/* The normal form of a bare addr-spec, valid UTF-8 without control characters. NULL when it is
   none: then *why_r goes on from the text ("has no domain"). The caller owns the result. */
char *mail_addr_spec_normal(const char *addr_spec, enum mail_quotes quotes, const char **why_r);

/* A character of an atom (RFC 5322 section 3.2.3). */
bool mail_addr_spec_is_atext(char c);

/* The text as a quoted string (RFC 5322 section 3.2.4). The caller owns the result. */
char *mail_addr_spec_quote(const char *text);

#endif

/* SPDX-License-Identifier: MIT */
/* Reads and writes lists of addresses. */
#ifndef MAIL_ADDRESS_H
#define MAIL_ADDRESS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

/* Local parts that cannot be sent: those that need quotes, and those that begin with a hyphen. */
enum mail_local {
	MAIL_LOCAL_SENDABLE, /* they are refused (text/mailbox.h) */
	MAIL_LOCAL_KNOWN,    /* one with a hyphen is kept: such addresses were stored once, and are
				looked for */
	MAIL_LOCAL_ANY,	     /* one in quotes, too, in lists that are older still */
};

struct mail_address {
	char *name;    /* UTF-8 without control characters, trimmed; "" when there is none */
	char *address; /* as SMTP takes it: ASCII, local part as given, domain in lower case */
};

/* Reads exactly one mailbox: `"Name" <address>`, `Name <address>` or `address`. Drops comments
   and decodes encoded words in the name (RFC 2047). Any other text that ends in <address> has all
   before it as its name, such as `Acme, Inc. <a@b.org>`, unless there are more addresses in it.
   INVALID for anything else, for control characters anywhere (line breaks too), for an address that
   cannot be sent to (text/mailbox.h) and for a name of more than LIMIT_SENDER_NAME_LENGTH. The
   message continues a field's name: `must be a valid email address: "foo" has no domain`. The
   caller frees the result. */
struct mail_address *mail_address_parse(const char *text, GError **error);

/* Reads mailboxes separated by commas, each as above; a text that is no such list may be one
   mailbox. Skips empty elements (RFC 5322 section 4.4). INVALID for a name of more than
   LIMIT_ADDRESS_NAME_LENGTH, a group, a list without an address, more than LIMIT_RECIPIENTS
   addresses or more than LIMIT_ADDRESS_LIST_BYTES. The caller owns the array, which owns its struct
   mail_address. */
GPtrArray *mail_address_parse_list(const char *text, GError **error);

/* Reads one text of a list that is split into several: adds its addresses to an array of
   mail_address_list_new. Stops without an error behind one more than LIMIT_RECIPIENTS; the caller
   checks their number and the size of the texts. */
bool mail_address_add_list(GPtrArray *list, const char *text, GError **error);
GPtrArray *mail_address_list_new(void);

/* Read a stored text of mail_address_format_list, of any size, or of mail_address_format. Accept
   local parts of any kind, since such addresses were stored once. */
GPtrArray *mail_address_reread_list(const char *text, GError **error);
struct mail_address *mail_address_reread(const char *text, GError **error);

void mail_address_free(struct mail_address *address);
DEFINE_AUTO(mail_address, mail_address_free)

/* The domain; points into the address. */
const char *mail_address_domain(const struct mail_address *address);

/* Whether the text is a bare addr-spec, without name, brackets, comments or spaces around it. If
   so, *normal_r, unless normal_r is NULL, is its form for SMTP: domain in lower-case A-labels,
   no needless quotes. The caller owns it; it is NULL when the answer is false. The local part is
   MAIL_LOCAL_KNOWN. */
bool mail_address_valid(const char *addr_spec, char **normal_r);

/* The same form of a bare addr-spec. INVALID, with a message as of mail_address_parse, for any
   other text. The caller owns the result. */
char *mail_address_normal(const char *addr_spec, enum mail_local local, GError **error);

/* The form in which addresses are compared: in lower case, the local part too. Takes an address
   in its normal form. The caller owns the result. */
char *mail_address_key(const char *addr_spec);

/* The address for people, and for mail_address_parse, which reads it back: `Name <address>`, the
   name in UTF-8, quoted where necessary; `address` without a name. Not for a header, where the
   name must be encoded. The caller owns the result. */
char *mail_address_format(const struct mail_address *address);

/* The same for an array of struct mail_address, separated by ", "; "" for an empty array. */
char *mail_address_format_list(const GPtrArray *addresses);

/* The normal form of a bare addr-spec, given as valid UTF-8 without control characters. NULL for
   any other text: then *why_r continues the text ("has no domain"). The caller owns the result. */
char *mail_addr_spec_normal(const char *addr_spec, enum mail_local local, const char **why_r);

/* Whether the character may stand in an atom (RFC 5322 section 3.2.3). */
bool mail_addr_spec_is_atext(char c);

/* The text as a quoted string (RFC 5322 section 3.2.4). The caller owns the result. */
char *mail_addr_spec_quote(const char *text);

#endif

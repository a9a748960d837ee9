/* SPDX-License-Identifier: MIT */
/* Mailboxes: which can be sent to, and their providers, by the domains of addresses. */
#ifndef TEXT_MAILBOX_H
#define TEXT_MAILBOX_H

#include <stdbool.h>

/* Whether SMTP can carry an address to a relay: a local part of ASCII letters, digits, dots and
   !#$%&'*+-/=?^_`{|}~ that does not begin with a hyphen (servers take such a one for an option), an
   @, and a host name in A-labels, within LIMIT_ADDRESS_BYTES and LIMIT_LOCAL_PART_BYTES. A quoted
   local part and an address literal cannot. Requests are refused, and messages fail, by this one
   rule. */
bool text_mailbox_sendable(const char *address);

enum text_mailbox {
	MAILBOX_OTHER,
	MAILBOX_GMAIL,
	MAILBOX_MICROSOFT,
	MAILBOX_YAHOO,
	MAILBOX_APPLE,
	MAILBOX_GMX,
};

/* The provider that has this domain, in lower case, beyond doubt. */
enum text_mailbox text_mailbox_of_domain(const char *domain);

/* The word for the provider of an address: gmail, microsoft, yahoo, apple, gmx, other. The domains
   of countries count too, such as hotmail.fr and yahoo.co.uk. */
const char *text_mailbox_word(const char *address);

#endif

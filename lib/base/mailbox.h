/* SPDX-License-Identifier: MIT */
/* The providers of mailboxes, by the domains of addresses. */
#ifndef BASE_MAILBOX_H
#define BASE_MAILBOX_H

enum base_mailbox {
	MAILBOX_OTHER,
	MAILBOX_GMAIL,
	MAILBOX_MICROSOFT,
	MAILBOX_YAHOO,
	MAILBOX_APPLE,
	MAILBOX_GMX,
};

/* The provider that has this domain, in lower case, beyond doubt. */
enum base_mailbox base_mailbox_of_domain(const char *domain);

/* The word for the provider of an address: gmail, microsoft, yahoo, apple, gmx, other. The domains
   of countries count too, such as hotmail.fr and yahoo.co.uk. */
const char *base_mailbox_word(const char *address);

#endif

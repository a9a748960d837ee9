/* SPDX-License-Identifier: MIT */
/* What the fields of a contact have to be, wherever they come from. */
#ifndef CORE_CONTACT_H
#define CORE_CONTACT_H

#include <glib.h>
#include <stdbool.h>

/* As they were given: valid UTF-8, borrowed. */
struct core_contact_fields {
	const char *email;		    /* NULL: not given */
	const char *first_name, *last_name; /* NULL: none */
};

/* Whether all that is given can be stored. INVALID "FIELD must be ...". *address_r is the form in
   which the email is compared, as of core_contact_address, NULL where there is none; the caller
   owns it. */
bool core_contact_check(const struct core_contact_fields *fields, char **address_r, GError **error);

/* The same for a new contact, which needs an email: INVALID "email is required". */
bool core_contact_check_new(
    const struct core_contact_fields *fields, char **address_r, GError **error);

/* The form in which an email, as a client gives it, is compared with others: its normal form
   (mail/address.h) in lower case. INVALID "email must be ..." when it is no bare address or has
   more than LIMIT_ADDRESS_BYTES. The caller owns it. */
char *core_contact_address(const char *email, GError **error);

#endif

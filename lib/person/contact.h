/* SPDX-License-Identifier: MIT */
/* The rules for the fields of a contact, for all ways in which contacts come in. */
#ifndef PERSON_CONTACT_H
#define PERSON_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"

/* The members of a contact (struct store_contact): id, first_name, last_name, email, is_subscribed,
   created, updated; apart unsubscribed. */
extern const struct json_view person_contact_view;

/* The fields as a client gave them: valid UTF-8, borrowed. */
struct person_contact_fields {
	const char *email;		    /* NULL: not given */
	const char *first_name, *last_name; /* NULL: none */
};

/* Checks the given fields. INVALID "FIELD must be ...". *address_r is the result of
   person_contact_recipient, NULL when no email was given; the caller owns it. */
bool person_contact_check(
    const struct person_contact_fields *fields, char **address_r, GError **error);

/* Checks the fields of a new contact, which needs an email: also INVALID "email is required". */
bool person_contact_check_new(
    const struct person_contact_fields *fields, char **address_r, GError **error);

/* Gives the form by which emails are compared: the normal form (mail/address.h) in lower case.
   INVALID "email must be ..." when email is no bare address or longer than LIMIT_ADDRESS_BYTES. The
   caller owns the result. */
char *person_contact_address(const char *email, GError **error);

/* The same for one who is to get mail: also INVALID for an address that cannot be sent to
   (text/mailbox.h), which may have been stored once and can be looked for. */
char *person_contact_recipient(const char *email, GError **error);

#endif

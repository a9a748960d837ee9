/* SPDX-License-Identifier: MIT */
/* Changes of consent in parts that stand alone: a part against the person's own choice is left out,
   and the others are made. */
#ifndef CONSENT_PARTS_H
#define CONSENT_PARTS_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct db;
struct json;
struct service;
struct store_consent_act;

/* All borrowed. */
struct consent_parts {
	bool subscribed_given, subscribed; /* to mailings at all */
	const struct json *topics;	   /* object: id → wanted; NULL: none */
	const struct json *audiences; /* object: id → subscribed, or null: no membership; NULL: none
				       */
	const struct store_consent_act *act; /* the operator's */
};

/* Whose consent is changed. All borrowed. */
struct consent_parts_person {
	const struct base_id *workspace;
	const char *email, *address; /* as given, and of person_contact_address */
};

/* Inside a transaction: makes the changes of an operator for a person who is stored:
   all mailings first, then topics, then audiences. A membership in an audience that wants a
   confirmation is pending, and its mail is stored; one that is pending stays so. No membership is
   made for false and null. A part that is so already changes nothing. *refused_r: a part was left
   out. INVALID "topics.ID is not a topic", "audiences.ID is not an audience", and where the mail
   cannot be sent; LIMITED when a quota is full;
   CONFLICT when another transaction has made a membership meanwhile. */
bool consent_parts_apply(struct db *db, struct service *service,
    const struct consent_parts_person *person, const struct consent_parts *parts, bool *refused_r,
    GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Pauses of mailings: until a time, a person gets none. The person or an operator makes them. One
   of the person's own is shortened or ended by the person, or with an override; else CONFLICT of
   store_snooze_refuse. A change is kept in the history of consent. */
#ifndef PERSON_SNOOZE_H
#define PERSON_SNOOZE_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/consent/snooze.h"

struct db;
struct service;
struct store_consent_override;

/* The members of a snooze (struct store_snooze): until, by. */
extern const struct json_view person_snooze_view;

/* A change of the snooze of an address, in the form in which addresses are compared: until a time,
   epoch ms; 0 ends the snooze. */
struct person_snooze_change {
	const char *address;
	gint64 until;
	const struct store_consent_act *act;
	bool overrides;
};

/* Inside a transaction: makes the change. *snooze_r: as it is then. *changed_r: it was different.
 */
bool person_snooze_within(struct db *db, const struct base_id *workspace,
    const struct person_snooze_change *change, struct store_snooze *snooze_r, bool *changed_r,
    GError **error);

/* The functions below find a person by an email in any form. NOT_FOUND "Person not found". */

/* Reads the snooze of a person. */
bool person_snooze_get(struct service *service, const struct base_id *workspace, const char *email,
    struct store_snooze *snooze_r, GError **error);

/* The change of an operator. */
struct person_snooze_operator {
	gint64 until; /* epoch ms; of person_snooze_end: not looked at */
	const struct store_consent_act *act;
	const struct store_consent_override *override; /* NULL: none */
};

/* Snoozes a person for an operator. INVALID "until must be a time in the next 366 days". *snooze_r:
   as it is then. */
bool person_snooze(struct service *service, const struct base_id *workspace, const char *email,
    const struct person_snooze_operator *operator, struct store_snooze * snooze_r, GError **error);

/* Ends the snooze of a person for an operator, if there is one. */
bool person_snooze_end(struct service *service, const struct base_id *workspace, const char *email,
    const struct person_snooze_operator *operator, GError ** error);

#endif

/* SPDX-License-Identifier: MIT */
/* Changes what a person wants: all mailings, a topic, an audience. All calls that take
   a connection run inside a transaction. An operator changes a choice of the person's own only with
   an override; else CONFLICT of store_choice_refuse. A change is kept in the history once; a choice
   that is made again changes nothing. */
#ifndef PERSON_CHOOSE_H
#define PERSON_CHOOSE_H

#include <glib.h>
#include <stdbool.h>

#include "store/consent/choice_part.h"
#include "store/consent/topic.h"
#include "store/person/membership.h"

struct db;

/* The person, and who changes the choice. All borrowed. */
struct person_chooser {
	const struct base_id *workspace;
	const struct store_suppression_key *key; /* person/suppress.h makes it */
	const struct store_consent_act *act;
	bool overrides;
	const struct store_choice_link *link; /* of the email that the person used; NULL: none */
};

/* The person gets no mailings at all: puts the address on the suppression list (as entry, NULL: as
   unsubscribed, automation; an entry that is there stays unless this one is wider), and
   unsubscribes all contacts. *changed_r: a choice or contact has changed. */
bool person_choose_none(struct db *db, const struct person_chooser *chooser,
    struct store_suppression *entry, bool *changed_r, GError **error);

/* The person gets mailings again. Audiences and topics stay as they are. */
bool person_choose_all(struct db *db, const struct person_chooser *chooser, GError **error);

/* Ends the choices that keep the person out of an audience or topic. */
bool person_choose_open(struct db *db, const struct person_chooser *chooser,
    const struct store_consent_about *about, GError **error);

/* The person wants a topic, or wants it not; now: as store_topic_choices has read it in this
   transaction. Wanting it ends the choice to get no mailings at all. *changed_r: it was different.
 */
bool person_choose_topic(struct db *db, const struct person_chooser *chooser,
    const struct store_topic_choice *now, bool wanted, bool *changed_r, GError **error);

/* The same for an audience; now: as store_membership_list has locked it. */
bool person_choose_audience(struct db *db, const struct person_chooser *chooser,
    const struct store_membership *now, bool wanted, bool *changed_r, GError **error);

#endif

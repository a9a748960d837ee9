/* SPDX-License-Identifier: MIT */
/* Memberships: the contacts of one person, in all audiences. Errors that a function does not name
   are those of db/statement.h. */
#ifndef STORE_PERSON_MEMBERSHIP_H
#define STORE_PERSON_MEMBERSHIP_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "store/consent/consent.h"

struct db;
struct store_person_names;

struct store_membership {
	struct base_id contact_id, audience_id;
	char *address;	/* of the person */
	char *audience; /* its name */
	gint64 audience_created;
	bool is_subscribed;
	gint64 pending; /* epoch ms since when it waits to be confirmed; 0: it does not */
	guint source; /* the way in which it was made, of enum store_consent_source; 0: not known */
	gint64 created;
	bool was_left; /* it was there, unsubscribed, before it waited */
};

/* The word of the API for its state: subscribed, unsubscribed or pending. */
const char *store_membership_status(const struct store_membership *membership);

/* The memberships of the person with this address, by audience, as an array of struct
   store_membership. lock: inside a transaction, until which ends they are locked. The caller owns
   it. */
GPtrArray *store_membership_list(
    struct db *db, const struct base_id *workspace, const char *address, bool lock, GError **error);

/* Inside a transaction: subscribes or unsubscribes a membership that is not so, and notifies
   webhooks. It does not wait to be confirmed any more. */
bool store_membership_set(struct db *db, const struct base_id *workspace,
    const struct store_membership *membership, const struct store_consent_turn *turn,
    GError **error);

/* The data of a person that all its contacts show. The texts are borrowed; names may be NULL. */
struct store_membership_shown {
	const char *email, *first, *last;
};

/* Returns the fields that differ, as bits of enum store_webhook_changed. */
guint store_membership_compare(
    const struct store_membership_shown *before, const struct store_membership_shown *after);

/* Inside a transaction that has written a contact: finds what it is going to change of its person
   by store_person_put with PERSON_GIVE, and locks that one. *changed_r is of enum
   store_webhook_changed, 0 where nobody has the address. */
bool store_membership_find_given(struct db *db, const struct base_id *workspace,
    const struct store_person_names *given, guint *changed_r, GError **error);

/* Inside a transaction that has changed what is shown of a person (changed: as above):
   tells webhooks and workflows of all the person's memberships, for each shows them, but of one
   contact; NULL: of all. */
bool store_membership_tell_names(struct db *db, const struct base_id *workspace,
    const char *address, const struct base_id *but, guint changed, GError **error);

/* The same for workflows alone, which an import tells, and without the contact in one audience
   (NULL: of all). */
bool store_membership_tell_workflows(struct db *db, const struct base_id *workspace,
    const char *address, const struct base_id *but, guint changed, GError **error);

/* Inside a transaction: a membership that is not subscribed waits to be confirmed, since a time
   (epoch ms). */
bool store_membership_wait(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, gint64 since, GError **error);

/* Inside a transaction: a membership that has waited in vain waits no more. One that was made for
   it is removed, and the person with it, if nothing else knows that one. */
bool store_membership_give_up(struct db *db, const struct base_id *workspace,
    const struct store_membership *membership, GError **error);

#endif

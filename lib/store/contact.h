/* SPDX-License-Identifier: MIT */
#ifndef STORE_CONTACT_H
#define STORE_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct store_contact;
struct db;
struct store_consent_override;
struct store_suppression_key;

/* A person in an audience. address is the form of the email in which emails are compared, and by
   which lists run: ASCII (core/contact.h makes it). */
struct store_contact {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id audience_id;
	char *email; /* as given */
	char *address;
	char *first_name, *last_name; /* NULL when there is none */
	bool is_subscribed;
	gint64 created, updated; /* epoch ms */
};

void store_contact_free(struct store_contact *contact);
DEFINE_AUTO(store_contact, store_contact_free)

/* All calls: NOT_FOUND "Audience not found" when the workspace has no such audience, else "Contact
   not found" when that has no such contact. The counters of the audience are right as soon as a
   change can be seen. */

/* Stores a new one; id, created and updated are set. CONFLICT "Contact already exists". */
bool store_contact_create(struct db *db, struct store_contact *contact, GError **error);

/* The same of one who is subscribed, unless the owner of the address, who is looked for by key, has
   unsubscribed in person (store/choice.h): then CONFLICT as of store_choice_refuse, *left_r is
   true, and nothing is stored. In one round trip too. */
bool store_contact_create_subscribed(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, bool *left_r, GError **error);

/* Inside a transaction: stores a new one as store_contact_create does. */
bool store_contact_insert(struct db *db, struct store_contact *contact, GError **error);

/* The caller frees it. */
struct store_contact *store_contact_get(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id, GError **error);

/* What is to be another from now on. */
struct store_contact_change {
	const char *email, *address; /* both, or both NULL: as they are */
	bool first_name_given, last_name_given;
	const char *first_name, *last_name; /* where given; NULL: none */
	bool is_subscribed_given, is_subscribed;

	/* For store_contact_change: where the contact is to be subscribed, or is and gets another
	   address. In the transaction, when the contact is written; it may take is_subscribed back,
	   or refuse. NULL: nothing is asked. */
	bool (*settle)(struct db *db, struct store_contact *contact, void *context, GError **error);
	void *settle_context;
};

/* Many at once, sorted by address, each address once. */
#define STORE_CONTACT_BATCH 500

/* What became of them. */
struct store_contact_tally {
	guint64 created, updated;
	guint64 unchanged; /* were there, just like that */
	guint64 skipped;   /* were there, and are as they were */
	guint64 left;	   /* of all: are not subscribed because the person has unsubscribed */
};

/* How they are put there. */
struct store_contact_putting {
	bool update; /* those that are there take what is given */
	/* By which keys the choice of each contact's person is looked for; asked only where there
	   is anybody to find. NULL: nobody's choice is looked at. */
	const struct store_suppression_key *(*keys)(void *context);
	void *context;
	const struct store_consent_override
	    *override; /* against those who have unsubscribed; NULL: none */
};

/* Puts at most STORE_CONTACT_BATCH contacts into an audience, in a transaction that counts once,
   and adds to *tally. Those whose address is there stay as they are without update. Of a new one
   email is given; it is subscribed where nothing else is said, and the person has not unsubscribed.
   The same again changes nothing. Any number of processes may do it at once. */
bool store_contact_put(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct store_contact_change *contacts, guint count,
    const struct store_contact_putting *how, struct store_contact_tally *tally, GError **error);

/* updated is set where anything is given. CONFLICT "Contact already exists". */
bool store_contact_change(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, GError **error);

bool store_contact_remove(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id, GError **error);

/* Inside a transaction, as the last thing in it but for events: unsubscribes the contacts of this
   address in all audiences of the workspace, and notes them with the person's choice
   (store/choice.h); or subscribes those again that are noted there. *count_r: how many. */
bool store_contact_subscribe(struct db *db, const struct base_id *workspace, const char *address,
    bool subscribed, guint *count_r, GError **error);

/* By address, those behind after (NULL: from the first on), at most limit, as an array of struct
   store_contact. The caller owns it. */
GPtrArray *store_contact_list(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const char *after, guint limit, GError **error);

#endif

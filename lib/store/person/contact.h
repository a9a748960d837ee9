/* SPDX-License-Identifier: MIT */
/* Contacts, the memberships of people in audiences, as stored. */
#ifndef STORE_PERSON_CONTACT_H
#define STORE_PERSON_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/common/search.h"

struct store_contact;
struct store_page;
struct db;
struct db_prefetch;
struct db_prefetch_form;
struct store_consent_act;
struct store_consent_turn;
struct store_consent_override;
struct store_suppression_key;

/* A person in an audience. address is the form of the email in which emails are compared, and by
   which lists run: ASCII (person/contact.h makes it). */
struct store_contact {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id audience_id;
	char *email; /* as given */
	char *address;
	char *first_name, *last_name; /* NULL when there is none */
	bool is_subscribed;
	bool is_pending;	 /* of a new one, not subscribed: it waits to be confirmed */
	gint64 created, updated; /* epoch ms */
	int source;		 /* of a new one: enum store_consent_source */
};

void store_contact_free(struct store_contact *contact);
DEFINE_AUTO(store_contact, store_contact_free)

/* All calls: NOT_FOUND "Audience not found" when the workspace has no such audience, else
   "Contact not found" when the audience has no such contact. A change and the audience's
   counters become visible together. */

/* Stores a new contact and sets id, created and updated. key: its person (NULL: of this address);
   who gets no mailings at all is stored so. CONFLICT "Contact already exists". */
bool store_contact_create(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, GError **error);

/* Why a contact is not subscribed at once. */
enum store_contact_bar {
	CONTACT_BAR_NONE,
	CONTACT_BAR_OPT_IN, /* the audience wants a confirmation (store/consent/opt_in.h) */
	CONTACT_BAR_LEFT,   /* a choice of the person stands (store/consent/choice.h) */
};

/* The same for a subscribed contact, still in one round trip, unless *bar_r tells a reason: then
   CONFLICT, as of store_choice_refuse for a choice, and nothing is stored. key is the address and
   its hashes. */
bool store_contact_create_subscribed(struct db *db, struct store_contact *contact,
    const struct store_suppression_key *key, enum store_contact_bar *bar_r, GError **error);

/* Inside a transaction: stores a new contact as store_contact_create does. */
bool store_contact_insert(struct db *db, struct store_contact *contact, GError **error);

/* Inside a transaction: stores new contacts of one workspace, sorted by audience, in one round trip
   with COMMIT. people are the persons of all, first of those that are to be subscribed, so many.
   Deferred; the transaction fails with CONFLICT if a contact exists, a choice stands or an audience
   is missing. */
bool store_contact_insert_all(struct db *db, struct store_contact *const *contacts, guint count,
    const struct store_suppression_key *people, guint subscribed, GError **error);

/* One contact. The caller frees it. */
struct store_contact *store_contact_get(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id, GError **error);

/* The same, taking what ahead has (store_contact_ahead; NULL: nothing). */
struct store_contact *store_contact_get_prefetched(struct db *db, const struct db_prefetch *ahead,
    const struct base_id *workspace, const struct base_id *audience, const struct base_id *id,
    GError **error);

/* Reads many (db/prefetch.h). Values: the ids of contact, workspace and audience. */
extern const struct db_prefetch_form store_contact_ahead;

/* The contact with this address. The caller frees it. */
struct store_contact *store_contact_find(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const char *address, GError **error);

/* The fields to change. */
struct store_contact_change {
	const char *email, *address; /* both, or both NULL: as they are */
	bool first_name_given, last_name_given;
	const char *first_name, *last_name; /* where given; NULL: none */
	bool is_subscribed_given, is_subscribed;

	/* For store_contact_put: the rest of the person's data. */
	bool language_given, time_zone_given;
	const char *language, *time_zone; /* where given; NULL: none */
	const char *patch;		  /* of properties: JSON object; NULL: none */
	const char *properties;		  /* the same without nulls; NULL: none */

	/* For store_contact_change: how the subscription is changed; NULL: it is not recorded. */
	const struct store_consent_act *act;
	/* Called in the transaction, when the contact is written, if the change subscribes it, or
	   gives it an email. It may clear is_subscribed, or refuse. from: the address that it had,
	   if that is another one, else NULL; is_new: nobody had its own. NULL: no check. */
	bool (*settle)(struct db *db, struct store_contact *contact, const char *from, bool is_new,
	    void *context, GError **error);
	void *settle_context;
};

/* The most contacts of one store_contact_put, sorted by address, each address once. */
#define STORE_CONTACT_BATCH 500

/* The results of store_contact_put. */
struct store_contact_tally {
	guint64 created, updated;
	guint64 unchanged; /* existed with the same values */
	guint64 skipped;   /* existed, and were not updated */
	guint64 refused;   /* existed, which is a fault */
	guint64 left;	   /* of all: not subscribed because of the person's choice */
};

/* Adds the numbers of one tally to another. */
void store_contact_tally_add(
    const struct store_contact_tally *some, struct store_contact_tally *all);

/* Options of store_contact_put. */
enum store_contact_existing { EXISTING_UPDATE, EXISTING_SKIP, EXISTING_REFUSE };
struct store_contact_putting {
	const struct base_id *workspace;
	const struct base_id *audience;	      /* NULL: people, without memberships */
	enum store_contact_existing existing; /* the way to treat those that exist */
	/* Some contacts probably exist. Else all are stored without a look first, which saves a
	   statement; if one exists, they are put once more, with a look. */
	bool look_first;
	/* Own events are told (store/automation/own.h). */
	bool tells;
	/* Nothing is stored; the tally says what would be. choose and also are not called. */
	bool rehearse;
	/* Merges a patch into properties; both and the result, which the caller owns, are JSON
	   objects. NULL when the result would be too large. */
	char *(*merge)(const char *properties, const char *patch);
	/* Called for each contact that is refused, after the transaction. */
	void (*refuse)(const struct store_contact_change *contact, void *context);
	/* For people without an audience: called in the transaction, before people are written, for
	   each who begins or ends to get mailings at all, as is_subscribed says. */
	bool (*choose)(struct db *db, const struct store_contact_change *contact, void *context,
	    GError **error);
	/* Called in the transaction for each contact that is skipped or refused, and last of all
	   with the tally of this call. It may run several times, as the transaction may. NULL: not
	   needed.
	 */
	void (*met)(const struct store_contact_change *contact, void *context);
	bool (*also)(
	    struct db *db, const struct store_contact_tally *tally, void *context, GError **error);
	/* Gives the keys by which the choice of each contact's person is looked up; called only
	   if the workspace has choices. NULL: choices are not checked. */
	const struct store_suppression_key *(*keys)(void *context);
	void *context;
	const struct store_consent_override *override; /* of choices that stand; NULL: none */
};

/* Puts at most STORE_CONTACT_BATCH contacts into an audience in one transaction, and adds to
   *tally. A new contact needs email; it is
   subscribed unless the change says otherwise or a choice of its person stands. Putting the same
   contacts again changes nothing. Any number of processes may call it at once. */
bool store_contact_put(struct db *db, const struct store_contact_change *contacts, guint count,
    const struct store_contact_putting *how, struct store_contact_tally *tally, GError **error);

/* Changes a contact; sets updated if any field is given. CONFLICT "Contact already exists". */
bool store_contact_change(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, GError **error);

/* The same inside a transaction, with its email as it is. */
bool store_contact_change_within(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id,
    const struct store_contact_change *change, GError **error);

/* act: how, for the history of the person, which also keeps the joining; NULL: not recorded. */
bool store_contact_remove(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id, const struct store_consent_act *act,
    GError **error);

/* The same inside a transaction. */
bool store_contact_remove_within(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct base_id *id, const struct store_consent_act *act,
    GError **error);

/* Inside a transaction: removes the contacts with this address from all audiences of the workspace
   likewise. */
bool store_contact_remove_all(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_consent_act *act, GError **error);

/* Inside a transaction, last but for events: unsubscribes the contacts with this address in all
   audiences of the workspace, and notes them with the person's choice (store/consent/choice.h); or
   subscribes the noted ones again, but for audiences that were left since. *count_r: the number of
   contacts. */
bool store_contact_subscribe(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_consent_turn *turn, guint *count_r, GError **error);

/* A page of contacts in the order of their addresses, behind after (NULL: from the first on), at
   most limit, as an array of struct store_contact. The caller owns it. */
GPtrArray *store_contact_list(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const char *after, guint limit, GError **error);

/* The same of those whom a search finds, at most STORE_CONTACT_MOST. A page may be short
   (store/common/search.h): contacts behind *rest_r, which the caller owns, were not looked at then;
   else it is NULL. */
#define STORE_CONTACT_MOST 64
GPtrArray *store_contact_search(
    struct db *db, const struct store_search_contacts *search, char **rest_r, GError **error);

/* A page of contacts, newest first, as an array of struct store_contact. The caller owns it. */
GPtrArray *store_contact_page(struct db *db, const struct base_id *workspace,
    const struct base_id *audience, const struct store_page *page, GError **error);

#endif

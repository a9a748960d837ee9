/* SPDX-License-Identifier: MIT */
/* People who have unsubscribed in person, by a link, a button or a mail. Their choice stands until
   they take it back, or somebody overrides it. All calls but store_choice_view are made inside a
   transaction.

   A contact and its owner's choice are changed at once like this, so that the choice holds in
   whichever order: who subscribes a contact writes it first, and then looks at the choice by a
   locking read; a person's leaving writes the choice first, and then locks the contacts and looks
   at them. So at least one sees the other; two that wait for each other are a deadlock, of which
   the server lets one run again. With the suppression list it is the same: who removes an entry
   locks it first, and then looks at the choice; a person's leaving puts the entry there after the
   choice. */
#ifndef STORE_CHOICE_H
#define STORE_CHOICE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/value.h"
#include "store/suppression.h"

struct db;

/* Who goes against a person's choice. */
struct store_consent_override {
	const char *reason;		  /* NULL: none was given */
	const struct base_id *user, *key; /* NULL: an operator, at the command line */
};

/* One of the links by which a person leaves. */
struct store_choice_link {
	struct base_id email_id;
	guint recipient;
};

/* For a statement of store: whether a choice stands, a locking read. Its values are those of
   store_choice_ask: the address, and the hashes that the latest secrets give. */
#define CHOICE_PEOPLE 4
#define CHOICE_VALUES (1 + CHOICE_PEOPLE)
#define CHOICE_OF " FROM choice WHERE workspace_id = ? AND person IN (?, ?, ?, ?)"
#define CHOICE_STANDS "EXISTS (SELECT 1" CHOICE_OF " LOCK IN SHARE MODE)"

void store_choice_ask(const struct base_id *workspace, const struct store_suppression_key *key,
    struct db_value values_r[CHOICE_VALUES]);

/* Sets CONFLICT "This person has unsubscribed; override is required", and returns false. */
bool store_choice_refuse(GError **error);

/* Whether a choice stands, which nobody changes until the transaction ends. */
bool store_choice_stands(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, bool *stands_r, GError **error);

/* Whether there is any choice in the workspace; a locking read too. */
bool store_choice_any(struct db *db, const struct base_id *workspace, bool *any_r, GError **error);

/* Which of these people have unsubscribed, into stand_r. */
bool store_choice_match(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *people, guint count, bool *stand_r, GError **error);

/* The person leaves by a link: the first thing in its transaction but for the reader's lock. */
bool store_choice_leave(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, GError **error);

/* Notes that the choice stands on the suppression list by this entry. */
bool store_choice_entry(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *entry, GError **error);

/* Notes that leaving has unsubscribed a contact. */
bool store_choice_contact(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, GError **error);

/* Takes back what was done by a link since then (epoch ms). *last_r: it was the last one, so the
   choice is to end, by store_choice_end. */
bool store_choice_return(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, gint64 since, bool *last_r, GError **error);

/* Ends the choice, however the person is kept: takes its entry off the suppression list, and
   forgets its links and contacts. */
bool store_choice_end(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Ends a choice that stands because somebody overrides it, and records that. contact: the one that
   is subscribed; NULL: none. */
bool store_choice_override(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct store_consent_override *override,
    const struct base_id *contact, GError **error);

/* Leaves of a person's choice the first hash alone, and nothing of what was recorded. */
bool store_choice_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Outside of a transaction too: whether the link was used since then, and whether others were, or
   this one before. */
bool store_choice_view(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, gint64 since, bool *own_r, bool *others_r,
    GError **error);

#endif

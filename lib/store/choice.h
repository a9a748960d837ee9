/* SPDX-License-Identifier: MIT */
/* Choices: people who unsubscribed themselves, by a link, a button or a mail. A choice stands until
   the person takes it back or somebody overrides it. All calls but store_choice_view run inside a
   transaction.
   A subscription and a choice may be written at the same time. Locking makes the choice win:
   1. A transaction that subscribes a contact writes the contact, then reads the choice with a lock.
   2. A transaction that records a choice writes the choice, then locks and reads the contacts.
   3. So at least one of them sees the other. Two that wait for each other are a deadlock: the
   server ends one, which runs again.
   The suppression list works alike: a removal locks the entry, then reads the choice; a choice
   is written before its entry. */
#ifndef STORE_CHOICE_H
#define STORE_CHOICE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/value.h"
#include "store/suppression.h"

struct db;

/* The user, key or operator that overrides a choice, and the reason. */
struct store_consent_override {
	const char *reason;		  /* NULL: none was given */
	const struct base_id *user, *key; /* NULL: an operator, at the command line */
};

/* The unsubscribe link of a recipient of an email. */
struct store_choice_link {
	struct base_id email_id;
	guint recipient;
};

/* For statements of lib/store: a locking read that tells whether a choice stands.
   store_choice_ask gives its values: the address, and its hashes under the latest secrets. */
#define CHOICE_PEOPLE 4
#define CHOICE_VALUES (1 + CHOICE_PEOPLE)
#define CHOICE_OF " FROM choice WHERE workspace_id = ? AND person IN (?, ?, ?, ?)"
#define CHOICE_STANDS "EXISTS (SELECT 1" CHOICE_OF " LOCK IN SHARE MODE)"

void store_choice_ask(const struct base_id *workspace, const struct store_suppression_key *key,
    struct db_value values_r[CHOICE_VALUES]);

/* Sets CONFLICT "This person has unsubscribed; override is required", and returns false. */
bool store_choice_refuse(GError **error);

/* Whether a choice stands; locks it until the transaction ends. */
bool store_choice_stands(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, bool *stands_r, GError **error);

/* Deferred: makes the transaction fail with CONFLICT if the choice of one of these people stands,
   at most STORE_CHOICE_TOGETHER of them; locks them until the transaction ends. */
#define STORE_CHOICE_TOGETHER 16
bool store_choice_forbid(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *const *people, guint count, GError **error);

/* Whether the workspace has any choice; a locking read too. */
bool store_choice_any(struct db *db, const struct base_id *workspace, bool *any_r, GError **error);

/* Sets stand_r[i] where a choice of people[i] stands. */
bool store_choice_match(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *people, guint count, bool *stand_r, GError **error);

/* Records that the person unsubscribed by a link. First statement of its transaction, but for
   the reader's lock. */
bool store_choice_leave(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, GError **error);

/* Notes the suppression entry that belongs to the choice. */
bool store_choice_entry(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *entry, GError **error);

/* Notes a contact that the choice unsubscribed. */
bool store_choice_contact(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, GError **error);

/* Takes back the use of a link since a time (epoch ms). *last_r: no other link was used, so the
   caller ends the choice with store_choice_end. */
bool store_choice_return(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, gint64 since, bool *last_r, GError **error);

/* Ends the choice, stored under the address or a hash: removes its suppression entry, links and
   contacts. */
bool store_choice_end(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Ends a choice that is overridden, and records the override. contact: the one that is being
   subscribed; NULL: none. */
bool store_choice_override(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct store_consent_override *override,
    const struct base_id *contact, GError **error);

/* Erases the person: keeps of the choice the first hash alone, and none of the records. */
bool store_choice_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Inside or outside a transaction: whether this link was used since a time (own_r), and whether
   others were used, or this one before that time (others_r). */
bool store_choice_view(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_link *link, gint64 since, bool *own_r, bool *others_r,
    GError **error);

#endif

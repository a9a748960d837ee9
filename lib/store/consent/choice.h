/* SPDX-License-Identifier: MIT */
/* Choices: people who get no mailings at all, because they unsubscribed themselves, by a link, a
   button or a mail, or because an operator did it for them. A choice stands until the person takes
   it back, or an operator ends it; the person's own is ended only by an override. Choices about one
   audience or topic are parts (store/consent/choice_part.h). All calls but store_choice_view and
   store_choice_stands run inside a transaction.
   A subscription and a choice may be written at the same time. Locking makes the choice win:
   1. A transaction that subscribes a contact writes the contact, then reads the choice with a lock.
   2. A transaction that records a choice writes the choice, then locks and reads the contacts.
   3. So at least one of them sees the other. Two that wait for each other are a deadlock: the
   server ends one, which runs again.
   The suppression list works alike: a removal locks the entry, then reads the choice; a choice
   is written before its entry. */
#ifndef STORE_CONSENT_CHOICE_H
#define STORE_CONSENT_CHOICE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/value.h"
#include "store/consent/consent.h"
#include "store/consent/suppression.h"

struct db;

/* The user, key or operator that overrides a choice, and the reason. */
struct store_consent_override {
	const char *reason;		  /* NULL: none was given */
	const struct base_id *user, *key; /* NULL: an operator, at the command line */
};

/* The authors of the choices that keep a person out of an audience or topic; 0: there is none. */
struct store_choice {
	enum store_consent_author all;	/* the person gets no mailings at all */
	enum store_consent_author part; /* the person left this audience or topic */
};

/* The unsubscribe link of a recipient of an email. */
struct store_choice_link {
	struct base_id email_id;
	guint recipient;
};

/* The use of such a link by a person, by address, since a time (epoch ms). All borrowed. */
struct store_choice_use {
	const struct base_id *workspace;
	const char *address;
	const struct store_choice_link *link;
	gint64 since;
};

/* For statements of lib/store: a locking read that tells whether a choice keeps a person out of an
   audience. store_choice_ask gives its values: the address, its hashes under the latest secrets,
   and the audience. */
#define CHOICE_PEOPLE 4
#define CHOICE_PERSON_VALUES (1 + CHOICE_PEOPLE)
#define CHOICE_VALUES (2 * CHOICE_PERSON_VALUES + 1)
#define CHOICE_OF_PERSON " WHERE workspace_id = ? AND person IN (?, ?, ?, ?)"
#define CHOICE_STANDS                                                                              \
	"(EXISTS (SELECT 1 FROM choice" CHOICE_OF_PERSON " LOCK IN SHARE MODE)"                    \
	" OR EXISTS (SELECT 1 FROM choice_part" CHOICE_OF_PERSON                                   \
	" AND target_id = ? AND is_chosen = 0 LOCK IN SHARE MODE))"

/* Sets the values of the condition above. They point into the arguments. */
void store_choice_ask(const struct base_id *workspace, const struct store_suppression_key *key,
    const struct base_id *audience, struct db_value values_r[CHOICE_VALUES]);

/* For statements of lib/store: a person who was just stored gets no mailings if a choice says so.
 */
#define CHOICE_FLAG_VALUES (2 + CHOICE_PERSON_VALUES)
#define CHOICE_FLAG                                                                                \
	"UPDATE person FORCE INDEX (address) SET is_subscribed = 0, agreed = 0"                    \
	" WHERE workspace_id = ? AND address = ?"                                                  \
	" AND is_subscribed = 1 AND EXISTS (SELECT 1 FROM choice" CHOICE_OF_PERSON ")"
/* Sets its values, which point into the arguments. */
void store_choice_ask_flag(const struct base_id *workspace, const struct store_suppression_key *key,
    struct db_value values_r[CHOICE_FLAG_VALUES]);

/* The forms under which a person may be stored: the address, and each of the hashes. */
struct db_value store_choice_person(const struct store_suppression_key *key, guint i);

/* Sets CONFLICT "This person has unsubscribed; override is required", and returns false. */
bool store_choice_refuse(GError **error);

/* Reads the choices that keep a person out of an audience or topic (NULL: only that about all), and
   locks them until the transaction ends. */
bool store_choice_find(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *target,
    struct store_choice *choice_r, GError **error);

/* Whether a person gets no mailings at all. Inside or outside a transaction; locks nothing. */
bool store_choice_stands(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, bool *stands_r, GError **error);

/* Deferred: makes the transaction fail with CONFLICT and the reason STORE_CHOICE_REFUSED (DB_REFUSE
   in db/transaction.h) if one of these people, at most STORE_CHOICE_TOGETHER of them, has a choice,
   or has left any audience; locks the choices until the transaction ends. */
#define STORE_CHOICE_TOGETHER 16
#define STORE_CHOICE_REFUSED "choice"
bool store_choice_forbid(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *people, guint count, GError **error);

/* Whether any choice of the workspace may keep somebody out of an audience; a locking read too. */
bool store_choice_any(struct db *db, const struct base_id *workspace, bool *any_r, GError **error);

/* Sets choices_r[i] to the choices that keep person i out of an audience; a locking read too. */
bool store_choice_match(struct db *db, const struct store_suppression_people *people,
    const struct base_id *audience, struct store_choice *choices_r, GError **error);

/* Stores the choice to get no mailings at all; the person's own stays one. link: used by the
   person; NULL: none. The caller has read the choice with store_choice_find. */
bool store_choice_leave(struct db *db, const struct base_id *workspace, const char *address,
    enum store_consent_author author, const struct store_choice_link *link, GError **error);

/* Deferred: a person who was just stored gets no mailings if a choice says so. */
bool store_choice_flag(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* The same for count people, of any number. */
bool store_choice_flag_all(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *keys, guint count, GError **error);

/* Notes a contact that the choice unsubscribed. */
bool store_choice_contact(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, GError **error);

/* Takes back the use of a link. *last_r: no other link was used, and no operator has said so, too;
   so the caller ends the choice with store_choice_lift. */
bool store_choice_return(
    struct db *db, const struct store_choice_use *use, bool *last_r, GError **error);

/* Ends the choice, stored under the address or a hash: removes its links and contacts and the entry
   that it has on the suppression list, and the person gets mailings again. Contacts stay as they
   are. */
bool store_choice_lift(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Erases the person: keeps of a choice of the person's own the first hash alone, and none of the
   records. */
bool store_choice_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

/* Inside or outside a transaction: whether this link was used since its time (own_r), and whether
   others were used, or this one before that time (others_r). */
bool store_choice_view(
    struct db *db, const struct store_choice_use *use, bool *own_r, bool *others_r, GError **error);

#endif

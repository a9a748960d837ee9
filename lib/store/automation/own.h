/* SPDX-License-Identifier: MIT */
/* Own events: those that Posthouse tells by itself, of people, contacts, topics, forms and
   properties. They are rows of the queue of store/automation/feedback.h, written in the transaction
   of what happened, where the workspace hears the name (store/automation/heard.h). All calls run
   inside a transaction and are deferred (db_defer); an event that nobody hears leaves no row.

   Nothing is told of a person whom an unconfirmed membership alone has made: a stranger may have
   entered the address. store_own_confirm tells what was kept back. */
#ifndef STORE_AUTOMATION_OWN_H
#define STORE_AUTOMATION_OWN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/heard.h"
#include "store/consent/act.h"

struct db;

/* For statements of lib/store: an unconfirmed membership alone has made this person p. */
#define STORE_OWN_UNCONFIRMED                                                                      \
	"(p.seen = 0 AND p.is_made = 0 AND COALESCE(p.agreed, 0) = 0 AND COALESCE((SELECT"         \
	" MIN(u.pending IS NOT NULL AND u.left_by = 0) FROM audience a FORCE INDEX (workspace)"    \
	" STRAIGHT_JOIN contact u ON u.audience_id = a.id AND u.address = p.address"               \
	" WHERE a.workspace_id = p.workspace_id), 0) = 1)"

/* The places of names in the table of own events. */
enum store_own_rank {
	RANK_PERSON_CREATED,
	RANK_CONTACT_CREATED,
	RANK_CONTACT_CONFIRMED,
	RANK_CONTACT_UPDATED,
	RANK_CONTACT_UNSUBSCRIBED,
	RANK_CONTACT_DELETED,
	RANK_TOPIC_JOINED,
	RANK_TOPIC_LEFT,
	RANK_FORM,
	RANK_PERSON_UPDATED,
	RANK_ENTERED,
	RANK_LEFT,
	RANK_DATE,
};

/* An id of an event. Those of one time come in the order of their ranks, then of their numbers; all
   above 254 count as 255. */
struct base_id store_own_id(gint64 time, enum store_own_rank rank, guint number);

/* From here to the end of the transaction nothing is told: imports. */
void store_own_hush(struct db *db);

/* The events that the transaction tells from now on happened after time (epoch ms), that of the
   event of a client which makes the changes. */
void store_own_after(struct db *db, gint64 time);

/* The events that follow were caused by a step of this workflow (NULL: by none) of an execution
   of this depth. The id is copied. Finishes what was begun by another cause. */
bool store_own_cause(struct db *db, const struct base_id *workflow, guint depth, GError **error);

/* person.created, of those of these ids that are stored: where a person with the address was there
   before, the id that it was to get is none. */
bool store_own_people_created(struct db *db, const struct base_id *workspace,
    const struct base_id *ids, guint count, enum store_consent_source source, GError **error);

/* contact.created, of contacts as their rows are now, but for those that wait. */
bool store_own_contacts_created(struct db *db, const struct base_id *workspace,
    const struct base_id *const *contacts, guint count, GError **error);

/* contact.updated. changed: enum store_webhook_changed. */
bool store_own_contact_updated(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, guint changed, GError **error);

bool store_own_contact_unsubscribed(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error);

/* As store_webhook_enqueue_subscribed. */
bool store_own_contact_turned(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error);

/* Before the row is removed. */
bool store_own_contact_deleted(
    struct db *db, const struct base_id *workspace, const struct base_id *contact, GError **error);

/* Before a person confirms a membership: person.created, if it was kept back. */
bool store_own_confirm(struct db *db, const struct base_id *workspace, const char *address,
    enum store_consent_source source, GError **error);

/* Behind it. form: NULL where none asked. */
bool store_own_contact_confirmed(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct base_id *form, GError **error);

/* topic.joined or topic.left. */
bool store_own_topic(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *topic, const struct store_consent_turn *turn, GError **error);

/* properties: JSON. */
bool store_own_form_submitted(struct db *db, const struct base_id *workspace, const char *address,
    const char *properties, GError **error);

/* Deferred, where the workspace hears of contacts: the transaction fails for the reason
   OWN_RENAMED if contacts that it has made have changed people. */
bool store_own_refuse_renamed(struct db *db, const struct base_id *workspace,
    const struct base_id *const *contacts, guint count, GError **error);

/* person.updated: before the transaction changes people with these addresses. The change is found
   at its end. A person who is made in the transaction has none. */
bool store_own_people_before(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error);

/* For a statement of lib/store that is one block, and tells nothing: refuses with this reason where
   the workspace, its one value, hears anything. */
#define OWN_HEARD "heard"
#define OWN_REFUSE                                                                                 \
	"IF EXISTS (SELECT 1 FROM workflow_heard WHERE workspace_id = ?) THEN " DB_REFUSE(         \
	    OWN_HEARD) " END IF;"

/* Whether one of the contacts that this transaction has made, as store_person_put does, has changed
   a person who was known. Values: the ids, workspace. A statement that refuses then names this
   reason. */
#define OWN_RENAMED "renamed"
#define OWN_IS_RENAMED                                                                             \
	"EXISTS (SELECT 1 FROM contact c FORCE INDEX (id) STRAIGHT_JOIN person p"                  \
	" FORCE INDEX (address) ON p.workspace_id = c.workspace_id AND p.address = c.address"      \
	" WHERE c.id IN (" DB_MARKS_8 ") AND c.workspace_id = ? AND p.updated = c.created"         \
	" AND p.created < p.updated)"

#endif

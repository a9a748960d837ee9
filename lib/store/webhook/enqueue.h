/* SPDX-License-Identifier: MIT */
/* Tells webhooks of events: writes an event's deliveries, in the transaction of the event itself.
   Each webhook of the workspace that is on and wants the type gets one. All calls run inside a
   transaction and are deferred (db_defer), so that they cost no round trip; an event that no
   webhook wants leaves no row. */
#ifndef STORE_WEBHOOK_ENQUEUE_H
#define STORE_WEBHOOK_ENQUEUE_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "db/value.h"
#include "store/domain/domain.h"
#include "store/person/person.h"
#include "store/webhook/webhook.h"

struct db;
struct store_suppression;

/* For statements of lib/store: the id of a delivery, of the event's id and the webhook's. It begins
   like the event's id, so ids of deliveries are in the order of events. */
#define WEBHOOK_DELIVERY_ID(event, webhook) "CONCAT(LEFT(" event ", 14), RIGHT(" webhook ", 2))"

/* Recipients' events, which are stored in this transaction. */
bool store_webhook_enqueue_events(
    struct db *db, const struct store_event *const *events, guint count, GError **error);

/* An email that was just scheduled (stored, or moved) or cancelled. */
bool store_webhook_enqueue_email(struct db *db, const struct base_id *workspace,
    const struct base_id *email, enum store_webhook_type type, GError **error);

/* The fields of a contact that a change has changed; flags. */
enum store_webhook_changed {
	CHANGED_EMAIL = 1,
	CHANGED_FIRST_NAME = 2,
	CHANGED_LAST_NAME = 4,
	CHANGED_IS_SUBSCRIBED = 8,
};

/* A contact as its row is now: after a change, before a removal. changed: enum
   store_webhook_changed, for CONTACT_UPDATED. */
bool store_webhook_enqueue_contact(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, enum store_webhook_type type, guint changed, GError **error);

struct store_consent_turn;

/* A contact as its row is now, after it was subscribed or unsubscribed. CONTACT_UNSUBSCRIBED is
   enqueued besides CONTACT_UPDATED when an operator did it, else alone. */
bool store_webhook_enqueue_subscribed(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error);

/* For a statement of lib/store that is one block: tells that a contact was created.
   store_webhook_ask_created gives its values; the event has the contact's id. IF EXISTS would look
   once less, but reads with a lock, and would wait for whoever changes a webhook. */
#define WEBHOOK_CREATED_VALUES 9
#define WEBHOOK_CREATED " " WEBHOOK_CONTACT_EVENT "; " WEBHOOK_DELIVERIES ";"
void store_webhook_ask_created(const struct base_id *workspace, const struct base_id *contact,
    gint64 created, struct db_value values_r[WEBHOOK_CREATED_VALUES]);

/* Deferred: the same for contacts of a workspace that the transaction stores. refuses: the
   transaction fails for the reason OWN_RENAMED where they have changed people, and a webhook
   hears of their other contacts. */
bool store_webhook_enqueue_created(struct db *db, const struct base_id *workspace,
    const struct base_id *const *contacts, guint count, bool refuses, GError **error);

/* A person as the row is now: after a change, before a removal, for PERSON_CREATED and so on.
   Contacts of the person have events of their own. updated: only where the row was changed at this
   time (epoch ms), after it was made; 0: in any case. */
bool store_webhook_enqueue_person(struct db *db, const struct base_id *workspace,
    const char *address, enum store_webhook_type type, gint64 updated, GError **error);

/* A mail that came in, which the transaction stores. about: the address of its writer, as it is
   compared. data: JSON. */
bool store_webhook_enqueue_received(struct db *db, const struct base_id *workspace,
    const struct base_id *received, const char *about, const char *data, GError **error);

/* A domain that gets this status and error, before its row is changed. Nothing if the status stays,
   or is one that webhooks do not get. */
bool store_webhook_enqueue_domain(struct db *db, const struct base_id *domain,
    enum store_domain_status status, enum store_domain_error error_type, GError **error);

/* A domain as its row is now: after it was created (DOMAIN_CREATED), before it is removed
   (DOMAIN_DELETED). */
bool store_webhook_enqueue_domain_row(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, enum store_webhook_type type, GError **error);

/* An address that is about to be put on the suppression list in scope all. Nothing where it stands
   there already, and for a person who was erased. */
bool store_webhook_enqueue_suppressed(
    struct db *db, const struct store_suppression *entry, GError **error);

/* An entry that is about to leave scope all. Nothing where it is of another scope, or of a person
   who was erased. */
bool store_webhook_enqueue_unsuppressed(
    struct db *db, const struct store_suppression *entry, GError **error);

/* A topic as its row is now: after a change (TOPIC_CREATED, TOPIC_UPDATED), before its removal
   (TOPIC_DELETED). */
bool store_webhook_enqueue_topic(struct db *db, const struct base_id *workspace,
    const struct base_id *topic, enum store_webhook_type type, GError **error);

/* The choice of a topic that the person with this address has now. */
bool store_webhook_enqueue_choice(struct db *db, const struct base_id *workspace,
    const char *address, const struct base_id *topic, bool is_chosen, GError **error);

/* The executions that an event has started for a contact, whose own row may follow. */
bool store_webhook_enqueue_started(
    struct db *db, const struct store_person *contact, const struct base_id *event, GError **error);

/* Executions that have just ended, as their rows are now. */
bool store_webhook_enqueue_ended(
    struct db *db, const struct base_id *const *executions, guint count, GError **error);

/* The executions that were cancelled because their contact is being deleted. */
bool store_webhook_enqueue_deleted(struct db *db, const struct base_id *contact, GError **error);

/* Stores a webhook.test for one webhook, whether it is on or not. *delivery_r is its delivery,
   which is not due: the caller makes its one attempt. */
bool store_webhook_enqueue_test(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, struct base_id *delivery_r, GError **error);

/* Appends an id as a JSON string of 32 hexadecimal digits, as lists of ids in statements have it.
 */
void store_webhook_print_id(GString *text, const struct base_id *id);

/* Texts of statements that the macros above use. */
#define WEBHOOK_WANTED(workspace, type)                                                            \
	"w.workspace_id = " workspace " AND w.enabled AND w.events & (1 << " type ")"
#define WEBHOOK_EVENT                                                                              \
	"INSERT INTO webhook_event (id, workspace_id, created, type, about, data) SELECT "
#define WEBHOOK_DELIVERY                                                                           \
	"INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type, email_id,"    \
	" created, status, attempts, next_attempt) SELECT "
#define WEBHOOK_UUID(id)                                                                           \
	"LOWER(INSERT(INSERT(INSERT(INSERT(HEX(" id                                                \
	"), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-'))"
/* The events of contacts. columns: id, workspace, time and type; changed: a JSON array. */
#define WEBHOOK_CONTACT_EVENTS(columns, changed, found, type)                                      \
	WEBHOOK_EVENT columns                                                                      \
	    ", c.address, JSON_OBJECT('contact', JSON_OBJECT('id', " WEBHOOK_UUID(                 \
		"c.id") ", 'first_name', " PERSON_FIRST_NAME ", 'last_name', " PERSON_LAST_NAME    \
			", 'email', " PERSON_EMAIL ", 'is_subscribed', c.is_subscribed <> 0,"      \
			" 'created', c.created, 'updated', c.updated), "                           \
			"'audience_id', " WEBHOOK_UUID(                                            \
			    "c.audience_id") ", 'changed', JSON_COMPACT(" changed                  \
					     ")) FROM contact c" PERSON_OF_CONTACT " WHERE " found \
					     " AND c.workspace_id = ? AND EXISTS (SELECT 1 FROM"   \
					     " webhook w WHERE " WEBHOOK_WANTED(                   \
						 "c.workspace_id", type) ")"
/* Values: id, time, type, changed, contact, workspace, type. */
#define WEBHOOK_CONTACT_EVENT                                                                      \
	WEBHOOK_CONTACT_EVENTS("?, c.workspace_id, ?, ?", "?", "c.id = ?", "?")
/* The deliveries of an event of webhook_event, which comes from source as v. Value: now. */
#define WEBHOOK_DELIVERIES_OF(source)                                                              \
	WEBHOOK_DELIVERY                                                                           \
	"w.id, " WEBHOOK_DELIVERY_ID("v.id",                                                       \
	    "w.id") ", v.workspace_id, v.id, v.type,"                                              \
		    " IF(v.type IN (" WEBHOOK_EMAIL_SCHEDULED_SQL ", " WEBHOOK_EMAIL_CANCELLED_SQL \
		    "), v.about, NULL), v.created, " DELIVERY_PENDING_SQL ", 0, ? FROM " source    \
		    " STRAIGHT_JOIN webhook w FORCE INDEX (workspace) ON " WEBHOOK_WANTED(         \
			"v.workspace_id", "v.type")
/* Values: now, id. */
#define WEBHOOK_DELIVERIES WEBHOOK_DELIVERIES_OF("webhook_event v") " WHERE v.id = ?"

#endif

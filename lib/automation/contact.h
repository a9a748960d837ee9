/* SPDX-License-Identifier: MIT */
/* Automation contacts: changes by hand, and the contact that a transaction has locked. */
#ifndef AUTOMATION_CONTACT_H
#define AUTOMATION_CONTACT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct automation_rules;
struct store_person;
struct store_workflow_sought;
struct service;
struct db;
struct json;

/* A contact whose row the current transaction has locked, with its properties as they are now. */
struct automation_locked_contact {
	struct service *service;
	struct store_person *contact;
	struct json *properties;
	struct json *fields;  /* for rules; NULL: not read */
	GHashTable *segments; /* that it is in, of those that were asked for; NULL: none */
	bool is_new;	      /* the row is not stored yet */
	bool changed;	      /* the properties are not stored yet */
	bool is_deleted;      /* a step of the batch removes the person */
	gint64 told;	      /* the time of its last own event of the batch, epoch ms; 0: none */
};

/* Wraps the contact of an event, which store_workflow_trigger_lock has found and which is taken
   over, or makes a new one with email as its address in the client's spelling. The caller frees it.
 */
struct automation_locked_contact *automation_locked_contact_of(struct service *service,
    struct store_workflow_sought *sought, const char *email, GError **error);

/* Wraps a contact whose row is locked already. Takes over contact, also on failure. FAILED when its
   properties cannot be read. The caller frees the result. */
struct automation_locked_contact *automation_locked_contact_new(
    struct service *service, struct store_person *contact, GError **error);

/* Makes an empty table from contact ids to locked contacts, which it owns. The caller frees it. */
GHashTable *automation_locked_contact_table(void);

void automation_locked_contact_free(struct automation_locked_contact *locked);
DEFINE_AUTO(automation_locked_contact, automation_locked_contact_free)

/* Reads the fields that rules know (automation/rules.h), unless they have been read. */
bool automation_locked_contact_read_fields(
    struct automation_locked_contact *locked, GError **error);

/* Finds which of the segments that rules (NULL: none) ask for the contact is in now. Stores the
   contact first, since segments are about stored people. */
bool automation_locked_contact_read_segments(
    struct automation_locked_contact *locked, const struct automation_rules *rules, GError **error);

/* Merges a patch (NULL: none) into the properties in memory. INVALID "properties ..." when they
   become too large or too deep. */
bool automation_locked_contact_merge(
    struct automation_locked_contact *locked, const struct json *patch, GError **error);

/* Before changed properties are stored: lets person.updated be told of them. */
bool automation_locked_contact_before(struct automation_locked_contact *locked, GError **error);

/* Stores changed properties now. */
bool automation_locked_contact_store(struct automation_locked_contact *locked, GError **error);

/* Counts an event of this name in the contact. time is the event's, now the time at which it is
   recorded; both epoch ms. */
void automation_locked_contact_count_event(
    struct automation_locked_contact *locked, const char *name, gint64 time, gint64 now);

/* Counts an event and stores the contact. The caller flags those that are new (consent_flag). */
bool automation_locked_contact_store_event(struct automation_locked_contact *locked,
    const char *name, gint64 time, gint64 now, GError **error);

/* Merges properties (an object) deeply into a contact's; null deletes. Starts no workflow.
   *merged_r: all properties afterwards, JSON text, which the caller owns. NOT_FOUND "Contact not
   found", also when email is no address; INVALID when the properties would be too large. */
bool automation_contact_patch(struct service *service, const struct base_id *workspace,
    const char *email, const struct json *properties, char **merged_r, GError **error);

/* Removes a contact with its events, and cancels its executions. NOT_FOUND "Contact not found". */
bool automation_contact_remove(
    struct service *service, const struct base_id *workspace, const char *email, GError **error);

#endif

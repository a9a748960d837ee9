/* SPDX-License-Identifier: MIT */
/* The events of automation, as stored. Errors that a function does not name are those of
   db/statement.h. */
#ifndef STORE_AUTOMATION_EVENT_H
#define STORE_AUTOMATION_EVENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* An event of automation: an action of a contact, or the fate of an email that a workflow sent.
   Times are epoch ms. */
struct store_automation_event {
	struct base_id id;
	struct base_id workspace_id;
	struct base_id contact_id;
	char *name;  /* trimmed, in lower case */
	char *email; /* of the contact; read by lists alone */
	gint64 timestamp;
	char *properties; /* JSON object */
	gint64 created;
};

void store_automation_event_free(struct store_automation_event *event);
DEFINE_AUTO(store_automation_event, store_automation_event_free)

/* A page of a contact's events but those that one workflow alone was told, newest first, at most
   limit, older than before (NULL: from the newest on), as an array of struct
   store_automation_event. The caller owns it. */
GPtrArray *store_automation_event_list(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct base_id *before, guint limit, GError **error);

/* Inside a transaction, with the contacts locked: stores events. The id of each is made for the
   event's time, or later (base_id_at). Deferred if they are few (store/common/rows.h). */
bool store_automation_event_insert(
    struct db *db, const struct store_automation_event *events, guint count, GError **error);

/* Whether an event has this id. */
bool store_automation_event_there(struct db *db, const struct base_id *workspace,
    const struct base_id *id, bool *there_r, GError **error);

/* The properties of an event as JSON text, which the caller owns; NULL when the event is gone. */
bool store_automation_event_properties(
    struct db *db, const struct base_id *id, char **text_r, GError **error);

/* The same of the event that started an execution. */
bool store_automation_event_started(
    struct db *db, const struct base_id *execution, char **text_r, GError **error);

/* A contact's events of this name between two times (before 0: without end), oldest first, as an
   array of struct store_automation_event. The caller owns it. */
GPtrArray *store_automation_event_between(struct db *db, const struct base_id *contact,
    const char *name, gint64 after, gint64 before, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* The events of automation contacts, as they are recorded and looked back to. */
#ifndef STORE_AUTOMATION_EVENT_WRITE_H
#define STORE_AUTOMATION_EVENT_WRITE_H

#include "store/automation_event.h"

/* Inside a transaction, with the contacts locked. Their ids are of their times, or later
   (base_id_at). */
bool store_automation_event_insert(
    struct db *db, const struct store_automation_event *const *events, guint count, GError **error);

/* Whether there is one with this id. */
bool store_automation_event_there(
    struct db *db, const struct base_id *id, bool *there_r, GError **error);

/* The properties of one, JSON text, which the caller owns; NULL: it is not there any more. */
bool store_automation_event_properties(
    struct db *db, const struct base_id *id, char **text_r, GError **error);

/* Those of a contact with this name, after and before these times (before 0: whenever), oldest
   first, as an array of struct store_automation_event. The caller owns it. */
GPtrArray *store_automation_event_between(struct db *db, const struct base_id *contact,
    const char *name, gint64 after, gint64 before, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Automation contacts, as events and workflows change them. All inside a transaction. */
#ifndef STORE_AUTOMATION_CONTACT_WRITE_H
#define STORE_AUTOMATION_CONTACT_WRITE_H

#include "db/statement.h"
#include "store/automation_contact.h"

/* The contact with this address, which nobody else changes until the transaction ends; *contact_r
   is NULL when there is none. The caller frees it. */
bool store_automation_contact_lock(struct db *db, const struct base_id *workspace,
    const char *address, struct store_automation_contact **contact_r, GError **error);

/* The same together with other queries (db_select_together): what to ask, with room for its values,
   and who it gave, NULL when there is none. */
struct db_query store_automation_contact_ask(
    const struct base_id *workspace, const char *address, struct db_value values[2]);
struct store_automation_contact *store_automation_contact_read(
    struct db_rows *rows, const struct base_id *workspace);

/* CONFLICT when somebody else has just stored one with this address. Put off (db_defer). */
bool store_automation_contact_insert(
    struct db *db, const struct store_automation_contact *contact, GError **error);

/* After an event: last_seen, last_event, event_count and updated, and the properties, unless these
   are NULL: then they stay. */
bool store_automation_contact_seen(struct db *db,
    const struct store_automation_contact *const *contacts, guint count, GError **error);

/* The properties alone, and updated. */
bool store_automation_contact_properties(struct db *db,
    const struct store_automation_contact *const *contacts, guint count, GError **error);

/* Removes it with its events and with what re-entry is decided by. */
bool store_automation_contact_remove(struct db *db, const struct base_id *id, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* Automation contacts, as they are read. */
#include "base/error.h"
#include "db/statement.h"
#include "store/automation_contact.h"
#include "store/listing.h"

#define COLUMNS                                                                                    \
	"id, email, address, first_seen, last_seen, last_event, event_count, created, updated"

enum { GET, FIND, LIST };
static const char *const sql[] = {
    [GET] = "SELECT " COLUMNS ", properties FROM automation_contact"
	    " WHERE workspace_id = ? AND address = ?",
    [FIND] = "SELECT id FROM automation_contact WHERE workspace_id = ? AND address = ?",
    [LIST] = "SELECT " COLUMNS ", NULL FROM automation_contact FORCE INDEX (newest)"
	     " WHERE workspace_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
};

void
store_automation_contact_free(struct store_automation_contact *contact)
{
	g_free(contact->email);
	g_free(contact->address);
	g_free(contact->properties);
	g_free(contact->last_event);
	g_free(contact);
}

bool
store_automation_contact_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Contact not found");
	return false;
}

static void *
read_row(struct db_rows *rows, const struct base_id *workspace)
{
	struct store_automation_contact *contact = g_new0(struct store_automation_contact, 1);

	db_rows_id(rows, 0, &contact->id);
	contact->workspace_id = *workspace;
	contact->email = g_strdup(db_rows_text(rows, 1));
	contact->address = g_strdup(db_rows_text(rows, 2));
	contact->first_seen = db_rows_int(rows, 3);
	contact->last_seen = db_rows_int(rows, 4);
	contact->last_event = g_strdup(db_rows_text(rows, 5));
	contact->event_count = db_rows_int(rows, 6);
	contact->created = db_rows_int(rows, 7);
	contact->updated = db_rows_int(rows, 8);
	contact->properties = g_strdup(db_rows_text(rows, 9));
	return contact;
}

struct store_automation_contact *
store_automation_contact_get(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[GET], DB_VALUES(db_id(workspace), db_text(address)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return read_row(rows, workspace);
	store_automation_contact_missing(error);
	return NULL;
}

bool
store_automation_contact_find(struct db *db, const struct base_id *workspace, const char *address,
    struct base_id *id_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[FIND], DB_VALUES(db_id(workspace), db_text(address)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return store_automation_contact_missing(error);
	return db_rows_id(rows, 0, id_r);
}

static void
free_contact(void *contact)
{
	store_automation_contact_free(contact);
}

GPtrArray *
store_automation_contact_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error)
{
	return store_listing_read(
	    db, sql[LIST], workspace, before, limit, read_row, free_contact, error);
}

/* SPDX-License-Identifier: MIT */
/* Removes the contacts of a person who has to be forgotten, from all audiences. */
#include "db/statement.h"
#include "store/audience.h"
#include "store/erasure.h"

enum { CONTACTS, REMOVE_CONTACTS, REMOVE_UNSWEPT };
static const char *const sql[] = {
    [CONTACTS] = "SELECT c.audience_id, c.is_subscribed FROM audience a"
		 " JOIN contact c ON c.audience_id = a.id AND c.address = ?"
		 " WHERE a.workspace_id = ? ORDER BY c.audience_id FOR UPDATE",
    [REMOVE_CONTACTS] =
	"DELETE FROM contact WHERE audience_id = ? AND address = ? AND workspace_id = ?",
    /* Of audiences that were removed, and not swept yet. */
    [REMOVE_UNSWEPT] = "DELETE c FROM audience_removal r JOIN contact c"
		       " ON c.audience_id = r.audience_id AND c.address = ?"
		       " WHERE r.workspace_id = ?",
};

/* A contact that goes, and what that does to its audience. */
struct loss {
	struct base_id audience;
	bool was_subscribed;
};

static bool
find_contacts(struct db *db, const struct base_id *workspace, const char *address, GArray *losses,
    GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[CONTACTS], DB_VALUES(db_text(address), db_id(workspace)), error);
	struct loss loss;

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &loss.audience);
		loss.was_subscribed = db_rows_int(rows, 1) != 0;
		g_array_append_val(losses, loss);
	}
	return true;
}

bool
store_erasure_contacts(struct db *db, const struct base_id *workspace, const char *address,
    struct store_erasure *erasure, GError **error)
{
	g_autoptr(GArray) losses = g_array_new(FALSE, FALSE, sizeof(struct loss));

	if (!find_contacts(db, workspace, address, losses, error))
		return false;
	for (guint i = 0; i < losses->len; i++)
		if (!db_run(db, sql[REMOVE_CONTACTS],
			DB_VALUES(db_id(&g_array_index(losses, struct loss, i).audience),
			    db_text(address), db_id(workspace)),
			NULL, error))
			return false;
	if (!db_run(db, sql[REMOVE_UNSWEPT], DB_VALUES(db_text(address), db_id(workspace)), NULL,
		error))
		return false;
	/* Last, for writers wait for each other there. */
	for (guint i = 0; i < losses->len; i++) {
		const struct loss *loss = &g_array_index(losses, struct loss, i);

		if (!store_audience_count(
			db, &loss->audience, -1, (gint64)loss->was_subscribed - 1, error))
			return false;
	}
	erasure->contacts += losses->len;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* One address in all audiences of a workspace: whether its owner wants to be written to. */
#include "base/clock.h"
#include "db/statement.h"
#include "store/audience.h"
#include "store/choice.h"
#include "store/contact.h"

/* The audiences are gone through, each with one look at the primary key of its contacts. Those that
   are not subscribed are locked as well: one of them may just be subscribed (store/choice.h). */
enum { FIND, FIND_NOTED, CHANGE };
static const char *const sql[] = {
    [FIND] = "SELECT c.id, c.audience_id, c.is_subscribed FROM audience a FORCE INDEX (workspace)"
	     " STRAIGHT_JOIN contact c ON c.audience_id = a.id AND c.address = ?"
	     " WHERE a.workspace_id = ? ORDER BY a.id FOR UPDATE",
    [FIND_NOTED] = "SELECT c.id, c.audience_id, c.is_subscribed FROM choice_contact k"
		   " STRAIGHT_JOIN contact c FORCE INDEX (id) ON c.id = k.contact_id"
		   " STRAIGHT_JOIN audience a ON a.id = c.audience_id"
		   " WHERE k.person = ? AND k.workspace_id = ? AND c.address = k.person"
		   " ORDER BY c.audience_id FOR UPDATE",
    [CHANGE] = "UPDATE contact SET is_subscribed = ?, updated = ?"
	       " WHERE id = ? AND workspace_id = ?",
};

static bool
change(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *contact, bool subscribed, GError **error)
{
	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_int(subscribed), db_int(base_clock_now()), db_id(contact),
		       db_id(workspace)),
		   NULL, error) &&
	       (subscribed || store_choice_contact(db, workspace, address, contact, error));
}

bool
store_contact_subscribe(struct db *db, const struct base_id *workspace, const char *address,
    bool subscribed, guint *count_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[subscribed ? FIND_NOTED : FIND],
	    DB_VALUES(db_text(address), db_id(workspace)), error);
	g_autoptr(GArray) audiences = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct base_id contact, audience;

	*count_r = 0;
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		if ((db_rows_int(rows, 2) != 0) == subscribed)
			continue;
		db_rows_id(rows, 0, &contact);
		db_rows_id(rows, 1, &audience);
		if (!change(db, workspace, address, &contact, subscribed, error))
			return false;
		g_array_append_val(audiences, audience);
	}
	for (guint i = 0; i < audiences->len; i++)
		if (!store_audience_count(db, &g_array_index(audiences, struct base_id, i), 0,
			subscribed ? -1 : 1, error))
			return false;
	*count_r = audiences->len;
	return true;
}

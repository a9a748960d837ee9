/* One address in all audiences of a workspace: whether its owner wants to be written to. */
#include "base/clock.h"
#include "db/statement.h"
#include "store/audience.h"
#include "store/contact.h"

/* The audiences are gone through, each with one look at the primary key of its contacts. */
enum { FIND, CHANGE };
static const char *const sql[] = {
    [FIND] = "SELECT c.id, c.audience_id FROM audience a FORCE INDEX (workspace)"
	     " STRAIGHT_JOIN contact c ON c.audience_id = a.id AND c.address = ?"
	     " WHERE a.workspace_id = ? AND c.is_subscribed = ? ORDER BY a.id",
    [CHANGE] = "UPDATE contact SET is_subscribed = ?, updated = ?"
	       " WHERE id = ? AND workspace_id = ? AND is_subscribed = ?",
};

bool
store_contact_subscribe(struct db *db, const struct id *workspace, const char *address,
    bool subscribed, guint *count_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[FIND],
	    DB_VALUES(db_text(address), db_id(workspace), db_int(!subscribed)), error);
	g_autoptr(GArray) audiences = g_array_new(FALSE, FALSE, sizeof(struct id));
	struct id contact, audience;
	guint64 affected;

	*count_r = 0;
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		db_rows_id(rows, 0, &contact);
		db_rows_id(rows, 1, &audience);
		if (!db_run(db, sql[CHANGE],
			DB_VALUES(db_int(subscribed), db_int(base_clock_now()), db_id(&contact),
			    db_id(workspace), db_int(!subscribed)),
			&affected, error))
			return false;
		/* Somebody else may have been faster. */
		if (affected > 0)
			g_array_append_val(audiences, audience);
	}
	for (guint i = 0; i < audiences->len; i++)
		if (!store_audience_count(
			db, &g_array_index(audiences, struct id, i), 0, subscribed ? -1 : 1, error))
			return false;
	*count_r = audiences->len;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Keeps the reason that people have given to be mailed. */
#include "store/consent/agreement.h"

#include <string.h>

#include "db/statement.h"
#include "db/transaction.h"

enum { GIVE, LEAVE, PART };
static const char *const sql[] = {
    [GIVE] = "UPDATE person FORCE INDEX (address) SET agreed = ?"
	     " WHERE workspace_id = ? AND address = ? AND COALESCE(agreed, 0) < ?",
    [LEAVE] = AGREEMENT_LEAVE,
    [PART] = "UPDATE person FORCE INDEX (address) SET agreed = 0"
	     " WHERE workspace_id = ? AND address = ? AND agreed = 1"
	     " AND NOT " AGREEMENT_IS_MEMBER " AND EXISTS (SELECT 1"
	     " FROM audience b FORCE INDEX (workspace) STRAIGHT_JOIN contact d"
	     " ON d.audience_id = b.id AND d.address = ? WHERE b.workspace_id = ?"
	     " AND d.is_subscribed = 0 AND d.pending IS NULL LOCK IN SHARE MODE)",
};

bool
store_agreement_give(struct db *db, const struct base_id *workspace, const char *address,
    enum store_agreement agreement, GError **error)
{
	return db_defer(db, sql[GIVE],
	    DB_VALUES(db_int(agreement), db_id(workspace), db_text(address), db_int(agreement)), 1,
	    error);
}

void
store_agreement_ask_leave(const struct base_id *workspace, const char *address,
    struct db_value values_r[AGREEMENT_LEAVE_VALUES])
{
	values_r[0] = values_r[3] = db_text(address);
	values_r[1] = values_r[2] = db_id(workspace);
}

bool
store_agreement_leave(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)AGREEMENT_LEAVE_VALUES * MAX(count, 1));

	for (guint i = 0; i < count; i++)
		store_agreement_ask_leave(
		    workspace, addresses[i], values + (gsize)AGREEMENT_LEAVE_VALUES * i);
	return count == 0 || db_defer(db, sql[LEAVE], values, AGREEMENT_LEAVE_VALUES, count, error);
}

#define PART_VALUES 6

bool
store_agreement_part(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)PART_VALUES * MAX(count, 1));

	for (guint i = 0; i < count; i++) {
		const struct db_value of = db_id(workspace), address = db_text(addresses[i]);
		const struct db_value row[PART_VALUES] = {of, address, address, of, address, of};

		memcpy(values + (gsize)PART_VALUES * i, row, sizeof(row));
	}
	return count == 0 || db_defer(db, sql[PART], values, PART_VALUES, count, error);
}

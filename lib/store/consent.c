/* SPDX-License-Identifier: MIT */
/* The record of what was decided about people's consent. */
#include "store/consent.h"

#include "base/clock.h"
#include "db/statement.h"

enum { RECORD, ERASE };
static const char *const sql[] = {
    [RECORD] = "INSERT INTO consent (id, workspace_id, person, kind, user_id, key_id, reason,"
	       " contact_id, email_id, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ERASE] = "DELETE FROM consent WHERE workspace_id = ? AND person = ?",
};

bool
store_consent_record(struct db *db, const struct base_id *workspace, const char *person,
    const struct store_consent *consent, GError **error)
{
	struct base_id id = base_id_new();

	return db_defer(db, sql[RECORD],
	    DB_VALUES(db_id(&id), db_id(workspace), db_text(person), db_int(consent->kind),
		db_id(consent->user), db_id(consent->key), db_text(consent->reason),
		db_id(consent->contact), db_id(consent->email), db_int(base_clock_now())),
	    1, error);
}

bool
store_consent_erase(
    struct db *db, const struct base_id *workspace, const char *person, GError **error)
{
	return db_run(db, sql[ERASE], DB_VALUES(db_id(workspace), db_text(person)), NULL, error);
}

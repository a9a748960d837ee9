/* SPDX-License-Identifier: MIT */
/* Puts addresses on the suppression list, and has webhooks told. */
#include "store/suppression.h"

#include "base/clock.h"
#include "db/statement.h"
#include "store/webhook_tell.h"

enum { WIDEN, PUT };
static const char *const sql[] = {
    /* Assignments run from left to right: reason and source_id use the old scope. */
    [WIDEN] = "UPDATE suppression SET reason = IF(scope > ?, ?, reason), scope = LEAST(scope, ?)"
	      " WHERE workspace_id = ? AND hash = ?",
    [PUT] = "INSERT INTO suppression"
	    " (id, workspace_id, email, address, hash, reason, scope, created, source_id)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	    " source_id = IF(scope > VALUES(scope), VALUES(source_id), source_id),"
	    " reason = IF(scope > VALUES(scope), VALUES(reason), reason),"
	    " scope = LEAST(scope, VALUES(scope))",
};

static struct db_value
db_hash(const guint8 hash[SHA256_SIZE])
{
	return db_bytes(hash, SHA256_SIZE);
}

/* Widens the entry of a hash of the address, if there is one, in place of a new entry. */
static bool
widen(struct db *db, const struct store_suppression *s, const struct store_suppression_key *key,
    bool *found_r, GError **error)
{
	*found_r = false;
	for (guint i = 0; i < key->count && !*found_r; i++) {
		guint64 affected;

		if (!db_run(db, sql[WIDEN],
			DB_VALUES(db_int(s->scope), db_int(s->reason), db_int(s->scope),
			    db_id(&s->workspace_id), db_hash(key->hashes[i])),
			&affected, error))
			return false;
		*found_r = affected > 0;
	}
	return true;
}

static bool
put(struct db *db, const struct store_suppression *s, GError **error)
{
	return (s->is_imported || store_webhook_tell_suppressed(db, s, error)) &&
	       db_run(db, sql[PUT],
		   DB_VALUES(db_id(&s->id), db_id(&s->workspace_id), db_text(s->email),
		       db_text(s->address), s->hashed ? db_hash(s->hash) : db_null(),
		       db_int(s->reason), db_int(s->scope), db_int(s->created),
		       db_id(s->has_source ? &s->source_id : NULL)),
		   NULL, error);
}

bool
store_suppression_put(struct db *db, struct store_suppression *suppression,
    const struct store_suppression_key *key, GError **error)
{
	struct store_suppression *s = suppression;
	bool found;

	s->id = base_id_new();
	s->created = base_clock_now();
	return widen(db, s, key, &found, error) && (found || put(db, s, error));
}

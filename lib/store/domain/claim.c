/* SPDX-License-Identifier: MIT */
/* Claims domains whose check is due, stores the results of checks, and ends them by trust. */
#include "store/domain/domain.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/domain/key.h"
#include "store/webhook/enqueue.h"

enum {
	DUE,
	SHARE,
	HEADS,
	CLAIM,
	CLAIM_ONE,
	RECORD,
	SKIP,
	RECORD_STATUS,
	RECORD_KEY,
	END_CHECKS,
	TRUST
};
/* System-wide: DUE. The spool checks the domains of all workspaces. */
/* By checked ids: HEADS, CLAIM, RECORD, SKIP, RECORD_STATUS, END_CHECKS, TRUST. The caller has
   found the check in its turn, has claimed it, or has the domain from its workspace. */
static const char *const sql[] = {
    [DUE] = "SELECT domain_id, workspace_id FROM domain_check FORCE INDEX (next_check)"
	    " WHERE next_check <= ? ORDER BY next_check LIMIT ? FOR UPDATE SKIP LOCKED",
    [SHARE] = "SELECT domain_id, workspace_id FROM domain_check FORCE INDEX (turn)"
	      " WHERE workspace_id = ? AND next_check >= ? AND next_check <= LEAST(?, ?)"
	      " ORDER BY next_check LIMIT ? FOR UPDATE SKIP LOCKED",
    [HEADS] = "SELECT domain_id, workspace_id FROM domain_check FORCE INDEX (PRIMARY)"
	      " WHERE domain_id IN (" TURN_HEAD_IDS ") AND next_check <= ?"
	      " FOR UPDATE SKIP LOCKED",
    [CLAIM] = "UPDATE domain_check SET next_check = ?, token = ? WHERE domain_id = ?",
    [CLAIM_ONE] = "UPDATE domain_check SET next_check = IF(next_check IS NULL, NULL, ?), token = ?"
		  " WHERE domain_id = ? AND workspace_id = ?",
    [RECORD] = "UPDATE domain_check SET series = ?, next_check = ?, token = NULL, last_checked = ?,"
	       " last_success = ?, failing_since = ?, error = ?, findings = ?, soa_primary = ?,"
	       " soa_admin = ?, soa_serial = ?, tracking_checked = ?, tracking_found = ?,"
	       " tracking_error = ? WHERE domain_id = ? AND token = ?",
    [SKIP] =
	"UPDATE domain_check SET next_check = ?, token = NULL WHERE domain_id = ? AND token = ?",
    [RECORD_STATUS] = "UPDATE domain SET status = ?, tracking_used = ? WHERE id = ?",
    [RECORD_KEY] = "UPDATE domain_key SET state = ?, seen = ?, retired_at = ?"
		   " WHERE id = ? AND workspace_id = ?",
    [END_CHECKS] = "UPDATE domain_check c JOIN domain d ON d.id = c.domain_id SET c.next_check ="
		   " IF(d.tracking_host IS NULL, NULL, c.next_check), c.token = NULL"
		   " WHERE c.domain_id = ?",
    [TRUST] = "UPDATE domain SET trusted = 1, status = ? WHERE id = ?",
};

/* The columns of DUE, SHARE and HEADS. */
enum { DUE_DOMAIN, DUE_WORKSPACE };

#define CLAIM_COLUMNS 3
#define KEY_COLUMNS 5

struct claiming {
	const struct store_domain_due *due;
	struct store_domain_claim *claims;
	guint count;
	struct store_turn_plan plan;
	bool full; /* the longest due domains filled the rest of the batch */
};

static void
claim_take(struct claiming *claiming, struct db_rows *rows)
{
	while (db_rows_next(rows)) {
		struct store_domain_claim *claim = &claiming->claims[claiming->count++];

		db_rows_id(rows, DUE_DOMAIN, &claim->domain_id);
		db_rows_id(rows, DUE_WORKSPACE, &claim->workspace_id);
	}
}

/* Claims the domains that were found from place begin on. */
static bool
claim_mark(struct db *db, const struct claiming *claiming, guint begin, GError **error)
{
	guint rows = claiming->count - begin;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)CLAIM_COLUMNS * rows);

	for (guint i = 0; i < rows; i++) {
		struct db_value *row = values + (gsize)CLAIM_COLUMNS * i;

		row[0] = db_int(claiming->due->until);
		row[1] = db_int(claiming->due->token);
		row[2] = db_id(&claiming->claims[begin + i].domain_id);
	}
	return db_run_rows(db, sql[CLAIM], values, CLAIM_COLUMNS, rows, NULL, error);
}

static bool
domain_claim_claim_turns(struct db *db, struct claiming *claiming, GError **error)
{
	const struct store_domain_due *due = claiming->due;
	const struct store_turn_search by_turns = {
	    TURN_DOMAIN_CHECK, due->turn, 0, due->now, due->limit, sql[SHARE], sql[HEADS]};
	struct db_rows *rows[TURN_RESULTS];
	guint results;

	if (!store_turn_plan(db, &by_turns, &claiming->plan, error))
		return false;
	if (claiming->plan.count == 0)
		return true;
	if (!store_turn_select(db, &by_turns, &claiming->plan, rows, &results, error))
		return false;
	for (guint i = 0; i < results; i++)
		claim_take(claiming, rows[i]);
	db_rows_free_all(rows, results);
	return claim_mark(db, claiming, 0, error);
}

static bool
claim_oldest(struct db *db, struct claiming *claiming, GError **error)
{
	guint begin = claiming->count, left = claiming->due->limit - begin;

	if (left == 0)
		return true;
	AUTO(db_rows) rows =
	    db_select(db, sql[DUE], DB_VALUES(db_int(claiming->due->now), db_int(left)), error);
	if (!rows)
		return false;
	claim_take(claiming, rows);
	claiming->full = claiming->count == claiming->due->limit;
	return claim_mark(db, claiming, begin, error);
}

static bool
domain_claim_claim_due(struct db *db, void *context, GError **error)
{
	struct claiming *claiming = context;

	claiming->count = 0;
	claiming->full = false;
	return domain_claim_claim_turns(db, claiming, error) && claim_oldest(db, claiming, error);
}

bool
store_domain_claim_due(struct db *db, const struct store_domain_due *due,
    struct store_domain_claim *claims_r, guint *count_r, GError **error)
{
	struct claiming claiming = {.due = due, .claims = claims_r};

	*count_r = 0;
	if (!db_transact(db, domain_claim_claim_due, &claiming, error))
		return false;
	*count_r = claiming.count;
	if (due->turn)
		store_turn_end(due->turn, &claiming.plan, claiming.full,
		    *count_r > 0 ? &claims_r[*count_r - 1].workspace_id : NULL);
	return true;
}

bool
store_domain_claim_one(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    gint64 token, gint64 until, GError **error)
{
	guint64 affected;

	if (!db_run(db, sql[CLAIM_ONE],
		DB_VALUES(db_int(until), db_int(token), db_id(domain), db_id(workspace)), &affected,
		error))
		return false;
	if (affected > 0)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Domain not found");
	return false;
}

struct recording {
	const struct store_domain *domain;
	gint64 token;
	bool kept;
};

static bool
record_keys(struct db *db, const struct store_domain *domain, GError **error)
{
	const GPtrArray *keys = domain->keys;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)KEY_COLUMNS * keys->len);

	for (guint i = 0; i < keys->len; i++) {
		const struct store_domain_key *key = keys->pdata[i];
		const struct db_value row[KEY_COLUMNS] = {db_int(key->state), db_int(key->seen),
		    db_int_or_null(key->retired_at), db_id(&key->id), db_id(&domain->workspace_id)};

		memcpy(values + (gsize)KEY_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[RECORD_KEY], values, KEY_COLUMNS, keys->len, NULL, error);
}

static bool
claim_record(struct db *db, void *context, GError **error)
{
	struct recording *recording = context;
	const struct store_domain *domain = recording->domain;
	const struct store_domain_check *check = &domain->check;
	guint64 affected;

	if (!db_run(db, sql[RECORD],
		DB_VALUES(db_int(check->series), db_int_or_null(check->next_check),
		    db_int_or_null(check->last_checked), db_int_or_null(check->last_success),
		    db_int_or_null(check->failing_since), db_int(check->error),
		    db_text(check->findings), db_text(check->soa_primary),
		    db_text(check->soa_admin),
		    check->soa_primary ? db_int(check->soa_serial) : db_null(),
		    db_int_or_null(check->tracking_checked), db_int_or_null(check->tracking_found),
		    db_text(check->tracking_error), db_id(&domain->id), db_int(recording->token)),
		&affected, error))
		return false;
	recording->kept = affected > 0;
	return !recording->kept || (store_webhook_enqueue_domain(
					db, &domain->id, domain->status, check->error, error) &&
				       db_defer(db, sql[RECORD_STATUS],
					   DB_VALUES(db_int(domain->status),
					       db_int(domain->tracking_used), db_id(&domain->id)),
					   1, error) &&
				       record_keys(db, domain, error));
}

bool
store_domain_claim_record(
    struct db *db, const struct store_domain *domain, gint64 token, bool *kept_r, GError **error)
{
	struct recording recording = {domain, token, false};

	if (!db_transact(db, claim_record, &recording, error))
		return false;
	*kept_r = recording.kept;
	return true;
}

bool
store_domain_claim_skip(
    struct db *db, const struct store_domain *domain, gint64 token, GError **error)
{
	return db_run(db, sql[SKIP],
	    DB_VALUES(db_int_or_null(domain->check.next_check), db_id(&domain->id), db_int(token)),
	    NULL, error);
}

static bool
claim_trust(struct db *db, void *context, GError **error)
{
	const struct store_domain *domain = context;
	const struct base_id *id = &domain->id;

	return db_run(db, sql[END_CHECKS], DB_VALUES(db_id(id)), NULL, error) &&
	       store_webhook_enqueue_domain(db, id, DOMAIN_SUCCESS, DOMAIN_ERROR_NONE, error) &&
	       db_defer(db, sql[TRUST], DB_VALUES(db_int(DOMAIN_SUCCESS), db_id(id)), 1, error) &&
	       store_domain_key_promote(db, &domain->workspace_id, id, base_clock_now(), error);
}

bool
store_domain_trust(struct db *db, const struct base_id *workspace, const char *name, GError **error)
{
	AUTO(store_domain) domain = store_domain_find(db, workspace, name, error);

	return domain && db_transact(db, claim_trust, domain, error);
}

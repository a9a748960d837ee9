/* SPDX-License-Identifier: MIT */
/* Stores and uses links that open a session, and counts attempts to sign in. */
#include "store/workspace/sign_in.h"

#include <string.h>

#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/workspace/audit.h"
#include "store/workspace/user.h"

#define BATCH 500

enum { ADD, LOCK, USE, COUNT, READ, BEGIN, READ_LAST, PASS, SWEEP, SWEEP_ATTEMPTS };
/* System-wide: LOCK, USE, SWEEP. The token tells the person, who may be in several workspaces. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO sign_in (hash, workspace_id, user_id, email, browser, expires)"
	    " VALUES (?, ?, ?, ?, ?, ?)",
    [LOCK] = "SELECT workspace_id, user_id, email, browser, expires, used FROM sign_in"
	     " WHERE hash = ? FOR UPDATE",
    [USE] = "UPDATE sign_in SET used = ? WHERE hash = ?",
    [COUNT] = "INSERT INTO sign_in_attempt (subject, begun, count) VALUES (?, ?, 1)"
	      " ON DUPLICATE KEY UPDATE count = IF(begun <= ?, 1, count + 1),"
	      " begun = IF(begun <= ?, VALUES(begun), begun)",
    [READ] = "SELECT count, begun FROM sign_in_attempt WHERE subject = ?",
    [BEGIN] = "INSERT IGNORE INTO sign_in_attempt (subject, begun, count) VALUES (?, ?, 0)",
    [READ_LAST] = "SELECT count, begun, last FROM sign_in_attempt WHERE subject = ? FOR UPDATE",
    [PASS] = "UPDATE sign_in_attempt SET begun = ?, count = ?, last = ? WHERE subject = ?",
    [SWEEP] = "DELETE FROM sign_in WHERE expires < ? ORDER BY expires LIMIT ?",
    [SWEEP_ATTEMPTS] = "DELETE FROM sign_in_attempt WHERE begun < ? ORDER BY begun LIMIT ?",
};

/* The columns of LOCK. */
enum { L_WORKSPACE, L_USER, L_EMAIL, L_BROWSER, L_EXPIRES, L_USED };
/* The columns of READ. */
enum { R_COUNT, R_BEGUN };
/* The columns of READ_LAST. */
enum { RL_COUNT, RL_BEGUN, RL_LAST };

bool
store_sign_in_add(struct db *db, const struct store_sign_in_link *link, GError **error)
{
	return db_run(db, sql[ADD],
	    DB_VALUES(db_bytes(link->hash, SHA256_SIZE), db_id(&link->first->workspace_id),
		db_id(&link->first->user_id), db_text(link->email),
		db_bytes(link->browser, SHA256_SIZE), db_int(link->expires)),
	    NULL, error);
}

static bool
is_browser(const struct store_sign_in *use, struct db_rows *rows)
{
	gsize size;
	const void *browser = db_rows_bytes(rows, L_BROWSER, &size);

	return !browser || (use->browser && size == SHA256_SIZE &&
			       memcmp(use->browser, browser, SHA256_SIZE) == 0);
}

/* Sets the session's workspace and user: those of the link, or else the person's first. False when
   the person is in none. */
static bool
sign_in_choose(struct store_sign_in *use, const GPtrArray *memberships)
{
	const struct store_user_workspace *chosen =
	    memberships->len > 0 ? memberships->pdata[0] : NULL;

	for (guint i = 0; i < memberships->len; i++) {
		const struct store_user_workspace *membership = memberships->pdata[i];

		if (base_id_equal(&membership->workspace_id, &use->session.workspace_id))
			chosen = membership;
	}
	if (!chosen)
		return false;
	use->session.workspace_id = chosen->workspace_id;
	use->session.user_id = chosen->user_id;
	use->session.role = chosen->role;
	return true;
}

static bool
sign_in_open_session(struct db *db, struct store_sign_in *use, GError **error)
{
	struct store_session *session = &use->session;

	session->id = base_id_new();
	session->created = session->last_seen = use->now;
	session->expires = use->now + use->longest_ms;
	session->address = g_strdup(use->address);
	session->user_agent = g_strdup(use->user_agent);
	return db_run(db, sql[USE], DB_VALUES(db_int(use->now), db_bytes(use->hash, SHA256_SIZE)),
		   NULL, error) &&
	       store_session_add(db, session, use->cookie, error) &&
	       store_session_see(db, session, use->now, error);
}

static bool
sign_in_note(struct db *db, const struct store_sign_in *use, GError **error)
{
	const struct store_session *session = &use->session;
	bool done = use->outcome == SIGN_IN_DONE;
	char id[ID_TEXT_SIZE];
	const struct store_audit audit = {
	    .workspace_id = session->workspace_id,
	    .actor = AUDIT_USER,
	    .actor_id = &session->user_id,
	    .actor_name = session->email,
	    .action = done ? "session.created" : "session.refused",
	    .target_type = "session",
	    .target_id = done ? base_id_format(&session->id, id) : NULL,
	    .address = use->address,
	    .request_id = use->request_id,
	};

	return store_audit_add(db, &audit, error);
}

/* Reads the link and locks it; sets the outcome. */
static bool
sign_in_judge(struct db *db, struct store_sign_in *use, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LOCK], DB_VALUES(db_bytes(use->hash, SHA256_SIZE)), error);

	if (!rows)
		return false;
	use->is_known = db_rows_next(rows);
	use->outcome = SIGN_IN_INVALID;
	if (!use->is_known)
		return true;
	db_rows_id(rows, L_WORKSPACE, &use->session.workspace_id);
	db_rows_id(rows, L_USER, &use->session.user_id);
	use->session.email = g_strdup(db_rows_text(rows, L_EMAIL));
	if (!db_rows_is_null(rows, L_USED) || db_rows_int(rows, L_EXPIRES) <= use->now)
		return true;
	if (!is_browser(use, rows)) {
		use->outcome = SIGN_IN_BROWSER;
		return true;
	}
	g_autoptr(GPtrArray) memberships = store_user_workspaces(db, use->session.email, error);
	if (memberships && sign_in_choose(use, memberships))
		use->outcome = SIGN_IN_DONE;
	return memberships != NULL;
}

static bool
sign_in_use_link(struct db *db, void *context, GError **error)
{
	struct store_sign_in *use = context;

	store_session_clear(&use->session);
	return sign_in_judge(db, use, error) &&
	       (use->outcome != SIGN_IN_DONE || sign_in_open_session(db, use, error)) &&
	       (!use->is_known || sign_in_note(db, use, error));
}

bool
store_sign_in_use(struct db *db, struct store_sign_in *use, GError **error)
{
	return db_transact(db, sign_in_use_link, use, error);
}

struct counting {
	const guint8 *subject;
	gint64 now, count, begun;
};

static bool
count_one(struct db *db, void *context, GError **error)
{
	struct counting *counting = context;
	gint64 before = counting->now - STORE_SIGN_IN_HOUR_MS;

	if (!db_run(db, sql[COUNT],
		DB_VALUES(db_bytes(counting->subject, SHA256_SIZE), db_int(counting->now),
		    db_int(before), db_int(before)),
		NULL, error))
		return false;
	AUTO(db_rows)
	rows = db_select(db, sql[READ], DB_VALUES(db_bytes(counting->subject, SHA256_SIZE)), error);
	if (!rows)
		return false;
	db_rows_next(rows);
	counting->count = db_rows_int(rows, R_COUNT);
	counting->begun = db_rows_int(rows, R_BEGUN);
	return true;
}

bool
store_sign_in_count(struct db *db, const guint8 subject[SHA256_SIZE], gint64 now, gint64 *count_r,
    gint64 *begun_r, GError **error)
{
	struct counting counting = {.subject = subject, .now = now};

	if (!db_transact(db, count_one, &counting, error))
		return false;
	*count_r = counting.count;
	*begun_r = counting.begun;
	return true;
}

bool
store_sign_in_attempts(
    struct db *db, const guint8 subject[SHA256_SIZE], gint64 now, gint64 *count_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[READ], DB_VALUES(db_bytes(subject, SHA256_SIZE)), error);

	if (!rows)
		return false;
	bool counts =
	    db_rows_next(rows) && db_rows_int(rows, R_BEGUN) > now - STORE_SIGN_IN_HOUR_MS;
	*count_r = counts ? db_rows_int(rows, R_COUNT) : 0;
	return true;
}

struct passing {
	const guint8 *subject;
	gint64 now, most;
	gint64 wait_ms; /* 0: it passes */
};

/* How long after the last one, ms, the next one passes, of which so many passed this hour. */
static gint64
gap_of(gint64 passed, gint64 most)
{
	return passed < most
		   ? 0
		   : MIN(STORE_SIGN_IN_GAP_MS << MIN(passed - most, 8), STORE_SIGN_IN_GAP_MAX_MS);
}

static bool
pass_one(struct db *db, void *context, GError **error)
{
	struct passing *passing = context;
	const struct db_value subject = db_bytes(passing->subject, SHA256_SIZE);

	if (!db_run(db, sql[BEGIN], DB_VALUES(subject, db_int(passing->now)), NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[READ_LAST], DB_VALUES(subject), error);
	if (!rows || !db_rows_next(rows))
		return false;
	gint64 begun = db_rows_int(rows, RL_BEGUN), passed = db_rows_int(rows, RL_COUNT);
	if (begun <= passing->now - STORE_SIGN_IN_HOUR_MS) {
		begun = passing->now;
		passed = 0;
	}
	gint64 next = db_rows_int(rows, RL_LAST) + gap_of(passed, passing->most);
	passing->wait_ms = MAX(next - passing->now, 0);
	return passing->wait_ms > 0 ||
	       db_run(db, sql[PASS],
		   DB_VALUES(db_int(begun), db_int(passed + 1), db_int(passing->now), subject),
		   NULL, error);
}

bool
store_sign_in_pass(struct db *db, const guint8 subject[SHA256_SIZE], gint64 now, gint64 most,
    gint64 *wait_ms_r, GError **error)
{
	struct passing passing = {.subject = subject, .now = now, .most = most};

	if (!db_transact(db, pass_one, &passing, error))
		return false;
	*wait_ms_r = passing.wait_ms;
	return true;
}

static bool
sign_in_sweep(struct db *db, const char *statement, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, statement, DB_VALUES(db_int(before), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

bool
store_sign_in_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return sign_in_sweep(db, sql[SWEEP], before, count_r, error);
}

bool
store_sign_in_sweep_attempts(struct db *db, gint64 before, guint *count_r, GError **error)
{
	return sign_in_sweep(db, sql[SWEEP_ATTEMPTS], before, count_r, error);
}

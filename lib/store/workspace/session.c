/* SPDX-License-Identifier: MIT */
/* Finds, stores, lists, moves and ends sessions. */
#include "store/workspace/session.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/workspace/audit.h"
#include "store/workspace/limit.h"

#define BATCH 500

#define SESSION_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(id, "s.id")                                                                          \
	NEXT(workspace_id, "u.workspace_id")                                                       \
	NEXT(user_id, "u.id")                                                                      \
	NEXT(role, "u.role")                                                                       \
	NEXT(email, "s.email")                                                                     \
	NEXT(created, "s.created")                                                                 \
	NEXT(last_seen, "s.last_seen")                                                             \
	NEXT(expires, "s.expires")                                                                 \
	NEXT(address, "s.address")                                                                 \
	NEXT(user_agent, "s.user_agent")
/* The user of a session: the one in the workspace in which it is, or the person's in another. */
#define ROWS(user)                                                                                 \
	"SELECT " DB_COLUMNS_SQL(SESSION_COLUMNS) " FROM session s JOIN user u ON " user           \
						  " AND u.removed IS NULL WHERE "
#define OWN ROWS("u.id = s.user_id")
#define ALIVE "s.hash = ? AND s.expires > ? AND s.last_seen > ?"

enum { FIND, FIND_IN, LIMITS, LIMITS_IN, ADD, SEE, PAGE, MOVE, END, SWEEP };
/* System-wide: FIND, LIMITS, PAGE, END, SWEEP. The cookie tells the workspace; a person has
   sessions in several. */
/* By checked ids: SEE. FIND has found them. */
static const char *const sql[] = {
    [FIND] = OWN ALIVE,
    [FIND_IN] = ROWS("u.workspace_id = ? AND u.email = s.email") ALIVE,
    [LIMITS] = "SELECT l.name, l.value FROM session s JOIN workspace_limit l"
	       " ON l.workspace_id = s.workspace_id WHERE s.hash = ?",
    [LIMITS_IN] = "SELECT name, value FROM workspace_limit WHERE workspace_id = ?",
    [ADD] = "INSERT INTO session (id, workspace_id, user_id, email, hash, created, last_seen,"
	    " expires, address, user_agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [SEE] = "UPDATE session s JOIN user u ON u.id = ?"
	    " SET s.last_seen = ?, u.last_seen = ? WHERE s.id = ?",
    [PAGE] = OWN
    "s.email = ? AND s.id < ? AND s.expires > ? AND s.last_seen > ? ORDER BY s.id DESC LIMIT ?",
    [MOVE] = "UPDATE session s JOIN user u ON u.workspace_id = ? AND u.email = s.email"
	     " AND u.removed IS NULL SET s.workspace_id = u.workspace_id, s.user_id = u.id"
	     " WHERE s.id = ?",
    [END] = "DELETE FROM session WHERE id = ? AND email = ?",
    [SWEEP] = "DELETE FROM session WHERE expires < ? ORDER BY expires LIMIT ?",
};

void
store_session_clear(struct store_session *session)
{
	g_clear_pointer(&session->email, g_free);
	g_clear_pointer(&session->address, g_free);
	g_clear_pointer(&session->user_agent, g_free);
}

void
store_session_free(struct store_session *session)
{
	store_session_clear(session);
	g_free(session);
}

DB_COLUMNS_READER(session_read_row, struct store_session, SESSION_COLUMNS)

/* Reads a session and limits by two queries. *found_r: there is one. */
static bool
session_read(struct db *db, const struct db_query queries[2], bool *found_r,
    struct store_session *session_r, struct store_limits *limits_r, GError **error)
{
	struct db_rows *rows[2];

	if (!db_select_together(db, queries, G_N_ELEMENTS(rows), rows, error))
		return false;
	*found_r = db_rows_next(rows[0]);
	if (*found_r) {
		*session_r = (struct store_session){0};
		session_read_row(rows[0], 0, session_r);
		store_limit_take(db, rows[1], limits_r);
	}
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return true;
}

bool
store_session_find(struct db *db, const struct store_session_wanted *wanted,
    struct store_session *session_r, struct store_limits *limits_r, GError **error)
{
	const struct db_value hash = db_bytes(wanted->hash, SHA256_SIZE), now = db_int(wanted->now),
			      after = db_int(wanted->seen_after),
			      workspace = db_id(wanted->workspace);
	const struct db_query own[] = {
	    {sql[FIND], DB_VALUES(hash, now, after)}, {sql[LIMITS], DB_VALUES(hash)}};
	const struct db_query in[] = {{sql[FIND_IN], DB_VALUES(workspace, hash, now, after)},
	    {sql[LIMITS_IN], DB_VALUES(workspace)}};
	bool found = false;

	if (wanted->workspace &&
	    (!session_read(db, in, &found, session_r, limits_r, error) || found))
		return found;
	if (!session_read(db, own, &found, session_r, limits_r, error))
		return false;
	if (!found)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Session has ended");
	if (!wanted->workspace)
		return true;
	store_session_clear(session_r);
	return base_fail(error, PH_ERROR_FORBIDDEN, "You are not in this workspace");
}

bool
store_session_add(struct db *db, const struct store_session *session,
    const guint8 hash[SHA256_SIZE], GError **error)
{
	return db_run(db, sql[ADD],
	    DB_VALUES(db_id(&session->id), db_id(&session->workspace_id), db_id(&session->user_id),
		db_text(session->email), db_bytes(hash, SHA256_SIZE), db_int(session->created),
		db_int(session->last_seen), db_int(session->expires), db_text(session->address),
		db_text(session->user_agent)),
	    NULL, error);
}

bool
store_session_see(struct db *db, const struct store_session *session, gint64 now, GError **error)
{
	return db_run(db, sql[SEE],
	    DB_VALUES(db_id(&session->user_id), db_int(now), db_int(now), db_id(&session->id)),
	    NULL, error);
}

GPtrArray *
store_session_page(struct db *db, const char *email, gint64 seen_after,
    const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[PAGE],
	    DB_VALUES(db_text(email), store_listing_before(before), db_int(base_clock_now()),
		db_int(seen_after), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_session_destroy);
	while (db_rows_next(rows)) {
		struct store_session *session = g_new0(struct store_session, 1);

		session_read_row(rows, 0, session);
		g_ptr_array_add(list, session);
	}
	return list;
}

bool
store_session_move(
    struct db *db, struct store_session *session, const struct base_id *workspace, GError **error)
{
	guint64 found = 0;

	if (!db_run(db, sql[MOVE], DB_VALUES(db_id(workspace), db_id(&session->id)), &found, error))
		return false;
	if (found == 0)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Workspace not found");
	session->workspace_id = *workspace;
	return store_user_find(db, workspace, session->email, &session->user_id, error);
}

struct ending {
	const char *email;
	const struct base_id *id;
	struct store_audit *audit;
};

static bool
workspace_session_end(struct db *db, void *context, GError **error)
{
	const struct ending *ending = context;
	char text[ID_TEXT_SIZE];
	guint64 found = 0;

	if (!db_run(
		db, sql[END], DB_VALUES(db_id(ending->id), db_text(ending->email)), &found, error))
		return false;
	if (found == 0)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Session not found");
	ending->audit->target_id = base_id_format(ending->id, text);
	bool done = store_audit_add(db, ending->audit, error);
	ending->audit->target_id = NULL;
	return done;
}

bool
store_session_end(struct db *db, const char *email, const struct base_id *id,
    struct store_audit *audit, GError **error)
{
	struct ending ending = {email, id, audit};

	return db_transact(db, workspace_session_end, &ending, error);
}

bool
store_session_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[SWEEP], DB_VALUES(db_int(before), db_int(BATCH)), &affected, error))
		return false;
	*count_r = (guint)affected;
	return true;
}

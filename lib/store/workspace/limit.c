/* SPDX-License-Identifier: MIT */
/* Reads and sets the limits of workspaces, and reserves room within them. */
#include "store/workspace/limit.h"

#include <string.h>

#include "base/error.h"
#include "config/settings.h"
#include "db/connection.h"
#include "db/statement.h"
#include "db/transaction.h"

enum {
	LIST,
	SET,
	UNSET,
	VALUE,
	TURN,
	DOMAINS,
	AUDIENCES,
	TEMPLATES,
	WORKFLOWS,
	WEBHOOKS,
	TRIGGERS,
	USE
};
static const char *const sql[] = {
    [LIST] = "SELECT name, value FROM workspace_limit WHERE workspace_id = ?",
    [SET] = "INSERT INTO workspace_limit (workspace_id, name, value) VALUES (?, ?, ?)"
	    " ON DUPLICATE KEY UPDATE value = VALUES(value)",
    [UNSET] = "DELETE FROM workspace_limit WHERE workspace_id = ? AND name = ?",
    [VALUE] = "SELECT value FROM workspace_limit WHERE workspace_id = ? AND name = ?",
    /* An update, since the other nodes of a cluster do not see a lock. */
    [TURN] = "UPDATE workspace SET turn = turn + 1 WHERE id = ?",
    /* A row if there are more than OFFSET rows. */
    [DOMAINS] = "SELECT 1 FROM domain WHERE workspace_id = ? LIMIT 1 OFFSET ?",
    [AUDIENCES] = "SELECT 1 FROM audience WHERE workspace_id = ? LIMIT 1 OFFSET ?",
    [TEMPLATES] = "SELECT 1 FROM template WHERE workspace_id = ? LIMIT 1 OFFSET ?",
    [WORKFLOWS] =
	"SELECT 1 FROM workflow WHERE workspace_id = ? AND deleted IS NULL LIMIT 1 OFFSET ?",
    [WEBHOOKS] = "SELECT 1 FROM webhook WHERE workspace_id = ? LIMIT 1 OFFSET ?",
    [TRIGGERS] = "SELECT 1 FROM workflow_trigger WHERE workspace_id = ? AND event_name = ?"
		 " LIMIT 1 OFFSET ?",
    [USE] = "SELECT (SELECT COUNT(*) FROM domain WHERE workspace_id = ?),"
	    " (SELECT COUNT(*) FROM audience WHERE workspace_id = ?),"
	    " (SELECT COUNT(*) FROM template WHERE workspace_id = ?),"
	    " (SELECT COUNT(*) FROM workflow WHERE workspace_id = ? AND deleted IS NULL),"
	    " (SELECT COUNT(*) FROM webhook WHERE workspace_id = ?),"
	    " COALESCE((SELECT COUNT(*) AS number FROM workflow_trigger WHERE workspace_id = ?"
	    " GROUP BY event_name ORDER BY number DESC LIMIT 1), 0)",
};

/* The columns of USE: the limits that count rows. */
static const enum config_setting counted[] = {SETTING_LIMITS_DOMAINS, SETTING_LIMITS_AUDIENCES,
    SETTING_LIMITS_TEMPLATES, SETTING_LIMITS_WORKFLOWS, SETTING_LIMITS_WEBHOOKS,
    SETTING_LIMITS_WORKFLOWS_PER_EVENT};

/* The columns of LIST. */
enum { LIST_NAME, LIST_VALUE };

gint64
store_limit_value(const struct store_limits *limits, enum config_setting limit)
{
	return limits->values[limit - STORE_LIMIT_FIRST];
}

static const char *
limit_name_of(enum config_setting limit)
{
	return config_settings_describe(limit)->key;
}

enum config_setting
store_limit_find(const char *name)
{
	for (enum config_setting limit = STORE_LIMIT_FIRST; limit <= STORE_LIMIT_LAST; limit++)
		if (strcmp(limit_name_of(limit), name) == 0)
			return limit;
	return SETTING_COUNT;
}

/* A burst that is not set is twice the rate. */
static void
limit_complete(struct store_limits *limits, const struct config_settings *settings,
    enum config_setting rate, enum config_setting burst)
{
	if (!limits->own[burst - STORE_LIMIT_FIRST] && !config_settings_given(settings, burst))
		limits->values[burst - STORE_LIMIT_FIRST] = 2 * store_limit_value(limits, rate);
}

void
store_limit_take(struct db *db, struct db_rows *rows, struct store_limits *limits_r)
{
	const struct config_settings *settings = db_settings(db);

	*limits_r = (struct store_limits){.own = {false}};
	for (guint i = 0; i < STORE_LIMIT_COUNT; i++)
		limits_r->values[i] = config_settings_number(settings, STORE_LIMIT_FIRST + i);
	while (db_rows_next(rows)) {
		enum config_setting limit = store_limit_find(db_rows_text(rows, LIST_NAME));

		if (limit == SETTING_COUNT)
			continue;
		limits_r->values[limit - STORE_LIMIT_FIRST] = db_rows_int(rows, LIST_VALUE);
		limits_r->own[limit - STORE_LIMIT_FIRST] = true;
	}
	limit_complete(
	    limits_r, settings, SETTING_LIMITS_REQUESTS_PER_SECOND, SETTING_LIMITS_BURST);
	limit_complete(
	    limits_r, settings, SETTING_LIMITS_KEY_REQUESTS_PER_SECOND, SETTING_LIMITS_KEY_BURST);
}

bool
store_limit_read(
    struct db *db, const struct base_id *workspace, struct store_limits *limits_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], DB_VALUES(db_id(workspace)), error);

	if (rows)
		store_limit_take(db, rows, limits_r);
	return rows != NULL;
}

bool
store_limit_use(struct db *db, const struct base_id *workspace, gint64 used_r[STORE_LIMIT_COUNT],
    GError **error)
{
	struct db_value id = db_id(workspace);
	AUTO(db_rows) rows = db_select(db, sql[USE], DB_VALUES(id, id, id, id, id, id), error);

	if (!rows)
		return false;
	for (guint i = 0; i < STORE_LIMIT_COUNT; i++)
		used_r[i] = -1;
	db_rows_next(rows);
	for (guint i = 0; i < G_N_ELEMENTS(counted); i++)
		used_r[counted[i] - STORE_LIMIT_FIRST] = db_rows_int(rows, i);
	return true;
}

struct change {
	const struct base_id *workspace;
	const enum config_setting *limits;
	const gint64 *values;
	guint count;
};

static bool
set_all(struct db *db, void *context, GError **error)
{
	const struct change *change = context;

	for (guint i = 0; i < change->count; i++) {
		struct db_value workspace = db_id(change->workspace),
				name = db_text(limit_name_of(change->limits[i]));
		bool done =
		    change->values[i] < 0
			? db_run(db, sql[UNSET], DB_VALUES(workspace, name), NULL, error)
			: db_run(db, sql[SET],
			      DB_VALUES(workspace, name, db_int(change->values[i])), NULL, error);

		if (!done)
			return false;
	}
	return true;
}

bool
store_limit_set(struct db *db, const struct base_id *workspace, const enum config_setting *limits,
    const gint64 *values, guint count, GError **error)
{
	struct change change = {workspace, limits, values, count};

	return db_transact(db, set_all, &change, error);
}

/* The limit of this setting that counts for the workspace, alone; 0: there is none. */
static bool
limit_get(struct db *db, const struct base_id *workspace, enum config_setting limit,
    gint64 *value_r, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[VALUE], DB_VALUES(db_id(workspace), db_text(limit_name_of(limit))), error);

	if (!rows)
		return false;
	*value_r = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY)
				      : config_settings_number(db_settings(db), limit);
	return true;
}

/* Whether the statement gives no row; its last value is the number of rows to skip. */
static bool
limit_has_room(struct db *db, int statement, const struct db_value *values, gsize count,
    bool *room_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[statement], values, count, error);

	if (!rows)
		return false;
	*room_r = !db_rows_next(rows);
	return true;
}

static bool
limit_take_turn(struct db *db, const struct base_id *workspace, GError **error)
{
	return db_run(db, sql[TURN], DB_VALUES(db_id(workspace)), NULL, error);
}

static bool
limit_refuse(gint64 value, const char *what, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
	    "Limit reached: at most %" G_GINT64_FORMAT " %s", value, what);
	return false;
}

bool
store_limit_hold(
    struct db *db, const struct base_id *workspace, enum config_setting limit, GError **error)
{
	static const int statements[SETTING_COUNT] = {
	    [SETTING_LIMITS_DOMAINS] = DOMAINS,
	    [SETTING_LIMITS_AUDIENCES] = AUDIENCES,
	    [SETTING_LIMITS_TEMPLATES] = TEMPLATES,
	    [SETTING_LIMITS_WORKFLOWS] = WORKFLOWS,
	    [SETTING_LIMITS_WEBHOOKS] = WEBHOOKS,
	};
	gint64 value;
	bool room;

	if (!limit_get(db, workspace, limit, &value, error))
		return false;
	if (value == 0)
		return true;
	return limit_take_turn(db, workspace, error) &&
	       limit_has_room(db, statements[limit], DB_VALUES(db_id(workspace), db_int(value - 1)),
		   &room, error) &&
	       (room || limit_refuse(value, limit_name_of(limit), error));
}

bool
store_limit_hold_event(
    struct db *db, const struct base_id *workspace, const char *event_name, GError **error)
{
	gint64 value;
	bool room;

	if (!limit_get(db, workspace, SETTING_LIMITS_WORKFLOWS_PER_EVENT, &value, error))
		return false;
	if (value == 0)
		return true;
	return limit_take_turn(db, workspace, error) &&
	       limit_has_room(db, TRIGGERS,
		   DB_VALUES(db_id(workspace), db_text(event_name), db_int(value - 1)), &room,
		   error) &&
	       (room || limit_refuse(value, "active workflows of one event", error));
}

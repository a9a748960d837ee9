/* SPDX-License-Identifier: MIT */
/* Stores and reads the rules of sending. */
#include "store/outbox/sending.h"

#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/consent/topic.h"

/* The row of a workspace has zeros in place of a topic. */
static const struct base_id no_topic = {{0}};

#define ZONE_ADDRESSES 50

enum { LOCK, GET, PUT, REMOVE, LIST, NOTE, ZONES };
/* By checked ids: NOTE. The workspace is the caller's. */
static const char *const sql[] = {
    /* Two changes of one workspace come one after the other. */
    [LOCK] = "UPDATE workspace SET sending = sending WHERE id = ?",
    [GET] = "SELECT hours, cap, capped_since FROM sending_rule WHERE workspace_id = ?"
	    " AND topic_id = ?",
    [PUT] = "INSERT INTO sending_rule (workspace_id, topic_id, hours, cap, capped_since)"
	    " VALUES (?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE hours = VALUES(hours),"
	    " capped_since = IF(cap IS NULL OR VALUES(cap) IS NULL, VALUES(capped_since), "
	    "capped_since),"
	    " cap = VALUES(cap)",
    [REMOVE] = "DELETE FROM sending_rule WHERE workspace_id = ? AND topic_id = ?",
    [LIST] = "SELECT topic_id, hours, cap, capped_since FROM sending_rule"
	     " WHERE workspace_id = ?",
    [NOTE] = "UPDATE workspace SET sending ="
	     " EXISTS (SELECT 1 FROM sending_rule r WHERE r.workspace_id = workspace.id"
	     " AND r.hours IS NOT NULL)"
	     " + 2 * EXISTS (SELECT 1 FROM sending_rule r WHERE r.workspace_id = workspace.id"
	     " AND r.cap IS NOT NULL) WHERE id = ?",
    [ZONES] =
	"SELECT p.address, p.time_zone FROM person p FORCE INDEX (address)"
	" WHERE p.workspace_id = ? AND p.address IN (" DB_MARKS_50 ") AND p.time_zone IS NOT NULL",
};

/* The columns of GET. */
enum { GET_HOURS, GET_CAP, GET_SINCE };

/* The columns of ZONES. */
enum { ZONES_ADDRESS, ZONES_ZONE };

/* The columns of LIST. */
enum { LIST_TOPIC, LIST_HOURS, LIST_CAP, LIST_SINCE };

void
store_sending_free(struct store_sending *sending)
{
	g_free(sending->hours);
	g_free(sending->cap);
	g_free(sending);
}

static void
sending_destroy(void *sending)
{
	store_sending_free(sending);
}

/* The rules whose columns begin at first; rows NULL: none. */
static struct store_sending *
sending_read(const struct db_rows *rows, guint first)
{
	struct store_sending *sending = g_new0(struct store_sending, 1);

	if (!rows)
		return sending;
	sending->hours = g_strdup(db_rows_text(rows, first + GET_HOURS));
	sending->cap = g_strdup(db_rows_text(rows, first + GET_CAP));
	sending->capped_since = db_rows_int(rows, first + GET_SINCE);
	return sending;
}

static bool
sending_check_topic(
    struct db *db, const struct base_id *workspace, const struct base_id *topic, GError **error)
{
	AUTO(store_topic) found = topic ? store_topic_get(db, workspace, topic, error) : NULL;

	return found || !topic;
}

struct store_sending *
store_sending_get(
    struct db *db, const struct base_id *workspace, const struct base_id *topic, GError **error)
{
	if (!sending_check_topic(db, workspace, topic, error))
		return NULL;
	AUTO(db_rows)
	rows = db_select(
	    db, sql[GET], DB_VALUES(db_id(workspace), db_id(topic ? topic : &no_topic)), error);
	if (!rows)
		return NULL;
	return sending_read(db_rows_next(rows) ? rows : NULL, 0);
}

struct putting {
	const struct base_id *workspace;
	const struct store_sending *sending;
	gint64 now;
};

static bool
sending_put(struct db *db, void *context, GError **error)
{
	const struct putting *putting = context;
	const struct store_sending *sending = putting->sending;
	const struct db_value workspace = db_id(putting->workspace),
			      topic = db_id(sending->has_topic ? &sending->topic_id : &no_topic);

	if (!db_run(db, sql[LOCK], DB_VALUES(workspace), NULL, error) ||
	    !sending_check_topic(
		db, putting->workspace, sending->has_topic ? &sending->topic_id : NULL, error))
		return false;
	if (sending->hours || sending->cap
		? !db_run(db, sql[PUT],
		      DB_VALUES(workspace, topic, db_text(sending->hours), db_text(sending->cap),
			  sending->cap ? db_int(putting->now) : db_null()),
		      NULL, error)
		: !db_run(db, sql[REMOVE], DB_VALUES(workspace, topic), NULL, error))
		return false;
	return db_run(db, sql[NOTE], DB_VALUES(workspace), NULL, error);
}

bool
store_sending_put(struct db *db, const struct base_id *workspace,
    const struct store_sending *sending, gint64 now, GError **error)
{
	struct putting putting = {workspace, sending, now};

	return db_transact(db, sending_put, &putting, error);
}

GPtrArray *
store_sending_list(struct db *db, const struct base_id *workspace, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], DB_VALUES(db_id(workspace)), error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(sending_destroy);
	while (db_rows_next(rows)) {
		struct store_sending *sending = sending_read(rows, LIST_HOURS);

		db_rows_id(rows, LIST_TOPIC, &sending->topic_id);
		sending->has_topic = !base_id_equal(&sending->topic_id, &no_topic);
		g_ptr_array_add(list, sending);
	}
	return list;
}

/* Reads up to ZONE_ADDRESSES. The statement repeats the last address. */
static bool
sending_read_zones(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, GHashTable *zones, GError **error)
{
	struct db_value values[ZONE_ADDRESSES + 1];

	values[0] = db_id(workspace);
	for (guint i = 0; i < ZONE_ADDRESSES; i++)
		values[1 + i] = db_text(addresses[MIN(i, count - 1)]);
	AUTO(db_rows) rows = db_select(db, sql[ZONES], values, G_N_ELEMENTS(values), error);
	while (rows && db_rows_next(rows))
		g_hash_table_insert(zones, g_strdup(db_rows_text(rows, ZONES_ADDRESS)),
		    g_strdup(db_rows_text(rows, ZONES_ZONE)));
	return rows != NULL;
}

GHashTable *
store_sending_zones(struct db *db, const struct base_id *workspace, const char *const *addresses,
    guint count, GError **error)
{
	g_autoptr(GHashTable) zones =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (guint i = 0; i < count; i += ZONE_ADDRESSES)
		if (!sending_read_zones(
			db, workspace, addresses + i, MIN(count - i, ZONE_ADDRESSES), zones, error))
			return NULL;
	return g_steal_pointer(&zones);
}

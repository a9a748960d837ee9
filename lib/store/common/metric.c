/* SPDX-License-Identifier: MIT */
/* The rows of the metrics. */
#include "store/common/metric.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/secret.h"
#include "db/after_commit.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/execution.h"
#include "store/email/key.h"

#define STRIPES 16
#define TOGETHER 16 /* emails in one statement */

enum {
	ADD,
	SET,
	RAISE,
	CLEAR,
	ALL,
	ADMIT,
	IS_ADMITTED,
	LABELS,
	LIVE,
	LEAVE,
	WORKERS,
	MESSAGES,
	EXECUTIONS,
	COUNTED,
	BEGIN_COUNT,
	MAY_COUNT,
	OLDEST,
	DOMAINS
};
#define OLDEST_IN(lane)                                                                            \
	"(SELECT due_at FROM outbox FORCE INDEX (due) WHERE is_bulk = " lane                       \
	" AND due_at > 0 AND due_at <= ? AND owner IS NULL ORDER BY due_at LIMIT 1)"
/* System-wide: MESSAGES, EXECUTIONS, OLDEST. The metrics are of the installation. */
/* By checked ids: DOMAINS. Events have named the emails. */
static const char *const sql[] = {
    [ADD] = "INSERT INTO metric (name, labels, stripe, value) VALUES (?, ?, ?, ?)"
	    " ON DUPLICATE KEY UPDATE value = value + VALUES(value)",
    [SET] = "INSERT INTO metric (name, labels, stripe, value) VALUES (?, ?, 0, ?)"
	    " ON DUPLICATE KEY UPDATE value = VALUES(value)",
    [RAISE] = "INSERT INTO metric (name, labels, stripe, value) VALUES (?, ?, 0, ?)"
	      " ON DUPLICATE KEY UPDATE value = GREATEST(value, VALUES(value))",
    [CLEAR] = "UPDATE metric SET value = 0 WHERE name = ? AND labels = ? AND stripe > 0",
    [ALL] = "SELECT name, labels, CAST(SUM(value) AS INTEGER) FROM metric GROUP BY name, labels"
	    " ORDER BY name, labels",
    [ADMIT] = "INSERT IGNORE INTO metric_label (kind, value, seen) SELECT ?, ?, ? FROM DUAL"
	      " WHERE (SELECT COUNT(*) FROM metric_label WHERE kind = ?) < ?",
    [IS_ADMITTED] = "SELECT 1 FROM metric_label WHERE kind = ? AND value = ?",
    [LABELS] = "SELECT value FROM metric_label WHERE kind = ? ORDER BY seen, value LIMIT ?",
    [LIVE] = "INSERT INTO metric_worker (id, seen, memory) VALUES (?, ?, ?)"
	     " ON DUPLICATE KEY UPDATE seen = VALUES(seen), memory = VALUES(memory)",
    [LEAVE] = "DELETE FROM metric_worker WHERE id = ? OR seen < ?",
    [WORKERS] = "SELECT COUNT(*), COALESCE(CAST(SUM(memory) AS INTEGER), 0) FROM metric_worker"
		" WHERE seen >= ?",
    [MESSAGES] = "SELECT COUNT(due_at), COUNT(*) - COUNT(due_at) FROM outbox",
    [EXECUTIONS] = "SELECT x.status, COUNT(*) FROM workflow w STRAIGHT_JOIN execution x"
		   " FORCE INDEX (workflow_status) ON x.workflow_id = w.id AND x.status IN (?, ?)"
		   " GROUP BY x.status",
    [COUNTED] = "SELECT labels, value FROM metric WHERE name = ? AND stripe = 0",
    [BEGIN_COUNT] = "INSERT IGNORE INTO metric (name, labels, stripe, value) VALUES (?, '', 0, 0)",
    [MAY_COUNT] = "UPDATE metric SET value = ? WHERE name = ? AND labels = '' AND stripe = 0"
		  " AND value <= ?",
    [OLDEST] =
	"SELECT MIN(lane.due_at) FROM (" OLDEST_IN("0") " UNION ALL " OLDEST_IN("1") ") lane",
    [DOMAINS] = "SELECT e.id, d.name FROM " STORE_EMAIL_FOUND
		" STRAIGHT_JOIN domain d ON d.id = e.domain_id WHERE " STORE_EMAIL_IN(
		    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"),
};

/* The columns of ALL. */
enum { ALL_NAME, ALL_LABELS, ALL_VALUE };

/* The columns of LABELS. */
enum { LABELS_VALUE };

/* The columns of WORKERS. */
enum { WORKERS_COUNT, WORKERS_MEMORY };

/* The columns of MESSAGES. */
enum { MESSAGES_WAITING, MESSAGES_HELD };

/* The columns of EXECUTIONS. */
enum { EXECUTIONS_STATUS, EXECUTIONS_COUNT };

/* The columns of COUNTED. */
enum { COUNTED_LABELS, COUNTED_VALUE };

/* The columns of OLDEST. */
enum { OLDEST_READY };

/* The columns of DOMAINS. */
enum { DOMAINS_EMAIL, DOMAINS_NAME };

#define ADD_COLUMNS 4

struct addition {
	const struct store_metric *metrics;
	guint count;
};

static bool
metric_add(struct db *db, void *context, GError **error)
{
	const struct addition *addition = context;
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)ADD_COLUMNS * addition->count);
	guint8 stripe;

	base_secret_random(&stripe, sizeof(stripe));
	for (guint i = 0; i < addition->count; i++) {
		const struct store_metric *metric = &addition->metrics[i];
		struct db_value *row = values + (gsize)ADD_COLUMNS * i;

		row[0] = db_int(metric->name);
		row[1] = db_bytes(metric->labels, strlen(metric->labels));
		row[2] = db_int(stripe % STRIPES);
		row[3] = db_int(metric->value);
	}
	return db_defer(db, sql[ADD], values, ADD_COLUMNS, addition->count, error);
}

bool
store_metric_add(struct db *db, const struct store_metric *metrics, guint count, GError **error)
{
	struct addition addition = {metrics, count};

	return count == 0 || db_transact(db, metric_add, &addition, error);
}

bool
store_metric_set(struct db *db, const struct store_metric *metric, bool only_up, GError **error)
{
	return db_run(db, sql[only_up ? RAISE : SET],
	    DB_VALUES(db_int(metric->name), db_bytes(metric->labels, strlen(metric->labels)),
		db_int(metric->value)),
	    NULL, error);
}

bool
store_metric_list(struct db *db, void (*row)(const struct store_metric *metric, void *context),
    void *context, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[ALL], NULL, 0, error);

	while (rows && db_rows_next(rows)) {
		const struct store_metric metric = {(guint)db_rows_int(rows, ALL_NAME),
		    db_rows_text(rows, ALL_LABELS), db_rows_int(rows, ALL_VALUE)};

		row(&metric, context);
	}
	return rows != NULL;
}

bool
store_metric_admit(struct db *db, enum store_metric_kind kind, const char *value, guint most,
    bool *has_r, GError **error)
{
	struct db_value bytes = db_bytes(value, strlen(value));

	if (!db_run(db, sql[ADMIT],
		DB_VALUES(
		    db_int(kind), bytes, db_int(base_clock_now()), db_int(kind), db_int(most)),
		NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[IS_ADMITTED], DB_VALUES(db_int(kind), bytes), error);
	*has_r = rows && db_rows_next(rows);
	return rows != NULL;
}

GHashTable *
store_metric_labels(struct db *db, enum store_metric_kind kind, guint most, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[LABELS], DB_VALUES(db_int(kind), db_int(most)), error);

	if (!rows)
		return NULL;
	GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	while (db_rows_next(rows))
		g_hash_table_add(set, g_strdup(db_rows_text(rows, LABELS_VALUE)));
	return set;
}

bool
store_metric_live(
    struct db *db, const struct base_id *worker, gint64 now, gint64 memory, GError **error)
{
	return db_run(
	    db, sql[LIVE], DB_VALUES(db_id(worker), db_int(now), db_int(memory)), NULL, error);
}

bool
store_metric_leave(struct db *db, const struct base_id *worker, gint64 before, GError **error)
{
	return db_run(db, sql[LEAVE], DB_VALUES(db_id(worker), db_int(before)), NULL, error);
}

bool
store_metric_workers(struct db *db, gint64 since, gint64 *count_r, gint64 *memory_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[WORKERS], DB_VALUES(db_int(since)), error);

	if (!rows || !db_rows_next(rows))
		return false;
	*count_r = db_rows_int(rows, WORKERS_COUNT);
	*memory_r = db_rows_int(rows, WORKERS_MEMORY);
	return true;
}

G_STATIC_ASSERT(STORE_METRIC_STATES == DB_TALLIES);

bool
store_metric_count(struct db *db, gint64 counts_r[STORE_METRIC_STATES], GError **error)
{
	const struct db_query queries[] = {
	    {sql[MESSAGES], NULL, 0},
	    {sql[EXECUTIONS], DB_VALUES(db_int(EXECUTION_IN_PROGRESS), db_int(EXECUTION_WAITING))},
	};
	struct db_rows *rows[G_N_ELEMENTS(queries)];

	base_array_clear(counts_r, STORE_METRIC_STATES, sizeof(*counts_r));
	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	if (db_rows_next(rows[0])) {
		counts_r[STORE_MESSAGES_WAITING] = db_rows_int(rows[0], MESSAGES_WAITING);
		counts_r[STORE_MESSAGES_HELD] = db_rows_int(rows[0], MESSAGES_HELD);
	}
	while (db_rows_next(rows[1])) {
		bool waits = db_rows_int(rows[1], EXECUTIONS_STATUS) == EXECUTION_WAITING;

		counts_r[waits ? STORE_EXECUTIONS_WAITING : STORE_EXECUTIONS_IN_PROGRESS] =
		    db_rows_int(rows[1], EXECUTIONS_COUNT);
	}
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return true;
}

#define SET_COLUMNS 3
#define CLEAR_COLUMNS 2

static bool
metric_replace(struct db *db, void *context, GError **error)
{
	const struct addition *values = context;
	g_autofree struct db_value *set =
	    g_new(struct db_value, (gsize)SET_COLUMNS * values->count);
	g_autofree struct db_value *clear =
	    g_new(struct db_value, (gsize)CLEAR_COLUMNS * values->count);

	for (guint i = 0; i < values->count; i++) {
		const struct store_metric *metric = &values->metrics[i];
		struct db_value *row = set + (gsize)SET_COLUMNS * i;

		row[0] = db_int(metric->name);
		row[1] = db_bytes(metric->labels, strlen(metric->labels));
		row[2] = db_int(metric->value);
		base_array_copy(clear + (gsize)CLEAR_COLUMNS * i, row, CLEAR_COLUMNS, sizeof(*row));
	}
	return db_defer(db, sql[SET], set, SET_COLUMNS, values->count, error) &&
	       db_defer(db, sql[CLEAR], clear, CLEAR_COLUMNS, values->count, error);
}

bool
store_metric_replace(struct db *db, const struct store_metric *metrics, guint count, GError **error)
{
	struct addition replacement = {metrics, count};

	return db_transact(db, metric_replace, &replacement, error);
}

bool
store_metric_counted(struct db *db, guint name, gint64 *until_r, gint64 *pause_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[COUNTED], DB_VALUES(db_int(name)), error);

	*until_r = *pause_r = 0;
	while (rows && db_rows_next(rows)) {
		bool is_until = *db_rows_text(rows, COUNTED_LABELS) == '\0';

		*(is_until ? until_r : pause_r) = db_rows_int(rows, COUNTED_VALUE);
	}
	return rows != NULL;
}

bool
store_metric_may_count(
    struct db *db, guint name, gint64 now, gint64 until, bool *may_r, GError **error)
{
	guint64 changed = 0;

	if (!db_run(db, sql[BEGIN_COUNT], DB_VALUES(db_int(name)), NULL, error) ||
	    !db_run(db, sql[MAY_COUNT], DB_VALUES(db_int(until), db_int(name), db_int(now)),
		&changed, error))
		return false;
	*may_r = changed > 0;
	return true;
}

bool
store_metric_oldest(struct db *db, gint64 now, gint64 *time_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[OLDEST], DB_VALUES(db_int(now), db_int(now)), error);

	if (!rows)
		return false;
	*time_r = db_rows_next(rows) ? db_rows_int(rows, OLDEST_READY) : 0;
	return true;
}

static bool
find_domains(
    struct db *db, const struct base_id *emails, guint count, GHashTable *names, GError **error)
{
	struct db_value values[TOGETHER];

	for (guint i = 0; i < TOGETHER; i++)
		values[i] = db_id(&emails[MIN(i, count - 1)]);
	AUTO(db_rows) rows = db_select(db, sql[DOMAINS], values, TOGETHER, error);
	while (rows && db_rows_next(rows)) {
		struct base_id id;
		char text[ID_TEXT_SIZE];

		db_rows_id(rows, DOMAINS_EMAIL, &id);
		g_hash_table_insert(names, g_strdup(base_id_format(&id, text)),
		    g_strdup(db_rows_text(rows, DOMAINS_NAME)));
	}
	return rows != NULL;
}

GHashTable *
store_metric_domains(struct db *db, const struct base_id *emails, guint count, GError **error)
{
	g_autoptr(GHashTable) names =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (guint i = 0; i < count; i += TOGETHER)
		if (!find_domains(db, emails + i, MIN(count - i, TOGETHER), names, error))
			return NULL;
	return g_steal_pointer(&names);
}

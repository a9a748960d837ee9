/* SPDX-License-Identifier: MIT */
/* Reads the schema version of a database, and applies the files of schema/ that it lacks.

   A new installation gets the tables as they are (schema/now) in place of the steps, which are
   recorded as applied. It may stop in the middle, and two processes may make it at once: the first
   row of schema_version is the mark of a new installation, written before any other table. A
   process that finds the mark alone goes on, since each table is made only if it is missing; the
   mark goes once all steps are recorded. The tables of another version's schema/now have another
   mark: the steps, which can be run over any table that is already as it is to be, bring these to
   this version. */
#include "store/common/schema.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/broadcast/join.h"
#include "store/common/finished.h"
#include "store/consent/agreement_join.h"
#include "store/consent/choice_join.h"
#include "store/email/join.h"
#include "store/email/status.h"
#include "store/outbox/join.h"
#include "store/person/join.h"

struct step {
	int version;
	const char *name;
	const char *sql;
};

#include "schema/steps.h"

/* Steps that change rows in batches, once the files are applied, or before one of the late ones;
   the service works meanwhile, and without them. */
static const struct batch {
	int version;
	const char *name;
	const char *table; /* whose rows it goes through */
	bool (*run)(struct db *db, GError **error);
	/* In place of run: tells how many rows it has changed, and of how many people segments
	   lose sight by that. */
	bool (*count)(struct db *db, guint64 *count_r, guint64 *lost_r, GError **error);
	int before; /* the late step that takes away what it is in place of; 0: none */
} batches[] = {
    {111, "people", "contact", store_person_join, NULL, 0},
    {136, "email-workflows", "execution_email", store_email_join, NULL, 0},
    {141, "choices", "suppression", store_choice_join, NULL, 0},
    {164, "broadcast-recipients", "broadcast_recipient", store_broadcast_join, NULL, 0},
    {186, "outbox-turns", "outbox", store_outbox_join, NULL, 0},
    {251, "agreements", "person", NULL, store_agreement_join, 0},
    {FINISHED_STATUS, "recipient-statuses", "recipient", store_status_join, NULL, 499},
    {500, "recipient-statuses-left", "recipient_status", store_status_clean, NULL, 499},
};

/* Steps that take away what older programs need: keys by which they search, and columns that they
   read. This program works with these and without them, so that the steps wait until no older
   program runs. */
static const int late[] = {472, 474, 486, 487, FINISHED_SENT, 491, FINISHED_OUTBOX, 499};

static bool
schema_is_late(int version)
{
	for (gsize i = 0; i < G_N_ELEMENTS(late); i++)
		if (late[i] == version)
			return true;
	return false;
}

/* The step of the mark of a new installation. */
#define MARK 0

enum { EXISTS, RECORDED, MARKED, RECORD, UNMARK, RELEASED, RELEASE, TABLES, OTHERS, ROWS };
static const char *const sql[] = {
    [EXISTS] = "SELECT COUNT(*) FROM information_schema.tables"
	       " WHERE table_schema = DATABASE() AND table_name = ?",
    [RECORDED] = "SELECT version FROM schema_version",
    [MARKED] = "SELECT COUNT(*), MIN(name) FROM schema_version",
    [RECORD] = "INSERT IGNORE INTO schema_version (version, name, applied) VALUES (?, ?, ?)",
    [UNMARK] = "DELETE FROM schema_version WHERE version = 0",
    [RELEASED] = "SELECT version FROM schema_release WHERE minor = ?",
    [RELEASE] = "INSERT INTO schema_release (minor, version) VALUES (?, ?)"
		" ON DUPLICATE KEY UPDATE version = GREATEST(version, VALUES(version))",
    [TABLES] = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()",
    [OTHERS] = "SELECT COUNT(*) FROM information_schema.tables"
	       " WHERE table_schema = DATABASE() AND table_name <> 'schema_version'",
    [ROWS] = "SELECT COALESCE(SUM(table_rows), 0) FROM information_schema.tables"
	     " WHERE table_schema = DATABASE() AND table_name = ?",
};

/* The columns of MARKED. */
enum { MARKED_COUNT, MARKED_NAME };

int
store_schema_latest(void)
{
	return MAX(
	    steps[G_N_ELEMENTS(steps) - 1].version, batches[G_N_ELEMENTS(batches) - 1].version);
}

static bool
has_table(struct db *db, const char *table, bool *has_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[EXISTS], DB_VALUES(db_text(table)), error);

	*has_r = rows && db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) > 0;
	return rows != NULL;
}

/* The files that have been applied to a database. */
static GHashTable *
read_recorded(struct db *db, GError **error)
{
	g_autoptr(GHashTable) recorded = g_hash_table_new(NULL, NULL);
	bool has_table_of_versions;

	if (!has_table(db, "schema_version", &has_table_of_versions, error))
		return NULL;
	if (!has_table_of_versions)
		return g_steal_pointer(&recorded);
	AUTO(db_rows) rows = db_select(db, sql[RECORDED], NULL, 0, error);
	if (!rows)
		return NULL;
	while (db_rows_next(rows))
		g_hash_table_add(recorded, GINT_TO_POINTER((int)db_rows_int(rows, DB_ROWS_ONLY)));
	return g_steal_pointer(&recorded);
}

static int
version_of(GHashTable *recorded)
{
	GHashTableIter iter;
	gpointer version;
	int greatest = 0;

	g_hash_table_iter_init(&iter, recorded);
	while (g_hash_table_iter_next(&iter, &version, NULL))
		greatest = MAX(greatest, GPOINTER_TO_INT(version));
	return greatest;
}

bool
store_schema_version(struct db *db, int *version_r, GError **error)
{
	g_autoptr(GHashTable) recorded = read_recorded(db, error);

	*version_r = recorded ? version_of(recorded) : 0;
	return recorded != NULL;
}

/* Whether a statement counts nothing. */
static bool
counts_none(struct db *db, const char *count, bool *none_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, count, NULL, 0, error);

	*none_r = rows && db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) == 0;
	return rows != NULL;
}

bool
store_schema_is_empty(struct db *db, bool *empty_r, GError **error)
{
	return counts_none(db, sql[TABLES], empty_r, error);
}

/* The name of our mark: a digest of schema/now. The caller frees it. */
static char *
own_mark(void)
{
	g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);

	for (gsize i = 0; i < G_N_ELEMENTS(now); i++)
		g_checksum_update(digest, (const guchar *)now[i].sql, -1);
	return g_strdup(g_checksum_get_string(digest));
}

/* How many rows the record of a database has, and whether our mark is the only one. */
static bool
read_mark(struct db *db, gint64 *count_r, bool *ours_r, GError **error)
{
	g_autofree char *own = own_mark();
	bool has_record;

	*count_r = 0;
	*ours_r = false;
	if (!has_table(db, "schema_version", &has_record, error))
		return false;
	if (!has_record)
		return true;
	AUTO(db_rows) rows = db_select(db, sql[MARKED], NULL, 0, error);
	if (rows && db_rows_next(rows)) {
		*count_r = db_rows_int(rows, MARKED_COUNT);
		*ours_r = *count_r == 1 && g_strcmp0(db_rows_text(rows, MARKED_NAME), own) == 0;
	}
	return rows != NULL;
}

bool
store_schema_is_new(struct db *db, bool *new_r, GError **error)
{
	bool is_bare, is_marked;
	gint64 recorded;

	/* In this order: the mark comes before the other tables. */
	bool done = counts_none(db, sql[OTHERS], &is_bare, error) &&
		    read_mark(db, &recorded, &is_marked, error);
	*new_r = done && (recorded == 0 ? is_bare : is_marked);
	return done;
}

static bool
schema_is_recorded(GHashTable *recorded, int version)
{
	return g_hash_table_contains(recorded, GINT_TO_POINTER(version));
}

/* The last step that older programs of the same minor version cannot work with: they would send
   emails without the contents that 0165 keeps beside them. */
#define LINE_BEGIN 165

/* The programs that work with each other's schema: the first two numbers of this program's version,
   and the step from which on they do. The caller frees it. */
static char *
own_line(void)
{
	const char *dot = strchr(PACKAGE_VERSION, '.');
	const char *end = dot ? strchr(dot + 1, '.') : NULL;
	gsize size = end ? (gsize)(end - PACKAGE_VERSION) : strlen(PACKAGE_VERSION);

	return g_strdup_printf("%.*s/%d", (int)size, PACKAGE_VERSION, LINE_BEGIN);
}

/* The version up to which programs of our line have migrated a database; 0: not known. */
static bool
read_released(struct db *db, int *version_r, GError **error)
{
	g_autofree char *line = own_line();
	bool has_releases;

	*version_r = 0;
	if (!has_table(db, "schema_release", &has_releases, error))
		return false;
	if (!has_releases)
		return true;
	AUTO(db_rows) rows = db_select(db, sql[RELEASED], DB_VALUES(db_text(line)), error);
	if (rows && db_rows_next(rows))
		*version_r = (int)db_rows_int(rows, DB_ROWS_ONLY);
	return rows != NULL;
}

/* Makes a table of schema/now where it is missing. */
static bool
schema_create(struct db *db, const char *table, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(now); i++) {
		g_autofree char *own = NULL;

		store_schema_work_of(now[i].sql, &own);
		if (strcmp(own, table) == 0)
			return db_run_plain(db, now[i].sql, error);
	}
	g_assert_not_reached();
}

/* Tells that the programs of our line work with the schema. */
static bool
schema_release(struct db *db, GError **error)
{
	g_autofree char *line = own_line();

	return schema_create(db, "schema_release", error) &&
	       db_run(db, sql[RELEASE], DB_VALUES(db_text(line), db_int(store_schema_latest())),
		   NULL, error);
}

/* Refuses a database that is newer than this program, unless a program of our line has made it so:
   the steps of a line only add, but for the late ones, behind which older programs fail. */
static bool
refuse_newer(struct db *db, int version, enum ph_error code, GError **error)
{
	int released;

	if (version <= store_schema_latest())
		return true;
	if (!read_released(db, &released, error))
		return false;
	if (version <= released)
		return true;
	g_set_error(error, PH_ERROR, (int)code,
	    "the database has schema version %d, newer than this program's %d: install the newer "
	    "Posthouse",
	    version, store_schema_latest());
	return false;
}

static bool
schema_record(struct db *db, int version, const char *name, GError **error)
{
	return db_run(db, sql[RECORD],
	    DB_VALUES(db_int(version), db_text(name), db_int(base_clock_now())), NULL, error);
}

/* Runs a batch, and adds to its name what it has done, if it tells that. */
static bool
schema_run_batch(struct db *db, const struct batch *batch, GString *told, GError **error)
{
	guint64 count, lost;

	if (batch->run)
		return batch->run(db, error);
	if (!batch->count(db, &count, &lost, error))
		return false;
	g_string_append_printf(told,
	    ": %" G_GUINT64_FORMAT
	    " people changed; broadcasts to segments do not reach %" G_GUINT64_FORMAT
	    " of them any more",
	    count, lost);
	return true;
}

/* Runs the steps in batches that come before a late step; 0: the others. */
static bool
schema_run_batches(struct db *db, GHashTable *recorded, int before,
    void (*done)(int version, const char *name, void *context), void *context, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(batches); i++) {
		const struct batch *batch = &batches[i];

		if (batch->before != before || schema_is_recorded(recorded, batch->version))
			continue;
		g_autoptr(GString) told = g_string_new(batch->name);
		if (!schema_run_batch(db, batch, told, error)) {
			g_prefix_error(error, "schema %04d-%s: ", batch->version, batch->name);
			return false;
		}
		if (!schema_record(db, batch->version, batch->name, error))
			return false;
		g_hash_table_add(recorded, GINT_TO_POINTER(batch->version));
		if (done)
			done(batch->version, told->str, context);
	}
	return true;
}

/* Records all steps as applied, with as few round trips as may be. */
static bool
record_all(struct db *db, GError **error)
{
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(struct db_value));

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		const struct db_value row[] = {
		    db_int(steps[i].version), db_text(steps[i].name), db_int(base_clock_now())};

		g_array_append_vals(values, row, G_N_ELEMENTS(row));
	}
	return db_run_rows(db, sql[RECORD], (const struct db_value *)values->data, 3,
	    G_N_ELEMENTS(steps), NULL, error);
}

/* Makes the tables as they are in a new installation, and adds the mark and all steps to recorded.
 */
static bool
schema_install(struct db *db, GHashTable *recorded, void (*done)(int, const char *, void *),
    void *context, GError **error)
{
	g_autofree char *mark = own_mark();

	if (!schema_record(db, MARK, mark, error))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(now); i++)
		if (!db_run_plain(db, now[i].sql, error)) {
			g_prefix_error(error, "schema now/%s: ", now[i].name);
			return false;
		}
	if (!record_all(db, error))
		return false;
	g_hash_table_add(recorded, GINT_TO_POINTER(MARK));
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		int version = steps[i].version;

		if (!g_hash_table_add(recorded, GINT_TO_POINTER(version)))
			continue;
		if (!schema_run_batches(db, recorded, version, done, context, error))
			return false;
		if (done)
			done(version, steps[i].name, context);
	}
	return true;
}

/* Applies the steps that are not recorded; finishes: late ones, too. */
static bool
schema_apply(struct db *db, GHashTable *recorded, bool finishes,
    void (*done)(int version, const char *name, void *context), void *context, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		const struct step *step = &steps[i];
		bool last = i + 1 == G_N_ELEMENTS(steps) || steps[i + 1].version != step->version;

		bool is_recorded = schema_is_recorded(recorded, step->version);

		if (!is_recorded && !finishes && schema_is_late(step->version))
			continue;
		/* A new installation records all files before the batches. */
		if (!schema_run_batches(db, recorded, step->version, done, context, error))
			return false;
		if (is_recorded)
			continue;
		if (!db_run_plain(db, step->sql, error)) {
			g_prefix_error(error, "schema %04d-%s: ", step->version, step->name);
			return false;
		}
		if (!last)
			continue;
		if (!schema_record(db, step->version, step->name, error))
			return false;
		if (done)
			done(step->version, step->name, context);
	}
	return true;
}

static bool
schema_run_steps(struct db *db, bool finishes,
    void (*done)(int version, const char *name, void *context), void *context, GError **error)
{
	bool is_new;

	/* In this order: a new installation that another process ends meanwhile is all recorded. */
	if (!store_schema_is_new(db, &is_new, error))
		return false;
	g_autoptr(GHashTable) recorded = read_recorded(db, error);
	if (!recorded || !refuse_newer(db, version_of(recorded), PH_ERROR_FAILED, error) ||
	    !schema_create(db, "schema_version", error) ||
	    (is_new && !schema_install(db, recorded, done, context, error)) ||
	    !schema_apply(db, recorded, finishes, done, context, error))
		return false;
	if (schema_is_recorded(recorded, MARK) && !db_run(db, sql[UNMARK], NULL, 0, NULL, error))
		return false;
	return schema_release(db, error) &&
	       schema_run_batches(db, recorded, 0, done, context, error);
}

bool
store_schema_migrate(struct db *db, void (*done)(int version, const char *name, void *context),
    void *context, GError **error)
{
	return schema_run_steps(db, true, done, context, error);
}

bool
store_schema_prepare(struct db *db, void (*done)(int version, const char *name, void *context),
    void *context, GError **error)
{
	return schema_run_steps(db, false, done, context, error);
}

struct planning {
	struct db *db;
	void (*visit)(const struct store_schema_change *change, void *context);
	void *context;
};

static bool
schema_plan(const struct planning *planning, struct store_schema_change *change, GError **error)
{
	AUTO(db_rows)
	rows = db_select(planning->db, sql[ROWS], DB_VALUES(db_text(change->table)), error);

	if (!rows)
		return false;
	change->rows = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	change->seconds = store_schema_seconds(change->work, change->rows);
	planning->visit(change, planning->context);
	return true;
}

static bool
plan_batches(const struct planning *planning, GHashTable *recorded, int before, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(batches); i++) {
		const struct batch *batch = &batches[i];
		struct store_schema_change change = {.version = batch->version,
		    .name = batch->name,
		    .table = batch->table,
		    .work = SCHEMA_BATCHES,
		    .is_late = batch->before != 0};

		if (batch->before == before && !schema_is_recorded(recorded, batch->version) &&
		    !schema_plan(planning, &change, error))
			return false;
	}
	return true;
}

bool
store_schema_plan(struct db *db,
    void (*visit)(const struct store_schema_change *change, void *context), void *context,
    GError **error)
{
	const struct planning planning = {db, visit, context};
	g_autoptr(GHashTable) recorded = read_recorded(db, error);

	if (!recorded || !refuse_newer(db, version_of(recorded), PH_ERROR_FAILED, error))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *table = NULL;
		enum store_schema_work work = store_schema_work_of(steps[i].sql, &table);
		struct store_schema_change change = {.version = steps[i].version,
		    .name = steps[i].name,
		    .table = table,
		    .work = work,
		    .is_late = schema_is_late(steps[i].version)};

		if (!plan_batches(&planning, recorded, steps[i].version, error) ||
		    (!schema_is_recorded(recorded, steps[i].version) &&
			!schema_plan(&planning, &change, error)))
			return false;
	}
	return plan_batches(&planning, recorded, 0, error);
}

bool
store_schema_check(struct db *db, GError **error)
{
	g_autoptr(GHashTable) recorded = read_recorded(db, error);

	if (!recorded || !refuse_newer(db, version_of(recorded), PH_ERROR_TEMPORARY, error))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		if (schema_is_recorded(recorded, steps[i].version) ||
		    schema_is_late(steps[i].version))
			continue;
		g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
		    "the database has schema version %d and lacks %04d-%s, this program needs %d: "
		    "run \"posthouse schema migrate\"",
		    version_of(recorded), steps[i].version, steps[i].name, store_schema_latest());
		return false;
	}
	return true;
}

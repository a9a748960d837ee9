/* Which version of schema/ a database has, and the way to the latest. */
#include "store/schema.h"

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"

struct step {
	int version;
	const char *name;
	const char *sql;
};

#include "schema/steps.h"

enum { CREATE, EXISTS, CURRENT, RECORD };
static const char *const sql[] = {
    [CREATE] =
	"CREATE TABLE IF NOT EXISTS schema_version (version INT NOT NULL, name VARCHAR(100) NOT "
	"NULL,"
	" applied BIGINT NOT NULL, PRIMARY KEY (version)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
    [EXISTS] = "SELECT COUNT(*) FROM information_schema.tables"
	       " WHERE table_schema = DATABASE() AND table_name = 'schema_version'",
    [CURRENT] = "SELECT COALESCE(MAX(version), 0) FROM schema_version",
    [RECORD] = "INSERT IGNORE INTO schema_version (version, name, applied) VALUES (?, ?, ?)",
};

int
store_schema_latest(void)
{
	return steps[G_N_ELEMENTS(steps) - 1].version;
}

static bool
number(struct db *db, const char *statement, int *number_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, statement, NULL, 0, error);

	if (!rows)
		return false;
	*number_r = db_rows_next(rows) ? (int)db_rows_int(rows, 0) : 0;
	return true;
}

bool
store_schema_version(struct db *db, int *version_r, GError **error)
{
	int exists;

	*version_r = 0;
	if (!number(db, sql[EXISTS], &exists, error))
		return false;
	return exists == 0 || number(db, sql[CURRENT], version_r, error);
}

static bool
refuse_newer(int version, GError **error)
{
	if (version <= store_schema_latest())
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "the database has schema version %d, newer than this program's %d: install the newer "
	    "Posthouse",
	    version, store_schema_latest());
	return false;
}

bool
store_schema_migrate(struct db *db, void (*done)(int version, const char *name, void *context),
    void *context, GError **error)
{
	int version;

	if (!store_schema_version(db, &version, error) || !refuse_newer(version, error))
		return false;
	if (!db_run_plain(db, sql[CREATE], error))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
		const struct step *step = &steps[i];
		bool last = i + 1 == G_N_ELEMENTS(steps) || steps[i + 1].version != step->version;

		if (step->version <= version)
			continue;
		if (!db_run_plain(db, step->sql, error)) {
			g_prefix_error(error, "schema %04d-%s: ", step->version, step->name);
			return false;
		}
		if (!last)
			continue;
		if (!db_run(db, sql[RECORD],
			DB_VALUES(
			    db_int(step->version), db_text(step->name), db_int(base_clock_now())),
			NULL, error))
			return false;
		if (done)
			done(step->version, step->name, context);
	}
	return true;
}

bool
store_schema_check(struct db *db, GError **error)
{
	int version;

	if (!store_schema_version(db, &version, error) || !refuse_newer(version, error))
		return false;
	if (version == store_schema_latest())
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "the database has schema version %d, this program needs %d: run \"posthouse schema "
	    "migrate\"",
	    version, store_schema_latest());
	return false;
}

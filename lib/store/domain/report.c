/* SPDX-License-Identifier: MIT */
/* Stores, lists and sums up reports about domains. */
#include "store/domain/report.h"

#include <string.h>

#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"

#define BATCH 100
#define SOURCE_COLUMNS 16

#define REPORT_COLUMNS(FIRST, NEXT)                                                                \
	FIRST(id, "r.id")                                                                          \
	NEXT(workspace_id, "r.workspace_id")                                                       \
	NEXT(domain_id, "r.domain_id")                                                             \
	NEXT(kind, "r.kind")                                                                       \
	NEXT(day, "r.day")                                                                         \
	NEXT(verified, "r.verified")                                                               \
	NEXT(enforced, "r.enforced")                                                               \
	NEXT(reporter, "r.reporter")                                                               \
	NEXT(summary, "r.summary")
#define COLUMNS DB_COLUMNS_SQL(REPORT_COLUMNS)

#define SUMS(FIRST, NEXT, of, on, by)                                                              \
	FIRST(key, of)                                                                             \
	NEXT(day, on)                                                                              \
	NEXT(fate, by)                                                                             \
	NEXT(reporter, "s.reporter")                                                               \
	NEXT(messages, "SUM(s.messages)")                                                          \
	NEXT(passed, "SUM(s.passed)")                                                              \
	NEXT(dkim_aligned, "SUM(s.dkim_aligned)")                                                  \
	NEXT(spf_aligned, "SUM(s.spf_aligned)")                                                    \
	NEXT(quarantined, "SUM(s.quarantined)")                                                    \
	NEXT(rejected, "SUM(s.rejected)")                                                          \
	NEXT(first, "MIN(s.begin)")                                                                \
	NEXT(last, "MAX(s.end)")
#define SOURCE_SUMS(FIRST, NEXT) SUMS(FIRST, NEXT, "s.source", "0", "s.fate")
#define DAY_SUMS(FIRST, NEXT) SUMS(FIRST, NEXT, "''", "s.day", "4")
#define REPORTER_SUMS(FIRST, NEXT) SUMS(FIRST, NEXT, "s.reporter", "0", "4")
#define OF_DAYS                                                                                    \
	" FROM dmarc_source s WHERE s.workspace_id = ? AND s.domain_id = ? AND s.day >= ?"         \
	" AND s.day < ? AND (? IS NULL OR s.verified = ?)"

enum {
	OWNER,
	INSERT,
	INSERT_SOURCE,
	LIST,
	BY_SOURCE,
	BY_DAY,
	BY_REPORTER,
	REACH,
	OLD,
	REMOVE,
	REMOVE_SOURCES
};
/* System-wide: OWNER, OLD. An address names the domain alone; rows grow old in all workspaces. */
static const char *const sql[] = {
    [OWNER] = "SELECT workspace_id FROM domain WHERE id = ?",
    [INSERT] = "INSERT INTO domain_report (id, workspace_id, domain_id, kind, digest, reporter,"
	       " day, verified, enforced, summary) VALUES (" DB_MARKS_10 ")",
    [INSERT_SOURCE] =
	"INSERT INTO dmarc_source (workspace_id, domain_id, day, report_id, source,"
	" fate, reporter, verified, messages, passed, dkim_aligned, spf_aligned,"
	" quarantined, rejected, begin, end) VALUES (" DB_MARKS_10 ", ?, ?, ?, ?, ?, ?)",
    [LIST] = "SELECT " COLUMNS " FROM domain_report r WHERE r.workspace_id = ?"
	     " AND r.domain_id = ? AND r.kind = ? AND r.id < ? ORDER BY r.id DESC LIMIT ?",
    [BY_SOURCE] =
	"SELECT " DB_COLUMNS_SQL(SOURCE_SUMS) OF_DAYS " GROUP BY s.source, s.fate, s.reporter",
    [BY_DAY] = "SELECT " DB_COLUMNS_SQL(DAY_SUMS) OF_DAYS " GROUP BY s.day, s.reporter",
    [BY_REPORTER] = "SELECT " DB_COLUMNS_SQL(REPORTER_SUMS) OF_DAYS " GROUP BY s.reporter",
    [REACH] = "SELECT COUNT(DISTINCT day), COUNT(DISTINCT reporter),"
	      " COUNT(DISTINCT CASE WHEN enforced > 0 THEN day END) FROM domain_report"
	      " WHERE workspace_id = ? AND domain_id = ? AND kind = " STORE_REPORT_DMARC_SQL
	      " AND day >= ? AND verified <> 0",
    [OLD] = "SELECT " COLUMNS " FROM domain_report r WHERE r.id < ? ORDER BY r.id LIMIT ?",
    [REMOVE] = "DELETE FROM domain_report WHERE id = ? AND workspace_id = ?",
    [REMOVE_SOURCES] = "DELETE FROM dmarc_source WHERE workspace_id = ? AND domain_id = ?"
		       " AND day = ? AND report_id = ?",
};

enum { REACH_DAYS, REACH_REPORTERS, REACH_ENFORCED };

DB_COLUMNS_MAKER(report_read_row, struct store_domain_report, REPORT_COLUMNS)
/* The three kinds of sums have the same members in the same order. */
DB_COLUMNS_MAKER(report_read_sum, struct store_dmarc_sum, SOURCE_SUMS)

void
store_domain_report_free(struct store_domain_report *report)
{
	g_free(report->reporter);
	g_free(report->summary);
	g_clear_pointer(&report->sources, g_array_unref);
	g_free(report);
}

void
store_dmarc_sum_free(struct store_dmarc_sum *sum)
{
	g_free(sum->key);
	g_free(sum->reporter);
	g_free(sum);
}

bool
store_domain_report_owner(
    struct db *db, const struct base_id *domain, struct base_id *workspace_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[OWNER], DB_VALUES(db_id(domain)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows))
		return base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
	return db_rows_id(rows, DB_ROWS_ONLY, workspace_r) ||
	       base_fail(error, PH_ERROR_NOT_FOUND, "Domain not found");
}

static bool
report_add_sources(struct db *db, const struct store_domain_report *report, GError **error)
{
	guint count = report->sources ? report->sources->len : 0;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)count * SOURCE_COLUMNS);

	for (guint i = 0; i < count; i++) {
		const struct store_dmarc_source *source =
		    &g_array_index(report->sources, struct store_dmarc_source, i);
		const struct db_value row[SOURCE_COLUMNS] = {db_id(&report->workspace_id),
		    db_id(&report->domain_id), db_int(report->day), db_id(&report->id),
		    db_text(source->source), db_int(source->fate), db_text(report->reporter),
		    db_int(report->verified), db_int(source->messages), db_int(source->passed),
		    db_int(source->dkim_aligned), db_int(source->spf_aligned),
		    db_int(source->quarantined), db_int(source->rejected), db_int(report->begin),
		    db_int(report->end)};

		memcpy(values + (gsize)i * SOURCE_COLUMNS, row, sizeof(row));
	}
	return db_run_rows(db, sql[INSERT_SOURCE], values, SOURCE_COLUMNS, count, NULL, error);
}

static bool
report_add(struct db *db, void *context, GError **error)
{
	const struct store_domain_report *report = context;

	return db_run(db, sql[INSERT],
		   DB_VALUES(db_id(&report->id), db_id(&report->workspace_id),
		       db_id(&report->domain_id), db_int(report->kind),
		       db_bytes(report->digest, SHA256_SIZE), db_text(report->reporter),
		       db_int(report->day), db_int(report->verified), db_int(report->enforced),
		       db_text(report->summary)),
		   NULL, error) &&
	       report_add_sources(db, report, error);
}

bool
store_domain_report_add(struct db *db, const struct store_domain_report *report, GError **error)
{
	return db_transact(db, report_add, (void *)report, error);
}

GPtrArray *
store_domain_report_list(struct db *db, const struct base_id *workspace,
    const struct store_domain_report_page *page, GError **error)
{
	struct base_id last;

	memset(&last, 0xff, sizeof(last));
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(db_id(workspace), db_id(page->domain), db_int(page->kind),
		db_id(page->before ? page->before : &last), db_int(page->limit)),
	    error);
	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_domain_report_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(list, report_read_row(rows));
	return list;
}

GPtrArray *
store_dmarc_sums(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    const struct store_dmarc_query *query, GError **error)
{
	static const int statements[] = {[DMARC_BY_SOURCE] = BY_SOURCE,
	    [DMARC_BY_DAY] = BY_DAY,
	    [DMARC_BY_REPORTER] = BY_REPORTER};
	const struct db_value verified = query->verified ? db_int(*query->verified) : db_null();
	AUTO(db_rows)
	rows = db_select(db, sql[statements[query->group]],
	    DB_VALUES(db_id(workspace), db_id(domain), db_int(query->from), db_int(query->to),
		verified, verified),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *sums = g_ptr_array_new_with_free_func(store_dmarc_sum_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(sums, report_read_sum(rows));
	return sums;
}

bool
store_dmarc_reach(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    gint64 since, struct store_dmarc_reach *reach_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[REACH], DB_VALUES(db_id(workspace), db_id(domain), db_int(since)), error);

	if (!rows)
		return false;
	*reach_r = (struct store_dmarc_reach){0};
	if (db_rows_next(rows))
		*reach_r = (struct store_dmarc_reach){db_rows_int(rows, REACH_DAYS),
		    db_rows_int(rows, REACH_REPORTERS), db_rows_int(rows, REACH_ENFORCED)};
	return true;
}

static bool
report_remove(struct db *db, void *context, GError **error)
{
	const struct store_domain_report *report = context;

	return db_run(db, sql[REMOVE_SOURCES],
		   DB_VALUES(db_id(&report->workspace_id), db_id(&report->domain_id),
		       db_int(report->day), db_id(&report->id)),
		   NULL, error) &&
	       db_run(db, sql[REMOVE], DB_VALUES(db_id(&report->id), db_id(&report->workspace_id)),
		   NULL, error);
}

bool
store_domain_report_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct base_id floor = base_id_floor(before);
	AUTO(db_rows)
	rows = db_select(db, sql[OLD], DB_VALUES(db_id(&floor), db_int(BATCH)), error);

	*count_r = 0;
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		AUTO(store_domain_report) report = report_read_row(rows);

		if (!db_transact(db, report_remove, report, error))
			return false;
		++*count_r;
	}
	return true;
}

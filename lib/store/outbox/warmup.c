/* SPDX-License-Identifier: MIT */
/* Counts each domain's delivered and bounced mail, in a set of rows for each day. */
#include "store/outbox/warmup.h"

#include <string.h>

#include "base/id.h"
#include "db/connection.h"
#include "db/statement.h"
#include "store/email/key.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define STRIPES 16

#define ONE "?"
#define MANY DB_MARKS_50
#define BATCH 50

#define DOMAINS(ids)                                                                               \
	"SELECT e.id, d.id, d.workspace_id FROM " STORE_EMAIL_FOUND                                \
	" STRAIGHT_JOIN domain d ON d.id = e.domain_id AND d.workspace_id = e.workspace_id"        \
	" WHERE d.warmed_up_at IS NULL AND " STORE_EMAIL_IN(ids)
/* The columns of DOMAINS. */
enum { DOMAINS_EMAIL, DOMAINS_DOMAIN, DOMAINS_WORKSPACE };

enum {
	OF_ONE,
	OF_MANY,
	COUNT,
	DUE,
	LOOSE,
	FOLDED,
	SUM,
	FINISH,
	POSTPONE,
	FORGET,
	FORGET_SENT,
	STATE,
	BEGIN_DAY,
	TODAY,
	PERMIT
};
/* System-wide: DUE. The spool warms up the domains of all workspaces. */
/* By checked ids: OF_ONE, OF_MANY, LOOSE, FOLDED, SUM, FINISH, POSTPONE, FORGET, FORGET_SENT,
   STATE, TODAY, PERMIT. The emails have new events; the domains come from an email or
   from DUE, or are being removed. */
static const char *const sql[] = {
    [OF_ONE] = DOMAINS(ONE),
    [OF_MANY] = DOMAINS(MANY),
    [COUNT] = "INSERT INTO domain_day (domain_id, day, stripe, workspace_id, delivered, bounced)"
	      " VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	      " delivered = delivered + VALUES(delivered), bounced = bounced + VALUES(bounced)",
    [DUE] = "SELECT id FROM domain WHERE warm_check <= ? ORDER BY warm_check LIMIT ?"
	    " FOR UPDATE SKIP LOCKED",
    [LOOSE] = "SELECT day, workspace_id, delivered, bounced FROM domain_day"
	      " WHERE domain_id = ? AND day < ? AND stripe > 0 FOR UPDATE",
    [FOLDED] = "DELETE FROM domain_day WHERE domain_id = ? AND day < ? AND stripe > 0",
    [SUM] = "SELECT COUNT(DISTINCT IF(delivered > 0, day, NULL)), COALESCE(SUM(delivered), 0),"
	    " COALESCE(SUM(bounced), 0) FROM domain_day WHERE domain_id = ?",
    [FINISH] = "UPDATE domain SET warmed_up_at = ?, warm_check = NULL WHERE id = ?",
    [POSTPONE] = "UPDATE domain SET warm_check = ? WHERE id = ?",
    [FORGET] = "DELETE FROM domain_day WHERE domain_id = ?",
    [FORGET_SENT] = "DELETE FROM domain_sent WHERE domain_id = ?",
    [STATE] = "SELECT d.trusted, d.warmed_up_at, (SELECT COUNT(*) FROM domain_sent s"
	      " WHERE s.domain_id = d.id AND s.day < ?) FROM domain d WHERE d.id = ?",
    [BEGIN_DAY] = "INSERT INTO domain_sent (domain_id, day, workspace_id, recipients)"
		  " SELECT id, ?, workspace_id, 0 FROM domain WHERE id = ?"
		  " ON DUPLICATE KEY UPDATE recipients = recipients",
    [TODAY] = "SELECT recipients FROM domain_sent WHERE domain_id = ? AND day = ? FOR UPDATE",
    [PERMIT] = "UPDATE domain_sent SET recipients = recipients + ?"
	       " WHERE domain_id = ? AND day = ?",
};

/* The columns of LOOSE. */
enum { LOOSE_DAY, LOOSE_WORKSPACE, LOOSE_DELIVERED, LOOSE_BOUNCED };

/* The columns of SUM. */
enum { SUM_DAYS, SUM_DELIVERED, SUM_BOUNCED };

/* The columns of STATE. */
enum { STATE_TRUSTED, STATE_WARMED_UP_AT, STATE_DAYS };

#define COUNT_COLUMNS 6

/* The counts of an email, or of a domain. */
struct tally {
	struct base_id of;
	struct base_id workspace_id;
	gint64 day;
	gint64 delivered, bounced;
};

static void
warmup_add(GArray *tallies, const struct tally *more)
{
	for (guint i = tallies->len; i > 0; i--) {
		struct tally *tally = &g_array_index(tallies, struct tally, i - 1);

		if (tally->day == more->day && base_id_equal(&tally->of, &more->of)) {
			tally->delivered += more->delivered;
			tally->bounced += more->bounced;
			return;
		}
	}
	g_array_append_val(tallies, *more);
}

/* Adds the counts of up to BATCH emails to their domains. */
static bool
add_domains(struct db *db, const GArray *emails, GArray *domains, GError **error)
{
	struct db_value values[BATCH];
	guint count = emails->len == 1 ? 1 : BATCH;

	/* A batch that is not full repeats its last id. */
	for (guint i = 0; i < count; i++)
		values[i] = db_id(&g_array_index(emails, struct tally, MIN(i, emails->len - 1)).of);
	AUTO(db_rows) rows =
	    db_select(db, sql[count == 1 ? OF_ONE : OF_MANY], values, count, error);
	while (rows && db_rows_next(rows)) {
		struct base_id email;

		db_rows_id(rows, DOMAINS_EMAIL, &email);
		for (guint i = 0; i < emails->len; i++) {
			struct tally tally = g_array_index(emails, struct tally, i);

			if (!base_id_equal(&tally.of, &email))
				continue;
			db_rows_id(rows, DOMAINS_DOMAIN, &tally.of);
			db_rows_id(rows, DOMAINS_WORKSPACE, &tally.workspace_id);
			warmup_add(domains, &tally);
		}
	}
	return rows != NULL;
}

/* Every transaction takes these locks in this order. */
static gint
by_domain(gconstpointer a, gconstpointer b)
{
	const struct tally *one = a, *other = b;
	int order = memcmp(&one->of, &other->of, sizeof(one->of));

	return order ? order : (one->day > other->day) - (one->day < other->day);
}

static bool
warmup_write_counts(struct db *db, GArray *domains, gint64 stripe, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)COUNT_COLUMNS * domains->len);

	g_array_sort(domains, by_domain);
	for (guint i = 0; i < domains->len; i++) {
		const struct tally *tally = &g_array_index(domains, struct tally, i);
		const struct db_value row[COUNT_COLUMNS] = {db_id(&tally->of), db_int(tally->day),
		    db_int(stripe), db_id(&tally->workspace_id), db_int(tally->delivered),
		    db_int(tally->bounced)};

		memcpy(values + (gsize)COUNT_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[COUNT], values, COUNT_COLUMNS, domains->len, NULL, error);
}

bool
store_warmup_count(struct db *db, const struct store_arrival *arrivals, guint count, GError **error)
{
	g_autoptr(GArray) emails = g_array_new(FALSE, FALSE, sizeof(struct tally));
	g_autoptr(GArray) domains = g_array_new(FALSE, FALSE, sizeof(struct tally));

	for (guint i = 0; i < count; i++) {
		const struct store_arrival *arrival = &arrivals[i];
		const struct tally tally = {
		    .of = *arrival->email,
		    .day = arrival->at / DAY_MS,
		    .delivered = !arrival->bounced,
		    .bounced = arrival->bounced,
		};

		if (emails->len == BATCH) {
			if (!add_domains(db, emails, domains, error))
				return false;
			g_array_set_size(emails, 0);
		}
		warmup_add(emails, &tally);
	}
	return emails->len == 0 || (add_domains(db, emails, domains, error) &&
				       warmup_write_counts(db, domains,
					   (gint64)(db_connection_id(db) % STRIPES), error));
}

bool
store_warmup_due(struct db *db, gint64 now, guint limit, struct base_id *domains_r, guint *count_r,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[DUE], DB_VALUES(db_int(now), db_int(limit)), error);

	if (!rows)
		return false;
	for (*count_r = 0; db_rows_next(rows); ++*count_r)
		db_rows_id(rows, DB_ROWS_ONLY, &domains_r[*count_r]);
	return true;
}

/* Joins the rows of past days, for which nothing is counted any more. */
static bool
warmup_fold(struct db *db, const struct base_id *domain, gint64 before, GError **error)
{
	g_autoptr(GArray) days = g_array_new(FALSE, FALSE, sizeof(struct tally));
	AUTO(db_rows) rows =
	    db_select(db, sql[LOOSE], DB_VALUES(db_id(domain), db_int(before)), error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct tally tally = {.of = *domain,
		    .day = db_rows_int(rows, LOOSE_DAY),
		    .delivered = db_rows_int(rows, LOOSE_DELIVERED),
		    .bounced = db_rows_int(rows, LOOSE_BOUNCED)};

		db_rows_id(rows, LOOSE_WORKSPACE, &tally.workspace_id);
		warmup_add(days, &tally);
	}
	return days->len == 0 ||
	       (db_run(db, sql[FOLDED], DB_VALUES(db_id(domain), db_int(before)), NULL, error) &&
		   warmup_write_counts(db, days, 0, error));
}

bool
store_warmup_sum(struct db *db, const struct base_id *domain, gint64 now,
    struct store_warmup *warmup_r, GError **error)
{
	if (!warmup_fold(db, domain, now / DAY_MS - 1, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[SUM], DB_VALUES(db_id(domain)), error);
	if (!rows || !db_rows_next(rows))
		return false;
	*warmup_r = (struct store_warmup){
	    .days = db_rows_int(rows, SUM_DAYS),
	    .delivered = db_rows_int(rows, SUM_DELIVERED),
	    .bounced = db_rows_int(rows, SUM_BOUNCED),
	};
	return true;
}

bool
store_warmup_finish(struct db *db, const struct base_id *domain, gint64 now, GError **error)
{
	return db_run(db, sql[FINISH], DB_VALUES(db_int(now), db_id(domain)), NULL, error) &&
	       store_warmup_forget(db, domain, error);
}

bool
store_warmup_postpone(struct db *db, const struct base_id *domain, gint64 next, GError **error)
{
	return db_run(db, sql[POSTPONE], DB_VALUES(db_int(next), db_id(domain)), NULL, error);
}

bool
store_warmup_forget(struct db *db, const struct base_id *domain, GError **error)
{
	return db_run(db, sql[FORGET], DB_VALUES(db_id(domain)), NULL, error) &&
	       db_run(db, sql[FORGET_SENT], DB_VALUES(db_id(domain)), NULL, error);
}

/* Locks the domain's count of a day, and reads it. */
static bool
warmup_read_day(
    struct db *db, const struct base_id *domain, gint64 day, gint64 *recipients_r, GError **error)
{
	if (!db_run(db, sql[BEGIN_DAY], DB_VALUES(db_int(day), db_id(domain)), NULL, error))
		return false;
	AUTO(db_rows) rows =
	    db_select(db, sql[TODAY], DB_VALUES(db_id(domain), db_int(day)), error);
	if (!rows)
		return false;
	*recipients_r = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

bool
store_warmup_limit(struct db *db, const struct base_id *domain, gint64 day,
    const char *const *limits, struct store_warmup_limit *limit_r, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[STATE], DB_VALUES(db_int(day), db_id(domain)), error);

	*limit_r = (struct store_warmup_limit){.is_limited = false};
	if (!rows)
		return false;
	if (!db_rows_next(rows) || db_rows_int(rows, STATE_TRUSTED) ||
	    !db_rows_is_null(rows, STATE_WARMED_UP_AT))
		return true;
	gint64 days = db_rows_int(rows, STATE_DAYS);
	if (days >= g_strv_length((char **)limits))
		return true;
	limit_r->is_limited = true;
	limit_r->most = g_ascii_strtoll(limits[days], NULL, 10);
	return warmup_read_day(db, domain, day, &limit_r->recipients, error);
}

bool
store_warmup_permit(
    struct db *db, const struct base_id *domain, gint64 day, guint recipients, GError **error)
{
	return db_run(db, sql[PERMIT], DB_VALUES(db_int(recipients), db_id(domain), db_int(day)),
	    NULL, error);
}

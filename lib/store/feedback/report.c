/* SPDX-License-Identifier: MIT */
/* Finds the emails that delivery reports are about, and records the reports. */
#include "store/feedback/report.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "store/email/event.h"
#include "store/email/key.h"

#define TOGETHER 50 /* the number of emails that FIND_MANY takes */
#define FIND(ids)                                                                                  \
	"SELECT e.id, e.workspace_id, " STORE_EMAIL_TYPE(                                          \
	    "e") ", e.sender, (SELECT COALESCE(LEAST(e.sent, MIN(p.sent_at)),"                     \
		 " e.sent, MIN(p.sent_at), e.created) FROM recipient p WHERE p.email_id = e.id),"  \
		 " (SELECT COUNT(*) FROM report r WHERE r.email_id = e.id),"                       \
		 " (e.tracking & " TRACK_UNSUBSCRIBE_SQL                                           \
		 ") <> 0 OR e.topic_id IS NOT NULL, " STORE_FIGURE_ORIGIN                          \
		 " FROM " STORE_EMAIL_FOUND " WHERE " STORE_EMAIL_IN(ids)
#define RECIPIENTS "SELECT email_id, address FROM recipient FORCE INDEX (PRIMARY) WHERE email_id"
#define IN_ORDER " ORDER BY email_id, number"

enum { FIND_ONE, FIND_MANY, OF_ONE, OF_MANY, INSERT, NOTE, COUNT, FORGET, TRANSIENT };
/* System-wide: FIND_ONE, FIND_MANY. A report names the email alone, not its workspace. */
/* By checked ids: OF_ONE, OF_MANY. FIND_ONE or FIND_MANY finds the emails. */
static const char *const sql[] = {
    [FIND_ONE] = FIND("?"),
    [FIND_MANY] = FIND(DB_MARKS_50),
    [OF_ONE] = RECIPIENTS " = ?" IN_ORDER,
    [OF_MANY] = RECIPIENTS " IN (" DB_MARKS_50 ")" IN_ORDER,
    [INSERT] = "INSERT INTO report (email_id, digest, workspace_id, created) VALUES (?, ?, ?, ?)",
    [NOTE] = "INSERT IGNORE INTO hearsay (email_id, recipient, verdict, workspace_id, created)"
	     " VALUES (?, ?, ?, ?, ?)",
    [COUNT] = "SELECT COUNT(DISTINCT h.created DIV 86400000) FROM recipient r"
	      " JOIN hearsay h ON h.email_id = r.email_id AND h.recipient = r.number"
	      " AND h.verdict = ? AND h.created >= ? WHERE r.workspace_id = ? AND r.address = ?",
    [FORGET] = "DELETE h FROM recipient r JOIN hearsay h ON h.email_id = r.email_id"
	       " AND h.recipient = r.number AND h.verdict = ?"
	       " WHERE r.workspace_id = ? AND r.address = ?",
    /* The id holds the time at which the email was created, up to 30 days before it was sent. */
    [TRANSIENT] = "SELECT 1 FROM recipient r JOIN event v ON v.email_id = r.email_id"
		  " AND v.recipient = r.number AND v.status = ? AND v.bounce_type = ?"
		  " AND v.timestamp >= ?"
		  " WHERE r.workspace_id = ? AND r.address = ? AND r.email_id >= ?"
		  " AND NOT EXISTS (SELECT 1 FROM hearsay h WHERE h.email_id = r.email_id"
		  " AND h.recipient = r.number AND h.verdict = ?) LIMIT ?",
};

/* The columns of FIND. */
enum {
	FIND_ID,
	FIND_WORKSPACE,
	FIND_TYPE,
	FIND_SENDER,
	FIND_SENT,
	FIND_REPORTS,
	FIND_IS_MAILING,
	FIND_ORIGIN,
	FIND_TEMPLATE,
	FIND_WORKFLOW,
	FIND_STEP,
	FIND_TAGS,
	FIND_STREAM,
	FIND_BROADCAST
};

/* The columns of RECIPIENTS. */
enum { RECIPIENTS_EMAIL, RECIPIENTS_ADDRESS };

#define INSERT_COLUMNS 4

#define SCHEDULED_MS ((gint64)35 * 24 * 60 * 60 * 1000)

void
store_reported_free(struct store_reported *reported)
{
	g_free(reported->sender);
	store_figure_origin_clear(&reported->origin);
	g_ptr_array_unref(reported->recipients);
	g_free(reported);
}

static struct store_reported *
report_read_email(const struct db_rows *rows)
{
	struct store_reported *reported = g_new0(struct store_reported, 1);

	db_rows_id(rows, FIND_ID, &reported->id);
	db_rows_id(rows, FIND_WORKSPACE, &reported->workspace_id);
	reported->type = (enum store_email_type)db_rows_int(rows, FIND_TYPE);
	reported->sender = g_strdup(db_rows_text(rows, FIND_SENDER));
	reported->sent = db_rows_int(rows, FIND_SENT);
	reported->reports = (guint)db_rows_int(rows, FIND_REPORTS);
	reported->is_mailing = db_rows_int(rows, FIND_IS_MAILING) != 0;
	store_figure_origin_read(rows, FIND_ORIGIN, &reported->origin);
	reported->recipients = g_ptr_array_new_with_free_func(g_free);
	return reported;
}

/* Gives the emails, from number first on, their recipients. */
static void
report_read_recipients(const GPtrArray *emails, guint first, struct db_rows *rows)
{
	struct base_id id;

	while (db_rows_next(rows)) {
		db_rows_id(rows, RECIPIENTS_EMAIL, &id);
		for (guint i = first; i < emails->len; i++) {
			const struct store_reported *email = emails->pdata[i];

			if (base_id_equal(&email->id, &id))
				g_ptr_array_add(email->recipients,
				    g_strdup(db_rows_text(rows, RECIPIENTS_ADDRESS)));
		}
	}
}

/* Adds up to TOGETHER emails, in one round trip. */
static bool
report_find_some(
    struct db *db, const struct base_id *ids, guint count, GPtrArray *emails, GError **error)
{
	bool alone = count == 1;
	guint given = alone ? 1 : TOGETHER, first = emails->len;
	struct db_value values[TOGETHER];
	struct db_rows *rows[2];

	for (guint i = 0; i < given; i++)
		values[i] = db_id(&ids[MIN(i, count - 1)]);
	const struct db_query queries[] = {
	    {sql[alone ? FIND_ONE : FIND_MANY], values, given},
	    {sql[alone ? OF_ONE : OF_MANY], values, given},
	};
	if (!db_select_together(db, queries, G_N_ELEMENTS(queries), rows, error))
		return false;
	while (db_rows_next(rows[0]))
		g_ptr_array_add(emails, report_read_email(rows[0]));
	report_read_recipients(emails, first, rows[1]);
	db_rows_free_all(rows, G_N_ELEMENTS(rows));
	return true;
}

GPtrArray *
store_report_find_all(struct db *db, const struct base_id *emails, guint count, GError **error)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(store_reported_destroy);

	for (guint i = 0; i < count; i += TOGETHER)
		if (!report_find_some(db, &emails[i], MIN(count - i, TOGETHER), found, error))
			return NULL;
	return g_steal_pointer(&found);
}

struct store_reported *
store_report_find(struct db *db, const struct base_id *email, GError **error)
{
	g_autoptr(GPtrArray) found = store_report_find_all(db, email, 1, error);

	if (!found)
		return NULL;
	if (found->len > 0)
		return g_ptr_array_steal_index(found, 0);
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Email not found");
	return NULL;
}

bool
store_report_insert(struct db *db, const struct store_report *reports, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)INSERT_COLUMNS * count);
	gint64 now = base_clock_now();

	for (guint i = 0; i < count; i++) {
		const struct db_value row[INSERT_COLUMNS] = {db_id(&reports[i].email->id),
		    db_bytes(reports[i].digest, SHA256_SIZE),
		    db_id(&reports[i].email->workspace_id), db_int(now)};

		memcpy(values + (gsize)INSERT_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[INSERT], values, INSERT_COLUMNS, count, error);
}

bool
store_report_note_hearsay(struct db *db, const struct store_reported *reported, guint number,
    enum store_hearsay verdict, gint64 now, GError **error)
{
	return db_run(db, sql[NOTE],
	    DB_VALUES(db_id(&reported->id), db_int(number), db_int(verdict),
		db_id(&reported->workspace_id), db_int(now)),
	    NULL, error);
}

bool
store_report_count_hearsay(struct db *db, const struct store_report_about *about,
    enum store_hearsay verdict, guint *days_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[COUNT],
	    DB_VALUES(db_int(verdict), db_int(about->since), db_id(about->workspace),
		db_text(about->address)),
	    error);

	if (!rows)
		return false;
	*days_r = db_rows_next(rows) ? (guint)db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

bool
store_report_forget_hearsay(struct db *db, const struct base_id *workspace, const char *address,
    enum store_hearsay verdict, GError **error)
{
	return db_run(db, sql[FORGET],
	    DB_VALUES(db_int(verdict), db_id(workspace), db_text(address)), NULL, error);
}

bool
store_report_count_transient(struct db *db, const struct store_report_about *about, guint limit,
    guint *count_r, GError **error)
{
	struct base_id oldest = base_id_floor(about->since - SCHEDULED_MS);
	AUTO(db_rows) rows = db_select(db, sql[TRANSIENT],
	    DB_VALUES(db_int(EVENT_BOUNCED), db_int(BOUNCE_TRANSIENT), db_int(about->since),
		db_id(about->workspace), db_text(about->address), db_id(&oldest),
		db_int(HEARSAY_FULL), db_int(limit)),
	    error);

	if (!rows)
		return false;
	for (*count_r = 0; db_rows_next(rows); ++*count_r)
		;
	return true;
}

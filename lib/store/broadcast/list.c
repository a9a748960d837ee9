/* SPDX-License-Identifier: MIT */
/* Reads the recipients of a broadcast, and tells what became of each. */
#include "store/broadcast/list.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/list.h"
#include "base/scan_budget.h"
#include "db/statement.h"
#include "store/broadcast/recipient.h"
#include "store/email/event.h"

static const char rows_sql[] =
    "SELECT r.person_id, p.email, r.status, r.reason, r.variant, r.queue IS NOT NULL, r.due,"
    " COALESCE(m.status, r.outcome), r.sent_at, r.opened_at, r.clicked_at"
    " FROM broadcast_recipient r FORCE INDEX (PRIMARY)"
    " LEFT JOIN person p ON p.id = r.person_id AND p.workspace_id = r.workspace_id"
    " LEFT JOIN recipient m ON m.email_id = r.email_id AND m.number = r.number"
    " WHERE r.broadcast_id = ? AND r.workspace_id = ? AND r.person_id > ?"
    " ORDER BY r.person_id LIMIT ?";

/* The columns of rows_sql. */
enum {
	R_PERSON,
	R_EMAIL,
	R_FATE,
	R_REASON,
	R_VARIANT,
	R_WAITS,
	R_DUE,
	R_STATUS,
	R_SENT,
	R_OPENED,
	R_CLICKED
};

enum { PENDING, SENT, DELIVERED, DELAYED, BOUNCED, COMPLAINED, FAILED, SKIPPED, CANCELLED };
const char *const store_broadcast_statuses[] = {"pending", "sent", "delivered", "delayed",
    "bounced", "complained", "failed", "skipped", "cancelled", NULL};

/* The status of a recipient who was sent a message, by its latest event. */
static int
status_of_event(enum store_event_status status)
{
	static const int statuses[] = {[EVENT_NONE] = PENDING,
	    [EVENT_SENT] = SENT,
	    [EVENT_DELIVERED] = DELIVERED,
	    [EVENT_DELAYED] = DELAYED,
	    [EVENT_COMPLAINED] = COMPLAINED,
	    [EVENT_OPENED] = DELIVERED,
	    [EVENT_CLICKED] = DELIVERED,
	    [EVENT_UNSUBSCRIBED] = DELIVERED,
	    [EVENT_SUPPRESSED] = SKIPPED,
	    [EVENT_BOUNCED] = BOUNCED,
	    [EVENT_FAILED] = FAILED,
	    [EVENT_REPLIED] = DELIVERED};

	return statuses[status];
}

static int
list_status_of(const struct db_rows *rows, const struct store_broadcast *broadcast)
{
	int status = status_of_event((enum store_event_status)db_rows_int(rows, R_STATUS));

	switch ((enum store_broadcast_fate)db_rows_int(rows, R_FATE)) {
	case FATE_SKIPPED:
		return SKIPPED;
	case FATE_CANCELLED:
		return CANCELLED;
	case FATE_SENT:
		return status == PENDING ? SENT : status;
	case FATE_FAILED:
		return status == BOUNCED ? BOUNCED : FAILED;
	default:
		return db_rows_int(rows, R_WAITS) && broadcast->status == BROADCAST_CANCELLED
			   ? CANCELLED
			   : status;
	}
}

static const char *
list_reason_of(gint64 reason)
{
	static const char *const names[] = {[REASON_UNSUBSCRIBED] = "unsubscribed",
	    [REASON_TOPIC] = "topic",
	    [REASON_AUDIENCE] = "audience",
	    [REASON_SUPPRESSED] = "suppressed",
	    [REASON_DELETED] = "deleted",
	    [REASON_SNOOZED] = "snoozed",
	    [REASON_CAP] = "cap"};

	return names[reason];
}

static void
list_free_row(void *data)
{
	struct store_broadcast_row *row = data;

	g_free(row->email);
	g_free(row);
}

static struct store_broadcast_row *
list_read_row(const struct db_rows *rows, int status)
{
	struct store_broadcast_row *row = g_new0(struct store_broadcast_row, 1);

	db_rows_id(rows, R_PERSON, &row->person_id);
	row->email = g_strdup(db_rows_text(rows, R_EMAIL));
	row->status = store_broadcast_statuses[status];
	row->reason = status == SKIPPED ? list_reason_of(db_rows_int(rows, R_REASON)) : NULL;
	row->variant = (int)db_rows_int(rows, R_VARIANT);
	if (row->variant == BROADCAST_REST)
		row->variant = -1;
	row->due = db_rows_int(rows, R_DUE);
	row->sent = db_rows_int(rows, R_SENT);
	row->opened = db_rows_int(rows, R_OPENED);
	row->clicked = db_rows_int(rows, R_CLICKED);
	return row;
}

#define TOGETHER 500 /* rows that are looked at with one statement */

/* Adds rows behind *place, of the next count, until there are so many as enough, and moves *place
   to the last that was looked at. Returns how many were looked at; -1 with an error. */
static int
list_add_rows(struct db *db, const struct store_broadcast *broadcast, const char *status,
    guint count, GPtrArray *all, guint enough, struct base_id *place, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, rows_sql,
	    DB_VALUES(db_id(&broadcast->id), db_id(&broadcast->workspace_id), db_id(place),
		db_int(count)),
	    error);
	int looked = 0;

	if (!rows)
		return -1;
	for (; all->len < enough && db_rows_next(rows); looked++) {
		int now = list_status_of(rows, broadcast);

		db_rows_id(rows, R_PERSON, place);
		if (!status || strcmp(status, store_broadcast_statuses[now]) == 0)
			g_ptr_array_add(all, list_read_row(rows, now));
	}
	return looked;
}

GPtrArray *
store_broadcast_rows(struct db *db, const struct store_broadcast *broadcast, const char *status,
    const struct base_id *after, guint limit, gint64 ns, struct base_id *cursor_r, bool *more_r,
    GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(list_free_row);
	struct base_scan_budget look = {.most = LIMIT_BROADCAST_LOOKED, .ns = ns};
	guint enough = limit + 1; /* one more, which shows that more follow */
	guint count;

	base_scan_budget_begin(&look, base_clock_boot_ns());
	*cursor_r = after ? *after : (struct base_id){{0}};
	*more_r = true;
	while (*more_r && all->len < enough &&
	       (count = base_scan_budget_next(
		    &look, status ? TOGETHER : enough, base_clock_boot_ns())) > 0) {
		int looked =
		    list_add_rows(db, broadcast, status, count, all, enough, cursor_r, error);

		if (looked < 0)
			return NULL;
		look.looked += (guint)looked;
		*more_r = all->len == enough || (guint)looked == count;
	}
	if (all->len == enough) {
		g_ptr_array_set_size(all, (gint)limit);
		*cursor_r = ((struct store_broadcast_row *)all->pdata[limit - 1])->person_id;
	}
	return g_steal_pointer(&all);
}

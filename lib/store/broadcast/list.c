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

#define RECIPIENTS(unsubscribed)                                                                   \
	"SELECT r.person_id, p.email, r.status, r.reason, r.variant, r.queue IS NOT NULL, r.due,"  \
	" COALESCE(m.status, r.outcome), r.sent_at, r.opened_at, r.clicked_at, "                   \
	"r.marks, " unsubscribed " FROM broadcast_recipient r FORCE INDEX (PRIMARY)"               \
	" LEFT JOIN person p ON p.id = r.person_id AND p.workspace_id = "                          \
	"r.workspace_id"                                                                           \
	" LEFT JOIN recipient m ON m.email_id = r.email_id AND m.number = r.number"                \
	" WHERE r.broadcast_id = ? AND r.workspace_id = ? AND r.person_id > ?"                     \
	" ORDER BY r.person_id LIMIT ?"

/* The latest event of a recipient may be another one than that they unsubscribed: the filter by it
   asks for the event itself. */
enum { ROWS, ROWS_UNSUBSCRIBED };
static const char *const sql[] = {
    [ROWS] = RECIPIENTS("0"),
    [ROWS_UNSUBSCRIBED] = RECIPIENTS(
	"EXISTS (SELECT 1 FROM event v FORCE INDEX (PRIMARY) WHERE v.email_id = r.email_id"
	" AND v.recipient = r.number AND v.status = " EVENT_UNSUBSCRIBED_SQL ")"),
};

/* The columns of RECIPIENTS. */
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
	R_CLICKED,
	R_MARKS,
	R_UNSUBSCRIBED
};

enum { PENDING, SENT, DELIVERED, DELAYED, BOUNCED, COMPLAINED, FAILED, SKIPPED, CANCELLED };
const char *const store_broadcast_statuses[] = {"pending", "sent", "delivered", "delayed",
    "bounced", "complained", "failed", "skipped", "cancelled", NULL};

const char *const store_broadcast_deeds[] = {[DEED_DELIVERED] = "delivered",
    [DEED_OPENED] = "opened",
    [DEED_CLICKED] = "clicked",
    [DEED_BOUNCED] = "bounced",
    [DEED_COMPLAINED] = "complained",
    [DEED_UNSUBSCRIBED] = "unsubscribed",
    [DEEDS] = NULL};

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

/* The deeds of a recipient, as 1 << DEED_... */
static guint
list_deeds_of(const struct db_rows *rows, int status)
{
	guint marks = (guint)db_rows_int(rows, R_MARKS);
	bool delivered = status == DELIVERED || status == COMPLAINED;
	bool bounced = status == BOUNCED || marks & MARK_BOUNCED;
	bool complained = status == COMPLAINED || marks & MARK_COMPLAINED;

	return (guint)delivered << DEED_DELIVERED |
	       (guint)(db_rows_int(rows, R_OPENED) > 0) << DEED_OPENED |
	       (guint)(db_rows_int(rows, R_CLICKED) > 0) << DEED_CLICKED |
	       (guint)bounced << DEED_BOUNCED | (guint)complained << DEED_COMPLAINED |
	       (guint)(db_rows_int(rows, R_UNSUBSCRIBED) > 0) << DEED_UNSUBSCRIBED;
}

static bool
list_is_sought(const struct store_broadcast_filter *filter, const struct db_rows *rows, int status)
{
	if (!filter)
		return true;
	if (filter->status && strcmp(filter->status, store_broadcast_statuses[status]) != 0)
		return false;
	if (!filter->did && !filter->did_not)
		return true;
	guint deeds = list_deeds_of(rows, status);
	bool was_sent = db_rows_int(rows, R_FATE) == FATE_SENT;

	return (deeds & filter->did) == filter->did &&
	       (!filter->did_not || (was_sent && !(deeds & filter->did_not)));
}

#define TOGETHER 500 /* rows that are looked at with one statement */

/* The making of a page. */
struct list_scan {
	const struct store_broadcast *broadcast;
	const struct store_broadcast_filter *filter; /* NULL: all */
	GPtrArray *all;				     /* the rows */
	guint enough;				     /* of them */
	struct base_id *place;			     /* the person that was looked at last */
};

/* Adds rows behind the place, of the next count, until there are enough, and moves the place to the
   last that was looked at. Returns how many were looked at; -1 with an error. */
static int
list_add_rows(struct db *db, const struct list_scan *scan, guint count, GError **error)
{
	const struct store_broadcast *broadcast = scan->broadcast;
	const struct store_broadcast_filter *filter = scan->filter;
	guint deeds = filter ? filter->did | filter->did_not : 0;
	AUTO(db_rows)
	rows = db_select(db, sql[deeds & 1 << DEED_UNSUBSCRIBED ? ROWS_UNSUBSCRIBED : ROWS],
	    DB_VALUES(db_id(&broadcast->id), db_id(&broadcast->workspace_id), db_id(scan->place),
		db_int(count)),
	    error);
	int looked = 0;

	if (!rows)
		return -1;
	for (; scan->all->len < scan->enough && db_rows_next(rows); looked++) {
		int now = list_status_of(rows, broadcast);

		db_rows_id(rows, R_PERSON, scan->place);
		if (list_is_sought(filter, rows, now))
			g_ptr_array_add(scan->all, list_read_row(rows, now));
	}
	return looked;
}

GPtrArray *
store_broadcast_rows(struct db *db, const struct store_broadcast *broadcast,
    const struct store_broadcast_page *page, struct base_id *cursor_r, bool *more_r, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(list_free_row);
	struct base_scan_budget look = {.most = LIMIT_BROADCAST_LOOKED, .ns = page->ns};
	guint enough = page->limit + 1; /* one more, which shows that more follow */
	struct list_scan scan = {broadcast, page->filter, all, enough, cursor_r};
	guint count;

	base_scan_budget_begin(&look, base_clock_boot_ns());
	*cursor_r = page->after ? *page->after : (struct base_id){{0}};
	*more_r = true;
	while (*more_r && all->len < enough &&
	       (count = base_scan_budget_next(
		    &look, page->filter ? TOGETHER : enough, base_clock_boot_ns())) > 0) {
		int looked = list_add_rows(db, &scan, count, error);

		if (looked < 0)
			return NULL;
		look.looked += (guint)looked;
		*more_r = all->len == enough || (guint)looked == count;
	}
	if (all->len == enough) {
		g_ptr_array_set_size(all, (gint)page->limit);
		*cursor_r = ((struct store_broadcast_row *)all->pdata[page->limit - 1])->person_id;
	}
	return g_steal_pointer(&all);
}

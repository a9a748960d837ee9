/* SPDX-License-Identifier: MIT */
/* Lists the recipients of a broadcast to whom one kind of thing happened, with its details. */
#include "store/broadcast/event.h"

#include <string.h>

#include "db/statement.h"
#include "store/broadcast/recipient.h"
#include "store/common/listing.h"
#include "store/email/event.h"

/* Events of a recipient r. */
#define EVENTS(status)                                                                             \
	" FROM event v FORCE INDEX (PRIMARY) WHERE v.email_id = r.email_id"                        \
	" AND v.recipient = r.number AND v.status = " status " AND v.automated = 0"
#define HAD(status) "EXISTS (SELECT 1" EVENTS(status) ")"
#define NONE "0"
#define TIMES(status) "(SELECT COUNT(*)" EVENTS(status) ")"
#define BOUNCE                                                                                     \
	"COALESCE((SELECT v.bounce_type" EVENTS(                                                   \
	    EVENT_BOUNCED_SQL) " ORDER BY v.timestamp DESC LIMIT 1), 0)"

/* The person who is asked for is that between the two ids, the first of which is in. */
#define DOERS(condition, count, bounce, order)                                                     \
	"SELECT r.person_id, p.email, m.address, " count ", " bounce " AS bounce"                  \
	" FROM broadcast_recipient r FORCE INDEX (PRIMARY)"                                        \
	" LEFT JOIN person p ON p.id = r.person_id AND p.workspace_id = r.workspace_id"            \
	" LEFT JOIN recipient m ON m.email_id = r.email_id AND m.number = r.number"                \
	" WHERE r.broadcast_id = ? AND r.workspace_id = ? AND r.person_id >= ?"                    \
	" AND r.person_id < ? AND LOCATE(LOWER(?), LOWER(COALESCE(p.email, m.address, ''))) > 0"   \
	" AND " condition " HAVING ? < 0 OR bounce = ?"                                            \
	" ORDER BY r.person_id" order " LIMIT ?"
#define BOTH(condition, count, bounce)                                                             \
	{                                                                                          \
		DOERS(condition, count, bounce, " DESC"), DOERS(condition, count, bounce, "")      \
	}

/* The last ones first; the first ones first. */
static const char *const sql[][2] = {
    [DEED_SENT] = BOTH("r.status = " FATE_SENT_SQL, NONE, NONE),
    [DEED_DELIVERED] = BOTH(HAD(EVENT_DELIVERED_SQL), NONE, NONE),
    [DEED_OPENED] = BOTH("(r.marks & " MARK_OPENED_SQL ") <> 0", TIMES(EVENT_OPENED_SQL), NONE),
    [DEED_CLICKED] = BOTH("(r.marks & " MARK_CLICKED_SQL ") <> 0", TIMES(EVENT_CLICKED_SQL), NONE),
    [DEED_BOUNCED] = BOTH("(r.marks & " MARK_BOUNCED_SQL ") <> 0", NONE, BOUNCE),
    [DEED_COMPLAINED] = BOTH("(r.marks & " MARK_COMPLAINED_SQL ") <> 0", NONE, NONE),
    [DEED_UNSUBSCRIBED] = BOTH(HAD(EVENT_UNSUBSCRIBED_SQL), NONE, NONE),
    [DEED_SUPPRESSED] =
	BOTH("r.status = " FATE_SKIPPED_SQL " AND r.reason = " REASON_SUPPRESSED_SQL, NONE, NONE),
};

/* The columns of DOERS. */
enum { D_PERSON, D_EMAIL, D_ADDRESS, D_COUNT, D_BOUNCE };

static const char links_sql[] =
    "SELECT r.person_id, v.link, COUNT(*) AS clicks"
    " FROM broadcast_recipient r FORCE INDEX (PRIMARY)"
    " STRAIGHT_JOIN event v FORCE INDEX (PRIMARY) ON v.email_id = r.email_id"
    " AND v.recipient = r.number AND v.status = " EVENT_CLICKED_SQL
    " AND v.automated = 0 AND v.link IS NOT NULL"
    " WHERE r.broadcast_id = ? AND r.workspace_id = ? AND r.person_id >= ? AND r.person_id <= ?"
    " AND (r.marks & " MARK_CLICKED_SQL ") <> 0 GROUP BY r.person_id, v.link"
    " ORDER BY r.person_id DESC, clicks DESC, v.link";

/* The columns of links_sql. */
enum { L_PERSON, L_LINK, L_CLICKS };

static void
free_link(void *data)
{
	struct store_broadcast_link *link = data;

	g_free(link->url);
	g_free(link);
}

static void
free_doer(void *data)
{
	struct store_broadcast_doer *doer = data;

	g_free(doer->email);
	g_ptr_array_unref(doer->links);
	g_free(doer);
}

static struct store_broadcast_doer *
read_doer(const struct db_rows *rows)
{
	struct store_broadcast_doer *doer = g_new0(struct store_broadcast_doer, 1);
	const char *email = db_rows_text(rows, D_EMAIL), *address = db_rows_text(rows, D_ADDRESS);

	db_rows_id(rows, D_PERSON, &doer->person_id);
	doer->is_gone = !email;
	doer->email = g_strdup(email ? email : address ? address : "");
	doer->count = db_rows_int(rows, D_COUNT);
	doer->bounce = (int)db_rows_int(rows, D_BOUNCE);
	doer->links = g_ptr_array_new_with_free_func(free_link);
	return doer;
}

/* Adds the links to doers, the last of whom come first. */
static bool
add_links(
    struct db *db, const struct store_broadcast_doing *doing, GPtrArray *doers, GError **error)
{
	const struct store_broadcast_doer *newest = doers->pdata[0];
	const struct store_broadcast_doer *oldest = doers->pdata[doers->len - 1];
	AUTO(db_rows)
	rows = db_select(db, links_sql,
	    DB_VALUES(db_id(&doing->broadcast), db_id(&doing->workspace), db_id(&oldest->person_id),
		db_id(&newest->person_id)),
	    error);
	struct base_id person;
	guint place = 0;

	if (!rows)
		return false;
	while (db_rows_next(rows) && db_rows_id(rows, L_PERSON, &person)) {
		struct store_broadcast_doer *doer = doers->pdata[place];

		while (!base_id_equal(&doer->person_id, &person) && place + 1 < doers->len)
			doer = doers->pdata[++place];
		struct store_broadcast_link *link = g_new0(struct store_broadcast_link, 1);
		link->url = g_strdup(db_rows_text(rows, L_LINK));
		link->clicks = db_rows_int(rows, L_CLICKS);
		g_ptr_array_add(doer->links, link);
	}
	return true;
}

/* The ids between which the page is: from the first one on, before the last one. */
static void
find_range(const struct store_broadcast_doing *doing, const struct store_page *page,
    struct base_id *first_r, struct base_id *end_r)
{
	*first_r = (struct base_id){{0}};
	memset(end_r, 0xff, sizeof(*end_r));
	if (page->side == STORE_PAGE_NEWER)
		*first_r = base_id_next(&page->cursor);
	if (page->side == STORE_PAGE_OLDER)
		*end_r = page->cursor;
	if (!doing->person)
		return;
	struct base_id next = base_id_next(doing->person);
	if (memcmp(doing->person, first_r, sizeof(*first_r)) > 0)
		*first_r = *doing->person;
	if (memcmp(&next, end_r, sizeof(*end_r)) < 0)
		*end_r = next;
}

GPtrArray *
store_broadcast_doers(struct db *db, const struct store_broadcast_doing *doing,
    const struct store_page *page, GError **error)
{
	bool is_newer = page->side == STORE_PAGE_NEWER;
	struct base_id first, end;

	find_range(doing, page, &first, &end);
	AUTO(db_rows)
	rows = db_select(db, sql[doing->deed][is_newer],
	    DB_VALUES(db_id(&doing->broadcast), db_id(&doing->workspace), db_id(&first),
		db_id(&end), db_text(doing->email_part ? doing->email_part : ""),
		db_int(doing->bounce), db_int(doing->bounce), db_int(page->limit)),
	    error);
	if (!rows)
		return NULL;
	g_autoptr(GPtrArray) doers = g_ptr_array_new_with_free_func(free_doer);
	while (db_rows_next(rows))
		g_ptr_array_add(doers, read_doer(rows));
	if (is_newer)
		store_listing_reverse(doers);
	if (doing->deed == DEED_CLICKED && doers->len > 0 && !add_links(db, doing, doers, error))
		return NULL;
	return g_steal_pointer(&doers);
}

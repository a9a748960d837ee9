/* SPDX-License-Identifier: MIT */
/* Claims outbox entries that are due, and lists those that wait.

   A claim gives an entry to one process for the time of a lease, so that no two processes send one
   message.
   1. The search locks due rows and passes over rows that another claim has locked (SKIP LOCKED). So
      claims never wait for each other.
   2. A batch takes the oldest rows. After a full batch, the next one is by turns
      (store/common/turn.h), so that one workspace with a long queue does not delay the others.
   3. One UPDATE for up to ROWS entries writes the owner (the name of its journal), a random token,
      and the end of the lease into ready_at. No key has a column of these, so that no entry of a
      tree moves: due_at stays the time at which the entry was due. After COMMIT no lock is held:
      other processes find the entry where it was, and pass it over because its lease has not run
      out.
   4. The owner renews the lease while it works. Each later write names the token. An owner that was
      too slow finds no row with its token, and so cannot undo the work of the next owner.

   A process that dies leaves entries whose lease runs out: they are due, and have an owner. The
   search then asks for the state of that owner (search->ask), since only its journal tells which of
   the messages were sent.
   - The owner is gone, and its journal is recorded: the entry is claimed.
   - The owner lives, or its journal is not recorded yet: the entry waits for a minute.
   - The owner is on another machine: its name gets the mark DOUBTED, and one more lease to come
     back. Then the entry is claimed as lost, since nobody here can read its journal. */
#include "store/outbox/outbox.h"

#include <string.h>

#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/email/event.h"
#include "store/outbox/key.h"
#include "store/workspace/workspace.h"

/* A workspace is heavy if it has more than one in so many rows of a batch. */
#define EVEN 20

/* One statement claims this many rows, which costs less than one for each. */
#define ROWS 25

/* So many rows of a batch by turns are mail of the service itself. */
#define SERVICE_ROWS 5

#define WAITING_COLUMNS OUTBOX_ENTRY_COLUMNS ", ready_at, owner, reason"
#define LIST(entries)                                                                              \
	"SELECT page.*, w.name, r.number, r.address, r.status_at, v.smtp_response,"                \
	" v.enhanced_code FROM (SELECT " WAITING_COLUMNS " FROM " entries ") page"                 \
	" LEFT JOIN workspace w ON w.id = page.workspace_id"                                       \
	" LEFT JOIN recipient r FORCE INDEX (PRIMARY) ON r.email_id = page.email_id"               \
	" LEFT JOIN event v FORCE INDEX (PRIMARY) ON v.email_id = r.email_id"                      \
	" AND v.recipient = r.number AND v.timestamp = r.status_at AND v.id = r.event_id"          \
	" ORDER BY page.ready_at, page.id, r.number"

/* Each lane, is_bulk 0 and 1, has its own range of the keys. */
#define WAITING_IN(lane)                                                                           \
	"(SELECT " WAITING_COLUMNS " FROM outbox FORCE INDEX (due) WHERE is_bulk = " lane          \
	" AND due_at IS NOT NULL AND owner IS NULL ORDER BY due_at LIMIT ?)"
#define SHARE_IN(lane)                                                                             \
	"SELECT " CLAIMED_COLUMNS " FROM outbox FORCE INDEX (turn) WHERE workspace_id = ?"         \
	" AND is_bulk = " lane " AND turn_at >= ? AND turn_at <= ? AND ready_at <= ?"              \
	" ORDER BY turn_at LIMIT ? FOR UPDATE SKIP LOCKED"

enum { DUE, SHARE, BULK_SHARE, HEADS, POSTPONE, CLAIM, RENEW, ALL_WAITING, OF_EMAIL };
#define CLAIMED_COLUMNS OUTBOX_ENTRY_COLUMNS ", owner, due_at"
/* System-wide: DUE, ALL_WAITING. The spool sends for all workspaces; the operator may list the
   whole queue. */
/* By checked ids: HEADS, POSTPONE, CLAIM, RENEW. The caller has found the entry, or has claimed
   it. */
static const char *const sql[] = {
    [DUE] = "SELECT " CLAIMED_COLUMNS " FROM outbox FORCE INDEX (due)"
	    " WHERE is_bulk = ? AND due_at >= ? AND due_at <= ? AND ready_at <= ?"
	    " ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED",
    [SHARE] = SHARE_IN("0"),
    [BULK_SHARE] = SHARE_IN("1"),
    [HEADS] =
	"SELECT " CLAIMED_COLUMNS " FROM outbox FORCE INDEX (PRIMARY)"
	" WHERE (email_id, id) IN (" TURN_HEAD_PAIRS ") AND ready_at <= ? FOR UPDATE SKIP LOCKED",
    [POSTPONE] = "UPDATE outbox SET ready_at = ?, turn_at = ready_at, owner = ?"
		 " WHERE email_id = ? AND id = ?",
    [CLAIM] = "UPDATE outbox FORCE INDEX (PRIMARY) SET ready_at = ?, owner = ?, token = ?"
	      " WHERE (email_id, id) IN (" DB_PAIRS_25 ")",
    [RENEW] = "UPDATE outbox SET ready_at = ? WHERE email_id = ? AND id = ? AND token = ?",
    /* The page is cut on the index before the joins: its cost does not grow with the queue, but
       for the few claimed rows in between. */
    [ALL_WAITING] = LIST(
	"(" WAITING_IN("0") " UNION ALL " WAITING_IN("1") ") outbox ORDER BY ready_at, id LIMIT ?"),
    [OF_EMAIL] = LIST("outbox " STORE_OUTBOX_OF_EMAIL " WHERE email_id = ? AND workspace_id = ?"),
};

#define CLAIM_COLUMNS (3 + 2 * ROWS)
#define RENEW_COLUMNS 4
enum { OWNER = OUTBOX_ENTRY_COLUMN_COUNT, DUE_AT }; /* of CLAIMED_COLUMNS */

/* The mark behind the name of a doubted owner. */
#define DOUBTED "!"
#define LOOK_AGAIN_MS 60000

struct claiming {
	const struct store_outbox_claim *claim;
	const struct store_outbox_search *search;
	struct store_outbox_entry *entries;
	guint count, turns; /* in all, and by turns */
	struct store_turn_plan plan;
	bool full; /* the oldest rows filled the rest of the batch */
};

/* Leaves a row with its owner for a while. */
static bool
claim_postpone(struct db *db, const struct store_outbox_entry *entry, const char *owner,
    gint64 until, GError **error)
{
	return db_run(db, sql[POSTPONE],
	    DB_VALUES(db_int(until), db_text(owner), db_id(&entry->email_id), db_id(&entry->id)),
	    NULL, error);
}

/* Decides on a row whose claim has run out; *take_r: claim it now. */
static bool
take_over(struct db *db, const struct store_outbox_search *search, struct store_outbox_entry *entry,
    const char *owner, bool *take_r, GError **error)
{
	bool doubted = g_str_has_suffix(owner, DOUBTED);
	g_autofree char *name = g_strndup(owner, strlen(owner) - (doubted ? 1 : 0));
	g_autofree char *mark = g_strconcat(name, DOUBTED, NULL);
	enum store_outbox_takeover takeover = search->ask(name, search->context);

	*take_r = takeover == TAKEOVER_CLAIM || (takeover == TAKEOVER_DOUBT && doubted);
	entry->lost = takeover == TAKEOVER_DOUBT;
	if (*take_r)
		return true;
	return takeover == TAKEOVER_DOUBT
		   ? claim_postpone(db, entry, mark, search->now + search->lease, error)
		   : claim_postpone(db, entry, owner, search->now + LOOK_AGAIN_MS, error);
}

static bool
claim_is_taken(const struct claiming *claiming, const struct base_id *id)
{
	for (guint i = 0; i < claiming->turns; i++)
		if (base_id_equal(&claiming->entries[i].id, id))
			return true;
	return false;
}

/* Adds the rows that can be claimed, as far as there is room. */
static bool
take(struct db *db, struct claiming *claiming, struct db_rows *rows, GError **error)
{
	while (db_rows_next(rows) && claiming->count < claiming->search->limit) {
		struct store_outbox_entry *entry = &claiming->entries[claiming->count];
		bool take = true;

		store_outbox_entry_read(rows, entry);
		entry->due_at = db_rows_int(rows, DUE_AT);
		if (claim_is_taken(claiming, &entry->id))
			continue;
		if (!db_rows_is_null(rows, OWNER) && !take_over(db, claiming->search, entry,
							 db_rows_text(rows, OWNER), &take, error))
			return false;
		claiming->count += take;
	}
	return true;
}

/* Claims the rows that were added. The last statement repeats the last key. */
static bool
mark(struct db *db, const struct claiming *claiming, GError **error)
{
	guint sets = (claiming->count + ROWS - 1) / ROWS;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)CLAIM_COLUMNS * sets);
	struct db_value *value = values;

	for (guint i = 0; i < sets; i++) {
		*value++ = db_int(claiming->claim->until);
		*value++ = db_text(claiming->claim->owner);
		*value++ = db_int(claiming->claim->token);
		for (guint j = ROWS * i; j < ROWS * (i + 1); j++) {
			const struct store_outbox_entry *entry =
			    &claiming->entries[MIN(j, claiming->count - 1)];

			*value++ = db_id(&entry->email_id);
			*value++ = db_id(&entry->id);
		}
	}
	return db_run_rows(db, sql[CLAIM], values, CLAIM_COLUMNS, sets, NULL, error);
}

/* Takes mail of the service itself, which has no row among the workspaces that take turns. */
static bool
take_service(struct db *db, struct claiming *claiming, GError **error)
{
	const struct store_outbox_search *search = claiming->search;
	AUTO(db_rows)
	rows = db_select(db, sql[SHARE],
	    DB_VALUES(db_id(&store_workspace_system), db_int(search->low), db_int(search->now),
		db_int(search->now), db_int(SERVICE_ROWS)),
	    error);

	return rows && take(db, claiming, rows, error);
}

static bool
take_turns(struct db *db, struct claiming *claiming, GError **error)
{
	const struct store_outbox_search *search = claiming->search;
	const struct store_turn_search by_turns = {search->is_bulk ? TURN_BULK : TURN_OUTBOX,
	    search->turn, search->low, search->now, search->limit,
	    sql[search->is_bulk ? BULK_SHARE : SHARE], sql[HEADS]};
	struct db_rows *rows[TURN_RESULTS];
	guint results;
	bool taken = true;

	if (!store_turn_plan(db, &by_turns, &claiming->plan, error))
		return false;
	if (!search->is_bulk && search->turn && search->turn->next &&
	    !take_service(db, claiming, error))
		return false;
	if (claiming->plan.count == 0)
		return true;
	if (!store_turn_select(db, &by_turns, &claiming->plan, rows, &results, error))
		return false;
	for (guint i = 0; taken && i < results; i++)
		taken = take(db, claiming, rows[i], error);
	db_rows_free_all(rows, results);
	return taken;
}

/* Passes over the rows of the turns, which are not marked yet and so are found again. */
static bool
take_oldest(struct db *db, struct claiming *claiming, GError **error)
{
	const struct store_outbox_search *search = claiming->search;

	claiming->turns = claiming->count;
	if (claiming->count == search->limit)
		return true;
	AUTO(db_rows)
	rows = db_select(db, sql[DUE],
	    DB_VALUES(db_int(search->is_bulk), db_int(search->low), db_int(search->now),
		db_int(search->now), db_int(search->limit)),
	    error);
	if (!rows)
		return false;
	claiming->full = db_rows_count(rows) == search->limit;
	return take(db, claiming, rows, error);
}

static bool
outbox_claim_claim_due(struct db *db, void *context, GError **error)
{
	struct claiming *claiming = context;

	claiming->count = claiming->turns = 0;
	claiming->full = false;
	return take_turns(db, claiming, error) && take_oldest(db, claiming, error) &&
	       mark(db, claiming, error);
}

/* The workspace of the last row, if it fills more than a twentieth of the batch; else NULL. */
static const struct base_id *
heavy_of(const struct store_outbox_entry *entries, guint count)
{
	const struct base_id *last = count > 0 ? &entries[count - 1].workspace_id : NULL;
	guint own = 0;

	for (guint i = 0; i < count; i++)
		own += base_id_equal(&entries[i].workspace_id, last);
	return own * EVEN > count ? last : NULL;
}

bool
store_outbox_claim(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_search *search, struct store_outbox_entry *copies_r, guint *count_r,
    GError **error)
{
	struct claiming claiming = {claim, search, copies_r, 0, 0, {.count = 0}, false};

	if (!db_transact(db, outbox_claim_claim_due, &claiming, error))
		return false;
	*count_r = claiming.count;
	if (search->turn)
		store_turn_end(
		    search->turn, &claiming.plan, claiming.full, heavy_of(copies_r, *count_r));
	return true;
}

bool
store_outbox_renew(struct db *db, const struct store_outbox_claim *claim,
    const struct store_outbox_key *entries, guint count, GError **error)
{
	g_autofree struct db_value *values = g_new(struct db_value, RENEW_COLUMNS * (gsize)count);

	for (guint i = 0; i < count; i++) {
		const struct db_value row[RENEW_COLUMNS] = {db_int(claim->until),
		    db_id(&entries[i].email_id), db_id(&entries[i].id), db_int(claim->token)};

		memcpy(values + (gsize)RENEW_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[RENEW], values, RENEW_COLUMNS, count, NULL, error);
}

enum {
	WAITING_READY_AT = OUTBOX_ENTRY_COLUMN_COUNT,
	WAITING_OWNER,
	WAITING_REASON,
	WORKSPACE,
	NUMBER,
	ADDRESS,
	STATUS_AT,
	RESPONSE,
	CODE
};

void
store_waiting_free(struct store_outbox_waiting *waiting)
{
	g_free(waiting->workspace);
	g_free(waiting->reason);
	g_ptr_array_unref(waiting->recipients);
	g_free(waiting);
}

static struct store_outbox_waiting *
claim_add(GPtrArray *list, const struct db_rows *rows, const struct store_outbox_entry *entry)
{
	struct store_outbox_waiting *waiting = g_new0(struct store_outbox_waiting, 1);

	waiting->email_id = entry->email_id;
	waiting->workspace = g_strdup(db_rows_text(rows, WORKSPACE));
	waiting->ready_at = db_rows_int(rows, WAITING_READY_AT);
	waiting->claimed = !db_rows_is_null(rows, WAITING_OWNER);
	waiting->since = entry->since;
	waiting->attempts = entry->attempts;
	waiting->reason = g_strdup(db_rows_text(rows, WAITING_REASON));
	waiting->recipients = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(list, waiting);
	return waiting;
}

static bool
claim_is_among(const struct store_outbox_entry *entry, gint64 number)
{
	for (guint i = 0; i < entry->count; i++)
		if (entry->recipients[i] == number)
			return true;
	return false;
}

/* Adds the recipient of this row; its response becomes the reason, unless another recipient has
   a later one. */
static void
claim_add_recipient(struct store_outbox_waiting *waiting, const struct db_rows *rows, gint64 *last)
{
	const char *said = db_rows_text(rows, RESPONSE), *code = db_rows_text(rows, CODE);

	g_ptr_array_add(waiting->recipients, g_strdup(db_rows_text(rows, ADDRESS)));
	if ((!said && !code) || db_rows_int(rows, STATUS_AT) < *last ||
	    !db_rows_is_null(rows, WAITING_REASON))
		return;
	*last = db_rows_int(rows, STATUS_AT);
	g_free(waiting->reason);
	waiting->reason = g_strdup(said ? said : code);
}

static GPtrArray *
claim_read_all(struct db_rows *rows)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(store_outbox_waiting_destroy);
	struct base_id last_id = {{0}};
	struct store_outbox_waiting *waiting = NULL;
	gint64 last_said = 0;
	struct store_outbox_entry entry;

	while (db_rows_next(rows)) {
		store_outbox_entry_read(rows, &entry);
		if (!waiting || !base_id_equal(&entry.id, &last_id)) {
			waiting = claim_add(list, rows, &entry);
			last_id = entry.id;
			last_said = 0;
		}
		if (!db_rows_is_null(rows, NUMBER) &&
		    claim_is_among(&entry, db_rows_int(rows, NUMBER)))
			claim_add_recipient(waiting, rows, &last_said);
	}
	return list;
}

GPtrArray *
store_outbox_list_waiting(struct db *db, guint limit, GError **error)
{
	const struct db_value count = db_int(limit);
	AUTO(db_rows)
	rows = db_select(db, sql[ALL_WAITING], DB_VALUES(count, count, count), error);

	return rows ? claim_read_all(rows) : NULL;
}

GPtrArray *
store_outbox_list_of(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[OF_EMAIL], DB_VALUES(db_id(email), db_id(workspace)), error);

	return rows ? claim_read_all(rows) : NULL;
}

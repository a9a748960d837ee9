/* SPDX-License-Identifier: MIT */
/* Finds the workspaces whose turn it is. Nothing is stored for this: a submission touches no row
   that others touch, and no list of workspaces could miss one. */
#include "store/common/turn.h"

#include <string.h>

#include "base/clock.h"
#include "db/statement.h"

#define DEAR_MS 100
#define REST 10 /* times as long */

/* For each workspace the server reads its first due row in the key turn, and stops after enough of
   them. Held rows (NULL) stand at the front of the key. In the outbox, rows that others have
   claimed stay in their places there, and are passed over: no more than all spools hold at once.
   The keys are named because the server's statistics of a queue are always old. A row comes as one
   value, its key and then its time in digits, since a subquery has no more.
   The rows are locked here already because InnoDB reads eight rows ahead where it locks none: for
   a workspace with much mail these are eight rows in as many pages. */
#define FIND(table, key, time, due)                                                                \
	"SELECT w.id, (SELECT CONCAT(" key ", h." time ") FROM " table " h FORCE INDEX (turn)"     \
	" WHERE h.workspace_id = w.id AND " due " ORDER BY h." time " LIMIT 1"                     \
	" FOR UPDATE SKIP LOCKED) AS head FROM workspace w FORCE INDEX (PRIMARY)"                  \
	" WHERE w.id > ? AND w.id <= ? AND w.id <> ? HAVING head IS NOT NULL"                      \
	" ORDER BY w.id LIMIT ?"
/* Takes the time from which and twice that up to which rows are due. */
#define DUE(time) "h." time " >= ? AND h." time " <= LEAST(?, ?)"
#define OF_LANE(lane)                                                                              \
	"h.is_bulk = " lane " AND h.turn_at >= ? AND h.turn_at <= ? AND h.ready_at <= ?"

/* System-wide: TURN_OUTBOX, TURN_BULK, TURN_EXECUTION, TURN_DOMAIN_CHECK. The search goes through
   the workspaces, one after the other. */
static const char *const find[] = {
    [TURN_OUTBOX] = FIND("outbox", "h.email_id, h.id", "turn_at", OF_LANE("0")),
    [TURN_BULK] = FIND("outbox", "h.email_id, h.id", "turn_at", OF_LANE("1")),
    [TURN_EXECUTION] = FIND("execution", "h.id", "ready_at", DUE("ready_at")),
    [TURN_DOMAIN_CHECK] = FIND("domain_check", "h.domain_id", "next_check", DUE("next_check")),
};

/* How many ids the key of a row has. */
static const guint key_ids[] = {
    [TURN_OUTBOX] = 2, [TURN_BULK] = 2, [TURN_EXECUTION] = 1, [TURN_DOMAIN_CHECK] = 1};

/* The columns of FIND. */
enum { FIND_WORKSPACE, FIND_HEAD };

static const struct base_id none;

/* Reads the key of a row, and its time behind it. */
static void
turn_read_head(const struct db_rows *rows, guint ids, struct store_turn_head *head)
{
	gsize size, key = ids * sizeof(head->row[0]);
	const char *bytes = db_rows_bytes(rows, FIND_HEAD, &size);

	g_assert(size > key);
	memcpy(head->row, bytes, key);
	g_autofree char *time = g_strndup(bytes + key, size - key);
	head->due = g_ascii_strtoll(time, NULL, 10);
}

/* The most workspaces that a batch takes. */
static guint
turn_most(const struct store_turn_search *search)
{
	return MIN(search->limit, search->turn->even ? TURN_HEADS : TURN_MAX);
}

static bool
turn_find_between(struct db *db, const struct store_turn_search *search,
    const struct base_id *after, const struct base_id *last, struct store_turn_plan *plan,
    GError **error)
{
	AUTO(db_rows) rows = db_select(db, find[search->queue],
	    DB_VALUES(db_int(search->low), db_int(search->now), db_int(search->now), db_id(after),
		db_id(last), db_id(&search->turn->heavy), db_int(turn_most(search) - plan->count)),
	    error);

	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		struct store_turn_head *head = &plan->heads[plan->count++];

		db_rows_id(rows, FIND_WORKSPACE, &head->workspace_id);
		turn_read_head(rows, key_ids[search->queue], head);
	}
	return true;
}

/* From behind the last one to the end, and from the beginning to the last one. */
static bool
find_around(struct db *db, const struct store_turn_search *search, struct store_turn_plan *plan,
    GError **error)
{
	const struct base_id *last = &search->turn->last;
	struct base_id end;

	memset(end.bytes, 0xff, sizeof(end.bytes));
	return turn_find_between(db, search, last, &end, plan, error) &&
	       (plan->count == turn_most(search) || base_id_equal(last, &none) ||
		   turn_find_between(db, search, &none, last, plan, error));
}

bool
store_turn_plan(struct db *db, const struct store_turn_search *search, struct store_turn_plan *plan,
    GError **error)
{
	struct store_turn *turn = search->turn;
	gint64 begin = base_clock_boot();

	plan->count = plan->shares = plan->share = 0;
	if (!turn || !turn->next || begin < turn->rest)
		return true;
	if (!find_around(db, search, plan, error))
		return false;
	gint64 took = base_clock_boot() - begin;
	if (took > DEAR_MS && turn->dear)
		turn->rest = begin + took + REST * took;
	turn->dear = took > DEAR_MS;
	if (plan->count == 0 || turn->even)
		return true;
	plan->shares = MIN(plan->count, TURN_SHARES);
	plan->share = (search->limit - (plan->count - plan->shares)) / plan->shares;
	return true;
}

bool
store_turn_select(struct db *db, const struct store_turn_search *search,
    const struct store_turn_plan *plan, struct db_rows **rows_r, guint *count_r, GError **error)
{
	struct db_value shares[TURN_SHARES][5], ids[2 * TURN_HEADS + 1];
	struct db_query queries[TURN_RESULTS];
	guint count = plan->shares, each = key_ids[search->queue];

	for (guint i = 0; i < count; i++) {
		const struct store_turn_head *head = &plan->heads[i];

		shares[i][0] = db_id(&head->workspace_id);
		shares[i][1] = db_int(head->due);
		shares[i][2] = db_int(search->now);
		shares[i][3] = db_int(search->now);
		shares[i][4] = db_int(plan->share);
		queries[i] = (struct db_query){search->share, shares[i], G_N_ELEMENTS(shares[i])};
	}
	if (plan->count > plan->shares) {
		for (guint i = 0; i < each * TURN_HEADS; i++)
			ids[i] = db_id(
			    &plan->heads[MIN(count + i / each, plan->count - 1)].row[i % each]);
		ids[each * TURN_HEADS] = db_int(search->now);
		queries[count++] = (struct db_query){search->heads, ids, each * TURN_HEADS + 1};
	}
	*count_r = count;
	return db_select_together(db, queries, count, rows_r, error);
}

void
store_turn_end(struct store_turn *turn, const struct store_turn_plan *plan, bool full,
    const struct base_id *heavy)
{
	bool took_turns = turn->next;

	turn->next = full && !took_turns;
	if (turn->next) {
		turn->even = !heavy;
		turn->heavy = heavy ? *heavy : none;
	}
	if (plan->count > 0)
		turn->last =
		    plan->heads[(plan->shares > 0 ? plan->shares : plan->count) - 1].workspace_id;
}

/* SPDX-License-Identifier: MIT */
/* The suppression list: addresses that get no more mail. */
#include "store/consent/suppression.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "store/common/listing.h"

#define SUPPRESSION_COLUMNS(FIRST, NEXT)                                                           \
	FIRST(id, "id")                                                                            \
	NEXT(email, "email")                                                                       \
	NEXT(address, "address")                                                                   \
	NEXT(hash, "hash", hashed)                                                                 \
	NEXT(reason, "reason")                                                                     \
	NEXT(scope, "scope")                                                                       \
	NEXT(created, "created")                                                                   \
	NEXT(source_id, "source_id", has_source)
#define COLUMNS DB_COLUMNS_SQL(SUPPRESSION_COLUMNS)

#define OF_ADDRESS "SELECT " COLUMNS " FROM suppression WHERE workspace_id = ? AND address = ?"
#define OF_HASH "SELECT " COLUMNS " FROM suppression WHERE workspace_id = ? AND hash = ?"
/* Values: workspace, addresses, scope, workspace, hashes, scope. */
#define MATCH_OF(marks)                                                                            \
	"SELECT address, NULL, reason, scope FROM suppression"                                     \
	" WHERE workspace_id = ? AND address IN (" marks ") AND scope <= ?"                        \
	" UNION ALL SELECT NULL, hash, reason, scope FROM suppression"                             \
	" WHERE workspace_id = ? AND hash IN (" marks ") AND scope <= ?"
/* With the snoozes that are not over. Values: those, and workspace, addresses, time of now. */
#define MATCH_MAILING_OF(marks)                                                                    \
	MATCH_OF(marks)                                                                            \
	" UNION ALL SELECT address, NULL, 0, until FROM snooze"                                    \
	" WHERE workspace_id = ? AND address IN (" marks ") AND until > ?"
#define OF_ID "SELECT " COLUMNS " FROM suppression WHERE workspace_id = ? AND id = ?"

/* The key has scope and reason in front of the ids, so a page is made of a range of each that
   fits. Values: workspace, scope, reason, id and limit, for each range, and the limit. */
#define RANGES 8
#define RANGE                                                                                      \
	"(SELECT " COLUMNS " FROM suppression FORCE INDEX (reason)"                                \
	" WHERE workspace_id = ? AND scope = ? AND reason = ? AND id < ? ORDER BY id DESC LIMIT "  \
	"?)"
#define RANGE_2 RANGE " UNION ALL " RANGE
#define RANGE_4 RANGE_2 " UNION ALL " RANGE_2

enum {
	MATCH,
	MATCH_MANY,
	MATCH_MAILING,
	MATCH_MAILING_MANY,
	GET,
	GET_HASHED,
	LOCK,
	LOCK_HASHED,
	REMOVE,
	REMOVE_HASHED,
	NARROW,
	OF_IDS,
	GET_ID,
	LOCK_ID,
	OF_KIND,
	BY_ADDRESS,
};
static const char *const sql[] = {
    [MATCH] = MATCH_OF(DB_MARKS_8),
    [MATCH_MANY] = MATCH_OF(DB_MARKS_64),
    [MATCH_MAILING] = MATCH_MAILING_OF(DB_MARKS_8),
    [MATCH_MAILING_MANY] = MATCH_MAILING_OF(DB_MARKS_64),
    [GET] = OF_ADDRESS,
    [GET_HASHED] = OF_HASH,
    [LOCK] = OF_ADDRESS " FOR UPDATE",
    [LOCK_HASHED] = OF_HASH " FOR UPDATE",
    [REMOVE] = "DELETE FROM suppression WHERE workspace_id = ? AND address = ?",
    [REMOVE_HASHED] = "DELETE FROM suppression WHERE workspace_id = ? AND hash = ?",
    [NARROW] = "UPDATE suppression SET reason = ?, scope = ?, source_id = NULL WHERE id = ? AND "
	       "workspace_id = ?",
    [OF_IDS] = "SELECT " COLUMNS " FROM suppression FORCE INDEX (PRIMARY) WHERE workspace_id = ?"
	       " AND id IN (" DB_MARKS_64 ") ORDER BY id DESC",
    [GET_ID] = OF_ID,
    [LOCK_ID] = OF_ID " FOR UPDATE",
    [OF_KIND] = RANGE_4 " UNION ALL " RANGE_4 " ORDER BY id DESC LIMIT ?",
    [BY_ADDRESS] = "SELECT " COLUMNS " FROM suppression FORCE INDEX (address) WHERE workspace_id ="
		   " ? AND address > ? ORDER BY address LIMIT ?",
};

/* The columns of MATCH and its like. A snooze has the reason 0, and its end in place of the scope.
 */
enum { MATCH_ADDRESS, MATCH_HASH, MATCH_REASON, MATCH_SCOPE };

/* The number of values of each kind that MATCH and MATCH_MANY take. */
#define FEW 8
#define MANY 64

void
store_suppression_free(struct store_suppression *suppression)
{
	g_free(suppression->email);
	g_free(suppression->address);
	g_free(suppression);
}

static struct db_value
suppression_db_hash(const guint8 hash[SHA256_SIZE])
{
	return db_bytes(hash, SHA256_SIZE);
}

/* An address or a hash to look up, and the place of its key. */
struct sought {
	struct db_value value;
	guint key;
};

/* The wider scope counts where an address and its hash have entries. */
static void
suppression_note(const GArray *sought, const void *data, gsize size,
    const struct store_suppression_state *found, struct store_suppression_state *states)
{
	for (guint i = 0; data && i < sought->len; i++) {
		const struct sought *one = &g_array_index(sought, struct sought, i);
		struct store_suppression_state *state = &states[one->key];

		if (one->value.size == size && memcmp(one->value.data, data, size) == 0 &&
		    (state->reason == 0 || found->scope < state->scope))
			*state = *found;
	}
}

/* The answers of a match: by the number of the key. */
struct found {
	struct store_suppression_state *states;
	gint64 *snoozed; /* NULL: snoozes are not asked for */
};

/* The forms to look up in a workspace, among entries of this scope, or a wider one. */
struct search {
	const struct base_id *workspace;
	enum store_suppression_scope scope;
	GArray *addresses, *hashes; /* of struct sought */
};

static void
suppression_note_snooze(
    const GArray *sought, const char *address, gint64 until, const struct found *found)
{
	for (guint i = 0; i < sought->len; i++) {
		const struct sought *one = &g_array_index(sought, struct sought, i);

		if (one->value.size == strlen(address) &&
		    memcmp(one->value.data, address, one->value.size) == 0)
			found->snoozed[one->key] = until;
	}
}

/* Looks up the forms from place on, as many as one statement takes (width). */
static bool
suppression_match_round(struct db *db, const struct search *search, guint place, guint width,
    const struct found *answers, GError **error)
{
	const GArray *const kinds[] = {search->addresses, search->hashes, search->addresses};
	struct db_value values[3 * (MANY + 2)];
	guint count = 0, kind_count = answers->snoozed ? 3 : 2;
	int statement = answers->snoozed ? (width == MANY ? MATCH_MAILING_MANY : MATCH_MAILING)
			: width == MANY	 ? MATCH_MANY
					 : MATCH;
	gsize size;

	for (guint kind = 0; kind < kind_count; kind++) {
		values[count++] = db_id(search->workspace);
		for (guint i = place; i < place + width; i++)
			values[count++] = i < kinds[kind]->len
					      ? g_array_index(kinds[kind], struct sought, i).value
					      : db_null();
		values[count++] = db_int(kind < 2 ? search->scope : base_clock_now());
	}
	AUTO(db_rows) rows = db_select(db, sql[statement], values, count, error);
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		const struct store_suppression_state found = {
		    (enum store_suppression_reason)db_rows_int(rows, MATCH_REASON),
		    (enum store_suppression_scope)db_rows_int(rows, MATCH_SCOPE)};
		const char *address = db_rows_text(rows, MATCH_ADDRESS);

		if (found.reason == 0) {
			suppression_note_snooze(
			    search->addresses, address, db_rows_int(rows, MATCH_SCOPE), answers);
			continue;
		}
		suppression_note(search->addresses, address, address ? strlen(address) : 0, &found,
		    answers->states);
		const void *hash = db_rows_bytes(rows, MATCH_HASH, &size);
		suppression_note(search->hashes, hash, size, &found, answers->states);
	}
	return true;
}

/* Reads the states by the entries of this scope, or a wider one. snoozed_r: as of
   store_suppression_match. */
static bool
suppression_read_states(struct db *db, const struct store_suppression_people *people,
    enum store_suppression_scope scope, struct store_suppression_state *states_r, gint64 *snoozed_r,
    GError **error)
{
	const struct found found = {states_r, snoozed_r};
	guint count = people->count;
	g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(struct sought));
	g_autoptr(GArray) hashes = g_array_new(FALSE, FALSE, sizeof(struct sought));

	if (count == 0)
		return true;
	base_array_clear(states_r, count, sizeof(*states_r));
	if (snoozed_r)
		base_array_clear(snoozed_r, count, sizeof(*snoozed_r));
	for (guint i = 0; i < count; i++) {
		const struct store_suppression_key *key = &people->keys[i];
		struct sought one = {db_text(key->address), i};

		g_array_append_val(addresses, one);
		for (guint h = 0; h < key->count; h++) {
			one.value = suppression_db_hash(key->hashes[h]);
			g_array_append_val(hashes, one);
		}
	}
	const struct search search = {people->workspace, scope, addresses, hashes};
	guint all = MAX(addresses->len, hashes->len);
	for (guint place = 0, width; place < all; place += width) {
		width = all - place > FEW ? MANY : FEW;
		if (!suppression_match_round(db, &search, place, width, &found, error))
			return false;
	}
	return true;
}

bool
store_suppression_states(struct db *db, const struct store_suppression_people *people,
    struct store_suppression_state *states_r, GError **error)
{
	return suppression_read_states(db, people, SUPPRESSION_AUTOMATION, states_r, NULL, error);
}

bool
store_suppression_match(struct db *db, const struct store_suppression_people *people, bool mailing,
    bool *suppressed_r, gint64 *snoozed_r, GError **error)
{
	g_autofree struct store_suppression_state *states =
	    g_new(struct store_suppression_state, people->count);

	if (!suppression_read_states(db, people, mailing ? SUPPRESSION_AUTOMATION : SUPPRESSION_ALL,
		states, snoozed_r, error))
		return false;
	for (guint i = 0; i < people->count; i++)
		suppressed_r[i] = states[i].reason != 0;
	return true;
}

STORE_LISTING_READER(suppression_read_row, struct store_suppression, SUPPRESSION_COLUMNS)

static struct store_suppression *
suppression_look_for(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, int by_address, int by_hash, GError **error)
{
	for (guint i = 0; i <= key->count; i++) {
		AUTO(db_rows) rows = db_select(db, sql[i == 0 ? by_address : by_hash],
		    DB_VALUES(db_id(workspace),
			i == 0 ? db_text(key->address) : suppression_db_hash(key->hashes[i - 1])),
		    error);

		if (!rows)
			return NULL;
		if (db_rows_next(rows))
			return suppression_read_row(rows, workspace);
	}
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Suppression not found");
	return NULL;
}

struct store_suppression *
store_suppression_get(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	return suppression_look_for(db, workspace, key, GET, GET_HASHED, error);
}

struct store_suppression *
store_suppression_lock(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	return suppression_look_for(db, workspace, key, LOCK, LOCK_HASHED, error);
}

bool
store_suppression_remove(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, guint *count_r, GError **error)
{
	*count_r = 0;
	for (guint i = 0; i <= key->count; i++) {
		guint64 affected;

		if (!db_run(db, i == 0 ? sql[REMOVE] : sql[REMOVE_HASHED],
			DB_VALUES(db_id(workspace), i == 0
							? db_text(key->address)
							: suppression_db_hash(key->hashes[i - 1])),
			&affected, error))
			return false;
		*count_r += (guint)affected;
	}
	return true;
}

bool
store_suppression_erase(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_suppression) now = store_suppression_get(db, workspace, key, &failure);
	struct store_suppression erased = {
	    .workspace_id = *workspace,
	    .hashed = true,
	    .reason = now ? now->reason : SUPPRESSION_MANUAL,
	    .scope = SUPPRESSION_ALL,
	};
	const struct store_suppression_key left = {NULL, key->hashes, 1};
	guint count;

	if (!now && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	memcpy(erased.hash, key->hashes[0], SHA256_SIZE);
	return store_suppression_remove(db, workspace, key, &count, error) &&
	       store_suppression_put(db, &erased, &left, error);
}

bool
store_suppression_narrow(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return db_run(db, sql[NARROW],
	    DB_VALUES(db_int(SUPPRESSION_UNSUBSCRIBED), db_int(SUPPRESSION_AUTOMATION), db_id(id),
		db_id(workspace)),
	    NULL, error);
}

STORE_LISTING(listing, suppression_read_row, store_suppression_destroy,
    "SELECT " COLUMNS " FROM suppression WHERE workspace_id = ?", "id");

static GPtrArray *
suppression_read_all(struct db_rows *rows, const struct base_id *workspace)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(store_suppression_destroy);

	while (db_rows_next(rows))
		g_ptr_array_add(list, suppression_read_row(rows, workspace));
	return list;
}

GPtrArray *
store_suppression_by_address(
    struct db *db, const struct base_id *workspace, const char *after, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[BY_ADDRESS], DB_VALUES(db_id(workspace), db_text(after), db_int(limit)), error);

	return rows ? suppression_read_all(rows, workspace) : NULL;
}

GPtrArray *
store_suppression_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

GPtrArray *
store_suppression_list_of(struct db *db, const struct base_id *workspace,
    const struct store_suppression_state *kind, const struct base_id *before, guint limit,
    GError **error)
{
	struct db_value values[RANGES * 5 + 1];
	guint count = 0;

	for (int scope = SUPPRESSION_ALL; scope <= SUPPRESSION_AUTOMATION; scope++)
		for (int reason = SUPPRESSION_BOUNCED; reason <= SUPPRESSION_MANUAL; reason++) {
			bool fits = (!kind->scope || (int)kind->scope == scope) &&
				    (!kind->reason || (int)kind->reason == reason);

			values[count++] = db_id(workspace);
			values[count++] = db_int(fits ? scope : 0);
			values[count++] = db_int(reason);
			values[count++] = store_listing_before(before);
			values[count++] = db_int(limit);
		}
	values[count++] = db_int(limit);
	AUTO(db_rows) rows = db_select(db, sql[OF_KIND], values, count, error);
	return rows ? suppression_read_all(rows, workspace) : NULL;
}

GPtrArray *
store_suppression_of(struct db *db, const struct base_id *workspace, const struct base_id *ids,
    guint count, GError **error)
{
	struct db_value values[1 + STORE_SUPPRESSION_MOST] = {db_id(workspace)};
	GPtrArray *list = g_ptr_array_new_with_free_func(store_suppression_destroy);

	if (count == 0)
		return list;
	for (guint i = 0; i < STORE_SUPPRESSION_MOST; i++)
		values[1 + i] = db_id(&ids[MIN(i, count - 1)]);
	AUTO(db_rows) rows = db_select(db, sql[OF_IDS], values, G_N_ELEMENTS(values), error);
	while (rows && db_rows_next(rows))
		g_ptr_array_add(list, suppression_read_row(rows, workspace));
	if (!rows)
		g_clear_pointer(&list, g_ptr_array_unref);
	return list;
}

struct store_suppression *
store_suppression_get_id(struct db *db, const struct base_id *workspace, const struct base_id *id,
    bool lock, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[lock ? LOCK_ID : GET_ID], DB_VALUES(db_id(workspace), db_id(id)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return suppression_read_row(rows, workspace);
	base_fail(error, PH_ERROR_NOT_FOUND, "Suppression not found");
	return NULL;
}

/* Those with an address, of scope all and some reasons. */
#define ROWS(reasons)                                                                              \
	STORE_LISTING_OF(suppression_read_row, store_suppression_destroy,                          \
	    "SELECT " COLUMNS                                                                      \
	    " FROM suppression WHERE workspace_id = ? AND scope = " SUPPRESSION_ALL_SQL            \
	    " AND " reasons " AND address IS NOT NULL",                                            \
	    "id")
static const struct store_listing filtered[] = {
    [SUPPRESSION_ANY] = ROWS("reason > 0"),
    [SUPPRESSION_OF_BOUNCES] = ROWS("reason = " SUPPRESSION_BOUNCED_SQL),
    [SUPPRESSION_OF_COMPLAINTS] = ROWS("reason = " SUPPRESSION_COMPLAINED_SQL),
    [SUPPRESSION_OF_PEOPLE] = ROWS("reason > " SUPPRESSION_COMPLAINED_SQL),
};

GPtrArray *
store_suppression_page(struct db *db, const struct base_id *workspace,
    enum store_suppression_filter filter, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &filtered[filter], workspace, page, error);
}

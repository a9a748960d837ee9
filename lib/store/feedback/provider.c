/* SPDX-License-Identifier: MIT */
/* Stores endpoints of providers, and which of their events were recorded. */
#include "store/feedback/provider.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"

#define MANY 100 /* the number of digests that OURS takes */
#define TEN "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
#define FIFTY TEN ", " TEN ", " TEN ", " TEN ", " TEN
#define DIGESTS FIFTY ", " FIFTY
#define ROWS 500
#define PROVIDER_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(id, "id")                                                                            \
	NEXT(provider, "provider")                                                                 \
	NEXT(relay, "relay")                                                                       \
	NEXT(secret, "secret")                                                                     \
	NEXT(topic, "topic")                                                                       \
	NEXT(created, "created")
#define SELECT "SELECT " DB_COLUMNS_SQL(PROVIDER_COLUMNS) " FROM provider_endpoint"

enum {
	CREATE,
	FIND,
	LIST,
	REMOVE,
	REMOVE_EVENTS,
	CONFIRM,
	CERTIFICATE,
	KEEP,
	NOTE,
	OURS,
	SWEEP,
	SWEEP_CERTIFICATES,
};
static const char *const sql[] = {
    [CREATE] = "INSERT INTO provider_endpoint (id, token, provider, relay, secret, created)"
	       " VALUES (?, ?, ?, ?, ?, ?)",
    [FIND] = SELECT " WHERE token = ?",
    [LIST] = SELECT " ORDER BY id DESC",
    [REMOVE] = "DELETE FROM provider_endpoint WHERE id = ?",
    [REMOVE_EVENTS] = "DELETE FROM provider_event WHERE endpoint_id = ?",
    [CONFIRM] = "UPDATE provider_endpoint SET topic = ? WHERE id = ?"
		" AND (topic IS NULL OR topic = ?)",
    [CERTIFICATE] = "SELECT pem FROM provider_certificate WHERE url = ? AND fetched > ?",
    [KEEP] = "INSERT INTO provider_certificate (url, pem, fetched) VALUES (?, ?, ?)"
	     " ON DUPLICATE KEY UPDATE pem = VALUES(pem), fetched = VALUES(fetched)",
    /* An event that another transaction records meanwhile makes this one wait. */
    [NOTE] = "INSERT IGNORE INTO provider_event (endpoint_id, digest, token, created)"
	     " VALUES (?, ?, ?, ?)",
    [OURS] = "SELECT digest FROM provider_event WHERE endpoint_id = ? AND digest IN (" DIGESTS ")"
	     " AND token = ?",
    [SWEEP] = "DELETE FROM provider_event WHERE created < ? ORDER BY created LIMIT ?",
    [SWEEP_CERTIFICATES] = "DELETE FROM provider_certificate WHERE fetched < ? LIMIT ?",
};

#define NOTE_COLUMNS 4

void
store_provider_free(struct store_provider *endpoint)
{
	g_free(endpoint->relay);
	g_clear_pointer(&endpoint->secret, g_bytes_unref);
	g_free(endpoint->topic);
	g_free(endpoint);
}

bool
store_provider_create(struct db *db, const struct store_provider *endpoint,
    const guint8 token[SHA256_SIZE], GError **error)
{
	gsize size = 0;
	const void *secret = endpoint->secret ? g_bytes_get_data(endpoint->secret, &size) : NULL;

	return db_run(db, sql[CREATE],
	    DB_VALUES(db_id(&endpoint->id), db_bytes(token, SHA256_SIZE),
		db_int(endpoint->provider), db_text(endpoint->relay), db_bytes(secret, size),
		db_int(endpoint->created)),
	    NULL, error);
}

DB_COLUMNS_MAKER(provider_read_row, struct store_provider, PROVIDER_COLUMNS)

struct store_provider *
store_provider_find(struct db *db, const guint8 token[SHA256_SIZE], GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql[FIND], DB_VALUES(db_bytes(token, SHA256_SIZE)), error);

	if (!rows)
		return NULL;
	if (db_rows_next(rows))
		return provider_read_row(rows);
	base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
	return NULL;
}

GPtrArray *
store_provider_list(struct db *db, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[LIST], NULL, 0, error);

	if (!rows)
		return NULL;
	GPtrArray *endpoints = g_ptr_array_new_with_free_func(store_provider_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(endpoints, provider_read_row(rows));
	return endpoints;
}

static bool
feedback_provider_remove_one(struct db *db, void *context, GError **error)
{
	const struct base_id *id = context;
	guint64 removed;

	if (!db_run(db, sql[REMOVE], DB_VALUES(db_id(id)), &removed, error))
		return false;
	if (removed == 0)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Provider not found");
	return db_run(db, sql[REMOVE_EVENTS], DB_VALUES(db_id(id)), NULL, error);
}

bool
store_provider_remove(struct db *db, const struct base_id *id, GError **error)
{
	struct base_id own = *id;

	return db_transact(db, feedback_provider_remove_one, &own, error);
}

bool
store_provider_confirm(struct db *db, const struct base_id *id, const char *topic, GError **error)
{
	guint64 found;

	if (!db_run(db, sql[CONFIRM], DB_VALUES(db_text(topic), db_id(id), db_text(topic)), &found,
		error))
		return false;
	return found > 0 || base_fail(error, PH_ERROR_CONFLICT, "the endpoint has another topic");
}

bool
store_provider_certificate(
    struct db *db, const guint8 url[SHA256_SIZE], gint64 after, char **pem_r, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, sql[CERTIFICATE], DB_VALUES(db_bytes(url, SHA256_SIZE), db_int(after)), error);

	*pem_r = rows && db_rows_next(rows) ? g_strdup(db_rows_text(rows, DB_ROWS_ONLY)) : NULL;
	return rows != NULL;
}

bool
store_provider_keep_certificate(
    struct db *db, const guint8 url[SHA256_SIZE], const char *pem, gint64 fetched, GError **error)
{
	return db_run(db, sql[KEEP],
	    DB_VALUES(db_bytes(url, SHA256_SIZE), db_text(pem), db_int(fetched)), NULL, error);
}

static guint
hash_digest(const void *digest)
{
	guint hash;

	memcpy(&hash, digest, sizeof(hash));
	return hash;
}

static gboolean
same_digest(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_SIZE) == 0;
}

static struct db_value
provider_value_of(const struct store_provider_digest *digest)
{
	return db_bytes(digest->bytes, SHA256_SIZE);
}

/* Digests that are noted, with the token of who notes them. */
struct noted {
	const struct base_id *endpoint;
	const struct store_provider_digest *digests;
	guint count;
	gint64 token;
};

static bool
provider_insert(struct db *db, const struct noted *noted, GError **error)
{
	guint count = noted->count;
	g_autofree struct db_value *values = g_new(struct db_value, (gsize)NOTE_COLUMNS * count);
	gint64 now = base_clock_now();

	for (guint i = 0; i < count; i++) {
		const struct db_value row[NOTE_COLUMNS] = {db_id(noted->endpoint),
		    provider_value_of(&noted->digests[i]), db_int(noted->token), db_int(now)};

		memcpy(values + (gsize)NOTE_COLUMNS * i, row, sizeof(row));
	}
	return db_run_rows(db, sql[NOTE], values, NOTE_COLUMNS, count, NULL, error);
}

/* Adds those of the digests, from first on up to MANY, that have the token. */
static bool
add_ours(struct db *db, const struct noted *noted, guint first, GHashTable *ours, GError **error)
{
	struct db_value values[MANY + 2];

	values[0] = db_id(noted->endpoint);
	for (guint i = 0; i < MANY; i++)
		values[i + 1] =
		    provider_value_of(&noted->digests[MIN(first + i, noted->count - 1)]);
	values[MANY + 1] = db_int(noted->token);
	AUTO(db_rows) rows = db_select(db, sql[OURS], values, G_N_ELEMENTS(values), error);
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		gsize size;
		const void *digest = db_rows_bytes(rows, DB_ROWS_ONLY, &size);
		g_hash_table_add(ours, g_memdup2(digest, SHA256_SIZE));
	}
	return true;
}

bool
store_provider_note(struct db *db, const struct base_id *endpoint,
    const struct store_provider_digest *digests, guint count, bool *new_r, GError **error)
{
	g_autoptr(GHashTable) ours = g_hash_table_new_full(hash_digest, same_digest, g_free, NULL);
	struct noted noted = {endpoint, digests, count, 0};

	base_secret_random(&noted.token, sizeof(noted.token));
	if (!provider_insert(db, &noted, error))
		return false;
	for (guint i = 0; i < count; i += MANY)
		if (!add_ours(db, &noted, i, ours, error))
			return false;
	for (guint i = 0; i < count; i++)
		new_r[i] = g_hash_table_remove(ours, digests[i].bytes);
	return true;
}

bool
store_provider_note_signed(struct db *db, const struct base_id *endpoint,
    const struct store_provider_digest *text, gint64 body, bool *known_r, GError **error)
{
	g_autoptr(GHashTable) ours = g_hash_table_new_full(hash_digest, same_digest, g_free, NULL);
	const struct noted noted = {endpoint, text, 1, body};

	if (!provider_insert(db, &noted, error) || !add_ours(db, &noted, 0, ours, error))
		return false;
	*known_r = g_hash_table_contains(ours, text->bytes);
	return true;
}

bool
store_provider_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 events, certificates;

	if (!db_run(db, sql[SWEEP], DB_VALUES(db_int(before), db_int(ROWS)), &events, error) ||
	    !db_run(db, sql[SWEEP_CERTIFICATES], DB_VALUES(db_int(before), db_int(ROWS)),
		&certificates, error))
		return false;
	*count_r = (guint)(events + certificates);
	return true;
}

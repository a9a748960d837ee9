/* SPDX-License-Identifier: MIT */
/* Stores and reads mail that came in. */
#include "store/received/received.h"

#include <string.h>

#include "base/compress.h"
#include "base/error.h"
#include "base/limits/received.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/email/body.h"
#include "store/email/event.h"

#define RECEIVED_COLUMNS(FIRST, NEXT)                                                              \
	FIRST(id, "m.id")                                                                          \
	NEXT(workspace_id, "m.workspace_id")                                                       \
	NEXT(domain_id, "m.domain_id", has_domain)                                                 \
	NEXT(email_id, "m.email_id", has_email)                                                    \
	NEXT(writer, "m.writer")                                                                   \
	NEXT(sender, "m.sender")                                                                   \
	NEXT(automatic, "m.automatic")                                                             \
	NEXT(size, "m.size")                                                                       \
	NEXT(summary, "m.summary")
#define COLUMNS DB_COLUMNS_SQL(RECEIVED_COLUMNS)

/* Each condition holds where its value is NULL. */
#define FILTER                                                                                     \
	"(? IS NULL OR m.writer = ?) AND (? IS NULL OR m.domain_id = ?)"                           \
	" AND (? IS NULL OR m.email_id = ?) AND (? IS NULL OR m.is_automatic = ?)"
#define LIST_OF(tables) "SELECT " COLUMNS " FROM " tables " WHERE m.workspace_id = ? AND "
#define OLDER " AND m.id >= ? AND m.id < ? ORDER BY m.id DESC LIMIT ?"
#define NEWER " AND m.id >= ? AND m.id < ? ORDER BY m.id LIMIT ?"
#define BY_RECIPIENT "received_recipient p STRAIGHT_JOIN received m ON m.id = p.received_id"
#define OF_RECIPIENT "p.workspace_id = m.workspace_id AND p.address = ? AND "

enum {
	INSERT,
	INSERT_RECIPIENT,
	INSERT_PIECE,
	FORGET_NOTE,
	NOTE,
	NOTE_NEW,
	COUNT,
	BYTES,
	OLDEST_FIRST,
	NEWEST_FIRST,
	TO_OLDEST_FIRST,
	TO_NEWEST_FIRST,
	GET,
	FIND,
	PIECES,
	PIECE,
	BODIES,
	REMOVE,
	REMOVE_RECIPIENTS,
	REMOVE_PIECES,
	REMOVE_FORWARDS,
	OLD,
	OF_PERSON,
	REPLIES_OF_PERSON,
	SWEEP_KNOWN,
	ADD_FORWARD,
	FORWARDS
};
/* System-wide: FIND, OLD, SWEEP_KNOWN. A signed URL names the mail alone; rows grow old in all
   workspaces. */
static const char *const sql[] = {
    [INSERT] = "INSERT INTO received (id, workspace_id, domain_id, email_id, writer, sender,"
	       " automatic, size, summary, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_RECIPIENT] = "INSERT IGNORE INTO received_recipient (workspace_id, address,"
			 " received_id) VALUES (?, ?, ?)",
    [INSERT_PIECE] = "INSERT INTO received_piece (received_id, number, workspace_id, body)"
		     " VALUES (?, ?, ?, ?)",
    [FORGET_NOTE] = "DELETE FROM received_known WHERE workspace_id = ? AND digest = ?"
		    " AND created < ?",
    [NOTE] = "INSERT IGNORE INTO received_known (workspace_id, digest, created) VALUES (?, ?, ?)",
    [NOTE_NEW] = "INSERT INTO received_known (workspace_id, digest, created) VALUES (?, ?, ?)",
    [COUNT] = "SELECT COUNT(*) FROM received WHERE workspace_id = ? AND id >= ?",
    [BYTES] = "SELECT COALESCE(SUM(size), 0) FROM received WHERE workspace_id = ?",
    [OLDEST_FIRST] = LIST_OF("received m") FILTER NEWER,
    [NEWEST_FIRST] = LIST_OF("received m") FILTER OLDER,
    [TO_OLDEST_FIRST] = LIST_OF(BY_RECIPIENT) OF_RECIPIENT FILTER NEWER,
    [TO_NEWEST_FIRST] = LIST_OF(BY_RECIPIENT) OF_RECIPIENT FILTER OLDER,
    [GET] = "SELECT " COLUMNS ", m.content FROM received m WHERE m.id = ? AND m.workspace_id = ?",
    [FIND] = "SELECT " COLUMNS ", m.content FROM received m WHERE m.id = ?",
    [PIECES] = "SELECT p.body FROM received_piece p WHERE p.received_id = ?"
	       " AND p.workspace_id = ? ORDER BY p.number",
    [PIECE] = "SELECT p.body FROM received_piece p WHERE p.received_id = ? AND p.workspace_id = ?"
	      " AND p.number = ?",
    [BODIES] = "SELECT DISTINCT p.body FROM received_piece p WHERE p.received_id = ?"
	       " AND p.workspace_id = ?",
    [REMOVE] = "DELETE FROM received WHERE id = ? AND workspace_id = ?",
    [REMOVE_RECIPIENTS] =
	"DELETE FROM received_recipient WHERE received_id = ? AND workspace_id = ?",
    [REMOVE_PIECES] = "DELETE FROM received_piece WHERE received_id = ? AND workspace_id = ?",
    [REMOVE_FORWARDS] = "DELETE FROM received_forward WHERE received_id = ? AND workspace_id = ?",
    [OLD] = "SELECT id, workspace_id FROM received WHERE id < ? ORDER BY id LIMIT ?",
    [OF_PERSON] = "SELECT id, workspace_id FROM received WHERE workspace_id = ?"
		  " AND (writer = ? OR sender = ?) LIMIT ?",
    /* An answer without an event is that of the only recipient, as for events. */
    [REPLIES_OF_PERSON] =
	"SELECT m.id, m.workspace_id FROM recipient p"
	" JOIN received m ON m.workspace_id = p.workspace_id AND m.email_id = p.email_id"
	" WHERE p.workspace_id = ? AND p.address = ? AND (NOT EXISTS (SELECT 1 FROM recipient o"
	" WHERE o.email_id = p.email_id AND o.number <> p.number)"
	" OR EXISTS (SELECT 1 FROM event e WHERE e.email_id = p.email_id"
	" AND e.recipient = p.number AND e.status = ?"
	" AND UNHEX(REPLACE(e.link, '-', '')) = m.id)) LIMIT ?",
    [SWEEP_KNOWN] = "DELETE FROM received_known WHERE created < ? ORDER BY created LIMIT ?",
    [ADD_FORWARD] = "INSERT INTO received_forward (received_id, id, workspace_id, email_id,"
		    " recipients, error) VALUES (?, ?, ?, ?, ?, ?)",
    [FORWARDS] = "SELECT email_id, recipients, error FROM received_forward WHERE received_id = ?"
		 " AND workspace_id = ? ORDER BY id",
};

/* The column of GET behind COLUMNS. */
enum { GET_CONTENT = DB_COLUMNS_END(RECEIVED_COLUMNS) };
/* The columns of OLD, OF_PERSON and REPLIES_OF_PERSON, and those of FORWARDS. */
enum { OLD_ID, OLD_WORKSPACE };
enum { FORWARDS_EMAIL, FORWARDS_RECIPIENTS, FORWARDS_ERROR };

DB_COLUMNS_MAKER(received_read_row, struct store_received, RECEIVED_COLUMNS)

const char *
store_received_automatic_name(enum store_received_automatic automatic)
{
	static const char *const names[] = {
	    [RECEIVED_BY_PERSON] = NULL,
	    [RECEIVED_AUTO_REPLY] = "reply",
	    [RECEIVED_AUTO_BULK] = "bulk",
	    [RECEIVED_AUTO_REPORT] = "report",
	};

	return names[automatic];
}

struct store_received *
store_received_new(void)
{
	struct store_received *received = g_new0(struct store_received, 1);

	received->recipients = g_ptr_array_new_with_free_func(g_free);
	received->pieces = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
	return received;
}

void
store_received_free(struct store_received *received)
{
	g_free(received->writer);
	g_free(received->sender);
	g_free(received->summary);
	g_clear_pointer(&received->content, g_bytes_unref);
	g_clear_pointer(&received->recipients, g_ptr_array_unref);
	g_clear_pointer(&received->pieces, g_ptr_array_unref);
	g_free(received);
}

/* The content as it is stored: its size in 4 bytes, then a frame. */
static GByteArray *
received_pack(GBytes *content)
{
	GByteArray *packed = g_byte_array_new();
	gsize size;
	const void *data = g_bytes_get_data(content, &size);
	guint32 length = GUINT32_TO_LE((guint32)size);

	g_byte_array_append(packed, (const guint8 *)&length, sizeof(length));
	base_compress(packed, data, size);
	return packed;
}

static GBytes *
received_unpack(const void *packed, gsize size, GError **error)
{
	guint32 length = 0;

	if (size < sizeof(length)) {
		base_fail(error, PH_ERROR_FAILED, "the content of a received mail is damaged");
		return NULL;
	}
	memcpy(&length, packed, sizeof(length));
	length = GUINT32_FROM_LE(length);
	g_autofree char *data = g_malloc((gsize)length + 1);
	if (!base_decompress(
		(const char *)packed + sizeof(length), size - sizeof(length), data, length, error))
		return NULL;
	data[length] = '\0';
	return g_bytes_new_take(g_steal_pointer(&data), length);
}

static void
received_body_destroy(void *body)
{
	g_bytes_unref(((struct store_body *)body)->data);
	g_free(body);
}

static bool
received_insert_pieces(struct db *db, const struct store_received *received, GError **error)
{
	g_autoptr(GPtrArray) bodies = g_ptr_array_new_with_free_func(received_body_destroy);

	for (guint i = 0; i < received->pieces->len; i++) {
		GByteArray *packed = received_pack(received->pieces->pdata[i]);
		g_autoptr(GBytes) data = g_byte_array_free_to_bytes(packed);
		const struct store_body body = store_body_make(data);

		g_ptr_array_add(bodies, g_memdup2(&body, sizeof(body)));
	}
	if (!store_body_put(db, &received->workspace_id,
		(const struct store_body *const *)bodies->pdata, bodies->len, error))
		return false;
	for (guint i = 0; i < bodies->len; i++) {
		const struct store_body *body = bodies->pdata[i];

		if (!db_defer(db, sql[INSERT_PIECE],
			DB_VALUES(db_id(&received->id), db_int(i), db_id(&received->workspace_id),
			    db_bytes(body->hash, SHA256_SIZE)),
			1, error))
			return false;
	}
	return true;
}

static bool
received_insert_recipients(struct db *db, const struct store_received *received, GError **error)
{
	for (guint i = 0; i < received->recipients->len; i++)
		if (!db_defer(db, sql[INSERT_RECIPIENT],
			DB_VALUES(db_id(&received->workspace_id),
			    db_text(received->recipients->pdata[i]), db_id(&received->id)),
			1, error))
			return false;
	return true;
}

bool
store_received_insert(struct db *db, const struct store_received *received, GError **error)
{
	g_autoptr(GByteArray) content = received_pack(received->content);

	return db_defer(db, sql[INSERT],
		   DB_VALUES(db_id(&received->id), db_id(&received->workspace_id),
		       received->has_domain ? db_id(&received->domain_id) : db_null(),
		       received->has_email ? db_id(&received->email_id) : db_null(),
		       db_text(received->writer), db_text(received->sender),
		       db_int_or_null(received->automatic), db_int(received->size),
		       db_text(received->summary), db_bytes(content->data, content->len)),
		   1, error) &&
	       received_insert_recipients(db, received, error) &&
	       received_insert_pieces(db, received, error);
}

bool
store_received_note_new(struct db *db, const struct base_id *workspace,
    const guint8 digest[SHA256_SIZE], gint64 now, GError **error)
{
	return db_defer(db, sql[NOTE_NEW],
	    DB_VALUES(db_id(workspace), db_bytes(digest, SHA256_SIZE), db_int(now)), 1, error);
}

bool
store_received_note(struct db *db, const struct base_id *workspace,
    const guint8 digest[SHA256_SIZE], gint64 now, bool *is_new_r, GError **error)
{
	const struct db_value known[] = {
	    db_id(workspace), db_bytes(digest, SHA256_SIZE), db_int(now - LIMIT_RECEIVED_KNOWN_MS)};
	const struct db_value noted[] = {
	    db_id(workspace), db_bytes(digest, SHA256_SIZE), db_int(now)};
	guint64 affected = 0;

	if (!db_run(db, sql[FORGET_NOTE], known, G_N_ELEMENTS(known), NULL, error) ||
	    !db_run(db, sql[NOTE], noted, G_N_ELEMENTS(noted), &affected, error))
		return false;
	*is_new_r = affected > 0;
	return true;
}

static bool
received_read_number(struct db_rows *rows, gint64 *number_r)
{
	if (rows && db_rows_next(rows))
		*number_r = db_rows_int(rows, DB_ROWS_ONLY);
	return rows != NULL;
}

bool
store_received_count(
    struct db *db, const struct base_id *workspace, gint64 since, gint64 *count_r, GError **error)
{
	struct base_id floor = base_id_floor(since);
	AUTO(db_rows)
	rows = db_select(db, sql[COUNT], DB_VALUES(db_id(workspace), db_id(&floor)), error);

	return received_read_number(rows, count_r);
}

bool
store_received_bytes(
    struct db *db, const struct base_id *workspace, gint64 *bytes_r, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[BYTES], DB_VALUES(db_id(workspace)), error);

	return received_read_number(rows, bytes_r);
}

#define LIST_VALUES 13

GPtrArray *
store_received_list(struct db *db, const struct base_id *workspace,
    const struct store_received_filter *filter, guint limit, GError **error)
{
	struct base_id floor = base_id_floor(filter->since ? *filter->since : 0), ceiling;
	struct db_value values[LIST_VALUES], *value = values;
	const struct db_value from = db_text(filter->from), domain = db_id(filter->domain),
			      email = db_id(filter->email),
			      automatic =
				  filter->automatic ? db_int(*filter->automatic) : db_null();
	int statement = filter->to ? (filter->after ? TO_OLDEST_FIRST : TO_NEWEST_FIRST)
				   : (filter->after ? OLDEST_FIRST : NEWEST_FIRST);

	memset(&ceiling, 0xff, sizeof(ceiling));
	if (filter->until)
		ceiling = base_id_floor(*filter->until);
	if (filter->before && memcmp(filter->before, &ceiling, sizeof(ceiling)) < 0)
		ceiling = *filter->before;
	/* The id behind one is this one with a byte more: there is none, so the row is left out
	   below. */
	if (filter->after && memcmp(filter->after, &floor, sizeof(floor)) > 0)
		floor = *filter->after;
	*value++ = db_id(workspace);
	if (filter->to)
		*value++ = db_text(filter->to);
	*value++ = from;
	*value++ = from;
	*value++ = domain;
	*value++ = domain;
	*value++ = email;
	*value++ = email;
	*value++ = automatic;
	*value++ = automatic;
	*value++ = db_id(&floor);
	*value++ = db_id(&ceiling);
	*value++ = db_int(limit + (filter->after != NULL));
	AUTO(db_rows) rows = db_select(db, sql[statement], values, (gsize)(value - values), error);
	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_received_destroy);
	while (db_rows_next(rows) && list->len < limit) {
		struct store_received *row = received_read_row(rows);

		if (filter->after && base_id_equal(&row->id, filter->after))
			store_received_free(row);
		else
			g_ptr_array_add(list, row);
	}
	if (filter->after)
		store_listing_reverse(list);
	return list;
}

static struct store_received *
received_read_whole(struct db_rows *rows, GError **error)
{
	gsize size;

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Received email not found");
		return NULL;
	}
	AUTO(store_received) received = received_read_row(rows);
	const void *packed = db_rows_bytes(rows, GET_CONTENT, &size);
	received->content = received_unpack(packed, size, error);
	return received->content ? g_steal_pointer(&received) : NULL;
}

struct store_received *
store_received_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select_row(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error);

	return received_read_whole(rows, error);
}

struct store_received *
store_received_find(struct db *db, const struct base_id *id, GError **error)
{
	AUTO(db_rows) rows = db_select(db, sql[FIND], DB_VALUES(db_id(id)), error);

	return received_read_whole(rows, error);
}

/* Appends the contents of the bodies that rows list. False with an error. */
static bool
received_append(struct db *db, const struct base_id *workspace, struct db_rows *rows,
    GByteArray *bytes, guint *count_r, GError **error)
{
	for (*count_r = 0; db_rows_next(rows); (*count_r)++) {
		gsize size;
		const void *hash = db_rows_bytes(rows, DB_ROWS_ONLY, &size);
		g_autoptr(GBytes) body =
		    size == SHA256_SIZE ? store_body_get(db, workspace, hash, error) : NULL;
		const void *packed = body ? g_bytes_get_data(body, &size) : NULL;
		g_autoptr(GBytes) piece = body ? received_unpack(packed, size, error) : NULL;

		if (!piece)
			return false;
		const void *data = g_bytes_get_data(piece, &size);
		g_byte_array_append(bytes, data, (guint)size);
	}
	return true;
}

static GBytes *
received_read_bytes(
    struct db *db, const struct base_id *workspace, struct db_rows *rows, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	guint count = 0;

	if (!rows || !received_append(db, workspace, rows, bytes, &count, error))
		return NULL;
	if (count == 0) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Received email not found");
		return NULL;
	}
	return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

GBytes *
store_received_raw(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[PIECES], DB_VALUES(db_id(id), db_id(workspace)), error);

	return received_read_bytes(db, workspace, rows, error);
}

GBytes *
store_received_piece(struct db *db, const struct base_id *workspace, const struct base_id *id,
    guint number, GError **error)
{
	AUTO(db_rows)
	rows = db_select(
	    db, sql[PIECE], DB_VALUES(db_id(id), db_id(workspace), db_int(number)), error);

	return received_read_bytes(db, workspace, rows, error);
}

/* A mail that is being removed, with the contents that it used. */
struct received_removal {
	struct base_id workspace, id;
	GArray *hashes; /* guint8[SHA256_SIZE] */
};

static bool
received_remove_rows(struct db *db, void *context, GError **error)
{
	struct received_removal *removal = context;
	const struct db_value whole[] = {db_id(&removal->id), db_id(&removal->workspace)};
	guint64 affected;
	AUTO(db_rows) rows = db_select(db, sql[BODIES], whole, 2, error);

	g_array_set_size(removal->hashes, 0);
	if (!rows || !db_run(db, sql[REMOVE], whole, 2, &affected, error))
		return false;
	if (affected == 0)
		return base_fail(error, PH_ERROR_NOT_FOUND, "Received email not found");
	while (db_rows_next(rows)) {
		gsize size;
		const void *hash = db_rows_bytes(rows, DB_ROWS_ONLY, &size);

		if (size == SHA256_SIZE)
			g_array_append_vals(removal->hashes, hash, 1);
	}
	return db_run(db, sql[REMOVE_RECIPIENTS], whole, 2, NULL, error) &&
	       db_run(db, sql[REMOVE_PIECES], whole, 2, NULL, error) &&
	       db_run(db, sql[REMOVE_FORWARDS], whole, 2, NULL, error);
}

bool
store_received_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	g_autoptr(GArray) hashes = g_array_new(FALSE, FALSE, SHA256_SIZE);
	struct received_removal removal = {*workspace, *id, hashes};

	if (!db_transact(db, received_remove_rows, &removal, error))
		return false;
	/* Removes contents that nothing uses: the foreign keys refuse the others. */
	for (guint i = 0; i < hashes->len; i++)
		if (!store_body_drop(db, workspace,
			(const guint8 *)hashes->data + (gsize)i * SHA256_SIZE, error))
			return false;
	return true;
}

#define BATCH 50

/* Removes the mails that rows list. */
static bool
received_remove_listed(struct db *db, struct db_rows *rows, guint *count_r, GError **error)
{
	*count_r = 0;
	if (!rows)
		return false;
	for (; db_rows_next(rows); (*count_r)++) {
		g_autoptr(GError) failure = NULL;
		struct base_id id, workspace;

		db_rows_id(rows, OLD_ID, &id);
		db_rows_id(rows, OLD_WORKSPACE, &workspace);
		/* Another process may have removed it. */
		if (store_received_remove(db, &workspace, &id, &failure) ||
		    g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
			continue;
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	return true;
}

bool
store_received_sweep(struct db *db, gint64 before, guint *count_r, GError **error)
{
	struct base_id floor = base_id_floor(before);
	AUTO(db_rows)
	rows = db_select(db, sql[OLD], DB_VALUES(db_id(&floor), db_int(BATCH)), error);

	return received_remove_listed(db, rows, count_r, error);
}

bool
store_received_erase(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	guint count = BATCH;

	while (count == BATCH) {
		AUTO(db_rows)
		rows = db_select(db, sql[OF_PERSON],
		    DB_VALUES(db_id(workspace), db_text(address), db_text(address), db_int(BATCH)),
		    error);

		if (!received_remove_listed(db, rows, &count, error))
			return false;
	}
	return true;
}

bool
store_received_erase_replies(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	guint count = BATCH;

	while (count == BATCH) {
		AUTO(db_rows)
		rows = db_select(db, sql[REPLIES_OF_PERSON],
		    DB_VALUES(
			db_id(workspace), db_text(address), db_int(EVENT_REPLIED), db_int(BATCH)),
		    error);

		if (!received_remove_listed(db, rows, &count, error))
			return false;
	}
	return true;
}

bool
store_received_sweep_known(struct db *db, gint64 before, guint *count_r, GError **error)
{
	guint64 affected = 0;

	if (!db_run(db, sql[SWEEP_KNOWN], DB_VALUES(db_int(before), db_int(10 * BATCH)), &affected,
		error))
		return false;
	*count_r = (guint)affected;
	return true;
}

void
store_received_forward_free(struct store_received_forward *forward)
{
	g_free(forward->recipients);
	g_free(forward->error);
	g_free(forward);
}

bool
store_received_forward_add(struct db *db, const struct base_id *workspace,
    const struct base_id *received, const struct store_received_forward *forward, GError **error)
{
	struct base_id id = base_id_new();

	return db_run(db, sql[ADD_FORWARD],
	    DB_VALUES(db_id(received), db_id(&id), db_id(workspace),
		forward->has_email ? db_id(&forward->email_id) : db_null(),
		db_text(forward->recipients), db_text(forward->error)),
	    NULL, error);
}

GPtrArray *
store_received_forward_list(
    struct db *db, const struct base_id *workspace, const struct base_id *received, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[FORWARDS], DB_VALUES(db_id(received), db_id(workspace)), error);

	if (!rows)
		return NULL;
	GPtrArray *forwards = g_ptr_array_new_with_free_func(store_received_forward_destroy);
	while (db_rows_next(rows)) {
		struct store_received_forward *forward = g_new0(struct store_received_forward, 1);

		forward->has_email = db_rows_id(rows, FORWARDS_EMAIL, &forward->email_id);
		forward->recipients = g_strdup(db_rows_text(rows, FORWARDS_RECIPIENTS));
		forward->error = g_strdup(db_rows_text(rows, FORWARDS_ERROR));
		g_ptr_array_add(forwards, forward);
	}
	return forwards;
}

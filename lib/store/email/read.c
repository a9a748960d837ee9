/* SPDX-License-Identifier: MIT */
/* Reads emails: one, or a batch of them. */
#include "store/email/email.h"

#include "base/array.h"
#include "base/error.h"
#include "db/prefetch.h"
#include "db/statement.h"
#include "store/email/columns.h"
#include "store/email/content.h"
#include "store/email/key.h"

#define ONE "?"
#define MANY DB_MARKS_50 /* STORE_EMAIL_BATCH */

#define EMAIL_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(id, "e.id")                                                                          \
	NEXT(workspace_id, "e.workspace_id")                                                       \
	NEXT(domain_id, "e.domain_id")                                                             \
	NEXT(type, STORE_EMAIL_TYPE("e"))                                                          \
	NEXT(sender, "e.sender")                                                                   \
	NEXT(to, "e.to_list")                                                                      \
	NEXT(cc, "e.cc_list")                                                                      \
	NEXT(bcc, "e.bcc_list")                                                                    \
	NEXT(reply_to, "e.reply_to")                                                               \
	NEXT(subject, "e.subject")                                                                 \
	NEXT(template_id, "e.template_id")                                                         \
	NEXT(variables, "e.variables")                                                             \
	NEXT(headers, "e.headers")                                                                 \
	NEXT(tags, "e.tags")                                                                       \
	NEXT(created, "e.created")                                                                 \
	NEXT(scheduled_at, "e.scheduled_at")                                                       \
	NEXT(sent, "e.sent")                                                                       \
	NEXT(cancelled, "e.cancelled")                                                             \
	NEXT(tracking, "e.tracking")                                                               \
	NEXT(topic_id, "e.topic_id", has_topic)                                                    \
	NEXT(workflow_id, "e.workflow_id", has_workflow)                                           \
	NEXT(step_id, "e.step_id")                                                                 \
	NEXT(counted_tags, "e.counted_tags")                                                       \
	NEXT(stream, STORE_EMAIL_STREAM("e"))
#define EMAIL "SELECT " DB_COLUMNS_SQL(EMAIL_COLUMNS) ", "
DB_COLUMNS_READER(email_read_columns, struct store_email, EMAIL_COLUMNS)

/* The columns of EMAILS, behind EMAIL. */
#define NAMED_COLUMNS(FIRST, NEXT)                                                                 \
	FIRST(domain, "d.name")                                                                    \
	NEXT(relays, STORE_STREAM_ROUTE(STORE_EMAIL_STREAM("e")))                                  \
	NEXT(is_limited, "w.stream_limits >> " STORE_EMAIL_STREAM("e") " & 1")                     \
	NEXT(return_path, "d.return_path")                                                         \
	NEXT(tracking_host, "IF(d.tracking_used = 1, d.tracking_host, NULL)")                      \
	NEXT(tls_enforced, "d.tls_enforced")                                                       \
	NEXT(topic, "(SELECT t.name FROM topic t WHERE t.id = e.topic_id)")                        \
	NEXT(ruled, "IF(e.tracking & " TRACK_UNSUBSCRIBE_SQL                                       \
		    ", (SELECT w.sending FROM workspace w WHERE w.id = e.workspace_id), 0)")       \
	NEXT(sending, "IF(e.workflow_id IS NULL, NULL,"                                            \
		      " (SELECT s.rules FROM email_sending s WHERE s.email_id = e.id))")
DB_COLUMNS_READER(email_read_names, struct store_email, NAMED_COLUMNS)
enum {
	EMAILS_NAMES = DB_COLUMNS_END(EMAIL_COLUMNS),
	EMAILS_OWN = EMAILS_NAMES + DB_COLUMNS_END(NAMED_COLUMNS)
};

/* The columns of shown_sql, behind EMAIL; it ends in those of histories_sql. */
enum { SHOWN_OWN = DB_COLUMNS_END(EMAIL_COLUMNS), SHOWN_HISTORIES };

/* The columns of PARTS, behind the id of the email. */
#define PART_COLUMNS(FIRST, NEXT)                                                                  \
	FIRST(role, "p.role")                                                                      \
	NEXT(filename, "p.filename")                                                               \
	NEXT(content_type, "p.content_type")                                                       \
	NEXT(content_id, "p.content_id")                                                           \
	NEXT(body.hash, "p.body")
DB_COLUMNS_READER(email_read_part_columns, struct store_email_part, PART_COLUMNS)
enum {
	PARTS_EMAIL,
	PARTS_COLUMNS,
	PARTS_SIZE = PARTS_COLUMNS + DB_COLUMNS_END(PART_COLUMNS),
	PARTS_DATA
};

/* The columns of RECIPIENTS, and of histories_sql, which ends in the columns of an event. */
enum {
	RECIPIENTS_EMAIL,
	RECIPIENTS_NUMBER,
	RECIPIENTS_COLUMNS,
	RECIPIENTS_END = RECIPIENTS_COLUMNS + DB_COLUMNS_END(RECIPIENT_COLUMNS)
};

#define EMAILS(from, condition)                                                                    \
	EMAIL DB_COLUMNS_SQL(                                                                      \
	    NAMED_COLUMNS) ", c.data"                                                              \
			   " FROM " from " LEFT JOIN domain d ON d.id = e.domain_id"               \
			   " LEFT JOIN workspace w ON w.id = d.workspace_id"                       \
			   " LEFT JOIN email_content c ON c.email_id = e.id WHERE " condition
#define PARTS(ids)                                                                                 \
	"SELECT p.email_id, " DB_COLUMNS_SQL(                                                      \
	    PART_COLUMNS) ", b.size,"                                                              \
			  " b.data FROM email_part p LEFT JOIN body b ON b.workspace_id = "        \
			  "p.workspace_id"                                                         \
			  " AND b.hash = p.body AND (p.role <= ? OR b.size <= ?)"                  \
			  " WHERE p.email_id IN (" ids ") ORDER BY p.email_id, p.number"
#define RECIPIENT "r.email_id, r.number, " DB_COLUMNS_SQL(RECIPIENT_COLUMNS)
#define EVENT DB_COLUMNS_SQL(EVENT_COLUMNS)
#define RECIPIENTS(ids)                                                                            \
	"SELECT " RECIPIENT " FROM recipient r WHERE r.email_id IN (" ids                          \
	") ORDER BY r.email_id, r.number"

enum { READ_EMAILS, READ_RECIPIENTS, READ_PARTS, READ_COUNT };
static const char email_sql[] = EMAILS("email e", "e.id = ? AND e.workspace_id = ?");
/* By checked ids: sql_one, sql_many. Rows of emails that email_sql does not find, or whose
   workspace is another, are dropped. */
static const char *const sql_one[] = {email_sql, RECIPIENTS(ONE), PARTS(ONE)};
static const char addresses_sql[] =
    "SELECT r.address FROM email e LEFT JOIN recipient r ON r.email_id = e.id"
    " WHERE e.id = ? AND e.workspace_id = ? ORDER BY r.number";
static const char size_sql[] =
    "SELECT SUM(b.size) FROM email e LEFT JOIN email_part p ON p.email_id = e.id"
    " LEFT JOIN body b ON b.workspace_id = p.workspace_id AND b.hash = p.body"
    " WHERE e.id = ? AND e.workspace_id = ? GROUP BY e.id";
/* An email with its own contents, repeated for each event of each recipient, as far as these are
   few and the email is small. It has no ORDER BY, which would sort by a temporary table: the rows
   come in the order of the primary key, and the reader checks it. The indexes are named because the
   optimizer does not know how many recipients there are. */
#define SHOWN                                                                                      \
	EMAIL "c.data, " RECIPIENT ", " EVENT " FROM email e FORCE INDEX (PRIMARY)"                \
	      " LEFT JOIN email_content c ON c.email_id = e.id"                                    \
	      " LEFT JOIN recipient r FORCE INDEX (PRIMARY) ON r.email_id = e.id"                  \
	      " AND COALESCE(LENGTH(e.variables), 0) < 65536"                                      \
	      " LEFT JOIN event v FORCE INDEX (PRIMARY)"                                           \
	      " ON v.email_id = e.id AND v.recipient = r.number"
#define THE_EMAIL "e.id = ? AND e.workspace_id = ?"
#define FEW 8 /* one less than the limit of shown_sql */
static const char shown_sql[] = SHOWN " WHERE " THE_EMAIL " LIMIT 9";
const struct db_prefetch_form store_email_show_ahead = {
    shown_sql, DB_PREFETCH_MANY(SHOWN, THE_EMAIL, " LIMIT 72"), 2, 72};
/* By checked ids: histories_sql. The statement before has read the email of the workspace. */
static const char histories_sql[] =
    "SELECT " RECIPIENT ", " EVENT " FROM recipient r"
    " LEFT JOIN event v FORCE INDEX (PRIMARY)"
    " ON v.email_id = r.email_id AND v.recipient = r.number WHERE r.email_id = ?"
    " ORDER BY r.number LIMIT ?";
/* By checked ids: own_sql. The email was read in its workspace. */
static const char own_sql[] = "SELECT data FROM email_content WHERE email_id = ?";
static const char *const sql_many[] = {
    EMAILS(STORE_EMAIL_FOUND, STORE_EMAIL_IN(MANY)), RECIPIENTS(MANY), PARTS(MANY)};

/* Contents up to this size are read with their email. */
#define SMALL_BYTES (32 * 1024)

/* The emails of one read. */
struct reading {
	struct db *db;
	const struct base_id *ids;
	guint count;
	struct store_email **emails; /* those of ids, NULL where none was found so far */
	enum store_email_part_role contents;
	gint64 small; /* read also contents up to this size; -1: none */
};

/* The query of a statement for all of them; a batch that is not full repeats its last id. values
   has room for STORE_EMAIL_BATCH + 2. */
static struct db_query
query(const struct reading *reading, guint statement, const struct base_id *workspaces,
    struct db_value *values)
{
	guint count = reading->count == 1 ? 1 : STORE_EMAIL_BATCH;
	guint used = 0;

	if (statement == READ_PARTS) {
		values[used++] = db_int(reading->contents);
		values[used++] = db_int(reading->small);
	}
	for (guint i = 0; i < count; i++)
		values[used++] = db_id(&reading->ids[MIN(i, reading->count - 1)]);
	if (statement == READ_EMAILS && count == 1)
		values[used++] = db_id(workspaces);
	return (struct db_query){(count == 1 ? sql_one : sql_many)[statement], values, used};
}

/* The email of a row; NULL when the email was stored since the first query. */
static struct store_email *
read_email_of(const struct reading *reading, const struct db_rows *rows)
{
	struct base_id id;

	db_rows_id(rows, PARTS_EMAIL, &id);
	for (guint i = 0; i < reading->count; i++)
		if (reading->emails[i] && base_id_equal(&reading->ids[i], &id))
			return reading->emails[i];
	return NULL;
}

static struct store_email *
email_read_read_row(const struct db_rows *rows)
{
	struct store_email *email = store_email_new();

	email_read_columns(rows, 0, email);
	return email;
}

/* Adds html or text that the email has for itself, if it has it. */
static void
add_own(const struct reading *reading, struct store_email *email, enum store_email_part_role role,
    guint32 size, GBytes *data)
{
	struct store_email_part *part;

	if (size == STORE_CONTENT_NONE)
		return;
	part = g_new0(struct store_email_part, 1);
	part->role = role;
	if (data && (role <= reading->contents || size <= reading->small))
		part->body = store_body_make_own(data);
	part->body.is_own = true;
	g_ptr_array_add(email->parts, part);
}

/* Adds the email's own contents, read as far as they are wanted, from a column. */
static bool
email_read_read_own(const struct reading *reading, struct store_email *email,
    const struct db_rows *rows, guint column, GError **error)
{
	struct store_content content = {NULL, NULL};
	guint32 html, text;
	gsize size;
	const void *packed = db_rows_bytes(rows, column, &size);

	if (!packed)
		return true;
	if (!store_content_sizes(packed, size, &html, &text, error) ||
	    ((reading->contents > 0 || reading->small > 0) &&
		!store_content_unpack(packed, size, &content, error)))
		return false;
	add_own(reading, email, PART_HTML, html, content.html);
	add_own(reading, email, PART_TEXT, text, content.text);
	store_content_clear(&content);
	return true;
}

/* The same for an email of a batch: damaged contents are left out, as large ones are, so that the
   others of the batch are read. store_email_read_contents tells about them. */
static void
read_own_of_batch(
    const struct reading *reading, struct store_email *email, const struct db_rows *rows)
{
	if (!email_read_read_own(reading, email, rows, EMAILS_OWN, NULL))
		add_own(reading, email, PART_HTML, 0, NULL);
}

static bool
email_read_read_emails(const struct reading *reading, const struct base_id *workspaces,
    struct db_rows *rows, GError **error)
{
	while (db_rows_next(rows)) {
		AUTO(store_email) email = email_read_read_row(rows);

		email_read_names(rows, EMAILS_NAMES, email);
		if (reading->small >= 0)
			read_own_of_batch(reading, email, rows);
		else if (!email_read_read_own(reading, email, rows, EMAILS_OWN, error))
			return false;
		for (guint i = 0; email && i < reading->count; i++)
			if (!reading->emails[i] && base_id_equal(&reading->ids[i], &email->id) &&
			    base_id_equal(&workspaces[i], &email->workspace_id))
				reading->emails[i] = g_steal_pointer(&email);
	}
	return true;
}

static bool
email_read_read_part(const struct reading *reading, struct store_email *email,
    const struct db_rows *rows, GError **error)
{
	struct store_email_part *part = g_new0(struct store_email_part, 1);
	gsize size;

	g_ptr_array_add(email->parts, part);
	email_read_part_columns(rows, PARTS_COLUMNS, part);
	if (db_rows_is_null(rows, PARTS_SIZE) && part->role > reading->contents)
		return true;
	const void *first = db_rows_bytes(rows, PARTS_DATA, &size);
	part->body.data = store_body_complete(reading->db, &email->workspace_id,
	    &(struct store_body_row){
		part->body.hash, (gsize)db_rows_int(rows, PARTS_SIZE), first, size},
	    error);
	return part->body.data != NULL;
}

static bool
email_read_read_parts(const struct reading *reading, struct db_rows *rows, GError **error)
{
	while (db_rows_next(rows)) {
		struct store_email *email = read_email_of(reading, rows);

		if (email && !email_read_read_part(reading, email, rows, error))
			return false;
	}
	return true;
}

/* from: the first column of RECIPIENTS. */
static void
email_read_read_recipient(struct store_email *email, const struct db_rows *rows, guint from)
{
	g_ptr_array_add(
	    email->recipients, store_email_recipient_read(rows, from + RECIPIENTS_COLUMNS, email));
}

static void
email_read_read_recipients(const struct reading *reading, struct db_rows *rows)
{
	while (db_rows_next(rows)) {
		struct store_email *email = read_email_of(reading, rows);

		if (email)
			email_read_read_recipient(email, rows, 0);
	}
}

static bool
email_read_read_all(const struct reading *reading, const struct base_id *workspaces, GError **error)
{
	struct db_value values[READ_COUNT][STORE_EMAIL_BATCH + 2];
	struct db_query queries[READ_COUNT];
	struct db_rows *rows[READ_COUNT];

	base_array_clear(reading->emails, reading->count, sizeof(*reading->emails));
	for (guint i = 0; i < READ_COUNT; i++)
		queries[i] = query(reading, i, workspaces, values[i]);
	if (!db_select_together(reading->db, queries, READ_COUNT, rows, error))
		return false;
	bool done = email_read_read_emails(reading, workspaces, rows[READ_EMAILS], error);
	email_read_read_recipients(reading, rows[READ_RECIPIENTS]);
	done = done && email_read_read_parts(reading, rows[READ_PARTS], error);
	db_rows_free_all(rows, READ_COUNT);
	for (guint i = 0; i < reading->count && !done; i++)
		g_clear_pointer(&reading->emails[i], store_email_free);
	return done;
}

static GPtrArray *
read_not_found(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Email not found");
	return NULL;
}

GPtrArray *
store_email_recipients(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	g_autoptr(GPtrArray) addresses = g_ptr_array_new_with_free_func(g_free);
	AUTO(db_rows) rows =
	    db_select(db, addresses_sql, DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows))
		return read_not_found(error);
	do
		if (!db_rows_is_null(rows, DB_ROWS_ONLY))
			g_ptr_array_add(addresses, g_strdup(db_rows_text(rows, DB_ROWS_ONLY)));
	while (db_rows_next(rows));
	return g_steal_pointer(&addresses);
}

bool
store_email_size(struct db *db, const struct base_id *workspace, const struct base_id *id,
    guint64 *size_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, size_sql, DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return false;
	if (!db_rows_next(rows)) {
		read_not_found(error);
		return false;
	}
	*size_r = (guint64)db_rows_int(rows, DB_ROWS_ONLY);
	return true;
}

struct store_email *
store_email_get(struct db *db, const struct base_id *workspace, const struct base_id *id,
    enum store_email_part_role contents, GError **error)
{
	struct store_email *email;
	struct reading reading = {db, id, 1, &email, contents, -1};

	if (!email_read_read_all(&reading, workspace, error))
		return NULL;
	if (!email)
		read_not_found(error);
	return email;
}

/* Adds the recipients and events of a row and those behind it to an email and to events, which own
   them. from: the first column of histories_sql. Returns whether these are all rows, at most most,
   in the order of the recipients. */
static bool
read_histories(
    struct store_email *email, GPtrArray *events, struct db_rows *rows, guint from, guint most)
{
	gint64 last = -1;
	bool in_order = true;

	do {
		struct store_event *event =
		    store_event_read(rows, from + RECIPIENTS_END, &email->id);
		gint64 number = db_rows_int(rows, from + RECIPIENTS_NUMBER);

		if (number != last)
			email_read_read_recipient(email, rows, from);
		in_order = in_order && number >= last;
		last = number;
		if (event)
			g_ptr_array_add(events, event);
	} while (db_rows_next(rows));
	return in_order && db_rows_count(rows) <= most;
}

/* The events of an email that is shown. */
struct shown {
	GPtrArray *events; /* of struct store_event */
	bool is_all;
};

/* Reads an email with its own contents, and its events if they are few. NOT_FOUND. */
static struct store_email *
email_read_read_shown(struct db *db, const struct db_prefetch *ahead,
    const struct base_id *workspace, const struct base_id *id, struct shown *shown, GError **error)
{
	const struct reading reading = {.contents = PART_TEXT};
	AUTO(db_rows) rows = db_select_prefetched(
	    db, ahead, shown_sql, DB_VALUES(db_id(id), db_id(workspace)), error);

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		read_not_found(error);
		return NULL;
	}
	AUTO(store_email) email = email_read_read_row(rows);
	if (!email_read_read_own(&reading, email, rows, SHOWN_OWN, error))
		return NULL;
	shown->is_all = !db_rows_is_null(rows, SHOWN_HISTORIES) &&
			read_histories(email, shown->events, rows, SHOWN_HISTORIES, FEW);
	return g_steal_pointer(&email);
}

/* Reads the html and text that the email does not have for itself. */
static bool
email_read_read_shared(struct db *db, struct store_email *email, GError **error)
{
	const struct reading reading = {db, &email->id, 1, &email, PART_TEXT, -1};
	struct db_value values[STORE_EMAIL_BATCH + 2];
	struct db_query parts = query(&reading, READ_PARTS, NULL, values);

	if (store_email_body(email, PART_HTML) && store_email_body(email, PART_TEXT))
		return true;
	AUTO(db_rows) rows = db_select(db, parts.sql, parts.values, parts.count, error);
	return rows && email_read_read_parts(&reading, rows, error);
}

/* Reads the recipients of an email that has more events than are read at once. */
static bool
read_many(struct db *db, struct store_email *email, struct store_event_history **histories_r,
    GError **error)
{
	AUTO(db_rows) rows =
	    db_select(db, sql_one[READ_RECIPIENTS], DB_VALUES(db_id(&email->id)), error);

	if (!rows)
		return false;
	g_ptr_array_set_size(email->recipients, 0);
	while (db_rows_next(rows))
		email_read_read_recipient(email, rows, 0);
	*histories_r = g_new0(struct store_event_history, email->recipients->len);
	if (store_event_newest(db, &email->id, *histories_r, email->recipients->len, error))
		return true;
	g_clear_pointer(histories_r, g_free);
	return false;
}

/* Reads the recipients and events of an email that has more than a few, instead of those read so
   far. */
static bool
email_read_read_again(struct db *db, struct store_email *email, struct shown *shown, GError **error)
{
	AUTO(db_rows) rows = db_select(
	    db, histories_sql, DB_VALUES(db_id(&email->id), db_int(STORE_EVENT_FEW + 1)), error);

	if (!rows)
		return false;
	g_ptr_array_set_size(email->recipients, 0);
	g_ptr_array_set_size(shown->events, 0);
	shown->is_all =
	    !db_rows_next(rows) || read_histories(email, shown->events, rows, 0, STORE_EVENT_FEW);
	return true;
}

struct store_email *
store_email_show(struct db *db, const struct db_prefetch *ahead, const struct base_id *workspace,
    const struct base_id *id, struct store_event_history **histories_r, GError **error)
{
	g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(store_event_destroy);
	struct shown shown = {events, false};
	AUTO(store_email) email = email_read_read_shown(db, ahead, workspace, id, &shown, error);

	if (!email || !email_read_read_shared(db, email, error) ||
	    (!shown.is_all && !email_read_read_again(db, email, &shown, error)))
		return NULL;
	if (!shown.is_all)
		return read_many(db, email, histories_r, error) ? g_steal_pointer(&email) : NULL;
	*histories_r = g_new0(struct store_event_history, email->recipients->len);
	store_event_share(events, *histories_r, email->recipients->len);
	return g_steal_pointer(&email);
}

bool
store_email_get_batch(struct db *db, const struct base_id *workspaces, const struct base_id *ids,
    guint count, struct store_email **emails_r, GError **error)
{
	struct reading reading = {db, ids, count, emails_r, 0, SMALL_BYTES};

	g_assert(count <= STORE_EMAIL_BATCH);
	return count == 0 || email_read_read_all(&reading, workspaces, error);
}

/* Reads all own contents again. */
static bool
read_own_again(const struct reading *reading, struct store_email *email, GError **error)
{
	AUTO(db_rows)
	rows = db_select(reading->db, own_sql, DB_VALUES(db_id(&email->id)), error);

	if (!rows)
		return false;
	return db_rows_next(rows)
		   ? email_read_read_own(reading, email, rows, DB_ROWS_ONLY, error)
		   : base_fail(error, PH_ERROR_FAILED, "the contents of an email are missing");
}

bool
store_email_read_contents(struct db *db, struct store_email *email, GError **error)
{
	struct reading reading = {db, &email->id, 1, &email, PART_LAST, -1};
	struct db_value values[STORE_EMAIL_BATCH + 2];
	struct db_query parts = query(&reading, READ_PARTS, NULL, values);
	bool has_own = false, has_all = true;

	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];

		has_own = has_own || part->body.is_own;
		has_all = has_all && part->body.data;
	}
	if (has_all)
		return true;
	g_ptr_array_set_size(email->parts, 0);
	if (has_own && !read_own_again(&reading, email, error))
		return false;
	AUTO(db_rows) rows = db_select(db, parts.sql, parts.values, parts.count, error);
	return rows && email_read_read_parts(&reading, rows, error);
}

void
store_email_forget_contents(struct store_email *email)
{
	for (guint i = 0; i < email->parts->len; i++)
		g_clear_pointer(
		    &((struct store_email_part *)email->parts->pdata[i])->body.data, g_bytes_unref);
}

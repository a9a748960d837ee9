/* SPDX-License-Identifier: MIT */
/* Makes the parts of broadcasts, and reads them with their people. */
#include "store/broadcast/part.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "db/connection.h"
#include "db/statement.h"
#include "store/broadcast/people.h"
#include "store/email/email.h"
#include "store/outbox/key.h"
#include "store/person/audience.h"
#include "store/webhook/enqueue.h"

enum {
	TURNS,
	NEXT,
	UNDER_WAY,
	SCORES,
	COPY,
	COPY_PARTS,
	ADD_RECIPIENT,
	ADD_PART,
	TAKE,
	TAKE_MANY,
	SKIP,
	COUNT,
	READ,
	READERS
};
/* By checked ids: TAKE, TAKE_MANY, SKIP. The caller has locked the broadcast of the
   workspace. */
/* By checked ids: READERS. The statement before has read the part of the workspace. */
static const char *const sql[] = {
    [TURNS] = "SELECT r.person_id, p.email FROM broadcast_recipient r FORCE INDEX (queue)"
	      " LEFT JOIN person p ON p.id = r.person_id AND p.workspace_id = r.workspace_id"
	      " WHERE r.broadcast_id = ? AND r.queue = ? AND r.due <= ?"
	      " AND r.workspace_id = ? ORDER BY r.due, r.person_id LIMIT ?",
    [NEXT] = "SELECT MIN(due) FROM broadcast_recipient FORCE INDEX (queue)"
	     " WHERE broadcast_id = ? AND queue = ? AND workspace_id = ?",
    [UNDER_WAY] = "SELECT EXISTS (SELECT 1 FROM broadcast_part t FORCE INDEX (broadcast)"
		  " STRAIGHT_JOIN outbox o " STORE_OUTBOX_OF_EMAIL " ON o.email_id = t.email_id"
		  " WHERE t.broadcast_id = ? AND t.workspace_id = ? AND o.attempts = 0)",
    [SCORES] = "SELECT variant, COUNT(*), SUM(opened_at > 0), SUM(clicked_at > 0)"
	       " FROM broadcast_recipient FORCE INDEX (PRIMARY)"
	       " WHERE broadcast_id = ? AND workspace_id = ? AND status = " FATE_SENT_SQL
	       " GROUP BY variant",
    [COPY] = "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, reply_to,"
	     " subject, template_id, variables, headers, tags, created, tracking, topic_id,"
	     " counted_tags)"
	     " SELECT ?, e.workspace_id, e.domain_id, " EMAIL_BROADCAST_SQL
	     ", e.sender, '', e.reply_to, e.subject,"
	     " e.template_id, e.variables, e.headers, e.tags, ?, e.tracking, e.topic_id,"
	     " e.counted_tags"
	     " FROM broadcast_model m JOIN email e ON e.id = m.email_id"
	     " AND e.workspace_id = m.workspace_id"
	     " WHERE m.broadcast_id = ? AND m.variant = ?",
    [COPY_PARTS] = "INSERT INTO email_part (email_id, number, workspace_id, role, filename,"
		   " content_type, content_id, body) SELECT ?, p.number, p.workspace_id, p.role,"
		   " p.filename, p.content_type, p.content_id, p.body"
		   " FROM broadcast_model m JOIN email_part p ON p.email_id = m.email_id"
		   " WHERE m.broadcast_id = ? AND m.variant = ?",
    [ADD_RECIPIENT] = "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
		      " VALUES (?, ?, ?, " RECIPIENT_TO_SQL ", ?)",
    [ADD_PART] = "INSERT INTO broadcast_part (email_id, broadcast_id, workspace_id, variant,"
		 " people) VALUES (?, ?, ?, ?, ?)",
    [TAKE] = "UPDATE broadcast_recipient SET queue = NULL, variant = ?, email_id = ?, number = ?"
	     " WHERE broadcast_id = ? AND person_id = ?",
    [TAKE_MANY] = "UPDATE broadcast_recipient FORCE INDEX (PRIMARY) SET queue = NULL, variant = ?,"
		  " email_id = ?, number = CASE person_id" DB_WHEN_25 " END"
		  " WHERE broadcast_id = ? AND person_id IN (" DB_MARKS_25 ")",
    [SKIP] =
	"UPDATE broadcast_recipient SET queue = NULL, status = " FATE_SKIPPED_SQL ", reason = ?"
	" WHERE broadcast_id = ? AND person_id = ?",
    [COUNT] = "INSERT INTO broadcast_counter (broadcast_id, variant, stripe, workspace_id, taken,"
	      " skipped) VALUES (?, ?, ?, ?, ?, ?)"
	      " ON DUPLICATE KEY UPDATE taken = taken + VALUES(taken),"
	      " skipped = skipped + VALUES(skipped)",
    [READ] = "SELECT t.broadcast_id, t.variant, t.people, b.status, b.topic_id,"
	     " COALESCE(a.id, t.broadcast_id), COALESCE(a.name, " BROADCAST_NAME "),"
	     " JSON_QUERY(b.brief, '$.utm'),"
	     " IF(JSON_CONTAINS_PATH(b.brief, 'one', '$.hours', '$.ignore_cap', '$.priority'),"
	     " JSON_OBJECT('hours', JSON_EXTRACT(b.brief, '$.hours'),"
	     " 'ignore_cap', JSON_EXTRACT(b.brief, '$.ignore_cap'),"
	     " 'priority', JSON_EXTRACT(b.brief, '$.priority')), NULL)"
	     " FROM broadcast_part t LEFT JOIN broadcast b ON b.id = t.broadcast_id"
	     " AND b.workspace_id = t.workspace_id AND b.status <> " BROADCAST_REMOVED_SQL
	     " LEFT JOIN audience a"
	     " ON a.id = UNHEX(REPLACE(JSON_VALUE(b.brief, '$.audiences[0]'), '-', ''))"
	     " AND a.workspace_id = t.workspace_id WHERE t.email_id = ? AND t.workspace_id = ?",
    [READERS] =
	"SELECT " BROADCAST_PERSON_COLUMNS
	", n.number, p.email, p.first_name, p.last_name, p.language, p.properties,"
	" p.created, r.due, r.marks & " MARK_SEGMENT_SQL " FROM JSON_TABLE(?, '$[*]' COLUMNS"
	" (number INT PATH '$[0]', id CHAR(32) PATH '$[1]')) n"
	" STRAIGHT_JOIN person p FORCE INDEX (PRIMARY) ON p.id = UNHEX(n.id)"
	" STRAIGHT_JOIN broadcast_recipient r FORCE INDEX (PRIMARY)"
	" ON r.broadcast_id = ? AND r.person_id = p.id",
};

#define RECIPIENT_COLUMNS 4
#define TAKE_ROWS 25 /* TAKE_MANY takes so many */

/* The columns of TURNS. */
enum { TURN_PERSON, TURN_EMAIL };

void
store_broadcast_turn_free(struct store_broadcast_turn *turn)
{
	g_free(turn->email);
	g_free(turn);
}

GPtrArray *
store_broadcast_turns(struct db *db, const struct store_broadcast *broadcast, int queue, gint64 now,
    guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[TURNS],
	    DB_VALUES(db_id(&broadcast->id), db_int(queue), db_int(now),
		db_id(&broadcast->workspace_id), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *turns = g_ptr_array_new_with_free_func(store_broadcast_turn_destroy);
	while (db_rows_next(rows)) {
		struct store_broadcast_turn *turn = g_new0(struct store_broadcast_turn, 1);

		db_rows_id(rows, TURN_PERSON, &turn->person_id);
		turn->email = g_strdup(db_rows_text(rows, TURN_EMAIL));
		g_ptr_array_add(turns, turn);
	}
	return turns;
}

bool
store_broadcast_next(struct db *db, const struct store_broadcast *broadcast, int queue,
    gint64 *due_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[NEXT],
	    DB_VALUES(db_id(&broadcast->id), db_int(queue), db_id(&broadcast->workspace_id)),
	    error);

	if (!rows)
		return false;
	*due_r = db_rows_next(rows) ? db_rows_int(rows, DB_ROWS_ONLY) : 0;
	return true;
}

bool
store_broadcast_is_under_way(
    struct db *db, const struct store_broadcast *broadcast, bool *is_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[UNDER_WAY],
	    DB_VALUES(db_id(&broadcast->id), db_id(&broadcast->workspace_id)), error);

	if (!rows)
		return false;
	*is_r = db_rows_next(rows) && db_rows_int(rows, DB_ROWS_ONLY) != 0;
	return true;
}

/* The columns of SCORES. */
enum { SCORE_VARIANT, SCORE_SENT, SCORE_OPENED, SCORE_CLICKED };

bool
store_broadcast_scores(struct db *db, const struct store_broadcast *broadcast,
    struct store_broadcast_score *scores_r, guint count, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[SCORES],
	    DB_VALUES(db_id(&broadcast->id), db_id(&broadcast->workspace_id)), error);

	if (!rows)
		return false;
	base_array_clear(scores_r, count, sizeof(*scores_r));
	while (db_rows_next(rows)) {
		gint64 variant = db_rows_int(rows, SCORE_VARIANT);

		if (variant < count)
			scores_r[variant] =
			    (struct store_broadcast_score){db_rows_int(rows, SCORE_SENT),
				db_rows_int(rows, SCORE_OPENED), db_rows_int(rows, SCORE_CLICKED)};
	}
	return true;
}

static bool
count_turns(struct db *db, const struct store_broadcast *broadcast, int variant, guint taken,
    guint skipped, GError **error)
{
	return db_defer(db, sql[COUNT],
	    DB_VALUES(db_id(&broadcast->id), db_int(variant), db_int(store_audience_stripe(db)),
		db_id(&broadcast->workspace_id), db_int(taken), db_int(skipped)),
	    1, error);
}

static bool
part_add_recipients(struct db *db, const struct store_broadcast_making *making, GError **error)
{
	g_autofree struct db_value *values =
	    g_new(struct db_value, (gsize)RECIPIENT_COLUMNS * making->count);

	for (guint i = 0; i < making->count; i++) {
		const struct db_value row[RECIPIENT_COLUMNS] = {db_id(&making->email_id), db_int(i),
		    db_id(&making->broadcast->workspace_id), db_text(making->addresses[i])};

		memcpy(values + (gsize)RECIPIENT_COLUMNS * i, row, sizeof(row));
	}
	return db_defer(db, sql[ADD_RECIPIENT], values, RECIPIENT_COLUMNS, making->count, error);
}

static bool
part_take_one(struct db *db, const struct store_broadcast_making *making, guint i, GError **error)
{
	return db_defer(db, sql[TAKE],
	    DB_VALUES(db_int(making->variant), db_id(&making->email_id), db_int(i),
		db_id(&making->broadcast->id), db_id(&making->people[i])),
	    1, error);
}

/* Takes people from number begin to end. The statement repeats the last one. */
static bool
take_some(struct db *db, const struct store_broadcast_making *making, guint begin, guint end,
    GError **error)
{
	struct db_value values[3 + 3 * TAKE_ROWS], *value = values;

	*value++ = db_int(making->variant);
	*value++ = db_id(&making->email_id);
	for (guint i = begin; i < begin + TAKE_ROWS; i++) {
		*value++ = db_id(&making->people[MIN(i, end - 1)]);
		*value++ = db_int(MIN(i, end - 1));
	}
	*value++ = db_id(&making->broadcast->id);
	for (guint i = begin; i < begin + TAKE_ROWS; i++)
		*value++ = db_id(&making->people[MIN(i, end - 1)]);
	return db_defer(db, sql[TAKE_MANY], values, G_N_ELEMENTS(values), 1, error);
}

static bool
part_take(struct db *db, const struct store_broadcast_making *making, GError **error)
{
	for (guint begin = 0; begin < making->count; begin += TAKE_ROWS) {
		guint end = MIN(begin + TAKE_ROWS, making->count);

		if (end - begin == 1 ? !part_take_one(db, making, begin, error)
				     : !take_some(db, making, begin, end, error))
			return false;
	}
	return true;
}

bool
store_broadcast_part_make(
    struct db *db, const struct store_broadcast_making *making, GError **error)
{
	const struct store_broadcast *b = making->broadcast;
	const struct db_value id = db_id(&making->email_id), broadcast = db_id(&b->id);

	return db_defer(db, sql[COPY],
		   DB_VALUES(id, db_int(making->created), broadcast, db_int(making->variant)), 1,
		   error) &&
	       db_defer(db, sql[COPY_PARTS], DB_VALUES(id, broadcast, db_int(making->variant)), 1,
		   error) &&
	       db_defer(db, sql[ADD_PART],
		   DB_VALUES(id, broadcast, db_id(&b->workspace_id), db_int(making->variant),
		       db_bytes(making->people, making->count * sizeof(*making->people))),
		   1, error) &&
	       part_add_recipients(db, making, error) && part_take(db, making, error) &&
	       count_turns(db, b, making->variant, making->count, 0, error);
}

bool
store_broadcast_part_skip(struct db *db, const struct store_broadcast *broadcast, int variant,
    const struct store_broadcast_skip *skips, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (!db_defer(db, sql[SKIP],
			DB_VALUES(db_int(skips[i].reason), db_id(&broadcast->id),
			    db_id(&skips[i].person_id)),
			1, error))
			return false;
	return count == 0 || count_turns(db, broadcast, variant, count, count, error);
}

static void
part_free_reader(void *data)
{
	struct store_broadcast_reader *reader = data;

	if (!reader)
		return;
	g_free(reader->email);
	g_free(reader->first_name);
	g_free(reader->last_name);
	g_free(reader->language);
	g_free(reader->time_zone);
	g_free(reader->properties);
	g_free(reader);
}

void
store_broadcast_part_free(struct store_broadcast_part *part)
{
	g_array_unref(part->people);
	g_ptr_array_unref(part->readers);
	g_free(part->list);
	g_free(part->utm);
	g_free(part->sending);
	g_free(part);
}

/* The columns of READ. */
enum {
	READ_BROADCAST,
	READ_VARIANT,
	READ_PEOPLE,
	READ_STATUS,
	READ_TOPIC,
	READ_LIST,
	READ_LIST_NAME,
	READ_UTM,
	READ_SENDING
};

static struct store_broadcast_part *
part_read_part(
    struct db_rows *rows, const struct base_id *workspace, struct store_broadcast *broadcast)
{
	struct store_broadcast_part *part = g_new0(struct store_broadcast_part, 1);
	gsize size;
	const void *people = db_rows_bytes(rows, READ_PEOPLE, &size);

	part->workspace_id = *workspace;
	db_rows_id(rows, READ_BROADCAST, &part->broadcast_id);
	part->variant = (int)db_rows_int(rows, READ_VARIANT);
	part->status = (enum store_broadcast_status)db_rows_int(rows, READ_STATUS);
	db_rows_id(rows, READ_LIST, &part->list_id);
	part->list = g_strdup(db_rows_text(rows, READ_LIST_NAME));
	part->utm = g_strdup(db_rows_text(rows, READ_UTM));
	part->sending = g_strdup(db_rows_text(rows, READ_SENDING));
	part->people = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	g_array_append_vals(part->people, people, (guint)(size / sizeof(struct base_id)));
	part->readers = g_ptr_array_new_with_free_func(part_free_reader);
	g_ptr_array_set_size(part->readers, (int)part->people->len);
	broadcast->workspace_id = *workspace;
	broadcast->id = part->broadcast_id;
	broadcast->has_topic = db_rows_id(rows, READ_TOPIC, &broadcast->topic_id);
	return part;
}

/* The columns of READERS behind those of the person. */
enum {
	READER_NUMBER = BROADCAST_PERSON_COUNT,
	READER_EMAIL,
	READER_FIRST_NAME,
	READER_LAST_NAME,
	READER_LANGUAGE,
	READER_PROPERTIES,
	READER_CREATED,
	READER_DUE,
	READER_NAMED
};

static struct store_broadcast_reader *
part_read_reader(struct db_rows *rows)
{
	struct store_broadcast_reader *reader = g_new0(struct store_broadcast_reader, 1);
	struct store_broadcast_person person;

	store_broadcast_person_read(rows, &person);
	reader->id = person.id;
	reader->reason =
	    store_broadcast_person_reason(&person, db_rows_int(rows, READER_NAMED) != 0);
	reader->time_zone = g_strdup(person.time_zone);
	reader->email = g_strdup(db_rows_text(rows, READER_EMAIL));
	reader->first_name = g_strdup(db_rows_text(rows, READER_FIRST_NAME));
	reader->last_name = g_strdup(db_rows_text(rows, READER_LAST_NAME));
	reader->language = g_strdup(db_rows_text(rows, READER_LANGUAGE));
	reader->properties = g_strdup(db_rows_text(rows, READER_PROPERTIES));
	reader->created = db_rows_int(rows, READER_CREATED);
	reader->due = db_rows_int(rows, READER_DUE);
	return reader;
}

static char *
print_numbers(const struct store_broadcast_part *part, const guint *numbers, guint count)
{
	GString *list = g_string_new("[");

	for (guint i = 0; i < count; i++) {
		if (numbers[i] >= part->people->len)
			continue;
		g_string_append_printf(list, "%s[%u,", list->len > 1 ? "," : "", numbers[i]);
		store_webhook_print_id(
		    list, &g_array_index(part->people, struct base_id, numbers[i]));
		g_string_append_c(list, ']');
	}
	g_string_append_c(list, ']');
	return g_string_free(list, FALSE);
}

static bool
read_readers(struct db *db, struct store_broadcast_part *part,
    const struct store_broadcast *broadcast, const guint *numbers, guint count, GError **error)
{
	g_autofree char *list = print_numbers(part, numbers, count);
	struct db_value values[BROADCAST_PERSON_VALUES + 2];

	store_broadcast_person_values(broadcast, values);
	values[BROADCAST_PERSON_VALUES] = db_text(list);
	values[BROADCAST_PERSON_VALUES + 1] = db_id(&broadcast->id);
	AUTO(db_rows) rows = db_select(db, sql[READERS], values, G_N_ELEMENTS(values), error);
	if (!rows)
		return false;
	while (db_rows_next(rows)) {
		gint64 number = db_rows_int(rows, READER_NUMBER);

		if (!part->readers->pdata[number])
			part->readers->pdata[number] = part_read_reader(rows);
	}
	return true;
}

struct store_broadcast_part *
store_broadcast_part_read(struct db *db, const struct base_id *workspace,
    const struct base_id *email, const guint *numbers, guint count, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[READ], DB_VALUES(db_id(email), db_id(workspace)), error);
	struct store_broadcast broadcast = {.has_topic = false};

	if (!rows)
		return NULL;
	if (!db_rows_next(rows)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "The broadcast is gone");
		return NULL;
	}
	AUTO(store_broadcast_part) part = part_read_part(rows, workspace, &broadcast);
	return read_readers(db, part, &broadcast, numbers, count, error) ? g_steal_pointer(&part)
									 : NULL;
}

/* SPDX-License-Identifier: MIT */
/* Stores and reads what people want of topics and audiences. */
#include "store/consent/choice_part.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "db/statement.h"
#include "db/transaction.h"

#define OF_PERSON " WHERE workspace_id = ? AND person = ?"
#define OF_TARGET OF_PERSON " AND target_id = ?"
/* The parts that the link of an email left, as far as they stand. */
#define OF_LINK                                                                                    \
	" FROM choice_undo u JOIN choice_part p ON p.workspace_id = u.workspace_id"                \
	" AND p.person = u.person AND p.target_id = u.target_id AND p.is_chosen = 0"               \
	" WHERE u.workspace_id = ? AND u.person = ? AND u.email_id = ? AND u.recipient = ?"        \
	" AND u.created >= ?"
#define ALONE                                                                                      \
	" AND NOT EXISTS (SELECT 1 FROM choice_undo o WHERE o.workspace_id = u.workspace_id"       \
	" AND o.person = u.person AND o.target_id = u.target_id"                                   \
	" AND (o.email_id <> u.email_id OR o.recipient <> u.recipient OR o.created < ?))"

enum {
	PUT,
	COPY,
	END,
	FORGET,
	END_UNDO,
	NOTE,
	NOTE_BESIDE,
	RESTORABLE,
	RETURN,
	RETURNS,
	OPT_IN,
	CHOSEN
};
static const char *const sql[] = {
    [PUT] = "INSERT INTO choice_part (workspace_id, person, target_id, is_topic, is_chosen, author,"
	    " created) VALUES (?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	    " is_chosen = VALUES(is_chosen), author = VALUES(author), created = VALUES(created)",
    /* From left to right. */
    [COPY] = "INSERT INTO choice_part (workspace_id, person, target_id, is_topic, is_chosen,"
	     " author, created) SELECT workspace_id, ?, target_id, is_topic, is_chosen, author, ?"
	     " FROM choice_part o" OF_PERSON " AND (is_chosen = 0 OR ?) ON DUPLICATE KEY UPDATE"
	     " choice_part.author = CASE WHEN VALUES(is_chosen) = choice_part.is_chosen"
	     " THEN LEAST(choice_part.author, VALUES(author))"
	     " WHEN VALUES(is_chosen) = 0 THEN VALUES(author) ELSE choice_part.author END,"
	     " choice_part.is_chosen = LEAST(choice_part.is_chosen, VALUES(is_chosen))",
    [END] = "DELETE FROM choice_part" OF_TARGET,
    [FORGET] =
	"DELETE FROM choice_part" OF_PERSON " AND is_topic = 1 AND (is_chosen = 1 OR author <> ?)",
    [END_UNDO] = "DELETE FROM choice_undo" OF_TARGET,
    [NOTE] = "INSERT INTO choice_undo (workspace_id, person, target_id, email_id, recipient,"
	     " created) VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE"
	     " created = VALUES(created)",
    [NOTE_BESIDE] = "INSERT INTO choice_undo (workspace_id, person, target_id, email_id, recipient,"
		    " created) SELECT DISTINCT workspace_id, person, target_id, ?, ?, ?"
		    " FROM choice_undo" OF_TARGET " ON DUPLICATE KEY UPDATE"
		    " created = VALUES(created)",
    [RESTORABLE] = "SELECT u.target_id, p.is_topic" OF_LINK ALONE,
    [RETURN] =
	"DELETE FROM choice_undo" OF_PERSON " AND email_id = ? AND recipient = ? AND created >= ?",
    [RETURNS] = "SELECT 1" OF_LINK ALONE " LIMIT 1",
    [OPT_IN] = "SELECT id FROM topic WHERE workspace_id = ? AND is_opt_in = 1",
    [CHOSEN] = "SELECT person, target_id, is_chosen FROM choice_part WHERE workspace_id = ?"
	       " AND person IN (" DB_MARKS_64 ") AND is_topic = 1",
};

/* The columns of RESTORABLE. */
enum { RESTORABLE_TARGET, RESTORABLE_IS_TOPIC };
/* The columns of CHOSEN. */
enum { CHOSEN_PERSON, CHOSEN_TOPIC, CHOSEN_IS_CHOSEN };

#define ROUND 64 /* the number of forms that CHOSEN takes */

bool
store_choice_part_put(struct db *db, const struct base_id *workspace, const char *address,
    const struct store_choice_part *part, GError **error)
{
	const struct store_choice_target *target = part->target;

	return db_defer(db, sql[PUT],
	    DB_VALUES(db_id(workspace), db_text(address), db_id(&target->id),
		db_int(target->is_topic), db_int(part->is_chosen), db_int(part->author),
		db_int(base_clock_now())),
	    1, error);
}

bool
store_choice_part_copy(struct db *db, const struct base_id *workspace, const char *from,
    const char *to, bool is_new, GError **error)
{
	return db_run(db, sql[COPY],
	    DB_VALUES(db_text(to), db_int(base_clock_now()), db_id(workspace), db_text(from),
		db_int(is_new)),
	    NULL, error);
}

bool
store_choice_part_end(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, const struct base_id *target, GError **error)
{
	for (guint i = 0; i <= key->count; i++)
		if (!db_defer(db, sql[END],
			DB_VALUES(db_id(workspace), store_choice_person(key, i), db_id(target)), 1,
			error))
			return false;
	return db_defer(db, sql[END_UNDO],
	    DB_VALUES(db_id(workspace), db_text(key->address), db_id(target)), 1, error);
}

bool
store_choice_part_forget(
    struct db *db, const struct base_id *workspace, const char *address, GError **error)
{
	return db_defer(db, sql[FORGET],
	    DB_VALUES(db_id(workspace), db_text(address), db_int(CONSENT_OF_PERSON)), 1, error);
}

/* Records that an operator ends a choice of the person's own. */
static bool
record_override(struct db *db, const struct store_choice *choice,
    const struct store_consent_change *change, GError **error)
{
	bool own = choice->all == CONSENT_OF_PERSON || choice->part == CONSENT_OF_PERSON;
	struct store_consent_change override = *change;

	override.kind = CONSENT_OVERRIDE;
	return !own || change->act->author != CONSENT_OF_OPERATOR ||
	       store_consent_record(db, &override, error);
}

bool
store_choice_end(struct db *db, const struct store_suppression_key *key,
    const struct store_choice *choice, const struct store_consent_change *change, GError **error)
{
	const struct store_consent_about *about = change->about;
	const struct store_consent_change all = {
	    change->workspace, change->person, CONSENT_SUBSCRIBED, NULL, change->act};

	if (choice->all && (!store_choice_lift(db, change->workspace, key, error) ||
			       !store_consent_record(db, &all, error)))
		return false;
	if (choice->part && !store_choice_part_end(db, change->workspace, key,
				about->topic ? about->topic : about->audience, error))
		return false;
	return record_override(db, choice, change, error);
}

bool
store_choice_part_note(struct db *db, const struct store_choice_use *use,
    const struct base_id *target, bool was_on, GError **error)
{
	const struct store_choice_link *link = use->link;
	gint64 now = base_clock_now();

	if (was_on)
		return db_defer(db, sql[NOTE],
		    DB_VALUES(db_id(use->workspace), db_text(use->address), db_id(target),
			db_id(&link->email_id), db_int(link->recipient), db_int(now)),
		    1, error);
	return db_defer(db, sql[NOTE_BESIDE],
	    DB_VALUES(db_id(&link->email_id), db_int(link->recipient), db_int(now),
		db_id(use->workspace), db_text(use->address), db_id(target)),
	    1, error);
}

GArray *
store_choice_part_return(struct db *db, const struct store_choice_use *use, GError **error)
{
	const struct db_value values[] = {db_id(use->workspace), db_text(use->address),
	    db_id(&use->link->email_id), db_int(use->link->recipient), db_int(use->since),
	    db_int(use->since)};
	AUTO(db_rows)
	rows = db_select(db, sql[RESTORABLE], values, G_N_ELEMENTS(values), error);
	g_autoptr(GArray) targets = g_array_new(FALSE, FALSE, sizeof(struct store_choice_target));

	if (!rows)
		return NULL;
	while (db_rows_next(rows)) {
		struct store_choice_target target = {
		    .is_topic = db_rows_int(rows, RESTORABLE_IS_TOPIC) != 0};

		db_rows_id(rows, RESTORABLE_TARGET, &target.id);
		g_array_append_val(targets, target);
	}
	if (!db_run(db, sql[RETURN], values, G_N_ELEMENTS(values) - 1, NULL, error))
		return NULL;
	return g_steal_pointer(&targets);
}

bool
store_choice_part_returns(
    struct db *db, const struct store_choice_use *use, bool *any_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[RETURNS],
	    DB_VALUES(db_id(use->workspace), db_text(use->address), db_id(&use->link->email_id),
		db_int(use->link->recipient), db_int(use->since), db_int(use->since)),
	    error);

	*any_r = rows && db_rows_next(rows);
	return rows != NULL;
}

/* People, and the topic for each of them, if any. */
struct topics {
	const struct base_id *workspace;
	const struct base_id *const *topics;
	guint count;	/* of topics */
	GArray *sought; /* of struct sought: the forms of those who have one */
};

/* A form of an address, and the place of its person. */
struct sought {
	struct db_value value;
	guint place;
};

static void
note_opt_in(struct db_rows *rows, const struct base_id *const *topics, guint count, bool *stopped)
{
	struct base_id topic;

	while (db_rows_next(rows)) {
		db_rows_id(rows, DB_ROWS_ONLY, &topic);
		for (guint i = 0; i < count; i++)
			if (topics[i] && base_id_equal(topics[i], &topic))
				stopped[i] = true;
	}
}

static void
note_chosen(struct db_rows *rows, const struct sought *sought, guint count,
    const struct base_id *const *topics, bool *stopped)
{
	struct base_id topic;
	gsize size;

	while (db_rows_next(rows)) {
		const void *person = db_rows_bytes(rows, CHOSEN_PERSON, &size);

		db_rows_id(rows, CHOSEN_TOPIC, &topic);
		for (guint i = 0; i < count; i++)
			if (topics[sought[i].place] &&
			    base_id_equal(topics[sought[i].place], &topic) &&
			    sought[i].value.size == size &&
			    memcmp(sought[i].value.data, person, size) == 0)
				stopped[sought[i].place] = db_rows_int(rows, CHOSEN_IS_CHOSEN) == 0;
	}
}

/* Reads the choices of the forms from a place on, as many as one statement takes; the first round,
   also the topics that have to be chosen. */
static bool
choice_part_look(
    struct db *db, const struct topics *topics, guint from, bool *stopped, GError **error)
{
	const struct sought *sought = &g_array_index(topics->sought, struct sought, from);
	guint count = MIN(ROUND, topics->sought->len - from);
	bool first = from == 0;
	struct db_value values[1 + ROUND];
	const struct db_query queries[] = {
	    {sql[CHOSEN], values, G_N_ELEMENTS(values)}, {sql[OPT_IN], values, 1}};
	guint query_count = first ? 2 : 1;
	struct db_rows *rows[2];

	values[0] = db_id(topics->workspace);
	for (guint i = 0; i < ROUND; i++)
		values[1 + i] = sought[MIN(i, count - 1)].value;
	if (!db_select_together(db, queries, query_count, rows, error))
		return false;
	if (first)
		note_opt_in(rows[1], topics->topics, topics->count, stopped);
	note_chosen(rows[0], sought, count, topics->topics, stopped);
	db_rows_free_all(rows, query_count);
	return true;
}

bool
store_choice_part_stopped(struct db *db, const struct store_suppression_people *people,
    const struct base_id *const *topics, bool *stopped_r, GError **error)
{
	g_autoptr(GArray) sought = g_array_new(FALSE, FALSE, sizeof(struct sought));
	const struct topics search = {people->workspace, topics, people->count, sought};

	base_array_clear(stopped_r, people->count, sizeof(*stopped_r));
	for (guint i = 0; i < people->count; i++)
		for (guint k = 0; topics[i] && k <= people->keys[i].count; k++) {
			const struct sought one = {store_choice_person(&people->keys[i], k), i};
			g_array_append_val(sought, one);
		}
	for (guint from = 0; from < sought->len; from += ROUND)
		if (!choice_part_look(db, &search, from, stopped_r, error))
			return false;
	return true;
}

/* SPDX-License-Identifier: MIT */
/* Creates, reads, changes and removes topics, and reads them as one person has them. */
#include "store/consent/topic.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/consent/choice.h"
#include "store/webhook/enqueue.h"

#define TOPIC_CHOICE_COLUMNS(FIRST, NEXT)                                                          \
	FIRST(id, "t.id")                                                                          \
	NEXT(name, "t.name")                                                                       \
	NEXT(description, "t.description")                                                         \
	NEXT(is_public, "t.is_public")                                                             \
	NEXT(is_opt_in, "t.is_opt_in")
#define TOPIC_COLUMNS(FIRST, NEXT)                                                                 \
	TOPIC_CHOICE_COLUMNS(FIRST, NEXT) NEXT(created, "t.created") NEXT(updated, "t.updated")
#define COLUMNS_OF_CHOICE DB_COLUMNS_SQL(TOPIC_CHOICE_COLUMNS)
#define ROWS "SELECT " DB_COLUMNS_SQL(TOPIC_COLUMNS) " FROM topic t WHERE "

enum { TURN, COUNT, CREATE, GET, CHANGE, REMOVE, REMOVE_CHOICES, REMOVE_RULES, CHOICES };
/* By checked ids: REMOVE_CHOICES. The topic was of the workspace. */
static const char *const sql[] = {
    [TURN] = "UPDATE workspace SET turn = turn + 1 WHERE id = ?",
    [COUNT] = "SELECT COUNT(*) FROM topic WHERE workspace_id = ?",
    [CREATE] = "INSERT INTO topic (id, workspace_id, name, description, is_public, is_opt_in,"
	       " created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [GET] = ROWS "t.id = ? AND t.workspace_id = ?",
    [CHANGE] = "UPDATE topic SET name = ?, description = ?, is_public = ?, updated = ?"
	       " WHERE id = ? AND workspace_id = ?",
    [REMOVE] = "DELETE FROM topic WHERE id = ? AND workspace_id = ?",
    [REMOVE_CHOICES] = "DELETE FROM choice_part WHERE target_id = ?",
    [REMOVE_RULES] = "DELETE FROM sending_rule WHERE topic_id = ? AND workspace_id = ?",
    [CHOICES] = "SELECT " COLUMNS_OF_CHOICE ", MIN(p.is_chosen)"
		" FROM topic t LEFT JOIN choice_part p ON p.workspace_id = t.workspace_id"
		" AND p.person IN (?, ?, ?, ?) AND p.target_id = t.id"
		" WHERE t.workspace_id = ? GROUP BY t.id ORDER BY t.id DESC",
};

/* The column of CHOICES behind those of a topic. */
enum { CHOICES_IS_CHOSEN = DB_COLUMNS_END(TOPIC_CHOICE_COLUMNS) };

DB_COLUMNS_READER(topic_read_choice, struct store_topic, TOPIC_CHOICE_COLUMNS)
STORE_LISTING_READER(topic_read_row, struct store_topic, TOPIC_COLUMNS)

static void
topic_clear(struct store_topic *topic)
{
	g_free(topic->name);
	g_free(topic->description);
}

void
store_topic_free(struct store_topic *topic)
{
	topic_clear(topic);
	g_free(topic);
}

bool
store_topic_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Topic not found");
}

/* Reserves room for a topic until the transaction ends. */
static bool
topic_hold(struct db *db, const struct base_id *workspace, GError **error)
{
	if (!db_run(db, sql[TURN], DB_VALUES(db_id(workspace)), NULL, error))
		return false;
	AUTO(db_rows) rows = db_select(db, sql[COUNT], DB_VALUES(db_id(workspace)), error);
	if (!rows || !db_rows_next(rows))
		return false;
	if (db_rows_int(rows, DB_ROWS_ONLY) < LIMIT_TOPICS)
		return true;
	g_set_error(
	    error, PH_ERROR, PH_ERROR_CONFLICT, "Limit reached: at most %d topics", LIMIT_TOPICS);
	return false;
}

static bool
topic_create(struct db *db, void *context, GError **error)
{
	const struct store_topic *t = context;

	return topic_hold(db, &t->workspace_id, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(&t->id), db_id(&t->workspace_id), db_text(t->name),
		       db_text(t->description), db_int(t->is_public), db_int(t->is_opt_in),
		       db_int(t->created), db_int(t->updated)),
		   NULL, error) &&
	       store_webhook_enqueue_topic(
		   db, &t->workspace_id, &t->id, WEBHOOK_TOPIC_CREATED, error);
}

bool
store_topic_create(struct db *db, struct store_topic *topic, GError **error)
{
	topic->id = base_id_new();
	topic->created = topic->updated = base_clock_now();
	return db_transact(db, topic_create, topic, error);
}

struct store_topic *
store_topic_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, sql[GET], DB_VALUES(db_id(id), db_id(workspace)), error), workspace,
	    topic_read_row, store_topic_missing, error);
}

static bool
topic_change(struct db *db, void *context, GError **error)
{
	const struct store_topic *topic = context;
	guint64 affected;

	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_text(topic->name), db_text(topic->description),
		       db_int(topic->is_public), db_int(topic->updated), db_id(&topic->id),
		       db_id(&topic->workspace_id)),
		   &affected, error) &&
	       (affected > 0 || store_topic_missing(error)) &&
	       store_webhook_enqueue_topic(
		   db, &topic->workspace_id, &topic->id, WEBHOOK_TOPIC_UPDATED, error);
}

bool
store_topic_change(struct db *db, struct store_topic *topic, GError **error)
{
	topic->updated = base_clock_now();
	return db_transact(db, topic_change, topic, error);
}

struct removal {
	const struct base_id *workspace, *id;
};

static bool
topic_remove_one(struct db *db, void *context, GError **error)
{
	const struct removal *removal = context;
	guint64 affected;

	return store_webhook_enqueue_topic(
		   db, removal->workspace, removal->id, WEBHOOK_TOPIC_DELETED, error) &&
	       db_run(db, sql[REMOVE], DB_VALUES(db_id(removal->id), db_id(removal->workspace)),
		   &affected, error) &&
	       (affected > 0 || store_topic_missing(error)) &&
	       db_run(db, sql[REMOVE_CHOICES], DB_VALUES(db_id(removal->id)), NULL, error) &&
	       db_run(db, sql[REMOVE_RULES],
		   DB_VALUES(db_id(removal->id), db_id(removal->workspace)), NULL, error);
}

bool
store_topic_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	struct removal removal = {workspace, id};

	return db_transact(db, topic_remove_one, &removal, error);
}

STORE_LISTING(listing, topic_read_row, store_topic_destroy, ROWS "t.workspace_id = ?", "t.id");

GPtrArray *
store_topic_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

GPtrArray *
store_topic_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &listing, workspace, page, error);
}

static void
topic_free_choice(void *data)
{
	struct store_topic_choice *choice = data;

	topic_clear(&choice->topic);
	g_free(choice);
}

GPtrArray *
store_topic_choices(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error)
{
	struct db_value values[CHOICE_PEOPLE + 1];

	for (guint i = 0; i < CHOICE_PEOPLE; i++)
		values[i] = store_choice_person(key, MIN(i, key->count));
	values[CHOICE_PEOPLE] = db_id(workspace);
	AUTO(db_rows) rows = db_select(db, sql[CHOICES], values, G_N_ELEMENTS(values), error);
	if (!rows)
		return NULL;
	GPtrArray *choices = g_ptr_array_new_with_free_func(topic_free_choice);
	while (db_rows_next(rows)) {
		struct store_topic_choice *choice = g_new0(struct store_topic_choice, 1);

		topic_read_choice(rows, 0, &choice->topic);
		choice->is_chosen = !db_rows_is_null(rows, CHOICES_IS_CHOSEN);
		choice->is_subscribed = choice->is_chosen
					    ? db_rows_int(rows, CHOICES_IS_CHOSEN) != 0
					    : !choice->topic.is_opt_in;
		g_ptr_array_add(choices, choice);
	}
	return choices;
}

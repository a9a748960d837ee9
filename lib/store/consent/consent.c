/* SPDX-License-Identifier: MIT */
/* Writes and reads the history of consent. */
#include "store/consent/consent.h"

#include "base/clock.h"
#include "db/columns.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/own.h"
#include "store/common/listing.h"
#include "store/webhook/enqueue.h"

/* A joining that waits for its confirmation is recorded when it is made: within this time. */
#define JOINING_MS 60000
#define IS_RECORDED                                                                                \
	"workspace_id = ? AND person = ? AND kind = " CONSENT_PENDING_SQL                          \
	" AND audience_id = ? AND created >= ?"                                                    \
	" AND created <= ?"

#define CONSENT_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(id, "c.id")                                                                          \
	NEXT(created, "c.created")                                                                 \
	NEXT(kind, "c.kind")                                                                       \
	NEXT(source, "c.source")                                                                   \
	NEXT(author, "c.author")                                                                   \
	NEXT(audience, "c.audience_id", has_audience)                                              \
	NEXT(topic, "c.topic_id", has_topic)                                                       \
	NEXT(email, "c.email_id", has_email)                                                       \
	NEXT(form, "c.form_id", has_form)                                                          \
	NEXT(reason, "c.reason")                                                                   \
	NEXT(ip, "c.ip")                                                                           \
	NEXT(user_agent, "c.user_agent")                                                           \
	NEXT(broadcast, "b.broadcast_id", has_broadcast)                                           \
	NEXT(workflow, "x.workflow_id", has_workflow)                                              \
	NEXT(user, "c.user_id", has_user)                                                          \
	NEXT(key, "c.key_id", has_key)                                                             \
	NEXT(user_name, "u.email")                                                                 \
	NEXT(key_name, "k.name")
#define COLUMNS DB_COLUMNS_SQL(CONSENT_COLUMNS)

enum { RECORD, RECORD_JOINING, IS_PENDING, LIST, ERASE };
static const char *const sql[] = {
    [RECORD] = "INSERT INTO consent (id, workspace_id, person, kind, user_id, key_id, reason,"
	       " contact_id, email_id, created, source, author, audience_id, topic_id, form_id, ip,"
	       " user_agent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [RECORD_JOINING] =
	"INSERT INTO consent (id, workspace_id, person, kind, user_id, key_id, reason,"
	" contact_id, email_id, created, source, author, audience_id, topic_id, form_id, ip,"
	" user_agent) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM DUAL"
	" WHERE NOT EXISTS (SELECT 1 FROM consent WHERE " IS_RECORDED ")",
    [IS_PENDING] = "SELECT 1 FROM consent WHERE " IS_RECORDED " LIMIT 1",
    [LIST] =
	"SELECT " COLUMNS " FROM consent c LEFT JOIN broadcast_part b ON b.email_id = c.email_id"
	" LEFT JOIN execution_email x ON x.email_id = c.email_id"
	" LEFT JOIN user u ON u.workspace_id = c.workspace_id AND u.id = c.user_id"
	" LEFT JOIN api_key k ON k.workspace_id = c.workspace_id AND k.id = c.key_id"
	" WHERE c.workspace_id = ? AND c.person = ? AND c.id < ? ORDER BY c.id DESC LIMIT ?",
    [ERASE] = "DELETE FROM consent WHERE workspace_id = ? AND person = ?",
};

const char *const store_consent_kinds[] = {"unsubscribed", "subscribed", "override", "joined",
    "pending", "confirmed", "left", "removed", "topic_joined", "topic_left", "snoozed", "unsnoozed",
    NULL};

#define RECORD_VALUES 17
#define RECORDED_VALUES 5

/* Records a change of a time, epoch ms; joining: unless it was recorded as one that waits for its
   confirmation. */
static bool
consent_record(
    struct db *db, const struct store_consent_change *c, gint64 time, bool joining, GError **error)
{
	static const struct store_consent_about all = {0};
	const struct store_consent_about *about = c->about ? c->about : &all;
	const struct store_consent_act *act = c->act;
	struct base_id id = joining ? base_id_at(time) : base_id_new();

	return db_defer(db, sql[joining ? RECORD_JOINING : RECORD],
	    (const struct db_value[]){db_id(&id), db_id(c->workspace), db_text(c->person),
		db_int(c->kind), db_id(act->user), db_id(act->key), db_text(act->reason),
		db_id(about->contact), db_id(act->email), db_int(time), db_int(act->source),
		db_int(act->author), db_id(about->audience), db_id(about->topic), db_id(act->form),
		db_text(act->ip), db_text(act->user_agent), db_id(c->workspace), db_text(c->person),
		db_id(about->audience), db_int(time), db_int(time + JOINING_MS)},
	    RECORD_VALUES + (joining ? RECORDED_VALUES : 0), 1, error);
}

bool
store_consent_is_pending(struct db *db, const struct base_id *workspace,
    const struct store_consent_joining *joining, bool *is_r, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[IS_PENDING],
	    DB_VALUES(db_id(workspace), db_text(joining->person), db_id(joining->audience),
		db_int(joining->time), db_int(joining->time + JOINING_MS)),
	    error);

	*is_r = rows && db_rows_next(rows);
	return rows != NULL;
}

bool
store_consent_record(struct db *db, const struct store_consent_change *change, GError **error)
{
	const struct store_consent_turn turn = {
	    change->kind == CONSENT_TOPIC_JOINED, change->act->author, change->act->source};

	if (!consent_record(db, change, base_clock_now(), false, error))
		return false;
	if (!turn.subscribed && change->kind != CONSENT_TOPIC_LEFT)
		return true;
	return store_webhook_enqueue_choice(db, change->workspace, change->person,
		   change->about->topic, turn.subscribed, error) &&
	       store_own_topic(
		   db, change->workspace, change->person, change->about->topic, &turn, error);
}

enum store_consent_author
store_consent_author_of(int source)
{
	return source == CONSENT_BY_EVENT ? CONSENT_OF_SYSTEM
	       : source >= CONSENT_BY_FORM && source <= CONSENT_BY_CONFIRMATION
		   ? CONSENT_OF_PERSON
		   : CONSENT_OF_OPERATOR;
}

bool
store_consent_record_removal(struct db *db, const struct store_consent_change *change,
    const struct store_consent_join *join, GError **error)
{
	const struct store_consent_act joining = {.source = (enum store_consent_source)join->source,
	    .author = store_consent_author_of(join->source)};
	struct store_consent_change joined = *change, removed = *change;

	joined.kind = join->pending ? CONSENT_PENDING : CONSENT_JOINED;
	joined.act = &joining;
	removed.kind = CONSENT_REMOVED;
	return consent_record(db, &joined, join->created, true, error) &&
	       store_consent_record(db, &removed, error);
}

/* Completes a row from before source and author were kept: only an override was an operator's. */
static void
consent_complete(struct store_consent *consent, bool has_key)
{
	bool override = consent->kind == CONSENT_OVERRIDE;

	if (consent->kind > CONSENT_OVERRIDE)
		return;
	if (consent->author == 0)
		consent->author = override ? CONSENT_OF_OPERATOR : CONSENT_OF_PERSON;
	if (consent->source == 0)
		consent->source = !override ? CONSENT_BY_PAGE
				  : has_key ? CONSENT_BY_API
					    : CONSENT_BY_CLI;
}

DB_COLUMNS_MAKER(consent_make, struct store_consent, CONSENT_COLUMNS)

static struct store_consent *
consent_read_row(const struct db_rows *rows)
{
	struct store_consent *consent = consent_make(rows);

	consent_complete(consent, consent->has_key);
	return consent;
}

void
store_consent_free(struct store_consent *consent)
{
	g_free(consent->reason);
	g_free(consent->ip);
	g_free(consent->user_agent);
	g_free(consent->user_name);
	g_free(consent->key_name);
	g_free(consent);
}

GPtrArray *
store_consent_list(struct db *db, const struct base_id *workspace, const char *person,
    const struct base_id *before, guint limit, GError **error)
{
	AUTO(db_rows)
	rows = db_select(db, sql[LIST],
	    DB_VALUES(
		db_id(workspace), db_text(person), store_listing_before(before), db_int(limit)),
	    error);

	if (!rows)
		return NULL;
	GPtrArray *list = g_ptr_array_new_with_free_func(store_consent_destroy);
	while (db_rows_next(rows))
		g_ptr_array_add(list, consent_read_row(rows));
	return list;
}

bool
store_consent_erase(
    struct db *db, const struct base_id *workspace, const char *person, GError **error)
{
	return db_run(db, sql[ERASE], DB_VALUES(db_id(workspace), db_text(person)), NULL, error);
}

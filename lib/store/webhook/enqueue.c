/* SPDX-License-Identifier: MIT */
/* Writes the deliveries of events. */
#include "store/webhook/enqueue.h"

#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/automation/execution.h"
#include "store/automation/own.h"
#include "store/consent/act.h"
#include "store/consent/suppression.h"
#include "store/webhook/delivery.h"

/* Executions, at most MANY at a time. */
#define MANY 20
#define BY_ID "execution x", "x.id IN (" DB_MARKS_20 ")"
#define BY_ONE_ID "execution x", "x.id = ?"
#define OF_CONTACT "execution x FORCE INDEX (contact_status)"
/* One that a start has begun may wait already. */
#define STARTED                                                                                    \
	OF_CONTACT, "x.contact_id = ? AND x.status IN (" EXECUTION_IN_PROGRESS_SQL                 \
		    ", " EXECUTION_WAITING_SQL ") AND x.event_id = ?"
#define DELETED                                                                                    \
	OF_CONTACT, "x.contact_id = ? AND x.status = " EXECUTION_CANCELLED_SQL                     \
		    " AND x.cancellation = " CANCELLATION_CONTACT_DELETED_SQL

/* The id of an execution's event: the time of an id that is new for each call, and random digits of
   the execution's id. */
#define EXECUTION_EVENT_ID "CONCAT(LEFT(?, 9), RIGHT(x.id, 7))"
/* enum store_webhook_type of each status of an execution. */
#define EXECUTION_TYPE "ELT(x.status, 20, 20, 21, 22, 21)"
G_STATIC_ASSERT(WEBHOOK_EXECUTION_STARTED == 20 && WEBHOOK_EXECUTION_FINISHED == 21 &&
		WEBHOOK_EXECUTION_FAILED == 22);
G_STATIC_ASSERT(WEBHOOK_CONTACT_CREATED == 13);

/* Values: a new id, the address of a contact that may not be stored yet, or NULL, the words
   of the statuses, those of where. */
#define EXECUTION_EVENTS(executions, where)                                                        \
	WEBHOOK_EVENT EXECUTION_EVENT_ID                                                           \
	    ", x.workspace_id, COALESCE(x.completed, x.created), " EXECUTION_TYPE                  \
	    ", COALESCE(?, (SELECT c.address FROM person c"                                        \
	    " WHERE c.id = x.contact_id)),"                                                        \
	    " JSON_OBJECT('execution_id', " WEBHOOK_UUID("x.id") ", 'workflow_id', " WEBHOOK_UUID( \
		"x.workflow_id") ", 'version_used', x.version, 'email', x.email,"                  \
				 " 'status', ELT(x.status, ?, ?, ?, ?, ?), 'error',"               \
				 " JSON_COMPACT(IF(x.status = " EXECUTION_FAILED_SQL               \
				 ", JSON_OBJECT('step_id',"                                        \
				 " x.error_step, 'message', x.error_message), NULL)),"             \
				 " 'created_at', x.created, 'completed_at', x.completed)"          \
				 " FROM " executions " WHERE " where " AND EXISTS"                 \
				 " (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(                \
				     "x.workspace_id", EXECUTION_TYPE) ")"
/* Values: now, the same new id, those of where. */
#define EXECUTION_DELIVERIES(executions, where)                                                    \
	WEBHOOK_DELIVERIES_OF(                                                                     \
	    executions " STRAIGHT_JOIN webhook_event v ON v.id = " EXECUTION_EVENT_ID)             \
	" WHERE " where
/* Both, for a macro that stands for two arguments. */
#define EVENTS_OF(source) EXECUTION_EVENTS(source)
#define DELIVERIES_OF(source) EXECUTION_DELIVERIES(source)

enum {
	RECIPIENTS,
	EMAIL,
	CONTACT,
	CREATED,
	PERSON,
	DOMAIN,
	DOMAIN_ROW,
	SUPPRESSED,
	UNSUPPRESSED,
	TOPIC,
	RECEIVED,
	CHOICE,
	DELIVERIES,
	TEST,
	TEST_DELIVERY,
	ENDED_ONE,
	ENDED_ONE_DELIVERIES,
	ENDED,
	ENDED_DELIVERIES,
	STARTED_EVENTS,
	STARTED_DELIVERIES,
	DELETED_EVENTS,
	DELETED_DELIVERIES
};
static const char *const sql[] = {
    /* The webhooks come first: where there is none, the events are not read. */
    [RECIPIENTS] =
	"INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type, email_id,"
	" recipient, created, status, attempts, next_attempt) SELECT w.id, " WEBHOOK_DELIVERY_ID(
	    "UNHEX(t.event)", "w.id") ", w.workspace_id, UNHEX(t.event), t.type, UNHEX(t.email),"
				      " t.recipient, t.created, 1, 0, ?"
				      " FROM webhook w FORCE INDEX (workspace)"
				      " STRAIGHT_JOIN JSON_TABLE(?, '$[*]' COLUMNS (event CHAR(32)"
				      " PATH '$[0]', email CHAR(32) PATH '$[1]', type INT PATH"
				      " '$[2]', created BIGINT PATH '$[3]', recipient INT PATH"
				      " '$[4]')) t WHERE " WEBHOOK_WANTED("?", "t.type"),
    [EMAIL] =
	WEBHOOK_EVENT "?, e.workspace_id, ?, ?, e.id, COALESCE(e.scheduled_at, 'null')"
		      " FROM email e WHERE e.id = ? AND e.workspace_id = ? AND EXISTS"
		      " (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED("e.workspace_id", "?") ")",
    [CONTACT] = WEBHOOK_CONTACT_EVENT,
    /* The contacts are read only if a webhook wants events about them. */
    [CREATED] =
	"IF EXISTS (SELECT 1 FROM webhook w WHERE w.workspace_id = ? AND w.enabled"
	" AND w.events & (1 << 13 | 1 << 14)) THEN IF ? AND " OWN_IS_RENAMED
	" THEN " DB_REFUSE(OWN_RENAMED) " END IF; " WEBHOOK_CONTACT_EVENTS(
	    "c.id, c.workspace_id, c.created, 13", "'[]'", "c.id IN (" DB_MARKS_8 ")",
	    "13") "; " WEBHOOK_DELIVERIES_OF("contact c STRAIGHT_JOIN webhook_event v"
					     " ON v.id = c.id") " WHERE c.id IN (" DB_MARKS_8
								"); END IF",
    [PERSON] = WEBHOOK_EVENT
    "?, p.workspace_id, ?, ?, p.address, JSON_OBJECT('contact', JSON_OBJECT('id', " WEBHOOK_UUID(
	"p.id") ", 'first_name', p.first_name, 'last_name', p.last_name, 'email', p.email,"
		" 'is_subscribed', p.is_subscribed <> 0, 'created', p.created, 'updated',"
		" p.updated), 'audience_ids', JSON_COMPACT(COALESCE((SELECT "
		"JSON_ARRAYAGG(" WEBHOOK_UUID(
		    "c.audience_id") " ORDER BY c.id) FROM contact c WHERE c.workspace_id = "
				     "p.workspace_id"
				     " AND c.address = p.address), '[]'))) FROM person p FORCE "
				     "INDEX (address)"
				     " WHERE p.workspace_id = ? AND p.address = ?"
				     " AND (? = 0 OR (p.updated = ? AND p.created < p.updated))"
				     " AND EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
					 "p.workspace_id", "?") ")",
    [DOMAIN] = WEBHOOK_EVENT
    "?, d.workspace_id, ?, ?, NULL, JSON_OBJECT('domain', JSON_OBJECT('id', " WEBHOOK_UUID(
	"d.id") ", 'name', d.name, 'status', ?, 'error_type', ?), 'previous_status',"
		" ELT(d.status, ?, ?, ?, ?, ?)) FROM domain d WHERE d.id = ? AND d.status <> ?"
		" AND EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
		    "d.workspace_id", "?") ")",
    [DOMAIN_ROW] = WEBHOOK_EVENT
    "?, d.workspace_id, ?, ?, NULL, JSON_OBJECT('domain', JSON_OBJECT('id', " WEBHOOK_UUID(
	"d.id") ", 'name', d.name, 'status', ELT(d.status, ?, ?, ?, ?, ?), 'created', d.created,"
		" 'region', d.region)) FROM domain d WHERE d.workspace_id = ? AND d.id = ?"
		" AND EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
		    "d.workspace_id", "?") ")",
    /* An entry of a narrower scope keeps its id and its time. */
    [SUPPRESSED] = WEBHOOK_EVENT "?, ?, ?, ?, ?, JSON_OBJECT('id', " WEBHOOK_UUID(
	"COALESCE(s.id, ?)") ", 'email', COALESCE(s.email, ?), 'origin', ?, 'source_id', ?,"
			     " 'created', COALESCE(s.created, ?)) FROM (SELECT 1) one"
			     " LEFT JOIN suppression s ON s.workspace_id = ? AND s.address = ?"
			     " WHERE COALESCE(s.scope, 2) > 1 AND EXISTS"
			     " (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED("?", "?") ")",
    [UNSUPPRESSED] = WEBHOOK_EVENT "?, ?, ?, ?, ?, JSON_OBJECT('id', " WEBHOOK_UUID(
	"?") ", 'email', ?, 'origin', ?,"
	     " 'source_id', ?, 'created', ?)"
	     " FROM DUAL WHERE EXISTS"
	     " (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED("?", "?") ")",
    [TOPIC] = WEBHOOK_EVENT "?, t.workspace_id, ?, ?, NULL, JSON_OBJECT('id', " WEBHOOK_UUID(
	"t.id") ", 'name', t.name, 'description', NULLIF(t.description, ''),"
		" 'default_subscription', IF(t.is_opt_in, 'opt_out', 'opt_in'), 'created',"
		" t.created, 'updated', t.updated) FROM topic t WHERE t.workspace_id = ?"
		" AND t.id = ? AND EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
		    "t.workspace_id", "?") ")",
    /* In one statement, since most workspaces have no such webhook. */
    [RECEIVED] = "IF EXISTS (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED(
	"?", "?") ") THEN " WEBHOOK_EVENT "?, ?, ?, ?, ?, ?; " WEBHOOK_DELIVERIES "; END IF",
    [CHOICE] = WEBHOOK_EVENT
    "?, p.workspace_id, ?, ?, p.address, JSON_OBJECT('email', p.email,"
    " 'topics', JSON_ARRAY(JSON_OBJECT('id', " WEBHOOK_UUID(
	"?") ", 'subscription', ?))) FROM person p"
	     " WHERE p.workspace_id = ? AND p.address = ? AND EXISTS"
	     " (SELECT 1 FROM webhook w WHERE " WEBHOOK_WANTED("p.workspace_id", "?") ")",
    [DELIVERIES] = WEBHOOK_DELIVERIES,
    [TEST] = "INSERT INTO webhook_event (id, workspace_id, created, type, about, data)"
	     " VALUES (?, ?, ?, ?, NULL, ?)",
    [TEST_DELIVERY] = "INSERT INTO webhook_delivery (webhook_id, id, workspace_id, event_id, type,"
		      " created, status, attempts) VALUES (?, ?, ?, ?, ?, ?, 1, 0)",
    [ENDED_ONE] = EVENTS_OF(BY_ONE_ID),
    [ENDED_ONE_DELIVERIES] = DELIVERIES_OF(BY_ONE_ID),
    [ENDED] = EVENTS_OF(BY_ID),
    [ENDED_DELIVERIES] = DELIVERIES_OF(BY_ID),
    [STARTED_EVENTS] = EVENTS_OF(STARTED),
    [STARTED_DELIVERIES] = DELIVERIES_OF(STARTED),
    [DELETED_EVENTS] = EVENTS_OF(DELETED),
    [DELETED_DELIVERIES] = DELIVERIES_OF(DELETED),
};

void
store_webhook_print_id(GString *text, const struct base_id *id)
{
	static const char digits[] = "0123456789abcdef";

	g_string_append_c(text, '"');
	for (gsize i = 0; i < sizeof(id->bytes); i++) {
		g_string_append_c(text, digits[id->bytes[i] >> 4]);
		g_string_append_c(text, digits[id->bytes[i] & 15]);
	}
	g_string_append_c(text, '"');
}

/* Tells those of the events that are of one workspace. */
static bool
tell_workspace(struct db *db, const struct store_event *const *events, guint count,
    const struct base_id *workspace, GError **error)
{
	g_autoptr(GString) list = g_string_new("[");

	for (guint i = 0; i < count; i++) {
		const struct store_event *event = events[i];

		if (!base_id_equal(&event->workspace_id, workspace))
			continue;
		g_string_append(list, list->len > 1 ? ",[" : "[");
		store_webhook_print_id(list, &event->id);
		g_string_append_c(list, ',');
		store_webhook_print_id(list, &event->email_id);
		g_string_append_printf(list, ",%d,%" G_GINT64_FORMAT ",%u]", (int)event->status,
		    event->timestamp, event->recipient);
	}
	g_string_append_c(list, ']');
	return db_defer(db, sql[RECIPIENTS],
	    DB_VALUES(db_int(base_clock_now()), db_text(list->str), db_id(workspace)), 1, error);
}

/* Whether an earlier event is of the same workspace. */
static bool
is_repeated(const struct store_event *const *events, guint i)
{
	for (guint earlier = i; earlier > 0; earlier--)
		if (base_id_equal(&events[earlier - 1]->workspace_id, &events[i]->workspace_id))
			return true;
	return false;
}

bool
store_webhook_enqueue_events(
    struct db *db, const struct store_event *const *events, guint count, GError **error)
{
	for (guint i = 0; i < count; i++)
		if (!is_repeated(events, i) &&
		    !tell_workspace(db, events + i, count - i, &events[i]->workspace_id, error))
			return false;
	return true;
}

/* The deliveries of an event of webhook_event. */
static bool
enqueue_deliver(struct db *db, const struct base_id *event, GError **error)
{
	return db_defer(
	    db, sql[DELIVERIES], DB_VALUES(db_int(base_clock_now()), db_id(event)), 1, error);
}

bool
store_webhook_enqueue_email(struct db *db, const struct base_id *workspace,
    const struct base_id *email, enum store_webhook_type type, GError **error)
{
	struct base_id id = base_id_new();

	return db_defer(db, sql[EMAIL],
		   DB_VALUES(db_id(&id), db_int(base_clock_now()), db_int(type), db_id(email),
		       db_id(workspace), db_int(type)),
		   1, error) &&
	       enqueue_deliver(db, &id, error);
}

static char *
print_changed(guint changed)
{
	static const char *const names[] = {"email", "first_name", "last_name", "is_subscribed"};
	GString *list = g_string_new("[");

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (changed & (1u << i))
			g_string_append_printf(
			    list, "%s\"%s\"", list->len > 1 ? "," : "", names[i]);
	g_string_append_c(list, ']');
	return g_string_free(list, FALSE);
}

bool
store_webhook_enqueue_contact(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, enum store_webhook_type type, guint changed, GError **error)
{
	struct base_id id = base_id_new();
	g_autofree char *fields = print_changed(changed);

	return db_defer(db, sql[CONTACT],
		   DB_VALUES(db_id(&id), db_int(base_clock_now()), db_int(type), db_text(fields),
		       db_id(contact), db_id(workspace), db_int(type)),
		   1, error) &&
	       enqueue_deliver(db, &id, error);
}

bool
store_webhook_enqueue_subscribed(struct db *db, const struct base_id *workspace,
    const struct base_id *contact, const struct store_consent_turn *turn, GError **error)
{
	bool is_update = turn->subscribed || turn->author == CONSENT_OF_OPERATOR;

	return (!is_update ||
		   store_webhook_enqueue_contact(db, workspace, contact, WEBHOOK_CONTACT_UPDATED,
		       CHANGED_IS_SUBSCRIBED | turn->names, error)) &&
	       (turn->subscribed || store_webhook_enqueue_contact(db, workspace, contact,
					WEBHOOK_CONTACT_UNSUBSCRIBED, 0, error));
}

#define CONTACTS 8 /* that CREATED takes */

void
store_webhook_ask_created(const struct base_id *workspace, const struct base_id *contact,
    gint64 created, struct db_value values_r[WEBHOOK_CREATED_VALUES])
{
	const struct db_value type = db_int(WEBHOOK_CONTACT_CREATED);
	const struct db_value values[WEBHOOK_CREATED_VALUES] = {db_id(contact), db_int(created),
	    type, db_text("[]"), db_id(contact), db_id(workspace), type, db_int(created),
	    db_id(contact)};

	memcpy(values_r, values, sizeof(values));
}

bool
store_webhook_enqueue_created(struct db *db, const struct base_id *workspace,
    const struct base_id *const *contacts, guint count, bool refuses, GError **error)
{
	struct db_value values[2 + CONTACTS + 1 + CONTACTS + 2 + CONTACTS];
	struct db_value *told = values + 2 + CONTACTS + 1;

	values[0] = values[2 + CONTACTS] = told[CONTACTS] = db_id(workspace);
	values[1] = db_int(refuses);
	told[CONTACTS + 1] = db_int(base_clock_now());
	for (guint done = 0; done < count; done += CONTACTS) {
		/* The last statement repeats its last id. */
		for (guint i = 0; i < CONTACTS; i++)
			values[2 + i] = told[i] = told[CONTACTS + 2 + i] =
			    db_id(contacts[MIN(done + i, count - 1)]);
		if (!db_defer(db, sql[CREATED], values, G_N_ELEMENTS(values), 1, error))
			return false;
	}
	return true;
}

static enum store_webhook_type
enqueue_type_of(enum store_domain_status status)
{
	switch (status) {
	case DOMAIN_SUCCESS:
		return WEBHOOK_DOMAIN_VERIFIED;
	case DOMAIN_FAILED:
		return WEBHOOK_DOMAIN_FAILED;
	case DOMAIN_TEMPORARY_FAILURE:
		return WEBHOOK_DOMAIN_WARNING;
	default:
		return WEBHOOK_NONE;
	}
}

/* The words of statuses from the first on. */
static struct db_value
domain_word(enum store_domain_status status)
{
	return db_text(store_domain_status_name(status));
}

bool
store_webhook_enqueue_person(struct db *db, const struct base_id *workspace, const char *address,
    enum store_webhook_type type, gint64 updated, GError **error)
{
	struct base_id id = base_id_new();

	return db_defer(db, sql[PERSON],
		   DB_VALUES(db_id(&id), db_int(base_clock_now()), db_int(type), db_id(workspace),
		       db_text(address), db_int(updated), db_int(updated), db_int(type)),
		   1, error) &&
	       enqueue_deliver(db, &id, error);
}

bool
store_webhook_enqueue_domain(struct db *db, const struct base_id *domain,
    enum store_domain_status status, enum store_domain_error error_type, GError **error)
{
	enum store_webhook_type type = enqueue_type_of(status);
	struct base_id id = base_id_new();

	return type == WEBHOOK_NONE ||
	       (db_defer(db, sql[DOMAIN],
		    DB_VALUES(db_id(&id), db_int(base_clock_now()), db_int(type),
			domain_word(status), db_text(store_domain_error_name(error_type)),
			domain_word(DOMAIN_NOT_STARTED), domain_word(DOMAIN_PENDING),
			domain_word(DOMAIN_SUCCESS), domain_word(DOMAIN_FAILED),
			domain_word(DOMAIN_TEMPORARY_FAILURE), db_id(domain), db_int(status),
			db_int(type)),
		    1, error) &&
		   enqueue_deliver(db, &id, error));
}

bool
store_webhook_enqueue_domain_row(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, enum store_webhook_type type, GError **error)
{
	struct base_id id = base_id_new();

	return db_defer(db, sql[DOMAIN_ROW],
		   DB_VALUES(db_id(&id), db_int(base_clock_now()), db_int(type),
		       domain_word(DOMAIN_NOT_STARTED), domain_word(DOMAIN_PENDING),
		       domain_word(DOMAIN_SUCCESS), domain_word(DOMAIN_FAILED),
		       domain_word(DOMAIN_TEMPORARY_FAILURE), db_id(workspace), db_id(domain),
		       db_int(type)),
		   1, error) &&
	       enqueue_deliver(db, &id, error);
}

/* Runs SUPPRESSED or UNSUPPRESSED, which take the same values but for the address. */
static bool
tell_suppression(struct db *db, int statement, enum store_webhook_type type,
    const struct store_suppression *s, GError **error)
{
	struct base_id id = base_id_new();
	char source[ID_TEXT_SIZE];
	struct db_value values[14] = {db_id(&id), db_id(&s->workspace_id), db_int(base_clock_now()),
	    db_int(type), db_text(s->address), db_id(&s->id), db_text(s->email),
	    db_text(store_suppression_origin(s->reason)),
	    db_text(s->has_source ? base_id_format(&s->source_id, source) : NULL),
	    db_int(s->created)};
	gsize count = 10;

	if (statement == SUPPRESSED) {
		values[count++] = db_id(&s->workspace_id);
		values[count++] = db_text(s->address);
	}
	values[count++] = db_id(&s->workspace_id);
	values[count++] = db_int(type);
	return db_defer(db, sql[statement], values, count, 1, error) &&
	       enqueue_deliver(db, &id, error);
}

static bool
enqueue_is_told(const struct store_suppression *entry)
{
	return entry->scope == SUPPRESSION_ALL && entry->email && entry->address;
}

bool
store_webhook_enqueue_suppressed(
    struct db *db, const struct store_suppression *entry, GError **error)
{
	return !enqueue_is_told(entry) ||
	       tell_suppression(db, SUPPRESSED, WEBHOOK_SUPPRESSION_ADDED, entry, error);
}

bool
store_webhook_enqueue_unsuppressed(
    struct db *db, const struct store_suppression *entry, GError **error)
{
	return !enqueue_is_told(entry) ||
	       tell_suppression(db, UNSUPPRESSED, WEBHOOK_SUPPRESSION_REMOVED, entry, error);
}

bool
store_webhook_enqueue_topic(struct db *db, const struct base_id *workspace,
    const struct base_id *topic, enum store_webhook_type type, GError **error)
{
	struct base_id id = base_id_new();

	return db_defer(db, sql[TOPIC],
		   DB_VALUES(db_id(&id), db_int(base_clock_now()), db_int(type), db_id(workspace),
		       db_id(topic), db_int(type)),
		   1, error) &&
	       enqueue_deliver(db, &id, error);
}

bool
store_webhook_enqueue_received(struct db *db, const struct base_id *workspace,
    const struct base_id *received, const char *about, const char *data, GError **error)
{
	const struct db_value type = db_int(WEBHOOK_EMAIL_RECEIVED);

	return db_defer(db, sql[RECEIVED],
	    DB_VALUES(db_id(workspace), type, db_id(received), db_id(workspace),
		db_int(base_id_time(received)), type, db_text(about), db_text(data),
		db_int(base_clock_now()), db_id(received)),
	    1, error);
}

bool
store_webhook_enqueue_choice(struct db *db, const struct base_id *workspace, const char *address,
    const struct base_id *topic, bool is_chosen, GError **error)
{
	const struct db_value type = db_int(WEBHOOK_CONTACT_TOPICS);
	struct base_id id = base_id_new();

	return db_defer(db, sql[CHOICE],
		   DB_VALUES(db_id(&id), db_int(base_clock_now()), type, db_id(topic),
		       db_text(is_chosen ? "opt_in" : "opt_out"), db_id(workspace),
		       db_text(address), type),
		   1, error) &&
	       enqueue_deliver(db, &id, error);
}

#define STATUSES 5
#define EVENT_VALUES (2 + STATUSES)
#define DELIVERY_VALUES 2

/* Tells the executions that a pair of statements finds by these values. */
static bool
tell_executions(struct db *db, int events, const char *address, const struct db_value *found_by,
    guint count, GError **error)
{
	struct db_value values[EVENT_VALUES + MANY];
	struct base_id id = base_id_new();

	values[0] = db_id(&id);
	values[1] = db_text(address);
	for (guint i = 0; i < STATUSES; i++)
		values[2 + i] = db_text(store_execution_statuses[i]);
	/* It waits in none of these events: what has been told of is over, or has just begun. */
	values[2 + EXECUTION_WAITING - 1] = values[2 + EXECUTION_IN_PROGRESS - 1];
	base_array_copy(values + EVENT_VALUES, found_by, count, sizeof(*values));
	if (!db_defer(db, sql[events], values, EVENT_VALUES + count, 1, error))
		return false;
	values[1] = values[0];
	values[0] = db_int(base_clock_now());
	base_array_copy(values + DELIVERY_VALUES, found_by, count, sizeof(*values));
	return db_defer(db, sql[events + 1], values, DELIVERY_VALUES + count, 1, error);
}

bool
store_webhook_enqueue_started(
    struct db *db, const struct store_person *contact, const struct base_id *event, GError **error)
{
	return tell_executions(db, STARTED_EVENTS, contact->address,
	    DB_VALUES(db_id(&contact->id), db_id(event)), error);
}

bool
store_webhook_enqueue_ended(
    struct db *db, const struct base_id *const *executions, guint count, GError **error)
{
	struct db_value ids[MANY];

	if (count == 1)
		return tell_executions(db, ENDED_ONE, NULL, DB_VALUES(db_id(executions[0])), error);
	for (guint done = 0; done < count; done += MANY) {
		/* A batch that is not full repeats its last id. */
		for (guint i = 0; i < MANY; i++)
			ids[i] = db_id(executions[MIN(done + i, count - 1)]);
		if (!tell_executions(db, ENDED, NULL, ids, MANY, error))
			return false;
	}
	return true;
}

bool
store_webhook_enqueue_deleted(struct db *db, const struct base_id *contact, GError **error)
{
	return tell_executions(db, DELETED_EVENTS, NULL, DB_VALUES(db_id(contact)), error);
}

bool
store_webhook_enqueue_test(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, struct base_id *delivery_r, GError **error)
{
	struct base_id id = base_id_new();
	gint64 now = base_clock_now();
	char text[ID_TEXT_SIZE];
	g_autofree char *data =
	    g_strdup_printf("{\"webhook_id\":\"%s\"}", base_id_format(webhook, text));

	*delivery_r = store_webhook_delivery_id(&id, webhook);
	return db_defer(db, sql[TEST],
		   DB_VALUES(db_id(&id), db_id(workspace), db_int(now), db_int(WEBHOOK_TEST),
		       db_text(data)),
		   1, error) &&
	       db_defer(db, sql[TEST_DELIVERY],
		   DB_VALUES(db_id(webhook), db_id(delivery_r), db_id(workspace), db_id(&id),
		       db_int(WEBHOOK_TEST), db_int(now)),
		   1, error);
}

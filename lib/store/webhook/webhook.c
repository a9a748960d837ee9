/* SPDX-License-Identifier: MIT */
/* Stores, reads and lists webhooks, the URLs of customers to which events are posted. */
#include "store/webhook/webhook.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "store/common/listing.h"
#include "store/workspace/limit.h"

#define WEBHOOK_COLUMNS(FIRST, NEXT)                                                               \
	FIRST(id, "id")                                                                            \
	NEXT(url, "url")                                                                           \
	NEXT(events, "events")                                                                     \
	NEXT(enabled, "enabled")                                                                   \
	NEXT(batch, "batch")                                                                       \
	NEXT(description, "description")                                                           \
	NEXT(created, "created")                                                                   \
	NEXT(secret, "secret")                                                                     \
	NEXT(previous_secret, "previous_secret")                                                   \
	NEXT(previous_expires, "previous_expires")                                                 \
	NEXT(disabled_reason, "disabled_reason")                                                   \
	NEXT(failing_since, "failing_since")                                                       \
	NEXT(failures, "failures")                                                                 \
	NEXT(rest_until, "rest_until")                                                             \
	NEXT(form, "form")
#define ROWS "SELECT " DB_COLUMNS_SQL(WEBHOOK_COLUMNS) " FROM webhook WHERE workspace_id = ?"

#define OF_COMPAT ROWS " AND form = " WEBHOOK_FORM_COMPAT_SQL

enum { CREATE, GET, LOCK, CHANGE, AWAKE, ROTATE, REMOVE };
static const char *const sql[] = {
    [CREATE] = "INSERT INTO webhook (workspace_id, id, url, events, form, enabled, batch,"
	       " description, created, secret) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [GET] = ROWS " AND id = ?",
    [LOCK] = ROWS " AND id = ? FOR UPDATE",
    [CHANGE] = "UPDATE webhook SET url = ?, events = ?, enabled = ?, batch = ?, description = ?,"
	       " disabled_reason = ?, failing_since = ?, failures = ?, rest_until = ?"
	       " WHERE workspace_id = ? AND id = ?",
    [AWAKE] = "UPDATE webhook_delivery FORCE INDEX (due) SET next_attempt = ?"
	      " WHERE workspace_id = ? AND webhook_id = ? AND status = " DELIVERY_PENDING_SQL
	      " AND next_attempt > ?",
    [ROTATE] = "UPDATE webhook SET previous_secret = secret, previous_expires = ?, secret = ?"
	       " WHERE workspace_id = ? AND id = ?",
    [REMOVE] = "DELETE FROM webhook WHERE workspace_id = ? AND id = ?",
};

static const char *const names[] = {
    [WEBHOOK_EMAIL_SENT] = "email.sent",
    [WEBHOOK_EMAIL_DELIVERED] = "email.delivered",
    [WEBHOOK_EMAIL_DELAYED] = "email.delayed",
    [WEBHOOK_EMAIL_COMPLAINED] = "email.complained",
    [WEBHOOK_EMAIL_OPENED] = "email.opened",
    [WEBHOOK_EMAIL_CLICKED] = "email.clicked",
    [WEBHOOK_EMAIL_UNSUBSCRIBED] = "email.unsubscribed",
    [WEBHOOK_EMAIL_SUPPRESSED] = "email.suppressed",
    [WEBHOOK_EMAIL_BOUNCED] = "email.bounced",
    [WEBHOOK_EMAIL_FAILED] = "email.failed",
    [WEBHOOK_EMAIL_SCHEDULED] = "email.scheduled",
    [WEBHOOK_EMAIL_CANCELLED] = "email.cancelled",
    [WEBHOOK_CONTACT_CREATED] = "contact.created",
    [WEBHOOK_CONTACT_UPDATED] = "contact.updated",
    [WEBHOOK_CONTACT_DELETED] = "contact.deleted",
    [WEBHOOK_CONTACT_UNSUBSCRIBED] = "contact.unsubscribed",
    [WEBHOOK_DOMAIN_VERIFIED] = "domain.verified",
    [WEBHOOK_DOMAIN_FAILED] = "domain.failed",
    [WEBHOOK_DOMAIN_WARNING] = "domain.warning",
    [WEBHOOK_EXECUTION_STARTED] = "execution.started",
    [WEBHOOK_EXECUTION_FINISHED] = "execution.finished",
    [WEBHOOK_EXECUTION_FAILED] = "execution.failed",
    [WEBHOOK_TEST] = "webhook.test",
    [WEBHOOK_DOMAIN_CREATED] = "domain.created",
    [WEBHOOK_DOMAIN_DELETED] = "domain.deleted",
    [WEBHOOK_SUPPRESSION_ADDED] = "suppression.added",
    [WEBHOOK_SUPPRESSION_REMOVED] = "suppression.removed",
    [WEBHOOK_TOPIC_CREATED] = "topic.created",
    [WEBHOOK_TOPIC_UPDATED] = "topic.updated",
    [WEBHOOK_TOPIC_DELETED] = "topic.deleted",
    [WEBHOOK_CONTACT_TOPICS] = "contact.topics.updated",
    [WEBHOOK_PERSON_CREATED] = "contact.created",
    [WEBHOOK_PERSON_UPDATED] = "contact.updated",
    [WEBHOOK_PERSON_DELETED] = "contact.deleted",
    [WEBHOOK_EMAIL_REPLIED] = "email.replied",
    [WEBHOOK_EMAIL_RECEIVED] = "email.received",
};

const char *
store_webhook_name(enum store_webhook_type type)
{
	return names[type];
}

enum store_webhook_type
store_webhook_type(const char *name)
{
	for (enum store_webhook_type type = WEBHOOK_EMAIL_SENT; type < G_N_ELEMENTS(names); type++)
		if (WEBHOOK_ALL & WEBHOOK_BIT(type) && strcmp(names[type], name) == 0)
			return type;
	return WEBHOOK_NONE;
}

const char *
store_webhook_reason_name(enum store_webhook_reason reason)
{
	static const char *const reasons[] = {
	    [WEBHOOK_GONE] = "gone", [WEBHOOK_FAILING] = "failing"};

	return reasons[reason];
}

void
store_webhook_free(struct store_webhook *webhook)
{
	g_free(webhook->url);
	g_free(webhook->description);
	g_clear_pointer(&webhook->secret, g_bytes_unref);
	g_clear_pointer(&webhook->previous_secret, g_bytes_unref);
	g_free(webhook);
}

bool
store_webhook_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Webhook not found");
}

static struct db_value
webhook_bytes_of(GBytes *bytes)
{
	gsize size;
	const void *data = g_bytes_get_data(bytes, &size);

	return db_bytes(data, size);
}

static bool
store_webhook_webhook_create(struct db *db, void *context, GError **error)
{
	const struct store_webhook *w = context;

	return store_limit_hold(db, &w->workspace_id, SETTING_LIMITS_WEBHOOKS, error) &&
	       db_run(db, sql[CREATE],
		   DB_VALUES(db_id(&w->workspace_id), db_id(&w->id), db_text(w->url),
		       db_int((gint64)w->events), db_int(w->form), db_int(w->enabled),
		       db_int(w->batch), db_text(w->description), db_int(w->created),
		       webhook_bytes_of(w->secret)),
		   NULL, error);
}

bool
store_webhook_create(struct db *db, const struct store_webhook *webhook, GError **error)
{
	return db_transact(db, store_webhook_webhook_create, (void *)webhook, error);
}

STORE_LISTING_READER(webhook_read_row, struct store_webhook, WEBHOOK_COLUMNS)

static struct store_webhook *
webhook_read_one(struct db *db, const char *statement, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	return store_listing_one(
	    db_select(db, statement, DB_VALUES(db_id(workspace), db_id(id)), error), workspace,
	    webhook_read_row, store_webhook_missing, error);
}

struct store_webhook *
store_webhook_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return webhook_read_one(db, sql[GET], workspace, id, error);
}

STORE_LISTING(listing, webhook_read_row, store_webhook_destroy, ROWS, "id");

GPtrArray *
store_webhook_list(struct db *db, const struct base_id *workspace, const struct base_id *before,
    guint limit, GError **error)
{
	return store_listing_read(db, &listing, workspace, before, limit, error);
}

STORE_LISTING(paged, webhook_read_row, store_webhook_destroy, OF_COMPAT, "id");

GPtrArray *
store_webhook_compat_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error)
{
	return store_listing_page(db, &paged, workspace, page, error);
}

struct changing {
	const struct base_id *workspace, *id;
	const struct store_webhook_change *change;
	struct store_webhook *webhook; /* the result */
};

static void
webhook_set_text(char **member, const char *text)
{
	if (!text)
		return;
	g_free(*member);
	*member = g_strdup(text);
}

/* Applies the change. Returns whether it switches the webhook on. */
static bool
webhook_apply(const struct store_webhook_change *change, struct store_webhook *webhook)
{
	bool was_on = webhook->enabled;

	webhook_set_text(&webhook->url, change->url);
	webhook_set_text(&webhook->description, change->description);
	if (change->events)
		webhook->events = change->events;
	if (change->batch)
		webhook->batch = *change->batch;
	if (change->enabled)
		webhook->enabled = *change->enabled;
	if (was_on || !webhook->enabled)
		return false;
	webhook->disabled_reason = 0;
	webhook->failing_since = webhook->rest_until = 0;
	webhook->failures = 0;
	return true;
}

static bool
webhook_change_one(struct db *db, void *context, GError **error)
{
	struct changing *changing = context;
	struct db_value workspace = db_id(changing->workspace), id = db_id(changing->id),
			now = db_int(base_clock_now());

	g_clear_pointer(&changing->webhook, store_webhook_free);
	changing->webhook =
	    webhook_read_one(db, sql[LOCK], changing->workspace, changing->id, error);
	if (!changing->webhook)
		return false;
	struct store_webhook *w = changing->webhook;
	bool awakes = webhook_apply(changing->change, w);
	return db_run(db, sql[CHANGE],
		   DB_VALUES(db_text(w->url), db_int((gint64)w->events), db_int(w->enabled),
		       db_int(w->batch), db_text(w->description),
		       db_int_or_null(w->disabled_reason), db_int_or_null(w->failing_since),
		       db_int(w->failures), db_int(w->rest_until), workspace, id),
		   NULL, error) &&
	       (!awakes || db_run(db, sql[AWAKE], DB_VALUES(now, workspace, id, now), NULL, error));
}

struct store_webhook *
store_webhook_change(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct store_webhook_change *change, GError **error)
{
	struct changing changing = {workspace, id, change, NULL};

	if (!db_transact(db, webhook_change_one, &changing, error))
		g_clear_pointer(&changing.webhook, store_webhook_free);
	return changing.webhook;
}

/* Runs a statement that must find its webhook. */
static bool
run_on_one(struct db *db, const char *statement, const struct db_value *values, gsize count,
    GError **error)
{
	guint64 affected;

	return db_run(db, statement, values, count, &affected, error) &&
	       (affected > 0 || store_webhook_missing(error));
}

bool
store_webhook_rotate(struct db *db, const struct base_id *workspace, const struct base_id *id,
    GBytes *secret, gint64 expires, GError **error)
{
	return run_on_one(db, sql[ROTATE],
	    DB_VALUES(db_int(expires), webhook_bytes_of(secret), db_id(workspace), db_id(id)),
	    error);
}

bool
store_webhook_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	return run_on_one(db, sql[REMOVE], DB_VALUES(db_id(workspace), db_id(id)), error);
}

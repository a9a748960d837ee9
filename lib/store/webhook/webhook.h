/* SPDX-License-Identifier: MIT */
/* Webhooks, the URLs of customers to which events are posted. */
#ifndef STORE_WEBHOOK_WEBHOOK_H
#define STORE_WEBHOOK_WEBHOOK_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/email/event.h"

struct db;
struct store_page;

/* The types of events that webhooks get. Stored as number; those of a recipient's event have the
   number of its status. */
enum store_webhook_type {
	WEBHOOK_NONE = 0, /* never stored */
	WEBHOOK_EMAIL_SENT = EVENT_SENT,
	WEBHOOK_EMAIL_DELIVERED = EVENT_DELIVERED,
	WEBHOOK_EMAIL_DELAYED = EVENT_DELAYED,
	WEBHOOK_EMAIL_COMPLAINED = EVENT_COMPLAINED,
	WEBHOOK_EMAIL_OPENED = EVENT_OPENED,
	WEBHOOK_EMAIL_CLICKED = EVENT_CLICKED,
	WEBHOOK_EMAIL_UNSUBSCRIBED = EVENT_UNSUBSCRIBED,
	WEBHOOK_EMAIL_SUPPRESSED = EVENT_SUPPRESSED,
	WEBHOOK_EMAIL_BOUNCED = EVENT_BOUNCED,
	WEBHOOK_EMAIL_FAILED = EVENT_FAILED,
	WEBHOOK_EMAIL_SCHEDULED = 11,
	WEBHOOK_EMAIL_CANCELLED = 12,
	WEBHOOK_CONTACT_CREATED = 13,
	WEBHOOK_CONTACT_UPDATED = 14,
	WEBHOOK_CONTACT_DELETED = 15,
	WEBHOOK_CONTACT_UNSUBSCRIBED = 16,
	WEBHOOK_DOMAIN_VERIFIED = 17,
	WEBHOOK_DOMAIN_FAILED = 18,
	WEBHOOK_DOMAIN_WARNING = 19,
	WEBHOOK_EXECUTION_STARTED = 20,
	WEBHOOK_EXECUTION_FINISHED = 21,
	WEBHOOK_EXECUTION_FAILED = 22,
	WEBHOOK_TEST = 23, /* cannot be chosen */

	/* These can be chosen in WEBHOOK_FORM_COMPAT alone. */
	WEBHOOK_DOMAIN_CREATED = 24,
	WEBHOOK_DOMAIN_DELETED = 25,
	WEBHOOK_SUPPRESSION_ADDED = 26,
	WEBHOOK_SUPPRESSION_REMOVED = 27,
	WEBHOOK_TOPIC_CREATED = 28,
	WEBHOOK_TOPIC_UPDATED = 29,
	WEBHOOK_TOPIC_DELETED = 30,
	WEBHOOK_CONTACT_TOPICS = 31,
	WEBHOOK_UNTOLD = 32, /* the first of those that are never enqueued (webhook/compat.c) */
	WEBHOOK_PERSON_CREATED = 51, /* beside those of the person's contacts, which /v1 knows */
	WEBHOOK_PERSON_UPDATED = 52,
	WEBHOOK_PERSON_DELETED = 53,
	WEBHOOK_EMAIL_REPLIED = EVENT_REPLIED,
	WEBHOOK_EMAIL_RECEIVED = 55,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define WEBHOOK_EMAIL_SCHEDULED_SQL "11"
#define WEBHOOK_EMAIL_CANCELLED_SQL "12"

/* The bit of a type, and those of all types that can be chosen under /v1. */
#define WEBHOOK_BIT(type) (G_GUINT64_CONSTANT(1) << (type))
#define WEBHOOK_ALL                                                                                \
	(WEBHOOK_BIT(WEBHOOK_TEST) - WEBHOOK_BIT(WEBHOOK_EMAIL_SENT) +                             \
	    WEBHOOK_BIT(WEBHOOK_EMAIL_REPLIED) + WEBHOOK_BIT(WEBHOOK_EMAIL_RECEIVED))

/* The name of a type, and the type of a name that can be chosen under /v1, WEBHOOK_NONE for an
   unknown one. */
const char *store_webhook_name(enum store_webhook_type type);
enum store_webhook_type store_webhook_type(const char *name);

/* Why a webhook was switched off. Stored as number; NULL: it is on, or a customer did it. */
enum store_webhook_reason { WEBHOOK_GONE = 1, WEBHOOK_FAILING = 2 };

/* The word of the API; NULL for 0. */
const char *store_webhook_reason_name(enum store_webhook_reason reason);

/* The form in which a webhook gets events. Stored as number. */
enum store_webhook_form {
	WEBHOOK_FORM_OURS = 0,
	WEBHOOK_FORM_COMPAT = 1, /* as clients of a compatible API know it (webhook/compat.h) */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define WEBHOOK_FORM_COMPAT_SQL "1"

struct store_webhook {
	struct base_id id, workspace_id;
	char *url;
	guint64 events; /* WEBHOOK_BIT of each type that it gets */
	enum store_webhook_form form;
	bool enabled, batch;
	char *description;
	gint64 created;
	GBytes *secret, *previous_secret; /* encrypted (webhook/webhook.h); NULL: no previous one */
	gint64 previous_expires;	  /* these are 0 where they do not apply */
	enum store_webhook_reason disabled_reason;
	gint64 failing_since;
	guint failures;
	gint64 rest_until;
};

void store_webhook_free(struct store_webhook *webhook);
DEFINE_AUTO(store_webhook, store_webhook_free)

/* Stores a new webhook with its id, workspace, url, events, form, enabled, batch, description,
   created and secret. CONFLICT when the workspace has reached its limit of webhooks. */
bool store_webhook_create(struct db *db, const struct store_webhook *webhook, GError **error);

/* NOT_FOUND "Webhook not found". The caller frees it. */
struct store_webhook *store_webhook_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Sets NOT_FOUND "Webhook not found" and returns false. */
bool store_webhook_missing(GError **error);

/* A page of webhooks, newest first, at most limit, older than before (NULL: from the newest on), as
   an array of struct store_webhook. The caller owns it. */
GPtrArray *store_webhook_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* A page of the webhooks of WEBHOOK_FORM_COMPAT, newest first. The caller owns it, as above. */
GPtrArray *store_webhook_compat_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* New values; NULL and 0 leave the value as it is. */
struct store_webhook_change {
	const char *url, *description;
	guint64 events;
	const bool *enabled, *batch;
};

/* Changes a webhook, and returns it as it is then; the caller frees it. If it was off and is on
   now, its reason and its failures are forgotten, and its waiting deliveries are due. NOT_FOUND. */
struct store_webhook *store_webhook_change(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_webhook_change *change, GError **error);

/* Gives it a new secret. The present one becomes the previous one, until expires; an older previous
   one ends. NOT_FOUND. */
bool store_webhook_rotate(struct db *db, const struct base_id *workspace, const struct base_id *id,
    GBytes *secret, gint64 expires, GError **error);

/* Removes it. Its deliveries can no longer be reached. NOT_FOUND. */
bool store_webhook_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Stored as number. */
enum store_delivery_status {
	DELIVERY_PENDING = 1,
	DELIVERY_SUCCEEDED = 2,
	DELIVERY_FAILED = 3,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define DELIVERY_PENDING_SQL "1"
#define DELIVERY_SUCCEEDED_SQL "2"
#define DELIVERY_FAILED_SQL "3"

#endif

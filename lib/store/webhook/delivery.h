/* SPDX-License-Identifier: MIT */
/* Deliveries, the events that a webhook gets: reading them with their attempts, and repeating them.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_WEBHOOK_DELIVERY_H
#define STORE_WEBHOOK_DELIVERY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/webhook/webhook.h"

struct db;
struct store_page;
struct store_rest;

/* The words of the API, NULL-terminated; the word of a number stands at that number less one. */
extern const char *const store_webhook_delivery_statuses[];

struct store_webhook_attempt {
	guint number;		    /* from 1 */
	gint64 timestamp, duration; /* ms */
	guint response_status;	    /* 0: there was no answer */
	char *response_body;
	char *error; /* NULL: there was an answer */
};

struct store_webhook_delivery {
	struct base_id id, webhook_id, workspace_id, event_id, email_id;
	bool has_email; /* email_id is set */
	int recipient;	/* as in struct store_delivery */
	enum store_webhook_type type;
	enum store_delivery_status status;
	enum store_webhook_form form; /* of the webhook */
	guint tries;		      /* since it was created or replayed */
	gint64 created;		      /* its id begins with this time */
	gint64 happened;	      /* the time of the event, which may be earlier */
	gint64 next_attempt;	      /* 0: there will be none */
	GPtrArray *attempts;	      /* struct store_webhook_attempt, oldest first: the newest
					 LIMIT_DELIVERY_ATTEMPTS */
};

void store_webhook_delivery_free(struct store_webhook_delivery *delivery);
DEFINE_AUTO(store_webhook_delivery, store_webhook_delivery_free)

/* The deliveries of a list; 0 and NULL do not restrict it. */
struct store_webhook_delivery_filter {
	enum store_delivery_status status;
	enum store_webhook_type type;
	const struct base_id *before; /* only older ones */
	guint limit;		      /* at most so many; never 0 */
};

/* A page of a webhook's deliveries, newest first, as an array of struct store_webhook_delivery. A
   page of one type, or of pending ones if there are many, looks at no more than
   LIMIT_DELIVERIES_LOOKED: a page may be short, or empty, and then tells its rest. NOT_FOUND
   "Webhook not found". The caller owns it. */
GPtrArray *store_webhook_delivery_list(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_webhook_delivery_filter *filter,
    struct store_rest *rest_r, GError **error);

/* The id of the delivery of an event to a webhook, which need not exist. */
struct base_id store_webhook_delivery_id(
    const struct base_id *event, const struct base_id *webhook);

/* A page of a webhook's deliveries, newest first, as above. The cursor is the id of an event. */
GPtrArray *store_webhook_delivery_page(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_page *page, GError **error);

/* NOT_FOUND "Webhook not found" or "Delivery not found". The caller frees it. */
struct store_webhook_delivery *store_webhook_delivery_get(struct db *db,
    const struct base_id *workspace, const struct base_id *webhook, const struct base_id *id,
    GError **error);

/* Makes a delivery due now, with the schedule from its beginning. NOT_FOUND as of
   store_webhook_delivery_get; CONFLICT "Webhook is disabled". */
bool store_webhook_delivery_replay(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct base_id *id, GError **error);

/* The deliveries of a span of time, from <= created < to, with this status; 0: any. */
struct store_webhook_delivery_span {
	gint64 from, to;
	enum store_delivery_status status;
};

/* The deliveries that were made due. */
struct store_webhook_replayed {
	guint count;
	bool more; /* there are others */
};

/* Does the same to the oldest LIMIT_REPLAY deliveries of a span. */
bool store_webhook_delivery_replay_span(struct db *db, const struct base_id *workspace,
    const struct base_id *webhook, const struct store_webhook_delivery_span *span,
    struct store_webhook_replayed *replayed_r, GError **error);

#endif

/* SPDX-License-Identifier: MIT */
/* The events that a webhook under /resend gets, and its attempts. An event has the id that the
   header webhook-id tells. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/resend/error.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/webhook/delivery.h"
#include "webhook/payload.h"
#include "webhook/compat.h"

#define OBJECT "webhook_event"

/* A pending event is "attempting" once an attempt has failed. */
static const char *
webhook_events_status_of(const struct store_webhook_delivery *delivery)
{
	switch (delivery->status) {
	case DELIVERY_SUCCEEDED:
		return "success";
	case DELIVERY_FAILED:
		return "failed";
	case DELIVERY_PENDING:
		break;
	}
	return delivery->tries > 0 ? "attempting" : "pending";
}

static void
webhook_events_write_members(
    struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_webhook_delivery *delivery = row;
	fcgi_resend_write_id(writer, "id", &delivery->event_id);
	json_writer_string(writer, "type", webhook_compat_name(delivery->type));
	fcgi_resend_write_time(writer, "created_at", delivery->happened);
	json_writer_string(writer, "status", webhook_events_status_of(delivery));
}

bool
fcgi_resend_webhook_events_list(struct fcgi_call *call, GError **error)
{
	AUTO(store_webhook) webhook = NULL;
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !fcgi_resend_webhooks_find(call, &webhook, error))
		return false;
	g_autoptr(GPtrArray) deliveries = store_webhook_delivery_page(
	    call->service->db, &call->key.workspace_id, &webhook->id, &page, error);
	return fcgi_resend_list(call, &page, deliveries, webhook_events_write_members);
}

/* Finds the event of the path. The caller frees it. */
static struct store_webhook_delivery *
webhook_events_find(struct fcgi_call *call, GError **error)
{
	AUTO(store_webhook) webhook = NULL;
	g_autoptr(GError) failure = NULL;
	struct base_id event;

	if (!fcgi_resend_webhooks_find(call, &webhook, error) ||
	    !fcgi_resend_id(call, 1, &event, error))
		return NULL;
	struct base_id id = store_webhook_delivery_id(&event, &webhook->id);
	AUTO(store_webhook_delivery) delivery = store_webhook_delivery_get(
	    call->service->db, &call->key.workspace_id, &webhook->id, &id, &failure);
	if (delivery && base_id_equal(&delivery->event_id, &event))
		return g_steal_pointer(&delivery);
	if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&failure));
	else
		fcgi_resend_missing(error, "Webhook event");
	return NULL;
}

bool
fcgi_resend_webhook_events_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_webhook_delivery) delivery = webhook_events_find(call, error);

	if (!delivery)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "object", OBJECT);
	webhook_events_write_members(writer, call->service, delivery);
	fcgi_resend_write_time(writer, "next_attempt_at", delivery->next_attempt);
	if (!webhook_payload_write(writer, call->service, delivery, error))
		return false;
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_resend_webhook_events_replay(struct fcgi_call *call, GError **error)
{
	AUTO(store_webhook_delivery) delivery = webhook_events_find(call, error);

	if (!delivery || !store_webhook_delivery_replay(call->service->db, &call->key.workspace_id,
			     &delivery->webhook_id, &delivery->id, error))
		return false;
	fcgi_resend_reply_id(call, 200, OBJECT, &delivery->event_id, false);
	return true;
}

/* An attempt has no id of its own. This one has the form of a version 7: it begins with the time,
   then comes the number, and it ends as that of the event. */
static struct base_id
webhook_events_id_of(
    const struct store_webhook_delivery *delivery, const struct store_webhook_attempt *attempt)
{
	struct base_id id = base_id_floor(attempt->timestamp);

	memcpy(id.bytes + 8, delivery->event_id.bytes + 8, 8);
	id.bytes[6] = (guint8)(0x70 | (attempt->number >> 8 & 0x0f));
	id.bytes[7] = (guint8)attempt->number;
	return id;
}

static void
webhook_events_write_attempt(struct json_writer *writer,
    const struct store_webhook_delivery *delivery, const struct store_webhook_attempt *attempt)
{
	struct base_id id = webhook_events_id_of(delivery, attempt);

	json_writer_begin_object(writer, NULL);
	fcgi_resend_write_id(writer, "id", &id);
	json_writer_integer(writer, "http_status_code", attempt->response_status);
	json_writer_string(writer, "response", attempt->response_body);
	fcgi_resend_write_time(writer, "sent_at", attempt->timestamp);
	json_writer_end_object(writer);
}

/* Whether the attempt is on the page's side of the cursor. */
static bool
webhook_events_is_beside(const struct store_webhook_delivery *delivery,
    const struct store_webhook_attempt *attempt, const struct store_page *page)
{
	struct base_id id = webhook_events_id_of(delivery, attempt);
	int order = memcmp(id.bytes, page->cursor.bytes, sizeof(id.bytes));

	return page->side == STORE_PAGE_FIRST ||
	       (page->side == STORE_PAGE_OLDER ? order < 0 : order > 0);
}

/* The attempts of a page, newest first. */
static GPtrArray *
webhook_events_choose(const struct store_webhook_delivery *delivery, const struct store_page *page)
{
	GPtrArray *rows = g_ptr_array_new();

	for (guint i = delivery->attempts->len; i > 0; i--)
		if (webhook_events_is_beside(delivery, delivery->attempts->pdata[i - 1], page))
			g_ptr_array_add(rows, delivery->attempts->pdata[i - 1]);
	if (rows->len > page->limit && page->side == STORE_PAGE_NEWER)
		g_ptr_array_remove_range(rows, 0, rows->len - page->limit);
	else if (rows->len > page->limit)
		g_ptr_array_set_size(rows, (gint)page->limit);
	return rows;
}

bool
fcgi_resend_webhook_events_attempts(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct store_page page;
	guint first, end;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error))
		return false;
	AUTO(store_webhook_delivery) delivery = webhook_events_find(call, error);
	if (!delivery)
		return false;
	g_autoptr(GPtrArray) rows = webhook_events_choose(delivery, &page);
	fcgi_resend_list_begin(writer, &page, rows->len, &first, &end);
	for (guint i = first; i < end; i++)
		webhook_events_write_attempt(writer, delivery, rows->pdata[i]);
	fcgi_resend_list_end(call, writer);
	return true;
}

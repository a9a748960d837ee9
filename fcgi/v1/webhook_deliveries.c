/* SPDX-License-Identifier: MIT */
/* The events that a webhook gets, with each attempt (/v1/webhooks/{id}/deliveries). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/common/listing.h"
#include "webhook/payload.h"
#include "webhook/send.h"
#include "webhook/webhook.h"

/* Reads cursor, status and type. The filter borrows *before. */
static bool
webhook_deliveries_read_filter(struct fcgi_call *call, struct store_webhook_delivery_filter *filter,
    struct base_id *before, GError **error)
{
	const char *status, *type;
	bool given;

	if (!fcgi_page_cursor(call, true, before, &given, error) ||
	    !fcgi_page_text(call, "status", &status, error) ||
	    !webhook_delivery_status(status, &filter->status, error) ||
	    !fcgi_page_text(call, "type", &type, error) ||
	    !webhook_delivery_type(type, &filter->type, error))
		return false;
	filter->before = given ? before : NULL;
	return true;
}

/* An id in the path. One that is no id is all zero, which no row has. */
static struct base_id
webhook_deliveries_read_id(const struct fcgi_call *call, guint argument)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[argument], &id);
	return id;
}

bool
fcgi_webhook_deliveries_list(struct fcgi_call *call, GError **error)
{
	struct store_webhook_delivery_filter filter;
	struct base_id webhook = webhook_deliveries_read_id(call, 0), before;
	struct store_rest rest;

	if (!webhook_deliveries_read_filter(call, &filter, &before, error))
		return false;
	filter.limit = LIMIT_PAGE + 1;
	g_autoptr(GPtrArray) deliveries = store_webhook_delivery_list(
	    call->service->db, &call->key.workspace_id, &webhook, &filter, &rest, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"deliveries", deliveries, LIMIT_PAGE, true,
		offsetof(struct store_webhook_delivery, id), .view = &webhook_delivery_view,
		.rest = rest.is_any ? &rest.id : NULL},
	    error);
}

static struct store_webhook_delivery *
webhook_deliveries_get(struct fcgi_call *call, GError **error)
{
	struct base_id webhook = webhook_deliveries_read_id(call, 0),
		       id = webhook_deliveries_read_id(call, 1);

	return store_webhook_delivery_get(
	    call->service->db, &call->key.workspace_id, &webhook, &id, error);
}

bool
fcgi_webhook_deliveries_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	AUTO(store_webhook_delivery) delivery = webhook_deliveries_get(call, error);

	if (!delivery)
		return false;
	json_writer_begin_object(writer, NULL);
	json_view_write_members(writer, &webhook_delivery_view, delivery, NULL);
	if (!webhook_payload_write(writer, call->service, delivery, error))
		return false;
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_webhook_deliveries_replay(struct fcgi_call *call, GError **error)
{
	struct base_id webhook = webhook_deliveries_read_id(call, 0),
		       id = webhook_deliveries_read_id(call, 1);

	if (!store_webhook_delivery_replay(
		call->service->db, &call->key.workspace_id, &webhook, &id, error))
		return false;
	AUTO(store_webhook_delivery) delivery = webhook_deliveries_get(call, error);
	return fcgi_page_reply_view(call, &webhook_delivery_view, delivery);
}

bool
fcgi_webhook_deliveries_test(struct fcgi_call *call, GError **error)
{
	const struct base_id *workspace = &call->key.workspace_id;
	struct base_id webhook = webhook_deliveries_read_id(call, 0), id;

	if (!webhook_test(call->service, workspace, &webhook, &id, error))
		return false;
	AUTO(store_webhook_delivery) delivery =
	    store_webhook_delivery_get(call->service->db, workspace, &webhook, &id, error);
	return fcgi_page_reply_view(call, &webhook_delivery_view, delivery);
}

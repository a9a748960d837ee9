/* SPDX-License-Identifier: MIT */
/* Audiences: create, list, read and delete them (/v1/audiences). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/person/audience.h"

struct input {
	const char *name;
};

static const struct json_field fields[] = {FIELDS_NEW_AUDIENCE(struct input)};

const struct json_table fcgi_audiences_body = JSON_TABLE(fields);

static void
write_audience(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_audience *audience = row;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&audience->id, id));
	json_writer_string(writer, "name", audience->name);
	json_writer_begin_object(writer, "created_by");
	fcgi_creator_write(writer, service->settings, &audience->creator);
	json_writer_end_object(writer);
	json_writer_integer(writer, "created", audience->created);
	json_writer_integer(writer, "updated", audience->updated);
	json_writer_integer(writer, "contact_count", audience->contacts);
	json_writer_integer(writer, "unsubscribers", audience->unsubscribers);
	json_writer_end_object(writer);
}

static bool
reply_audience(struct fcgi_call *call, const struct base_id *id, GError **error)
{
	AUTO(store_audience) audience =
	    store_audience_get(call->service->db, &call->key.workspace_id, id, error);

	return fcgi_page_reply_row(call, write_audience, audience);
}

bool
fcgi_audiences_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	struct base_id id;

	return json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) &&
	       store_audience_create(call->service->db, &call->key.workspace_id, &call->key.user_id,
		   input.name, &id, error) &&
	       reply_audience(call, &id, error);
}

bool
fcgi_audiences_get(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_audience_missing(error);
	return reply_audience(call, &id, error);
}

bool
fcgi_audiences_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->arguments[0], &id))
		return store_audience_missing(error);
	if (!store_audience_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Audience deleted");
	return true;
}

bool
fcgi_audiences_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, false, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) audiences = store_audience_list(call->service->db,
	    &call->key.workspace_id, given ? &before : NULL, LIMIT_PAGE_AUDIENCES + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"audiences", audiences, LIMIT_PAGE_AUDIENCES, false,
		offsetof(struct store_audience, id), .write = write_audience},
	    error);
}
